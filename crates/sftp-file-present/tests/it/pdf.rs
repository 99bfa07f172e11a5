//! The text of a PDF.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails it by panicking"
)]

use std::io::Write;
use std::time::Duration;

use candor_check::{Obstacle, Sandbox, Status};
use candor_json::json;
use candor_sftp_file_present::{CHECK, PART, pdf_text};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use proptest::prelude::*;

const TIME: Duration = Duration::from_secs(20);
/// The most bytes that a stream of a PDF may unpack to.
const LARGEST_STREAM: usize = 16 << 20;

/// A PDF of objects, numbered from 1 on, with its cross-reference table.
fn pdf(objects: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (number, object) in (1..).zip(objects) {
        table += &format!("{:010} 00000 n \n", file.len());
        file.extend(format!("{number} 0 obj\n").bytes());
        file.extend(object);
        file.extend(b"\nendobj\n");
    }
    let start = file.len();
    let trailer = format!("{table}trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n", objects.len() + 1);
    file.extend(trailer.bytes());
    file
}

fn stream(dictionary: &str, content: &[u8], compress: bool) -> Vec<u8> {
    let (content, filter) = if compress {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(content).unwrap();
        (encoder.finish().unwrap(), "/Filter /FlateDecode")
    } else {
        (content.to_vec(), "")
    };
    let head = format!("<< {dictionary} {filter} /Length {} >>\nstream\n", content.len());
    [head.into_bytes(), content, b"\nendstream".to_vec()].concat()
}

const HELVETICA: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>";

/// A PDF of one page with that content, that font as /F1 and further objects from 6 on.
fn page(content: &str, font: &str, compress: bool, more: &[Vec<u8>]) -> Vec<u8> {
    let resources = "<< /Font << /F1 5 0 R >> /XObject << /X1 6 0 R /X2 7 0 R >> >>";
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!("<< /Type /Pages /Kids [3 0 R] /Count 1 /Resources {resources} /MediaBox [0 0 600 800] >>")
            .into_bytes(),
        b"<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Annots [8 0 R] >>".to_vec(),
        stream("", content.as_bytes(), compress),
        font.as_bytes().to_vec(),
    ];
    objects.extend(more.iter().cloned());
    pdf(&objects)
}

#[derive(Debug)]
struct Read {
    pages: Vec<String>,
    /// The reason of the check where a page may show more than its text.
    hidden: Option<String>,
}

fn read(bytes: &[u8]) -> Read {
    let sandbox = Sandbox::builder().build(&[PART]).unwrap().with_file("files/a.pdf", bytes);
    let field = json!({"path": "$text", "op": "notContains", "expected": "no page says this"});
    let assertion = json!({"assert": "sftp-file-present", "path": "a.pdf", "fields": [field]});
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let evidence = runtime.block_on(CHECK.run(assertion, &sandbox));
    let hidden = match evidence.status() {
        Status::Passed => None,
        Status::Unverifiable => Some(evidence.details().to_owned()),
        Status::Failed => panic!("{}", evidence.details()),
    };
    Read { pages: pdf_text(bytes, TIME).unwrap(), hidden }
}

#[test]
fn text_is_laid_out_as_it_is_drawn() {
    let content = "BT /F1 12 Tf 50 700 Td (Claim) Tj ( 4711) Tj 0 -20 Td [(Pa) 20 (id) -400 (in full)] TJ \
        14 TL T* (caf\\351) Tj (next) ' ET BT /F1 12 Tf 1 0 0 1 50 500 Tm (left) Tj 1 0 0 1 300 500 Tm (right) Tj ET";
    for compress in [false, true] {
        let read = read(&page(content, HELVETICA, compress, &[]));
        assert_eq!(read.pages, ["Claim 4711\nPaid in full\ncaf\u{e9}\nnext\nleft right"]);
        assert_eq!(read.hidden, None);
    }
}

#[test]
fn forms_and_filled_in_fields_are_read() {
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 5 0 R >> >>",
        b"BT /F1 9 Tf (in a form) Tj ET",
        true,
    );
    let nested = stream("/Type /XObject /Subtype /Form /BBox [0 0 9 9]", b"BT /F1 9 Tf (around) Tj ET /X2 Do", false);
    let annotation = b"<< /Type /Annot /Subtype /Widget /Rect [0 0 9 9] /AP << /N 6 0 R >> >>".to_vec();
    let read = read(&page("/X2 Do", HELVETICA, false, &[form, nested, annotation]));
    let text = &read.pages[0];
    assert!(text.starts_with("around") && text.ends_with("\nin a form"), "{text:?}");
    assert!(read.hidden.is_some(), "a form that draws itself never ends");
}

