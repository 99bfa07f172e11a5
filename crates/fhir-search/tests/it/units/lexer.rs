//! The words of a filter.

use crate::lexer::{Lexer, Token};

#[test]
fn words_and_values() {
    let mut lexer = Lexer::new(" not(a-b.c co \"x \\\" )\")");
    let mut word = || lexer.next().unwrap().unwrap().1;
    assert_eq!((word(), word(), word()), (Token::Word("not".into()), Token::Open, Token::Word("a-b.c".into())));
    assert_eq!(word(), Token::Word("co".into()));
    assert_eq!(lexer.value().unwrap().unwrap(), "x \" )");
    assert_eq!((lexer.next().unwrap().unwrap().1, lexer.next().unwrap()), (Token::Close, None));
    let mut lexer = Lexer::new(" http://loinc.org|1-2)");
    assert_eq!(lexer.value().unwrap().unwrap(), "http://loinc.org|1-2");
    assert!(Lexer::new("§").next().is_err() && Lexer::new("\"a").value().is_err());
    assert_eq!(Lexer::new(" )").value().unwrap(), None);
}
