//! The balanced estimate of a text: what o200k_base would make of it, to a few per cent.
//!
//! The tokenizer splits a text at fixed places (words with what stands in front of them, three digits at a time, runs of
//! punctuation, white space) and looks for tokens inside each piece. The splitting is done here as it does it; what a piece
//! comes to is a sum of weights: for a word one for what stands in front of it and one for each further letter, by the two
//! letters before it, so that `information` is cheap and base64 is not; for other scripts by pairs of letters; for anything
//! else by its neighbourhood in Unicode. The weights are whole numbers (64 are a token), so every platform has the same sum.
//!
//! They are a least-squares fit to counts of o200k_base, on texts of 45 kinds; `bench/tokens` has the sources, the fit and the
//! table of errors on texts that it never saw. Layout and features are those of `bench/tokens/features.mjs`; added by hand are
//! long runs of newlines and of the characters that rules and bars are drawn with.

/// The weights, in the order of the tables below.
static WEIGHTS: &[u8; SIZE + 8192] = include_bytes!("weights.bin");

/// A token.
const ONE: u64 = 64;

const LETTERS: usize = 0;
const CAPITALS: usize = LETTERS + 32 * 32 * 32;
const LEADS: usize = CAPITALS + 32 * 32;
const MARKS: usize = LEADS + 256;
const AGAIN: usize = MARKS + 64 * 40;
const BREAKS: usize = AGAIN + 40;
const SPACES: usize = BREAKS + 40;
const SCRIPTS: usize = SPACES + 80;
const HAN: usize = SCRIPTS + 10 * 1024;
const OTHERS: usize = HAN + 4096;
const SAME: usize = OTHERS + 1152;
const SIZE: usize = SAME + 2;

/// What a byte begins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    Space,
    Line,
    Mark,
    /// A character of several bytes.
    Wide,
}

static CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut classes = [Class::Mark; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => Class::Lower,
            b'A'..=b'Z' => Class::Upper,
            b'0'..=b'9' => Class::Digit,
            b' ' | b'\t' | 0x0b | 0x0c => Class::Space,
            b'\n' | b'\r' => Class::Line,
            0x80.. => Class::Wide,
            _ => Class::Mark,
        };
        byte += 1;
    }
    classes
}

/// What a word stands behind, where that is no character of its own.
const NOTHING: usize = 0;
const ANOTHER_SCRIPT: usize = 1;
const A_SYMBOL: usize = 127;

/// The same in front of punctuation.
const A_SPACE: usize = 63;
const A_WIDE_SYMBOL: usize = 62;

/// Tokens of a text in UTF-8 (what is no UTF-8 counts like U+FFFD): at least 1 unless it is empty.
///
/// ```
/// use plica::tokens::balanced::of_text;
/// assert_eq!(of_text(b"hi"), 1);
/// assert_eq!(of_text(b"hello world"), 2);
/// ```
pub fn of_text(text: &[u8]) -> u64 {
    if text.is_empty() {
        return 0;
    }
    let mut reader = Reader { text, at: 0, sum: 0 };
    reader.read();
    ((reader.sum + ONE / 2) / ONE).max(1)
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    sum: u64,
}

