//! Room for what is still to come. A list that grows by itself takes up to twice what it needs, and three times while it is
//! copied; memory of WebAssembly is never given back. Measured: 270 bytes a message without this, at 100,000 messages.
//!
//! All of it is a hint: what the first messages hold says little of those behind them (one may hold twenty thousand calls), and
//! room that cannot be had is asked for again by whoever needs it.

/// More than so many times what is there nobody foretells: until then a list grows by itself, to twice what it holds.
const FORESEEN: f64 = 4.0;

/// How many times as many messages come as there are, once there are enough to tell by them what the others hold.
pub(crate) fn times(length: usize, more: usize) -> Option<f64> {
    let times = more as f64 / length as f64;
    (times <= FORESEEN).then_some(times)
}

/// Makes room in a list for so many times as many elements as it has, and a few more.
pub(crate) fn expect<T>(list: &mut Vec<T>, times: f64) {
    expect_exactly(list, (list.len() as f64 * times.min(FORESEEN) * 1.02) as usize);
}

/// Makes room in a list for so many more elements.
pub(crate) fn expect_exactly<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        // Without room for all of them the list grows by itself, as far as it goes.
        let _ = list.try_reserve_exact(more);
    }
}
