//! Acknowledgments of the messages in a frame (HL7 v2.8.2, 2.9).

use candor_hl7v2::{Delimiters, Malformed, Message, messages};

/// How messages are answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// By what they are: AA, or AE and AR where they cannot be read.
    #[default]
    AsRead,
    /// Every message is refused with AE, though it is kept.
    Error,
    /// Every message is refused with AR, though it is kept.
    Reject,
    /// Nothing is answered.
    Silent,
}

/// A message of a frame, and its acknowledgment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// MSH-9, unchanged, of a header that could be read.
    pub message_type: String,
    /// MSH-10, unchanged.
    pub control_id: String,
    /// MSA-1 of the acknowledgment; nothing if none is sent.
    pub code: Option<&'static str>,
    /// Why it is not AA, in words.
    pub why: Option<String>,
}

/// Everything that a frame is answered with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// By message.
    pub messages: Vec<Answer>,
    /// The acknowledgments to send, framed.
    pub bytes: Vec<u8>,
}

/// Answers a frame that was kept, or that could not be (`kept` says why).
///
/// Every message in it gets one acknowledgment, in the order of the messages: AA; AE if the message cannot be read
/// after its header, or could not be kept; AR if its header cannot be read. With MSH-15 or MSH-16 (enhanced mode) the
/// commit and the application acknowledgment are sent as these ask. A header without MSH-9, MSH-10 or MSH-12 is
/// rejected (AR), though it is kept. An acknowledgment is never acknowledged.
///
/// `stamp` is the time as HL7 writes it, `id` names the acknowledgment (a number is added).
#[must_use]
pub fn answers(frame: &[u8], mode: Mode, kept: Result<(), String>, stamp: &str, id: &str) -> Answers {
    let mut answers = Answers::default();
    for item in messages(frame) {
        let (header, fault) = match (item, &kept) {
            (Ok(message), Ok(())) => {
                let header = Header::of(&message);
                let fault = header.as_ref().and_then(Header::missing);
                (header, fault)
            }
            (Ok(message), Err(why)) => {
                (Header::of(&message), Some(Fault { reject: false, code: "207", why: why.clone() }))
            }
            (Err(error), _) => {
                let text = frame.get(error.span.clone()).unwrap_or_default();
                (header_of(text), Some(Fault::of(error.kind)))
            }
        };
        answers.add(header, fault, mode, stamp, id);
    }
    answers
}

struct Fault {
    reject: bool,
    /// HL7 table 0357.
    code: &'static str,
    why: String,
}

impl Fault {
    fn of(kind: Malformed) -> Self {
        let (reject, code) = match kind {
            Malformed::NoSegmentId => (false, "100"),
            Malformed::UnclosedFrame => (false, "207"),
            _ => (true, "207"),
        };
        Self { reject, code, why: kind.to_string() }
    }
}

struct Header {
    delimiters: Delimiters,
    encoding: Vec<u8>,
    /// MSH-3 to MSH-6, MSH-9 to MSH-12, MSH-15, MSH-16 and MSH-18, by number.
    fields: Vec<(u32, Vec<u8>)>,
    is_acknowledgment: bool,
}

/// Reads the header alone, where something behind it cannot be read.
fn header_of(text: &[u8]) -> Option<Header> {
    let start = memchr::memmem::find(text, b"MSH")?;
    let line = text.get(start..)?.split(|byte| matches!(byte, b'\r' | b'\n')).next()?;
    messages(line).known_to_be_whole().next()?.ok().and_then(|message| Header::of(&message))
}

fn is_framing(byte: u8) -> bool {
    matches!(byte, 0x0B | 0x1C)
}

