//! English.

use super::Language;
use super::ProposalReason::{Always, Exclusive, FromNowOn, Mistake, Never, Obligation, Prohibition};

pub(super) static LANGUAGES: [Language; 1] = [Language {
    code: "en",
    evidence: "the a an to of in on and is are you your for with without",
    leads: "please and but so also ok okay just note remember important rule rules reminder again first finally then or hey warning caution attention btw fyi well now yes no listen team folks everyone guys agents agent claude because since that which therefore otherwise kindly always absolutely really also here",
    veto: "never mind|say|ever
        nevermind
        always|never wanted|loved|liked|hated|dreamed|dreamt|thought|felt|knew|been|known|believed|wondered|hoped|enjoyed|had|was|were|did|said|seen|heard|understood|imagined|planned|meant|expected
        <want|wanted|need|asked|tell|told i|i'm|i've never|always|don't|didn't|cannot|can't|must|would|could|should|wasn't|haven't|do ~want
        <what he|she|they|it|somebody|someone|nobody|who|people never|always|don't|doesn't|didn't|must ~not
        <i|we|i've|have|already|once he|she|they|boss|manager|mother|mom|dad|father|teacher|friend|somebody|someone|people|customer|article|book|author|docs|sign|grandma|grandmother|wife|husband|colleague said|says|told|tells|wrote|writes|claimed|claims|asked|insisted|insists|believes|thinks|argues|argued|used|preached
        <be|is|are|get used to
        would|could|might|has|have|had|was|were|will|i'll|won't|it'll|he'll|she'll|they'll never|always
        is|are|was|were never|always ~to|allowed|permitted|ok|okay|acceptable|required
        better late than never
        now or never
        as|like always|never
        what if
        if i|we|you|he|she|it|they never|always|don't|didn't|must
        wonder|wondering|curious why|if|whether|how
        ^ why|how|when|who|where|does|did|do|should|is|are|can|could|would|will|must i|we|you|he|she|it|they|this|that|the|these|tests
        must|should have *ed|been|gone|known|done|seen|said|told|left|lost|forgotten|had|made|written|run|put
        must be kidding|joking|nice|fun|hard|tired|wrong|right|late
        it|there|that|this|i|he|she must ~not|never|always|only
        i must|should
        don't|dont|not worry|bother|panic|sweat|apologize|mention|feel|hesitate|cry|laugh
        dont worry
        don't|do not know|think|care|mind|understand|recall|believe|like|see why|what|how|if|that|it|him|her|them|the
        <to|you we never|always went|got|ended|had|found|saw|thought|knew|came|took|made|forgot|heard|talked|met|played|lived|needed|used|loved|enjoyed|laughed
        never seen|heard|been|felt|met
        songs|song|movie|film|album|band|novel called|titled|named
        called|titled|named never|always|do
        the rule|rules|word|words|question is|are|about|was why
        depends on
        no longer|need to
        not|isn't|aren't always
        not|isn't sure|certain
        once upon
        rule said|says|was
        removed|dropped|deleted|abolished the rule
        rules of the game|road
        do not pass go
        don't pass go
        as they|people say
        should|must|could|would never have",
    rules: &[
        (
            Never,
            "^ never need|embed|seed|feed|proceed|exceed|shed|speed|bleed
            ^ never ~*ed|mind|had|was|were|been|did|got|saw|said|knew|thought|heard|once|ever|in|before|a|the|an|have|seen|felt|met|gone|again|came|went|made|took|found|understood|really
            ^ never ever
            ^ never in|under any|no
            must never ~have|know
            should|shall never ~have
            please|and|but|to|you|we|let's|us|agents|it's|simply|also|or never ~*ed|mind|had|was|were|been|did|got|saw|said|knew|thought|heard|ever|know|have|came|went|made|took|found|really|in|told|gave|wrote|sent|met|be
            are|is never to|allowed|ok|okay|acceptable|permitted
            is a no go
            under|in|on no circumstances|circumstance|event|case|condition|conditions
            under any circumstances
            at no time|point
            don't|not|nor ever
            on no account
            <if nobody|nothing|no may|must|should|shall|can ~have
            no _ may|must|should|shall|can be
            i never|don't want|wanna to see|you
            there must|should|shall be no|never
            nothing|nobody|no goes|ships|merges|gets|one|leaves .. without
            no matter what
            whatever you do
            i never want",
        ),
        (
            Prohibition,
            "^ do not|ever ~worry|know|think|care|mind|have|believe|like|see|recall|understand|remember|feel|want
            ^ don't|dont ~worry|know|think|care|mind|have|believe|like|see|recall|understand|remember|feel|want|you|we|they|even|really|need|get
            you|we|it|please|and|but|agents|to|also|ever do|please not ~know|think|worry|care|have|want|need|see|understand|remember|believe|mind
            please|and|but|also|absolutely|so|or don't|dont ~worry|know|think|care|mind|have|believe|like|see|recall|understand|remember|feel|want
            must|shall|may not ~have
            mustn't|shan't
            should|shouldn't not|be|ever|use|touch|change|push|commit|edit|modify|delete|write|call|contain|depend|import|run
            you|we|agents|nobody|code should not|never
            not|never allowed|permitted|acceptable to|in|on|here|for|at|$
            are|is not|never|no|longer allowed|permitted|acceptable|welcome|okay
            is|are|strictly|stays|remains|remain|it's forbidden|prohibited|banned|disallowed|taboo|verboten
            off limits
            i'd rather|prefer you|we didn't|don't|not
            ^ no _ _ anywhere|ever|whatsoever|at|please
            no _ anywhere|ever|whatsoever
            is|are|stays|stay read - only
            off - limits
            hands off
            <i|we|could|can|might|to|would ^ avoid ~the
            please avoid
            ^ refrain from
            ^ stay|keep away|out|off|clear|your
            ^ leave .. alone|untouched|alone|intact|as
            ^ stop ~it|the|there|by|here|worrying|at
            i|we don't|dont want you|any|to see|anyone
            want|need|like|prefer|expect|tell|told|asked you|agents|everyone not to
            we don't|dont ~know|think|have|need|want|care|like|see|understand|remember|believe|mind|get|even|really|talk
            let's not ~forget
            be careful not to
            you|they|agents are|is not to
            it's|is not|never ok|okay|acceptable|allowed|fine to
            ^ no _ _ _ from|without|in|on|unless
            ^ no _ _ from
            zero tolerance
            zero - tolerance
            ^ no _ allowed|without|please|unless|ever|in|on|outside|before|after
            ^ no more _
            ^ no _ _ allowed|without|please|unless|in|on|before|after|outside
            ^ no exceptions
            without asking|approval|permission|consent|confirmation $
            ^ ban
            cannot|can't|can not ever",
        ),
        (
            Always,
            "^ always ~*ed|had|was|were|been|a|the|an|so|there|good|nice|happy|fun|great|on|something|interesting|thought|in|nice|glad|raining
            ^ always need|embed|seed
            must|shall always ~have
            should always ~have
            please|and|to|but|you|let's|also|or always ~*ed|had|was|were|been|a|the|an|so|there|forget|say|complain
            we always ~*ed|had|was|were|been|go|get|end|end|forget|lose|struggle|laugh|meet|knew|thought
            i|we want|need|expect|like|prefer .. always
            ^ ~i|he|she|they|it|we|you|this|that|there|one|people|someone|who|not|almost|as|like|was|were|had|is|are _ always the|our|your|their|its|all|every|each|with|in|to|at|before
            every|each time you|someone|anyone|an|a|we ~were|came|had
            ^ every|each time ~i
            ^ whenever you ~are|want|like|can|have|get|feel|need
            ^ before|after every|each|any|committing|pushing|merging|deploying|releasing|editing|changing|you|answering|running|writing|deleting ~came|left|arrived|were|was
            ^ on|for|with|in every|each|all commit|change|pr|release|file|function|test|request|answer|reply|response|deploy|migration|pull|merge|endpoint|query
            ^ run|execute|check|test|lint|format|review|verify|validate|rebuild|regenerate|update .. before|after each|every|any
            at all times
            without exception
            by default , ~the
            ^ ~i|he|she|they|it|we|you|this|that|there|one|people|someone _ always in|as|with|without|before|after|first",
        ),
        (
            Obligation,
            "^ make|be sure|certain ~i
            please|always|to|and make|be sure
            ^ ensure
            ^ remember to|never|always|not|that
            ^ keep in mind that
            <it|there|that|this|i|he|she|which|they|what you|we|agents|developers|contributors|everyone|everybody|secrets|tests|code must ~have|admit|say|confess
            <it|there|that|this|i|he|she|which|they|what|who must ~have|admit|say|confess|be|not _
            all|every|each|any .. must|shall ~have
            all|every|each .. should|needs|has|have ~been
            all|every|each .. has|have|needs|need to
            must|has|have to|be .. before|after|first|every|each|always
            <it|there|that|this|i|he|she|you must be _
            is|are mandatory|compulsory|obligatory|required|non negotiable|law
            it|it's is|imperative|essential|critical|crucial|vital|important imperative|essential|critical|crucial|vital|important|that|to that|to|you
            <what|the|which|it|there|that shall ~we|i|see
            <it|there|that|this are|is|has|have to be ~honest|fair|done
            unless i|explicitly|otherwise|told|you say|tell|ask|told|stated|instructed|approved|have|approve|noted
            rule|rules|constraint|constraints|requirement|requirements|policy|convention|guideline|restriction :
            ^ report|store|format|write|keep|name|prefix|document|validate|encrypt|sanitize|wrap|put|sign|escape|log all|every|each
            without fail
            is a must
            as a rule , ~i|he|she|they|it
            remember : ~the|when|that _ was
            need|needs|has|have to pass|succeed|run before
            every|each|all _ requires|require
            the|house|hard|golden|our|this|new|one|team|project rule|policy|convention|standard is ~why
            ^ rule|rules|policy|convention|constraint|requirement|guideline :
            need|needs|requires|require .. consent|approval|permission
            is|are strictly|highly confidential|private|secret
            i|we insist
            we|i require
            ^ stick to|with
            ^ treat .. as
            ^ follow our|the|this style|convention|conventions|guide|rules|format
            ^ keep .. under|below|small|short|private|secret|clean|brief|concise|simple|stable|sorted|tidy|green|separate|out|intact|away
            ^ limit|cap
            ^ ask|check|confirm .. before
            ^ get .. approval|permission|consent
            ^ answer|reply|respond|write .. in english|german|french|spanish|only|always|metric|uppercase|lowercase",
        ),
        (
            FromNowOn,
            "from now|today|here|this|tomorrow|monday on|onwards|onward|forward|point|moment|day|release
            going forward , ~it|this
            ^ going forward
            ^ henceforth
            henceforth
            ^ in|for future|the future ,|please|use|run|ask|always|never|don't|do|make|keep|write
            in future|the future , please|use|run|ask|always|never|don't|do|make|keep|write|i|we want
            for the rest of this|the|our session|conversation|project|chat|thread|task
            until further notice
            starting today|now|tomorrow|immediately|with
            effective immediately
            as of today|now|this|monday
            permanently switch|use|adopt",
        ),
        (
            Exclusive,
            "^ only use|commit|push|run|deploy|write|edit|touch|change|merge|answer|reply|respond|import|install|call|modify|access|log|ask|read|add|release|format|test|speak|accept|return|work|ever|query|send|publish
            ^ use|using|prefer|choose|pick|take|import|run|write|reach .. instead of|rather|exclusively|only|everywhere|throughout
            ^ use|prefer|write|run|take _ , not|never
            ^ use|prefer|write|run|take _ _ , not|never
            ^ use|prefer|take _ not|over ~sure
            ^ prefer ~to
            must|should|shall|may|can only|exclusively ~have|imagine|guess|hope
            ^ only _ may|should|must|shall
            ^ only _ _ may|should|must|shall
            ^ use nothing but
            ^ use|run|write|speak|accept|import|install|call|test|deploy|commit|read|edit|touch|answer|reply|take .. only $|.|,|!
            we|you use|speak|accept|support|ship .. only $|.|!
            i|we prefer .. over|to|instead|rather ~go|leave|stay|see
            we|you use only
            we|you only use
            exclusively
            and|but on|at|in|to|for|from no other
            ^ instead of _ , use
            nothing but",
        ),
        (
            Mistake,
            "that|this|it|which|you|we|last|change|commit|deploy|fix|update|migration broke ~up|down|my|out|into|even|off|her|his
            that|this|it|which breaks|crashed|corrupted|wiped|nuked|wrecked
            ^ that|this|it|which|you took|brought down
            broke|took|brought|crashed|killed|wiped|corrupted|deleted|dropped the|our|production|prod|staging|all|everything .. last|again|twice|because|when
            broke|brings|brought|took|takes prod|production|staging|everything down|again|twice|$
            took|takes|brought|brings down prod|production|staging|the|our|everything
            broke|breaks|crashed the|our build|pipeline|ci|deploy|deployment|tests|login|site|app|release|staging|main|production|database|cache|import|migration|server|api
            never|not again
            don't|do|must not|that|this|it|repeat|make .. again
            don't|dont|not .. again $
            don't|dont|not repeat|make that|this|the|same mistake|error
            the same mistake|error|bug|thing again|twice
            same mistake
            lesson learned|learnt
            learned|learnt .. the hard way
            was|is a|my|your|our big|bad|costly|huge|terrible|mistake|blunder|error ~mistake
            was|is a mistake
            that was|is wrong
            tried .. and it|that|everything failed|broke|crashed|didn't|exploded
            backfired
            messed|screwed|blew up ~a
            root cause
            went wrong|badly last|when|because|the|with
            got burned|bitten by
            bit|burned|burnt|cost|hurt us ~off
            caused|causes|led|leads the|an|a|to|our|data|three|two|major outage|incident|downtime|loss|crash|deadlock|regression|corruption|leak|hours|data
            <did doesn't|didn't|does work because|since|on|in|with|under|and .. so|don't|use|instead
            ended in|up disaster|corrupting|deleting|breaking
            ^ known issue|mistake|pitfall|trap :
            last time .. broke|crashed|failed|lost|deleted|wiped|corrupted|locked|outage|hours|days|broken|died|hung
            we lost .. because|when
            twice|again corrupted|broke|wiped|deleted|duplicated|crashed the|our|everything|all",
        ),
    ],
    unspaced: false,
}];
