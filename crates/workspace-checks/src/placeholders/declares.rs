//! Detects where Python declares something and leaves it to others: an abstract method, an overload, a method of a
//! protocol, a class without a body. By indentation, as the language has it.

use super::language::Language;

/// How far upwards a head is looked for.
const MOST_LINES: usize = 2000;

/// Decorators of functions that have no body of their own. Sources: the modules `abc` and `typing`.
const DECORATORS: &[&str] = &["abstractmethod", "abstractproperty", "overload"];

/// True if an offset, in the line that begins at `line`, is in such a declaration.
pub(super) fn declares(text: &str, line: usize, at: usize, language: &Language) -> bool {
    if language.name != "python" {
        return false;
    }
    let own = text.get(line..at).unwrap_or_default();
    let mut above =
        text.get(..line).unwrap_or_default().lines().rev().take(MOST_LINES).filter(|line| says_something(line));
    let mut indent = indentation(own);
    let mut head = own.trim_start();
    // Upwards through what it is in: `if` within `def` within `class`.
    while !head.starts_with("class ") && !is_function(head) {
        let Some(line) = above.find(|line| is_head(line, indent)) else { return false };
        (indent, head) = (indentation(line), line.trim_start());
    }
    if head.starts_with("class ") {
        return true;
    }
    // Its decorators, directly above it; then whatever else there is up to the class that it is in.
    let mut decorators = true;
    for line in above {
        let (trimmed, deep) = (line.trim_start(), indentation(line));
        if deep < indent && !trimmed.starts_with([')', ']']) {
            return trimmed.starts_with("class ") && trimmed.contains("Protocol");
        }
        if decorators && deep == indent && trimmed.starts_with('@') {
            let name = trimmed.trim_start_matches('@').split(['(', ' ', '#']).next().unwrap_or_default();
            if DECORATORS.contains(&name.rsplit('.').next().unwrap_or_default()) {
                return true;
            }
        } else if deep == indent && !trimmed.starts_with([')', ']']) {
            decorators = false;
        }
    }
    false
}

fn says_something(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with('#')
}

fn is_head(line: &str, indent: usize) -> bool {
    // `) -> int:` ends a head that began on a line as deep.
    indentation(line) < indent && !line.trim_start().starts_with([')', ']'])
}

fn is_function(line: &str) -> bool {
    line.starts_with("def ") || line.starts_with("async def ")
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}