// `word`, `latin` and `marks` are inlined by order: where the module is built for size they would not be, and a transcript's
// text then takes a sixth longer (188 against 219 MB/s in Node 20).
impl Reader<'_> {
    fn read(&mut self) {
        while let Some(class) = self.class(self.at) {
            match class {
                // Most of most texts: a word behind a single space.
                Class::Space if self.text[self.at] == b' ' && self.class(self.at + 1) == Some(Class::Lower) => {
                    self.at += 1;
                    self.word(usize::from(b' '));
                }
                Class::Lower | Class::Upper => self.word(NOTHING),
                Class::Digit => self.digits(),
                Class::Space | Class::Line => self.spaces(),
                Class::Mark => self.marks(false),
                Class::Wide if self.wide(self.at).is_letter() => self.word(NOTHING),
                Class::Wide => self.marks(false),
            }
        }
    }

    fn class(&self, at: usize) -> Option<Class> {
        self.text.get(at).map(|byte| CLASSES[usize::from(*byte)])
    }

    fn add(&mut self, weight: usize) {
        self.sum += u64::from(WEIGHTS[weight]);
    }

    /// Three digits are a token.
    fn digits(&mut self) {
        let (text, start) = (self.text, self.at);
        let mut at = start + 1;
        while text.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        self.at = at;
        self.sum += (at - start).div_ceil(3) as u64 * ONE;
    }

    /// A word, behind `lead`; up to where a capital begins the next one.
    #[inline(always)]
    fn word(&mut self, lead: usize) {
        let mut lead = lead;
        loop {
            let latin = match self.class(self.at) {
                Some(Class::Lower | Class::Upper) => true,
                Some(Class::Wide) => match self.wide(self.at) {
                    letter if !letter.is_letter() => return,
                    letter => letter.is_latin(),
                },
                _ => return,
            };
            if !latin {
                self.letters(lead);
            } else if self.latin(lead) {
                return;
            }
            if self.text.get(self.at).is_none_or(|byte| !byte.is_ascii_alphabetic() && byte.is_ascii()) {
                return;
            }
            lead = ANOTHER_SCRIPT;
        }
    }

    /// Latin letters; true where a capital behind small ones ends the word.
    #[inline(always)]
    fn latin(&mut self, lead: usize) -> bool {
        let (text, mut at, mut sum) = (self.text, self.at, self.sum);
        let weigh = |weight: usize| u64::from(WEIGHTS[weight]);
        // The last three letters, five bits each.
        let mut last = 0;
        let mut small = false;
        let mut first = true;
        let ends = loop {
            let Some(&byte) = text.get(at) else { break false };
            let (code, capital, length) = match CLASSES[usize::from(byte)] {
                Class::Lower => (usize::from(byte & 31), false, 1),
                Class::Upper => (usize::from(byte & 31), true, 1),
                Class::Wide => {
                    let wide = wide(text, at);
                    if !wide.is_letter() || !wide.is_latin() {
                        break false;
                    }
                    (wide.latin_code(), matches!(wide.code, 0xc0..=0xde), wide.length)
                }
                _ => break false,
            };
            if capital && small {
                break true;
            }
            if first {
                let loud = capital && text.get(at + length).is_some_and(u8::is_ascii_uppercase);
                sum += weigh(LEADS + lead + if loud { 128 } else { 0 });
                last = code;
                first = false;
            } else {
                last = (last << 5 | code) & 0x7fff;
                sum += weigh(if capital { CAPITALS + (last & 1023) } else { LETTERS + last });
            }
            small = !capital;
            at += length;
            // Most of any text.
            while let Some(&byte) = text.get(at).filter(|byte| byte.is_ascii_lowercase()) {
                last = (last << 5 | usize::from(byte & 31)) & 0x7fff;
                sum += weigh(LETTERS + last);
                small = true;
                at += 1;
            }
        };
        (self.at, self.sum) = (at, sum);
        ends
    }

    /// Letters of other scripts.
    fn letters(&mut self, lead: usize) {
        let start = match lead {
            32 => 0,
            NOTHING => 29,
            ANOTHER_SCRIPT => 30,
            _ => 31,
        };
        let (mut script, mut before) = (None, start);
        while self.class(self.at) == Some(Class::Wide) {
            let wide = self.wide(self.at);
            if !wide.is_letter() || wide.is_latin() {
                return;
            }
            let own = wide.script();
            if script != Some(own) {
                before = if script.is_none() { start } else { 30 };
            }
            self.add(own.weight(before, wide.code));
            (script, before) = (Some(own), wide.code);
            self.at += wide.length;
        }
    }

    /// Punctuation and symbols, with the newlines behind them; one alone goes with the word that it stands in front of.
    #[inline(always)]
    fn marks(&mut self, spaced: bool) {
        let mut before = if spaced { A_SPACE } else { 0 };
        let (mut run, mut last_wide) = (0, 0);
        let mut alone = !spaced;
        let mut drawing = 0_u32;
        while let Some(&byte) = self.text.get(self.at) {
            match CLASSES[usize::from(byte)] {
                Class::Mark => {
                    self.at += 1;
                    if std::mem::take(&mut alone) && self.is_letter() {
                        return self.word(usize::from(byte));
                    }
                    let code = mark_code(byte);
                    run = if before == code + 1 { run + 1 } else { 0 };
                    if run > 0 && code == CONTROL {
                        // Not in the fit, but counted: nothing holds several control characters.
                        self.sum += ONE;
                    } else if run < 2 {
                        self.add(MARKS + before * 40 + code);
                    } else if run % 16 == 2 {
                        self.add(AGAIN + code);
                    }
                    (before, last_wide) = (code + 1, 0);
                }
                Class::Wide => {
                    let wide = self.wide(self.at);
                    if wide.is_letter() {
                        return;
                    }
                    self.at += wide.length;
                    // Rules and bars are drawn with long runs of one character, of which tokens hold sixteen.
                    let drawn = wide.code == last_wide && (0x2500..=0x259f).contains(&wide.code);
                    drawing = if drawn { drawing + 1 } else { 0 };
                    if drawing < 2 || drawing % 16 == 2 {
                        self.add(if wide.code == last_wide { SAME } else { OTHERS + wide.neighbourhood() });
                    }
                    if std::mem::take(&mut alone) && self.is_letter() {
                        return self.word(A_SYMBOL);
                    }
                    (before, run, last_wide) = (A_WIDE_SYMBOL, 0, wide.code);
                }
                Class::Line => {
                    self.add(BREAKS + if (1..40).contains(&before) { before - 1 } else { 39 });
                    while self.class(self.at) == Some(Class::Line) {
                        self.at += 1;
                    }
                    return;
                }
                _ => return,
            }
        }
    }

    fn is_letter(&self) -> bool {
        match self.class(self.at) {
            Some(Class::Lower | Class::Upper) => true,
            Some(Class::Wide) => self.wide(self.at).is_letter(),
            _ => false,
        }
    }

    /// White space: up to the last newline a piece, then all but the last blank, which goes with what it stands in front of.
    fn spaces(&mut self) {
        let start = self.at;
        let (mut lines, mut blanks, mut broken) = (0_usize, start, 0_u64);
        loop {
            match self.class(self.at) {
                Some(Class::Space) => self.at += 1,
                Some(Class::Line) => {
                    broken += u64::from(lines > 0 && self.at > blanks);
                    self.at += 1;
                    (lines, blanks) = (lines + 1, self.at);
                }
                _ => break,
            }
        }
        if lines > 0 {
            let indented = CLASSES[usize::from(self.text[start])] == Class::Space;
            self.add(SPACES + std::cmp::min(lines, 4) + if indented { 8 } else { 0 });
            // Not in the fit, but counted: sixteen newlines in a row are a token, and so is each with blanks before it.
            self.sum += (lines as u64).saturating_sub(4) * (ONE / 16) + broken * ONE;
        }
        let length = self.at - blanks;
        if length == 0 {
            return;
        }
        let tab = self.text[blanks] == b'\t';
        let last = self.text[self.at - 1];
        if self.is_letter() {
            self.blanks(length - 1, tab);
            return self.word(usize::from(last));
        }
        match self.class(self.at) {
            None => self.blanks(length, tab),
            Some(Class::Mark | Class::Wide) if last == b' ' => {
                self.blanks(length - 1, tab);
                self.marks(true);
            }
            _ => {
                self.blanks(length - 1, tab);
                self.blanks(1, last == b'\t');
            }
        }
    }

    fn blanks(&mut self, length: usize, tab: bool) {
        let size = match length {
            0 => return,
            1..=19 => length,
            20..=39 => 20,
            40..=79 => 21,
            80..=127 => 22,
            _ => 23,
        };
        let weight = WEIGHTS[SPACES + 16 + size + if tab { 24 } else { 0 }];
        self.sum += u64::from(weight) * length.div_ceil(128) as u64;
    }

    fn wide(&self, at: usize) -> Wide {
        wide(self.text, at)
    }
}

