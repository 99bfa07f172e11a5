//! The body of the fuzz target of portal rows: any bytes in any format, and the properties that rows must have.

use candor_json::Value;
use candor_portal_state_match::http::read_answer;
use candor_portal_state_match::rows::{Format, Rows, read};

/// Reads bytes as rows; the first byte chooses the format and the budget. Spans lie in order within the bytes; every
/// byte belongs to a row, a fault, the header or a separator; a smaller budget reads the same rows, only fewer; bytes
/// that `candor_json` reads whole are read whole, with the same values.
///
/// # Panics
/// When one of these does not hold.
pub fn portal_rows(data: &[u8]) {
    let Some((&first, bytes)) = data.split_first() else { return };
    let format = match first % 3 {
        0 => Format::Json,
        1 => Format::Ndjson,
        _ => Format::Csv,
    };
    let rows = read(format, bytes, &mut (1 << 30));
    whole(format, bytes, &rows);
    let mut budget = u64::from(first) * 16;
    let fewer = read(format, bytes, &mut budget);
    assert!(
        fewer.rows.len() <= rows.rows.len() && fewer.rows == rows.rows[..fewer.rows.len()],
        "a budget reads otherwise"
    );
    assert!(fewer.rows.len() == rows.rows.len() || fewer.faults.iter().any(|f| f.obstacle.is_some()));
    whole(format, bytes, &fewer);
    for row in &rows.rows {
        assert!(row.content.columns().is_object(), "a row that is no object");
    }
    if format == Format::Json && rows.faults.is_empty() {
        let body = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let expected: Vec<Value> = candor_json::from_slice(body).expect("an array that was read without a fault");
        let found = rows.rows.iter().map(|row| row.content.columns());
        assert!(found.eq(&expected), "other values than candor_json reads");
    }
}

/// Reads bytes as an answer of a server: the header field `Link` up to the first line end, then the body. The rows are
/// those that the same array has in a file, and the next page is on the host that was asked unless the link names another.
///
/// # Panics
/// When one of these does not hold.
pub fn portal_answer(data: &[u8]) {
    let at = data.iter().position(|&byte| byte == b'\n').unwrap_or(0);
    let (link, body) = (String::from_utf8_lossy(&data[..at]), data.get(at + 1..).unwrap_or_default());
    let asked = "https://portal.example/api/claims?page=1";
    for items in [&[][..], &["data".to_owned()][..], &["a".to_owned(), "b".to_owned()][..]] {
        let Ok(page) = read_answer(body, asked, Some(&link), items) else { continue };
        let array = &body[page.start..];
        assert_eq!(array.first(), Some(&b'['));
        for row in &page.rows.rows {
            let span = usize::try_from(row.span.0).expect("in memory")..usize::try_from(row.span.1).expect("in memory");
            let columns = row.content.columns();
            assert_eq!(&candor_json::from_slice::<Value>(&array[span]).expect("a row is JSON"), columns);
        }
        if let Some(next) = page.next.filter(|_| !link.contains("://")) {
            assert!(next.starts_with("https://portal.example/"), "{next}");
        }
    }
}

fn whole(format: Format, bytes: &[u8], rows: &Rows) {
    // After the first hundred faults, the last one represents all others, whatever rows are between them.
    if rows.faults.len() > 100 {
        return;
    }
    let mut spans: Vec<(u64, u64)> =
        rows.rows.iter().map(|row| row.span).chain(rows.faults.iter().map(|fault| fault.span)).collect();
    spans.sort_unstable();
    let separators: &[u8] = match format {
        Format::Json => b"[], \t\r\n",
        Format::Ndjson => b" \t\r\n\x0c",
        Format::Csv => b"\r\n",
    };
    let length = bytes.len() as u64;
    let start = match format {
        Format::Csv => spans.first().map_or(length, |first| first.0),
        _ if bytes.starts_with(b"\xEF\xBB\xBF") => 3,
        _ => 0,
    };
    let mut end = start;
    for (start, stop) in spans.into_iter().chain([(length, length)]) {
        assert!(end <= start && start <= stop && stop <= length, "{start}..{stop} after {end}");
        let gap = &bytes[usize::try_from(end).expect("in memory")..usize::try_from(start).expect("in memory")];
        assert!(gap.iter().all(|byte| separators.contains(byte)), "bytes before {start} are lost");
        end = stop;
    }
}
