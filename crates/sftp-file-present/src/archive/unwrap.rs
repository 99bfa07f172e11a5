//! Taking off what is around a file's content: gzip, OpenPGP.

use std::io::{self, BufRead as _, Read};

#[cfg(not(feature = "pgp"))]
use candor_check::Obstacle;
use flate2::bufread::GzDecoder;

use super::keys::Keys;
use super::shape::Wrapper;
use super::trouble::{Bounded, Bounds, Trouble};

/// How much is taken out of a decoder at a time.
const PIECE: usize = 64 << 10;

/// The bytes of a file less what is around them, as a stream of at most `max_total_bytes`.
pub(super) fn unwrapping<'a>(
    bytes: &'a [u8],
    wrappers: &[Wrapper],
    keys: &Keys,
    bounds: &Bounds,
) -> Result<Box<dyn Read + 'a>, Trouble> {
    let mut reader: Box<dyn Read + 'a> = Box::new(bytes);
    for wrapper in wrappers {
        reader = match wrapper {
            Wrapper::Gzip => {
                let decoder = Gunzip::new(io::BufReader::new(reader));
                Box::new(Bounded::new(decoder, bounds.max_total_bytes, bounds.total_too_large()))
            }
            Wrapper::Pgp => {
                let message = all(reader, bounds)?;
                Box::new(io::Cursor::new(decrypted(&message, keys, bounds)?))
            }
        };
    }
    Ok(reader)
}

#[cfg(feature = "pgp")]
use super::pgp::opened as decrypted;

#[cfg(not(feature = "pgp"))]
fn decrypted(_: &[u8], _: &Keys, _: &Bounds) -> Result<Vec<u8>, Trouble> {
    let why = candor_check::feature::missing_feature("open OpenPGP files", "pgp");
    Err(Trouble::obstacle(Obstacle::NoSource, format!("is encrypted, and {why}")))
}

#[cfg(not(feature = "pgp"))]
pub(crate) fn look_at_pgp(_: &[u8], _: &Keys, _: &Bounds, _: bool) -> Result<crate::hygiene::SeenPgp, Trouble> {
    let why = candor_check::feature::missing_feature("look at OpenPGP files", "pgp");
    Err(Trouble::obstacle(Obstacle::NoSource, why))
}

/// The content of a file less what is around it, of at most `max_bytes`.
///
/// # Errors
/// When what is around it is not what it should be, is cut off, or holds more.
pub(crate) fn unwrapped(bytes: &[u8], wrappers: &[Wrapper], keys: &Keys, bounds: &Bounds) -> Result<Vec<u8>, Trouble> {
    all(unwrapping(bytes, wrappers, keys, bounds)?, bounds)
}

/// The bytes of a reader, at most `max_bytes`.
fn all(reader: Box<dyn Read + '_>, bounds: &Bounds) -> Result<Vec<u8>, Trouble> {
    let mut reader = Bounded::new(reader, bounds.max_bytes, bounds.object_too_large());
    let mut content = Vec::new();
    let mut piece = vec![0; PIECE];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(content),
            Ok(read) => content.extend_from_slice(piece.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => {
                return Err(Trouble::of(error, |error| Trouble::malformed(format!("cannot be unpacked: {error}"))));
            }
        }
    }
}

/// gzip of several members, whose errors are the file's. Zeros after a member are padding, as tapes and blocks of a fixed
/// size have; `gzip` passes over them, too.
struct Gunzip<R> {
    /// `None` at the end.
    member: Option<GzDecoder<Counted<R>>>,
}

struct Counted<R> {
    inner: R,
    at: u64,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl<R: io::BufRead> io::BufRead for Counted<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.at += amount as u64;
        self.inner.consume(amount);
    }
}

/// How each gzip member begins (RFC 1952, 2.3.1).
const MAGIC: [u8; 2] = [0x1f, 0x8b];
/// The length of the shortest header of a gzip member (RFC 1952, 2.3).
const SHORTEST: u64 = 10;

impl<R: io::BufRead> Gunzip<R> {
    fn new(reader: R) -> Self {
        Self { member: Some(GzDecoder::new(Counted { inner: reader, at: 0 })) }
    }

    fn next(&mut self) -> io::Result<()> {
        let Some(mut reader) = self.member.take().map(GzDecoder::into_inner) else { return Ok(()) };
        loop {
            let piece = reader.fill_buf()?;
            let (zeros, length) = (piece.iter().take_while(|byte| **byte == 0).count(), piece.len());
            reader.consume(zeros);
            if zeros < length {
                let next = reader.fill_buf()?;
                if !next.starts_with(MAGIC.get(..next.len().min(2)).unwrap_or_default()) {
                    let (from, mut more) = (reader.at, 0);
                    while let length @ 1.. = reader.fill_buf()?.len() {
                        reader.consume(length);
                        more += length;
                    }
                    let what =
                        format!("has {} after the end of its gzip content, from byte {from} on", bytes(more as u64));
                    return Err(Trouble::malformed(what).into_io());
                }
                self.member = Some(GzDecoder::new(reader));
                return Ok(());
            }
            if length == 0 {
                return Ok(());
            }
        }
    }

    fn trouble(error: &io::Error, taken: u64) -> Trouble {
        Trouble::malformed(match (error.kind(), taken) {
            (io::ErrorKind::UnexpectedEof, 0) => "is empty, so it is not gzip".to_owned(),
            (io::ErrorKind::UnexpectedEof, ..SHORTEST) => {
                format!("is cut off, or too short to be gzip ({})", bytes(taken))
            }
            (io::ErrorKind::UnexpectedEof, _) => format!("is cut off at byte {taken}, before its gzip content ends"),
            _ => format!("is not valid gzip ({error})"),
        })
    }
}

fn bytes(number: u64) -> String {
    if number == 1 { "1 byte".to_owned() } else { format!("{number} bytes") }
}

impl<R: io::BufRead> Read for Gunzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let read = member.read(buffer);
            let taken = member.get_ref().at;
            let read = match read {
                Ok(0) if !buffer.is_empty() => self.next().map(|()| None),
                read => read.map(Some),
            };
            match read {
                Ok(Some(read)) => return Ok(read),
                Ok(None) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => return Err(error),
                Err(error) => return Err(Trouble::of(error, |error| Self::trouble(error, taken)).into_io()),
            }
        }
        Ok(0)
    }
}
