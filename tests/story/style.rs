//! Choices that a format leaves to whoever writes it.

#[derive(Clone, Copy)]
pub struct Style(u32);

impl Style {
    pub fn new(style: u32) -> Style {
        Style(style)
    }

    /// One of `n` ways for the thing named by the key; always way 0 in style 0.
    pub fn of(self, key: impl Key, n: u32) -> u32 {
        if self.0 == 0 {
            return 0;
        }
        let mut x = self.0 ^ key.number().wrapping_mul(0x9e37_79b9);
        for factor in [0x21f0_aaad_u32, 0x735a_2d97] {
            x = (x ^ (x >> 16)).wrapping_mul(factor);
            x ^= x >> 15;
        }
        x % n
    }

    pub fn coin(self, key: impl Key) -> bool {
        self.of(key, 2) == 1
    }
}

/// A name for a choice of the whole array, or a name and a place for one that is made again and again.
pub trait Key {
    fn number(&self) -> u32;
}

impl Key for &str {
    fn number(&self) -> u32 {
        self.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
    }
}

impl Key for (&str, usize) {
    fn number(&self) -> u32 {
        self.0.number() ^ (self.1 as u32).wrapping_mul(0x85eb_ca6b)
    }
}

impl Key for (&str, &str) {
    fn number(&self) -> u32 {
        self.0.number() ^ self.1.number().rotate_left(13)
    }
}
