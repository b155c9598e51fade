//! Words as they are compared: lower-case, without accents and points, with one sort of apostrophe.

use crate::defuse::is_unseen;

/// U+00C0 to U+017F without their accents, lower-case. Letters that are no accented ones stay: German `ß`, Vietnamese `đ`.
const FOLDED: &str = "aaaaaaæceeeeiiiiðnooooo×ouuuuyþßaaaaaaæceeeeiiiiðnooooo÷ouuuuyþyaaaaaaccccccccddđđeeeeeeeeeegggggggghhħħiiiiiiiiiiĳĳjjkkĸllllllŀŀllnnnnnnŉŋŋooooooœœrrrrrrssssssssttttŧŧuuuuuuuuuuuuwwyyyzzzzzzſ";

/// Appends a letter as it is compared; nothing for marks that stand over or under another one.
pub(super) fn fold(c: char, out: &mut String) {
    match u32::from(c) {
        0x41..=0x5A => out.push(c.to_ascii_lowercase()),
        0..=0x5F | 0x61..=0x7F => out.push(c),
        // Multiplication and division signs stand among the letters.
        0xD7 | 0xF7 => out.push(c),
        point @ 0xC0..=0x17F => out.extend(FOLDED.chars().nth(point as usize - 0xC0)),
        0x2019 | 0x2BC | 0xB4 | 0x60 => out.push('\''),
        // Combining accents, Arabic vowel signs and the filler between letters, Hebrew points, the dot under Indic letters.
        0x300..=0x36F | 0x64B..=0x65F | 0x670 | 0x640 | 0x591..=0x5C7 | 0x93C => {}
        // Alef with its signs is alef; alef maqsura is yeh; teh marbuta is heh.
        0x622 | 0x623 | 0x625 => out.push('\u{627}'),
        0x649 => out.push('\u{64A}'),
        0x629 => out.push('\u{647}'),
        // Indic letters that hold the dot in themselves.
        0x958 => out.push('\u{915}'),
        0x959 => out.push('\u{916}'),
        0x95A => out.push('\u{917}'),
        0x95B => out.push('\u{91C}'),
        0x95C => out.push('\u{921}'),
        0x95D => out.push('\u{922}'),
        0x95E => out.push('\u{92B}'),
        0x451 | 0x401 => out.push('\u{435}'),
        // Full-width letters.
        point @ 0xFF01..=0xFF5E => fold(char::from_u32(point - 0xFEE0).unwrap_or(c), out),
        _ if is_unseen(c) => {}
        _ => out.extend(c.to_lowercase().filter(|c| !('\u{300}'..='\u{36f}').contains(c))),
    }
}

/// A whole text so.
pub(super) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|c| fold(c, &mut out));
    out
}

/// What words are made of.
pub(super) fn is_word(c: char) -> bool {
    match u32::from(c) {
        0x964 | 0x965 => false,
        // Vowel signs and the sign that takes a vowel away are no letters by themselves.
        0x300..=0x36F | 0x900..=0xDFF | 0xE00..=0xE7F | 0x64B..=0x65F | 0x591..=0x5C7 | 0x200C | 0x200D => true,
        0x5F => true,
        _ => c.is_alphanumeric(),
    }
}

/// Written without spaces between words.
pub(super) fn is_unspaced(c: char) -> bool {
    matches!(u32::from(c), 0x3040..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xE00..=0xE7F | 0x20000..=0x2FFFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_it_is_written_it_is_one_word() {
        assert_eq!(
            folded("N\u{c3}O NA\u{303}O \u{130}\u{131} \u{141}\u{f3}d\u{17a} don\u{2019}t \u{ff2e}o"),
            "nao nao ii lodz don't no"
        );
        assert_eq!(folded("đừng"), "đừng");
    }
}
