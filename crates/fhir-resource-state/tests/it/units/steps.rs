//! The steps of an expression.

use crate::steps::steps;

#[test]
fn steps_end_at_dots_outside_of_brackets_and_quotes() {
    let text = "name.where(use = 'a.b').`x.y`.given";
    let steps: Vec<&str> = steps(text).into_iter().map(|end| &text[..end]).collect();
    assert_eq!(steps, ["name", "name.where(use = 'a.b')", "name.where(use = 'a.b').`x.y`"]);
}
