//! Tags in a text that must not be read as tags of the frame that the text is put into.

/// Names that a frame of plica's has, and those by which providers and programs set off who speaks: none of them may be opened or
/// closed from inside a frame. Frames are matched by their beginning, so that no attribute or suffix helps.
pub(crate) const FRAMES: [&str; 2] = ["compaction-summary", "pinned-rules"];

/// Tags that are taken for somebody's words. Whole names only: `<username>` is nobody's.
pub(crate) const SPEAKERS: [&str; 11] = [
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
    "instructions",
];

/// Escapes the angle bracket of everything that reads as a frame's tag, in any case and spacing.
pub(crate) fn frames(text: &str) -> String {
    escaped(text, &|tag| opens(tag, &FRAMES, false))
}

/// The same, and for what reads as a change of speaker: role tags, and the marks `<|…|>` of chat templates.
pub(crate) fn frames_and_speakers(text: &str) -> String {
    escaped(text, &|tag| tag.starts_with(['|', '｜']) || opens(tag, &FRAMES, false) || opens(tag, &SPEAKERS, true))
}

/// Brackets that read as `<`: the character itself, and its full-width and small forms.
const BRACKETS: [char; 3] = ['<', '＜', '﹤'];

fn escaped(text: &str, is_tag: &dyn Fn(&str) -> bool) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(BRACKETS) {
        let (before, tag) = rest.split_at(at);
        let width = tag.chars().next().map_or(1, char::len_utf8);
        out.push_str(before);
        out.push_str(if is_tag(&tag[width..]) { "&lt;" } else { &tag[..width] });
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

/// Characters that show as nothing.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
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
    }

    #[test]
    fn code_stays_code() {
        for text in ["a < b", "<div>", "Vec<u8>", "<username>", "<systemd.unit>", "x<<1", "<", "<<<", "<users>"] {
            assert_eq!(frames_and_speakers(text), text);
        }
    }

    #[test]
    fn a_megabyte_of_brackets() {
        let text = "<".repeat(1 << 20);
        assert_eq!(frames_and_speakers(&text).len(), text.len());
    }
}
