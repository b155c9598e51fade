//! `js_to_fixed` against what a JavaScript engine printed: bits of the number, `toFixed(0)`, `toFixed(1)`.
#![cfg(not(target_arch = "wasm32"))]

use plica::text::js_to_fixed;

#[test]
fn prints_what_javascript_prints() {
    let fixture = include_str!("fixtures/to-fixed.tsv");
    let mut ran = 0;
    for line in fixture.lines() {
        let mut fields = line.split('\t');
        let mut next = || fields.next().expect("three fields a line");
        let x = f64::from_bits(u64::from_str_radix(next(), 16).expect("hexadecimal bits"));
        assert_eq!(js_to_fixed(x, 0), next(), "{x:e}, no decimals");
        assert_eq!(js_to_fixed(x, 1), next(), "{x:e}, one decimal");
        ran += 1;
    }
    assert_eq!(ran, 2000);
}
