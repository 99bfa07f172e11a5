//! Codes outside the required binding of the elements that a token parameter looks at.

use crate::SearchError;
use crate::table::Parameter;
use crate::test::Test;
use crate::token::Token;
use crate::types::nearest;

/// The required codes, a row for each token parameter whose elements all have a required binding. Tab-separated:
/// resource type, code of the parameter, the codes that R4, R4B or R5 allow.
const TABLE: &str = include_str!("../data/required-codes.tsv");

/// The codes that a parameter can find; nothing where any code may be there.
fn known(resource_type: &str, code: &str) -> Option<&'static str> {
    TABLE
        .lines()
        .find_map(|line| line.strip_prefix(resource_type)?.strip_prefix('\t')?.strip_prefix(code)?.strip_prefix('\t'))
}

/// Refuses a test that asks for a code which no resource may have.
pub(crate) fn check(resource_type: &str, parameter: &Parameter, test: &Test) -> Result<(), SearchError> {
    let tokens = match test {
        Test::Tokens(tokens) | Test::NoToken(tokens) => tokens,
        Test::Unequal(test) => return check(resource_type, parameter, test),
        _ => return Ok(()),
    };
    let Some(codes) = known(resource_type, parameter.code) else { return Ok(()) };
    let outside = |code: &&str| codes.split(' ').all(|known| known != *code);
    match tokens.any.iter().filter_map(Token::bound_code).find(outside) {
        Some(code) => Err(SearchError::UnknownCode {
            resource_type: resource_type.to_owned(),
            parameter: parameter.code,
            code: code.to_owned(),
            nearest: nearest(code, codes.split(' ')),
        }),
        None => Ok(()),
    }
}
