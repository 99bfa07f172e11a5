//! Batch and file trailers.

use candor_hl7v2::{Enclosing, messages};

fn trailers(input: &str) -> Vec<(Enclosing, String, Option<u64>, bool)> {
    let mut reading = messages(input.as_bytes());
    reading.by_ref().for_each(drop);
    reading.trailers().map(|t| (t.encloses, t.declared.clone(), t.found, t.is_right())).collect()
}

#[test]
fn trailers_are_held_to_what_stands_before_them() {
    use Enclosing::{Batch, File};
    let input = "FHS|^~\\&|A\rBHS|^~\\&|A\rMSH|^~\\&|1\rMSH|^~\\&|2\rBTS|2\rBHS#^~\\&#A\rMSH|^^|bad\rBTS#3#x\rFTS|2\r";
    assert_eq!(
        trailers(input),
        [(Batch, "2".into(), Some(2), true), (Batch, "3".into(), Some(1), false), (File, "2".into(), Some(2), true)]
    );
    assert_eq!(trailers("MSH|^~\\&|1\rBTS|1|x\r"), [(Batch, "1".into(), Some(1), true)]);
    assert_eq!(trailers("BHS|^~\\&\rMSH|^~\\&|1\rBHS|^~\\&\rFTS|2\r"), [(File, "2".into(), Some(2), true)]);
    assert_eq!(trailers("FHS|^~\\&\rMSH|^~\\&|1\rFTS|1\r"), [(File, "1".into(), None, true)]);
    assert_eq!(
        trailers("MSH|^~\\&|1\rBTS\rFTS||late\r"),
        [(Batch, "".into(), Some(1), true), (File, "".into(), Some(1), true)]
    );
    assert_eq!(trailers("MSH|^~\\&|1\rBTS|many\r"), [(Batch, "many".into(), Some(1), false)]);
}
