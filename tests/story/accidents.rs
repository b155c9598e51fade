//! Things that go wrong in a story. Each looks for a step of its kind and changes the story there; a story without such
//! a step stays as it is.

use super::random::{words, Random};
use super::{Answer, Batch, Call, Half, Said, Server, Step, Thought, Verdict, When};
use serde_json::json;

/// What happens, to which of the steps that it can happen to, and where its own choices come from.
#[derive(Clone, Debug)]
pub struct Accident {
    pub what: usize,
    pub at: usize,
    pub salt: u64,
}

pub fn happen(steps: &mut Vec<Step>, accident: &Accident) {
    let (_, what) = ACCIDENTS[accident.what % ACCIDENTS.len()];
    let random = Random::new(accident.salt);
    let mut scene = Scene { steps: std::mem::take(steps), at: accident.at, random };
    what(&mut scene);
    *steps = scene.steps;
}

struct Scene {
    steps: Vec<Step>,
    at: usize,
    random: Random,
}

type Happen = fn(&mut Scene);

pub const COUNT: usize = ACCIDENTS.len();

#[rustfmt::skip]
const ACCIDENTS: [(&str, Happen); 36] = [
    ("results are lost", |s| s.lose(Scene::results)),
    ("results are lost, more is asked", |s| { s.before_results(user); s.lose(Scene::results); }),
    ("one result is lost", |s| s.in_batch(|batch, _| { batch.answers.pop(); })),
    ("a caller is lost", |s| s.lose(|s| s.caller(1))),
    ("a call is lost", |s| s.in_said(2, |said, _| { said.calls.pop(); })),
    ("the user speaks before the results", |s| s.before_results(user)),
    ("the system speaks before the results", |s| s.before_results(|text| Step::System { text, developer: false })),
    ("a summary stands before the results", |s| s.before_results(|text| Step::Summary { text })),
    ("an injection stands before the results", |s| s.before_results(|text| Step::Injected { kind: "steer", text })),
    ("something unknown stands before the results", |s| s.before_results(|text| Step::Unknown { text })),
    ("a result comes twice", |s| s.in_batch(|batch, _| batch.answers.extend(batch.answers.first().cloned()))),
    ("results come twice", Scene::repeat_results),
    ("one id for two calls", |s| s.in_said(2, |said, _| said.calls[1].id = said.calls[0].id.clone())),
    ("a result from nowhere", Scene::stray_results),
    ("one more result in a batch", |s| { let stray = s.stray(); s.in_batch(|batch, _| batch.answers.push(stray)); }),
    ("results come late", |s| s.delay(|step| matches!(step, Step::Results(_)))),
    ("approvals come late", |s| s.delay(|step| matches!(step, Step::Approvals(_)))),
    ("results come early", Scene::early_results),
    ("a word in front of the results", |s| s.in_batch(|batch, r| batch.word = Some((When::Before, words(r, 6))))),
    ("nothing but reasoning", |s| s.in_said(0, |said, r| *said = only(thoughts(said, r)))),
    ("reasoning that leads to nothing", Scene::stray_reasoning),
    ("a signature is lost", |s| s.in_said(0, unsign)),
    ("reasoning after the rest", |s| s.in_said(0, |said, r| { said.thoughts = thoughts(said, r); said.thinking_last = true; })),
    ("blank text", Scene::blank),
    ("the assistant says nothing", |s| s.in_said(0, |said, _| *said = Said::default())),
    ("the user says nothing", Scene::silent_user),
    ("the assistant speaks first", Scene::no_beginning),
    ("two of the user's in a row", Scene::second_user),
    ("a server's tool is cut in half", |s| s.in_said(0, |said, r| said.servers.push(half_a_server(r)))),
    ("a batch is abandoned", Scene::abandoned),
    ("two callers before the results", Scene::second_caller),
    ("a batch without results", |s| s.in_batch(|batch, _| batch.answers.clear())),
    ("an empty list of calls", |s| s.in_said(0, |said, _| { said.calls.clear(); said.empty_calls = true; })),
    ("a call loses its id", Scene::lose_id),
    ("an approval without its request", Scene::lose_request),
    ("a request without its approval", Scene::lose_approval),
];