impl Header {
    /// Nothing where the delimiters are bytes that frame, with which nothing can be sent back.
    fn of(message: &Message<'_>) -> Option<Self> {
        let header = message.segments().next()?;
        let raw = |number: u32| {
            let raw = header.field(number).map(|field| field.piece().raw()).unwrap_or_default();
            // What is echoed must not end the frame it is sent in.
            raw.iter().copied().filter(|&byte| !is_framing(byte)).collect::<Vec<u8>>()
        };
        let fields: Vec<_> = [3, 4, 5, 6, 9, 10, 11, 12, 15, 16, 18].into_iter().map(|n| (n, raw(n))).collect();
        let delimiters = *message.delimiters();
        let encoding = header.field(2)?.piece().raw();
        if is_framing(delimiters.field) || encoding.iter().copied().any(is_framing) {
            return None;
        }
        let code = raw(9).split(|&byte| byte == delimiters.component).next().unwrap_or_default().to_vec();
        let has_msa = message.segments().any(|segment| &segment.id() == b"MSA");
        let is_acknowledgment = code == b"MCF" || code == b"ACK" || (has_msa && code.is_empty());
        Some(Self { delimiters, encoding: encoding.to_vec(), fields, is_acknowledgment })
    }

    fn field(&self, number: u32) -> &[u8] {
        self.fields.iter().find(|(n, _)| *n == number).map(|(_, raw)| raw.as_slice()).unwrap_or_default()
    }

    /// The fault of a header without the fields that a receiver needs first: MSH-9, MSH-10, MSH-12 (HL7 v2.8.2,
    /// 2.9.2.2).
    fn missing(&self) -> Option<Fault> {
        if self.is_acknowledgment {
            return None;
        }
        let missing: Vec<String> = [9, 10, 12]
            .into_iter()
            .filter(|&number| self.field(number).iter().all(|byte| *byte == self.delimiters.component || *byte == b' '))
            .map(|number| format!("MSH-{number}"))
            .collect();
        let why = format!("the header has no {}", missing.join(", "));
        (!missing.is_empty()).then_some(Fault { reject: true, code: "101", why })
    }

    fn text(&self, number: u32) -> String {
        String::from_utf8_lossy(self.field(number)).into_owned()
    }

    /// The version as numbers; 2.5 if the header does not give one.
    fn version(&self) -> Vec<u32> {
        let id = self.field(12).split(|&byte| byte == self.delimiters.component).next().unwrap_or_default();
        let numbers: Vec<u32> =
            String::from_utf8_lossy(id).trim().split('.').filter_map(|part| part.parse().ok()).collect();
        if numbers.is_empty() { vec![2, 5] } else { numbers }
    }
}

impl Answers {
    fn add(&mut self, header: Option<Header>, fault: Option<Fault>, mode: Mode, stamp: &str, id: &str) {
        let codes = match &header {
            Some(header) => codes(header, fault.as_ref(), mode),
            // No sender is known, only the connection.
            None if mode == Mode::Silent => Vec::new(),
            None => vec!["AR"],
        };
        for code in &codes {
            let id = format!("{id}{}", self.messages.len() + 1);
            self.bytes.push(0x0B);
            self.bytes.extend(acknowledgment(header.as_ref(), code, fault.as_ref(), stamp, &id));
            self.bytes.extend(b"\x1c\r");
        }
        self.messages.push(Answer {
            message_type: header.as_ref().map(|header| header.text(9)).unwrap_or_default(),
            control_id: header.as_ref().map(|header| header.text(10)).unwrap_or_default(),
            code: codes.last().copied(),
            why: fault.map(|fault| fault.why),
        });
    }
}

