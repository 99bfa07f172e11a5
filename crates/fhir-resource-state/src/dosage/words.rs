//! The words of a text about a dosage.

/// Numbers, words and signs in lower case. Points and commas inside a number belong to it, and those of `b.i.d.` are left out.
pub(super) fn tokens(text: &str) -> Vec<String> {
    let all: Vec<char> = text.to_lowercase().chars().collect();
    let at = |index: usize| all.get(index).copied().unwrap_or(' ');
    let (mut found, mut index) = (Vec::<String>::new(), 0);
    while index < all.len() {
        let (c, start) = (at(index), index);
        index += 1;
        if c.is_ascii_digit() {
            while at(index).is_ascii_digit() || matches!(at(index), '.' | ',') && at(index + 1).is_ascii_digit() {
                index += 1;
            }
            let number: String = all.get(start..index).unwrap_or_default().iter().collect();
            let groups: Vec<&str> = number.split(',').collect();
            let has_thousands =
                groups.iter().skip(1).all(|group| group.split('.').next().is_some_and(|it| it.len() == 3));
            found.push(if has_thousands { groups.concat() } else { number });
        } else if c.is_alphabetic()
            && at(index) == '.'
            && at(index + 1).is_alphabetic()
            && !at(index + 2).is_alphabetic()
        {
            let mut word = String::from(c);
            while at(index) == '.' && at(index + 1).is_alphabetic() && !at(index + 2).is_alphabetic() {
                word.push(at(index + 1));
                index += 2;
            }
            found.push(word);
        } else if c.is_alphabetic() {
            while at(index).is_alphanumeric() || matches!(at(index), '\'' | '\u{2019}') && at(index + 1).is_alphabetic()
            {
                index += 1;
            }
            found.push(all.get(start..index).unwrap_or_default().iter().collect::<String>().replace('\u{2019}', "'"));
        } else if matches!(c, '-' | '\u{2010}'..='\u{2014}') {
            let is_range = found.last().is_some_and(|last| last.starts_with(|c: char| c.is_ascii_digit()))
                && all.iter().skip(index).find(|c| !c.is_whitespace()).is_some_and(char::is_ascii_digit);
            found.extend(is_range.then(|| "-".to_owned()));
        } else if matches!(c, '\u{d7}' | '*') {
            found.push("x".to_owned());
        } else if !c.is_whitespace() && !".,;:()[]\"'!".contains(c) {
            found.push(c.to_string());
        }
    }
    found
}