fn user(text: String) -> Step {
    Step::User { texts: vec![text], image: false }
}

/// The thoughts there are, or one.
fn thoughts(said: &Said, random: &mut Random) -> Vec<Thought> {
    if said.thoughts.is_empty() {
        let signature = format!("Eq{:x}==", random.next());
        return vec![Thought { text: words(random, 6), signature, redacted: false }];
    }
    said.thoughts.clone()
}

fn only(thoughts: Vec<Thought>) -> Said {
    Said { thoughts, ..Said::default() }
}

fn unsign(said: &mut Said, random: &mut Random) {
    said.thoughts = thoughts(said, random);
    for thought in &mut said.thoughts {
        thought.signature.clear();
    }
}

fn half_a_server(random: &mut Random) -> Server {
    let half = random.pick(&[Half::CallOnly, Half::ResultOnly]);
    Server { id: format!("srv_{:x}", random.next()), query: words(random, 3), half }
}

impl Scene {
    fn words(&mut self) -> String {
        words(&mut self.random, 8)
    }

    /// One of the steps that are of a kind.
    fn nth(&self, kind: impl Fn(&Step) -> bool) -> Option<usize> {
        let places: Vec<usize> = (0..self.steps.len()).filter(|i| kind(&self.steps[*i])).collect();
        (!places.is_empty()).then(|| places[self.at % places.len()])
    }

    fn any(&self) -> usize {
        self.at % (self.steps.len() + 1)
    }

    fn results(&self) -> Option<usize> {
        self.nth(|step| matches!(step, Step::Results(_)))
    }

    fn caller(&self, calls: usize) -> Option<usize> {
        self.nth(|step| matches!(step, Step::Assistant(said) if said.calls.len() >= calls))
    }

    fn in_batch(&mut self, change: impl FnOnce(&mut Batch, &mut Random)) {
        let place = self.results();
        if let Some(Step::Results(batch)) = place.map(|i| &mut self.steps[i]) {
            change(batch, &mut self.random);
        }
    }

    /// Of an assistant with so many calls at least.
    fn in_said(&mut self, calls: usize, change: impl FnOnce(&mut Said, &mut Random)) {
        let place = self.caller(calls);
        if let Some(Step::Assistant(said)) = place.map(|i| &mut self.steps[i]) {
            change(said, &mut self.random);
        }
    }

    fn lose(&mut self, place: impl FnOnce(&Self) -> Option<usize>) {
        if let Some(i) = place(self) {
            self.steps.remove(i);
        }
    }

    fn before_results(&mut self, step: impl FnOnce(String) -> Step) {
        if let Some(i) = self.results() {
            let text = self.words();
            self.steps.insert(i, step(text));
        }
    }

    fn repeat_results(&mut self) {
        if let Some(i) = self.results() {
            let again = self.steps[i].clone();
            self.steps.insert(i + 1, again);
        }
    }

    fn stray_results(&mut self) {
        let i = self.any();
        let answers = vec![self.stray()];
        self.steps.insert(i, Step::Results(Batch { answers, ..Batch::default() }));
    }

    fn delay(&mut self, kind: impl Fn(&Step) -> bool) {
        if let Some(i) = self.nth(kind) {
            let step = self.steps.remove(i);
            let to = (i + 1 + self.random.below(3)).min(self.steps.len());
            self.steps.insert(to, step);
        }
    }

    fn early_results(&mut self) {
        if let Some(i) = self.results().filter(|i| *i > 0) {
            self.steps.swap(i - 1, i);
        }
    }

    fn stray_reasoning(&mut self) {
        let i = self.any();
        let thoughts = thoughts(&Said::default(), &mut self.random);
        self.steps.insert(i, Step::Assistant(only(thoughts)));
    }

    fn a_user(&self) -> Option<usize> {
        self.nth(|step| matches!(step, Step::User { .. }))
    }

    fn silent_user(&mut self) {
        if let Some(i) = self.a_user() {
            self.steps[i] = Step::User { texts: Vec::new(), image: false };
        }
    }

