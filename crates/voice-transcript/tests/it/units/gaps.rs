//! Tests of the words that a model wrote to itself.

use crate::gaps::unthought;

#[test]
fn thoughts_are_not_said() {
    for (text, said) in [
        ("Hello <b>there", "Hello <b>there"),
        ("<think>we pay in full</think>Hello", "Hello"),
        ("Hello <think>a <thinking>b</thinking> c</think>there", "Hello there"),
        ("we pay in full</think>Hello", "[redacted]Hello"),
        ("Hello <thinking>we pay", "Hello [redacted]"),
    ] {
        assert_eq!(unthought(text), said, "{text}");
    }
}
