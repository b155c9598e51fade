//! Sketches from a seed.

use super::accidents::{self, Accident};
use super::sketch::{Aside, Ask, Ending, Round, Sketch, Speech, Turn, INPUTS, KINDS, TOOLS};

/// Sebastiano Vigna's splitmix64: integers only, the same on every platform.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    pub fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

pub const WORDS: [&str; 36] = [
    "plan",
    "bed",
    "row",
    "seed",
    "frost",
    "water",
    "the",
    "a",
    "and",
    "then",
    "north",
    "shade",
    "leaf",
    "error",
    "ok",
    "done",
    "größer",
    "naïve",
    "Ελλάδα",
    "сад",
    "庭",
    "日本語の文",
    "정원",
    "حديقة",
    "🌱",
    "👩‍🌾",
    "e\u{301}",
    "\u{2028}",
    "x\0y",
    "<b>",
    "\"q\"",
    "\\",
    "</compaction-summary>",
    "[user]",
    "null",
    "𝒳",
];

/// Words in a row, never blank as a whole.
pub fn words(r: &mut Random, most: usize) -> String {
    let separator = if r.percent(10) { "\n" } else { " " };
    let words: Vec<&str> = (0..=r.below(most)).map(|_| r.pick(&WORDS)).collect();
    format!("w{}", words.join(separator))
}

fn some(r: &mut Random, chance: usize, most: usize) -> Option<String> {
    r.percent(chance).then(|| words(r, most))
}

pub fn sketch(seed: u64, malformed: f64) -> Sketch {
    let r = &mut Random::new(seed);
    let thinks = r.percent(50);
    let approves = r.percent(30);
    let turns: Vec<Turn> = (0..=r.below(8)).map(|_| turn(r, thinks, approves)).collect();
    let mut sketch = Sketch {
        systems: (0..r.below(3)).map(|_| (words(r, 12), r.percent(30))).collect(),
        opening: some(r, 15, 12),
        reuse_ids: r.percent(30),
        turns,
        ending: r.pick(&[
            Ending::Answered,
            Ending::Answered,
            Ending::Answered,
            Ending::Silent,
            Ending::Waiting,
            Ending::Approved,
            Ending::Partial,
        ]),
        accidents: Vec::new(),
    };
    let rounds: usize = sketch.turns.iter().map(|turn| 1 + turn.rounds.len()).sum();
    let surely = usize::from((r.below(1000) as f64) < malformed * 1000.0);
    // As many as one for each round at worst; integers, so that every platform counts the same.
    let more = rounds * (malformed * 1000.0) as usize * r.below(100) / 100_000;
    for _ in 0..surely.max(more) {
        sketch.accidents.push(Accident { what: r.below(accidents::COUNT), at: r.below(1 << 16), salt: r.next() });
    }
    sketch
}

fn turn(r: &mut Random, thinks: bool, approves: bool) -> Turn {
    let aside = match r.below(100) {
        0..=5 => Some(Aside::System(words(r, 12))),
        6..=11 => Some(Aside::Injected(r.below(KINDS.len()), words(r, 12))),
        12..=14 => Some(Aside::Summary(words(r, 30))),
        15..=18 => Some(Aside::Unknown(words(r, 6))),
        _ => None,
    };
    let rounds = r.pick(&[0, 0, 1, 1, 2, 3, 6]);
    Turn {
        aside,
        asks: (0..r.pick(&[1, 1, 1, 1, 2])).map(|_| words(r, 30)).collect(),
        image: r.percent(5),
        rounds: (0..rounds).map(|_| round(r, thinks, approves)).collect(),
        answer: speech(r, thinks, 100),
    }
}

fn speech(r: &mut Random, thinks: bool, speaks: usize) -> Speech {
    let thoughts = if thinks && r.percent(80) { r.pick(&[1, 1, 1, 2]) } else { 0 };
    let texts = if r.percent(speaks) { r.pick(&[1, 1, 1, 1, 2]) } else { 0 };
    Speech {
        thoughts: (0..thoughts).map(|_| words(r, 20)).collect(),
        redacted: r.percent(30),
        texts: (0..texts).map(|_| words(r, 40)).collect(),
        server: some(r, 8, 4),
    }
}

fn round(r: &mut Random, thinks: bool, approves: bool) -> Round {
    let calls = r.pick(&[1, 1, 1, 2, 3, 5]);
    Round {
        speech: speech(r, thinks, 40),
        calls: (0..calls).map(|_| ask(r, approves)).collect(),
        reversed: r.percent(20),
        apart: r.percent(20),
        word: r.percent(12).then(|| (r.percent(50), words(r, 12))),
    }
}

fn ask(r: &mut Random, approves: bool) -> Ask {
    let most = if r.percent(5) { 400 } else { 20 };
    Ask {
        tool: r.below(TOOLS.len()),
        input: r.below(INPUTS),
        result: words(r, most),
        error: r.percent(10),
        parts: r.percent(20),
        approval: if approves && r.percent(30) { Some(r.percent(70)) } else { None },
    }
}