/// What [`mark_code`] has for control characters.
const CONTROL: usize = 32;

/// 0 to 31 for ASCII punctuation, 32 for control characters.
fn mark_code(byte: u8) -> usize {
    usize::from(match byte {
        0..=32 | 127.. => 32,
        33..=47 => byte - 32,
        48..=64 => byte - 58 + 16,
        65..=96 => byte - 91 + 23,
        97..=126 => byte - 123 + 29,
    })
}

/// A character of several bytes.
#[derive(Clone, Copy)]
struct Wide {
    code: usize,
    length: usize,
}

/// The character that begins at `at`; of a byte that begins none U+FFFD.
fn wide(text: &[u8], at: usize) -> Wide {
    let more = |place: usize| {
        let byte = text.get(at + place).copied().unwrap_or(0);
        (byte & 0xc0 == 0x80).then_some(usize::from(byte & 0x3f))
    };
    let byte = usize::from(text[at]);
    let read = || {
        Some(match byte {
            0xc2..=0xdf => Wide { code: (byte & 31) << 6 | more(1)?, length: 2 },
            0xe0..=0xef => Wide { code: (byte & 15) << 12 | more(1)? << 6 | more(2)?, length: 3 },
            0xf0..=0xf4 => Wide { code: (byte & 7) << 18 | more(1)? << 12 | more(2)? << 6 | more(3)?, length: 4 },
            _ => return None,
        })
    };
    read().unwrap_or(Wide { code: 0xfffd, length: 1 })
}

