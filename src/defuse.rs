//! Tags in a text that must not be read as tags of the frame that the text is put into, and characters that are not seen.

use crate::text::{code_points, to_well_formed};

/// Names that a frame of plica's has, and those by which providers and programs set off who speaks: none of them may be opened or
/// closed from inside a frame. Frames are matched by their beginning, so that no attribute or suffix helps.
pub(crate) const FRAMES: [&str; 2] = ["compaction-summary", "pinned-rules"];

/// Tags that are taken for somebody's words. Whole names only: `<username>` is nobody's.
pub(crate) const SPEAKERS: [&str; 14] = [
    "system",
    "system-reminder",
    "sys",
    "developer",
    "user",
    "human",
    "assistant",
    "model",
    "tool",
    "tool_result",
    "tool_results",
    "function_result",
    "function_results",
    "instructions",
];

/// Escapes the angle bracket of everything that reads as a frame's tag, in any case and spacing.
pub(crate) fn frames(text: &str) -> String {
    escaped(text, &|tag| opens(tag, &FRAMES, false))
}

/// The same, and for what reads as a change of speaker: role tags, and the marks `<|…|>` and `[INST]` of chat templates.
pub(crate) fn frames_and_speakers(text: &str) -> String {
    let is_mark = |tag: &str| tag.chars().find(|c| !is_unseen(*c)).is_some_and(|c| matches!(c, '|' | '｜'));
    let text = escaped(text, &|tag| is_mark(tag) || opens(tag, &FRAMES, false) || opens(tag, &SPEAKERS, true));
    escaped_at(&text, &SQUARE, "&#91;", &|tag| opens(tag, &["inst"], true))
}

/// Brackets that read as `<`: the character itself, and its full-width and small forms.
const BRACKETS: [char; 3] = ['<', '＜', '﹤'];

/// Those that read as `[`.
const SQUARE: [char; 2] = ['[', '［'];

fn escaped(text: &str, is_tag: &dyn Fn(&str) -> bool) -> String {
    escaped_at(text, &BRACKETS, "&lt;", is_tag)
}

fn escaped_at(text: &str, brackets: &[char], escape: &str, is_tag: &dyn Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(brackets) {
        let (before, tag) = rest.split_at(at);
        let width = tag.chars().next().map_or(1, char::len_utf8);
        out.push_str(before);
        out.push_str(if is_tag(&tag[width..]) { escape } else { &tag[..width] });
        rest = &tag[width..];
    }
    out.push_str(rest);
    out
}

/// Whether what follows a bracket is one of the names, open or closing.
fn opens(after_bracket: &str, names: &[&str], whole: bool) -> bool {
    // White space is skipped around the slash alone; characters that show as nothing are skipped everywhere.
    let mut seen = after_bracket.chars().filter(|c| !is_unseen(*c)).skip_while(|c| c.is_whitespace()).peekable();
    if seen.next_if(|c| matches!(c, '/' | '／')).is_some() {
        while seen.next_if(|c| c.is_whitespace()).is_some() {}
    }
    // Longer than every name, and no more: a text full of brackets is read once.
    let start: String = seen.take(24).map(half_width).collect();
    names.iter().any(|name| {
        let after =
            start.get(..name.len()).filter(|head| head.eq_ignore_ascii_case(name)).map(|_| &start[name.len()..]);
        after.is_some_and(|after| !whole || !after.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_')))
    })
}

/// Characters that show as nothing: Unicode's Default_Ignorable_Code_Point, the one list of them here.
pub(crate) fn is_unseen(c: char) -> bool {
    // All letters of the common scripts of Europe are below the first but one.
    c >= '\u{ad}'
        && matches!(u32::from(c),
            0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F | 0x200B..=0x200F
            | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8
            | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF)
}

/// Characters that turn the direction in which a text is shown: what is read is not what is written.
fn is_turn(c: char) -> bool {
    matches!(u32::from(c), 0x61C | 0x200E..=0x200F | 0x202A..=0x202E | 0x2066..=0x2069)
}

/// A text in which what turns its direction is written out, as `\u202e`.
pub(crate) fn turns_shown(text: &str) -> String {
    written_out(text, &is_turn)
}

/// A name in which all that shows as nothing is written out: no two names look the same for it.
pub(crate) fn unseen_shown(name: &str) -> String {
    written_out(name, &is_unseen)
}

fn written_out(text: &str, is_written: &dyn Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match u32::from(c) {
            _ if !is_written(c) => out.push(c),
            point @ 0..=0xFFFF => out.push_str(&format!("\\u{point:04x}")),
            point => out.push_str(&format!("\\u{{{point:x}}}")),
        }
    }
    out
}

/// Whether nothing of a text is seen: white space and what shows as nothing. The text is WTF-8.
pub(crate) fn is_blank(text: &[u8]) -> bool {
    let is_nothing = |point| char::from_u32(point).is_some_and(|c| c.is_whitespace() || is_unseen(c));
    code_points(text).all(is_nothing)
}

/// A name as it is compared: without what shows as nothing, and without white space at its ends.
pub(crate) fn seen(name: &[u8]) -> String {
    to_well_formed(name).chars().filter(|c| !is_unseen(*c)).collect::<String>().trim().to_string()
}

/// Full-width letters and signs as the ASCII that they look like.
fn half_width(c: char) -> char {
    match u32::from(c) {
        point @ 0xFF01..=0xFF5E => char::from_u32(point - 0xFEE0).unwrap_or(c),
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_in_any_writing() {
        for tag in
            ["<pinned-rules>", "</Pinned-Rules >", "< / pinned-rules", "<pin\u{200b}ned-rules", "＜/ｐinned-rules>"]
        {
            assert!(!frames(tag).contains('<') && frames(tag).starts_with("&lt;"), "{tag}");
        }
        for tag in ["</system>", "<SYSTEM >", "<|im_start|>", "<｜user｜>", "<<SYS>>", "<user name=x>"] {
            assert!(frames_and_speakers(tag).contains("&lt;"), "{tag}");
        }
        for tag in
            ["<s\u{34f}ystem>", "<sys\u{e0061}tem>", "<tool_results>", "</function_results>", "<\u{200b}|im_end|>"]
        {
            assert!(frames_and_speakers(tag).starts_with("&lt;"), "{tag:?}");
        }
        for tag in ["[INST]", "[/INST]", "［inst］", "[IN\u{ad}ST]"] {
            assert!(frames_and_speakers(tag).starts_with("&#91;"), "{tag:?}");
        }
    }

    #[test]
    fn what_shows_as_nothing_is_written_out_in_names_and_what_turns_in_texts() {
        assert_eq!(unseen_shown("operator\u{200b}\u{e0041}"), "operator\\u200b\\u{e0041}");
        assert_eq!(turns_shown("a\u{202e}b\u{200d}c"), "a\\u202eb\u{200d}c");
        assert!(is_blank("\u{3164} \u{115f}\n\u{180e}\u{85}".as_bytes()) && !is_blank("\u{200b}.".as_bytes()));
        assert_eq!(seen("\u{feff} pu\u{ad}sh\u{200b} ".as_bytes()), "push");
    }

    #[test]
    fn code_stays_code() {
        for text in
            ["a < b", "<div>", "Vec<u8>", "<username>", "<systemd.unit>", "x<<1", "<", "<<<", "<users>", "[instance]"]
        {
            assert_eq!(frames_and_speakers(text), text);
        }
    }

    #[test]
    fn a_megabyte_of_brackets() {
        let text = "<".repeat(1 << 20);
        assert_eq!(frames_and_speakers(&text).len(), text.len());
    }
}
