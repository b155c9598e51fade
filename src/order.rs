//! One stable sort for all types.
//!
//! Each further instance of the standard library's sort costs 4 to 5 KB of the module, and nothing that is
//! sorted here is large enough for the indirection to be felt.

use std::cmp::Ordering;

/// Sorts by `compare`; equal items keep their order.
pub(crate) fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = sorted_indices(items.len(), &|a, b| compare(&items[a], &items[b]));
    let mut taken: Vec<Option<T>> = std::mem::take(items).into_iter().map(Some).collect();
    items.extend(order.into_iter().filter_map(|index| taken[index as usize].take()));
}

/// Sorts by a key.
pub(crate) fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

#[inline(never)]
fn sorted_indices(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<u32> {
    let mut order: Vec<u32> = (0..count as u32).collect();
    order.sort_by(|&a, &b| compare(a as usize, b as usize));
    order
}