/// MSA-1 of each acknowledgment sent for one message.
fn codes(header: &Header, fault: Option<&Fault>, mode: Mode) -> Vec<&'static str> {
    if header.is_acknowledgment || mode == Mode::Silent {
        return Vec::new();
    }
    let severity = match (mode, fault) {
        (Mode::Error, _) => 1,
        (Mode::Reject, _) => 2,
        (_, None) => 0,
        (_, Some(fault)) => 1 + usize::from(fault.reject),
    };
    let asked = |condition: &[u8]| match condition {
        b"AL" => true,
        b"ER" => severity > 0,
        b"SU" => severity == 0,
        _ => false,
    };
    // The HL7 null says as little as nothing.
    let said = |number| Some(header.field(number)).filter(|&field| field != b"\"\"").unwrap_or_default();
    let (commit, application) = (said(15), said(16));
    let code = |codes: [&'static str; 3]| codes.get(severity).copied();
    let mut codes = Vec::new();
    if commit.is_empty() && application.is_empty() {
        codes.extend(code(["AA", "AE", "AR"]));
    } else {
        // What is refused at the first gate never reaches the application.
        codes.extend(code(["CA", "CE", "CR"]).filter(|_| asked(commit)));
        codes.extend(code(["AA", "AE", "AR"]).filter(|_| asked(application)));
    }
    codes
}

fn acknowledgment(header: Option<&Header>, code: &str, fault: Option<&Fault>, stamp: &str, id: &str) -> Vec<u8> {
    let Some(header) = header else {
        let why = fault.map(|fault| plain(&fault.why)).unwrap_or_default();
        let text = format!(
            "MSH|^~\\&|||||{stamp}||ACK|{id}|P|2.5\rMSA|{code}|\rERR|||207^Application internal error^HL70357|E|||{why}\r"
        );
        return text.into_bytes();
    };
    let (field, component) = (header.delimiters.field, header.delimiters.component);
    let version = header.version();
    let event = header.field(9).split(|&byte| byte == component).nth(1).unwrap_or_default();
    let mut message_type = b"ACK".to_vec();
    if version.as_slice() >= [2, 3, 1].as_slice() {
        message_type.push(component);
        message_type.extend(event);
        message_type.push(component);
        message_type.extend(b"ACK");
    } else if !event.is_empty() {
        message_type.push(component);
        message_type.extend(event);
    }
    let processing = if header.field(11).is_empty() { b"P" } else { header.field(11) };
    let mut out = b"MSH".to_vec();
    let put = |out: &mut Vec<u8>, value: &[u8]| {
        out.push(field);
        out.extend(value);
    };
    for value in [
        header.encoding.as_slice(),
        header.field(5),
        header.field(6),
        header.field(3),
        header.field(4),
        stamp.as_bytes(),
        b"",
        &message_type,
        id.as_bytes(),
        processing,
        header.field(12),
    ] {
        put(&mut out, value);
    }
    if !header.field(18).is_empty() {
        for value in [b"".as_slice(), b"", b"", b"", b"", header.field(18)] {
            put(&mut out, value);
        }
    }
    out.extend(b"\rMSA");
    put(&mut out, code.as_bytes());
    put(&mut out, header.field(10));
    out.push(b'\r');
    if let Some(fault) = fault {
        out.extend(error(header, fault, &version));
    }
    out
}

/// ERR: the error code and location (ELD) in ERR-1 until 2.4, ERR-3 and its neighbours from 2.5 on.
fn error(header: &Header, fault: &Fault, version: &[u32]) -> Vec<u8> {
    let (field, component) = (char::from(header.delimiters.field), char::from(header.delimiters.component));
    let name = match fault.code {
        "100" => "Segment sequence error",
        "101" => "Required field missing",
        _ => "Application internal error",
    };
    let why = plain(&fault.why);
    let text = if version < [2, 5].as_slice() {
        let within = header.delimiters.subcomponent.map_or(' ', char::from);
        format!("ERR{field}{component}{component}{component}{}{within}{name}\r", fault.code)
    } else {
        let code = format!("{}{component}{name}{component}HL70357", fault.code);
        format!("ERR{field}{field}{field}{code}{field}E{field}{field}{field}{why}\r")
    };
    text.into_bytes()
}

/// Text without anything that could delimit.
fn plain(text: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || matches!(c, ' ' | ',' | '.' | '-') { c } else { ' ' };
    text.chars().map(keep).collect()
}