impl Wide {
    /// Letters and what joins them, in broad strokes: by block, not by character.
    fn is_letter(self) -> bool {
        match self.code {
            0xc0..=0x1fff => !matches!(self.code, 0xd7 | 0xf7),
            0x3041..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0xd7ff => self.code != 0x30fb,
            0xaa | 0xb5 | 0xba | 0x3005..=0x3007 | 0x3105..=0x31bf | 0x31f0..=0x31ff | 0x2c00..=0x2dff => true,
            0xf900..=0xfdff | 0xfe70..=0xfefc | 0xff21..=0xff3a | 0xff41..=0xff5a | 0xff66..=0xffdc => true,
            0x10000..=0x1cfff | 0x1e000..=0x1efff | 0x20000..=0x3ffff => true,
            _ => false,
        }
    }

    fn is_latin(self) -> bool {
        matches!(self.code, 0..=0x24f | 0x1e00..=0x1eff | 0x300..=0x36f)
    }

    /// Behind the 26 letters: those with marks, by where they are from.
    fn latin_code(self) -> usize {
        match self.code {
            0..=0xff => 27,
            0x100..=0x13f => 28,
            0x140..=0x17f => 29,
            0x300..=0x36f => 31,
            _ => 30,
        }
    }

    fn script(self) -> Script {
        match self.code {
            0x3400..=0x9fff => Script::Han,
            0xac00..=0xd7ff => Script::Hangul,
            0x370..=0x3ff => Script::Paired(0),
            0x400..=0x52f => Script::Paired(1),
            0x590..=0x5ff => Script::Paired(2),
            0x600..=0x77f => Script::Paired(3),
            0x900..=0x97f => Script::Paired(4),
            0xe00..=0xe7f => Script::Paired(5),
            0x3040..=0x309f => Script::Paired(6),
            0x30a0..=0x30ff => Script::Paired(7),
            _ => Script::Other,
        }
    }

    /// Where characters that are told apart by their neighbourhood alone have their weight: the finer the more of them
    /// are in use.
    fn neighbourhood(self) -> usize {
        match self.code {
            0..=0x1fff => self.code >> 6,
            0x2000..=0x2bff => 128 + ((self.code - 0x2000) >> 3),
            0x2c00..=0xffff => 512 + ((self.code - 0x2c00) >> 7),
            0x1f000..=0x1faff => 940 + ((self.code - 0x1f000) >> 4),
            _ => 1120 + (self.code >> 12 & 31),
        }
    }
}

/// Whether two Han or Hangul characters stand together in a token of o200k_base, or in a few others by chance: a bit for the
/// hash of each pair, behind the weights.
fn is_pair(before: u32, code: u32) -> bool {
    let bit = ((before.wrapping_mul(0x9e37_79b1) ^ code.wrapping_mul(0x85eb_ca6b)) >> 16) as usize;
    matches!(before, 0x3400..=0x9fff | 0xac00..=0xd7ff) && WEIGHTS[SIZE + bit / 8] >> (bit % 8) & 1 == 1
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Han,
    Hangul,
    /// One of those with weights for pairs of letters.
    Paired(usize),
    Other,
}

impl Script {
    /// The weight of a character behind another one of its script.
    fn weight(self, before: usize, code: usize) -> usize {
        let paired = |place: usize| if is_pair(before as u32, code as u32) { place } else { 0 };
        match self {
            Script::Han => HAN + paired(2048) + (code & 2047),
            Script::Hangul => SCRIPTS + 9 * 1024 + paired(512) + ((code ^ code >> 5) & 511),
            Script::Paired(place) => SCRIPTS + place * 1024 + ((before & 31) << 5 | code & 31),
            Script::Other => OTHERS + Wide { code, length: 0 }.neighbourhood(),
        }
    }
}