#[test]
fn what_shows_and_is_no_text_is_known() {
    let image = stream(
        "/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8",
        b"x",
        false,
    );
    let scan = "q 600 0 0 800 0 0 cm /X1 Do Q BT /F1 9 Tf 9 9 Td (Fax) Tj ET";
    let cid = "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [] >>";
    let odd = "<< /Type /Font /Subtype /Type3 /Encoding << /Differences [65 /g1 /g2] >> >>";
    let symbols = "<< /Type /Font /Subtype /TrueType /BaseFont /AAAAAA+X /FontDescriptor << /Flags 4 >> >>";
    let shown = "BT /F1 9 Tf (AB) Tj ET";
    let strip = "q 600 0 0 80 0 0 cm /X1 Do Q ";
    let (strips, few) = (format!("{}{shown}", strip.repeat(3)), format!("{}{shown}", strip.repeat(2)));
    let symbols_of_a_scan = format!("{}{shown}", "q 5 0 0 8 0 0 cm /X1 Do Q ".repeat(60));
    let letter = |at: usize| format!("1 0 0 1 {at} 0 cm 0 0 m 0 9 2 9 5 9 c 5 0 l h f ");
    let outlines = format!("{}{shown}", (0..60).map(letter).collect::<String>());
    let logo = format!("{}{shown}", (0..20).map(letter).collect::<String>());
    let table = format!("{}{shown}", "0 0 m 9 0 l 9 9 l h f 0 0 9 9 re f 0 0 m 300 0 300 9 0 9 c f ".repeat(60));
    let clipped = format!("{}{shown}", "0 0 m 0 9 2 9 5 9 c h W n ".repeat(60));
    for (content, font, hidden) in [
        (strips.as_str(), HELVETICA, Some("a picture on page 1")),
        (&few, HELVETICA, None),
        (&symbols_of_a_scan, HELVETICA, Some("many pictures")),
        (&outlines, HELVETICA, Some("shapes that may be letters")),
        (&logo, HELVETICA, None),
        (&table, HELVETICA, None),
        (&clipped, HELVETICA, None),
        (scan, HELVETICA, Some("a picture on page 1")),
        ("q 60 0 0 80 0 0 cm /X1 Do Q BT /F1 9 Tf 9 9 Td (Fax) Tj ET", HELVETICA, None),
        ("q 60 0 0 80 0 0 cm /X1 Do Q", HELVETICA, Some("only drawings")),
        ("0 0 m 9 9 l S", HELVETICA, Some("only drawings")),
        ("", HELVETICA, None),
        (shown, cid, Some("does not say its characters")),
        (shown, odd, Some("does not say its characters")),
        (shown, symbols, Some("does not say its characters")),
        ("BT /F9 9 Tf (AB) Tj ET", HELVETICA, Some("a font that is not there")),
    ] {
        let read = read(&page(content, font, false, std::slice::from_ref(&image)));
        assert_eq!(read.hidden.is_some(), hidden.is_some(), "{content} {font}: {read:?}");
        assert!(read.hidden.unwrap_or_default().contains(hidden.unwrap_or_default()), "{content} {font}");
    }
}

#[test]
fn characters_go_by_what_the_font_says() {
    let cmap = "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def \
        1 begincodespacerange <0000> <FFFF> endcodespacerange 2 beginbfchar <0001> <0041> <0002> <00660069> endbfchar \
        endcmap CMapName currentdict /CMap defineresource pop end end";
    let font = "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts [<< /W [1 [600] 2 2 600] >>] >>";
    let pages = read(&page("BT /F1 9 Tf <00010002> Tj ET", font, false, &[stream("", cmap.as_bytes(), true)]));
    assert_eq!(pages.pages, ["Afi"]);
    let differences = "<< /Type /Font /Subtype /Type1 /BaseFont /A /Encoding << /Differences [65 /eacute] >> >>";
    assert_eq!(read(&page("BT /F1 9 Tf (AB) Tj ET", differences, false, &[])).pages, ["\u{e9}B"]);
}

#[test]
fn what_is_no_pdf_and_what_is_beyond_are_told_apart() {
    let error = |bytes: &[u8]| pdf_text(bytes, TIME).unwrap_err();
    assert_eq!(error(b"hello").obstacle, None);
    assert_eq!(error(b"%PDF-1.4\nhello").obstacle, None);
    let whole = page("BT ET", HELVETICA, false, &[]);
    assert_eq!(error(&whole[..40]).obstacle, None);
    let bomb = page(&" ".repeat(LARGEST_STREAM + 9), HELVETICA, true, &[]);
    assert!(bomb.len() < LARGEST_STREAM / 100);
    assert_eq!(error(&bomb).obstacle, Some(Obstacle::LimitExceeded));
    let locked = String::from_utf8(whole).unwrap().replace("/Root 1 0 R", "/Root 1 0 R /Encrypt << /Filter /Standard /V 1 /R 2 /O (0123456789abcdef0123456789abcdef) /U (0123456789abcdef0123456789abcdef) /P -4 >> /ID [(a) (b)]");
    let error = error(locked.as_bytes());
    assert_eq!(error.obstacle, Some(Obstacle::Undecidable), "{error:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(24)))]

    #[test]
    fn no_bytes_break_it(at in 0usize..700, byte in any::<u8>(), content in "[BTETfjJdm()<>\\[\\] /F1X0-9'\"q]{0,40}") {
        let form = stream("/Subtype /Form", content.as_bytes(), false);
        let mut bytes = page(&content, HELVETICA, false, &[form]);
        if let Some(slot) = bytes.get_mut(at) {
            *slot = byte;
        }
        if let Ok(pages) = pdf_text(&bytes, TIME) {
            prop_assert!(!pages.is_empty());
        }
    }
}