    fn second_user(&mut self) {
        if let Some(i) = self.a_user() {
            let text = self.words();
            self.steps.insert(i, user(text));
        }
    }

    fn no_beginning(&mut self) {
        if let Some(i) = self.steps.iter().position(|step| matches!(step, Step::Assistant(_))) {
            self.steps.drain(..i);
        }
    }

    fn abandoned(&mut self) {
        let i = self.any();
        let calls = vec![self.stray_call(), self.stray_call()];
        self.steps.insert(i, Step::Assistant(Said { calls, ..Said::default() }));
    }

    fn stray(&mut self) -> Answer {
        Answer {
            call: Some(format!("gone_{:x}", self.random.next())),
            name: "read",
            content: self.words(),
            error: false,
            parts: false,
            approval: None,
        }
    }

    fn stray_call(&mut self) -> Call {
        let id = Some(format!("left_{:x}", self.random.next()));
        Call { id, name: "bash", input: json!({ "left": true }), approval: None }
    }

    fn blank(&mut self) {
        let blank = self.random.pick(&["", " ", "\n"]).to_owned();
        let place = self.nth(|step| matches!(step, Step::User { .. } | Step::System { .. } | Step::Assistant(_)));
        match place.map(|i| &mut self.steps[i]) {
            Some(Step::User { texts, image }) => (*texts, *image) = (vec![blank], false),
            Some(Step::System { text, .. }) => *text = blank,
            Some(Step::Assistant(said)) => said.texts = vec![blank],
            _ => {}
        }
    }

    fn second_caller(&mut self) {
        let Some(i) = self.results() else { return };
        let (call, mut answer) = (self.stray_call(), self.stray());
        answer.call.clone_from(&call.id);
        answer.name = call.name;
        if let Step::Results(batch) = &mut self.steps[i] {
            batch.answers.push(answer);
        }
        self.steps.insert(i, Step::Assistant(Said { calls: vec![call], ..Said::default() }));
    }

    fn lose_id(&mut self) {
        let Some(i) = self.caller(1) else { return };
        let Step::Assistant(said) = &mut self.steps[i] else { return };
        let lost = said.calls[0].id.take();
        // Its result, if there is one, may know the id still or have lost it, too.
        let known = self.random.percent(50);
        let next = self.steps[i + 1..].iter_mut().find_map(|step| match step {
            Step::Results(batch) => Some(batch),
            _ => None,
        });
        for answer in next.into_iter().flat_map(|batch| &mut batch.answers) {
            if answer.call == lost && !known {
                answer.call = None;
            }
        }
    }

    /// A verdict on a call that asked for none.
    fn lose_request(&mut self) {
        let asked =
            |step: &Step| matches!(step, Step::Assistant(said) if said.calls.iter().any(|c| c.approval.is_some()));
        match self.nth(asked).map(|i| &mut self.steps[i]) {
            Some(Step::Assistant(said)) => said.calls.iter_mut().for_each(|call| call.approval = None),
            _ => {
                let approval = format!("apr_{:x}", self.random.next());
                let verdict = Verdict { approval, call: None, approved: self.random.percent(50) };
                let i = self.any();
                self.steps.insert(i, Step::Approvals(vec![verdict]));
            }
        }
    }

    /// A call that asks for an approval and gets none, and so no result either.
    fn lose_approval(&mut self) {
        let Some(i) = self.caller(1) else { return };
        let approval = format!("apr_{:x}", self.random.next());
        let Step::Assistant(said) = &mut self.steps[i] else { return };
        let call = &mut said.calls[0];
        call.approval = Some(approval);
        let id = call.id.clone();
        if let Some(Step::Approvals(verdicts)) = self.steps.get_mut(i + 1) {
            verdicts.retain(|verdict| verdict.call != id);
        }
        if let Some(Step::Results(batch)) = self.steps[i + 1..].iter_mut().find(|step| matches!(step, Step::Results(_)))
        {
            batch.answers.retain(|answer| answer.call != id);
        }
    }
}
