//! `candor redact`.

use candor::inner::bundle::Bundle;

use super::bundle::{mask_key, signing_key, write};
use super::{IdentityArgs, engine};
use crate::args::RedactArgs;
use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(args: &RedactArgs, output: &OutputArgs) -> Result<Outcome, String> {
    let out = output.out.as_ref().ok_or("`candor redact` writes a bundle: give its file as --out FILE")?;
    let wrong = |error: candor::inner::bundle::BundleError| format!("{}: {error}", args.bundle.display());
    let bundle = Bundle::open(&args.bundle).map_err(wrong)?;
    let redacted = match &args.mask {
        Some(file) => {
            let (mask, key) = (mask_key(file)?, signing_key(args.sign.as_deref())?);
            let engine = engine(&IdentityArgs::default())?;
            bundle.masked(&args.keep, &mask, key.as_ref(), &engine)
        }
        None => bundle.redacted(&args.keep),
    };
    write(out, &redacted.map_err(wrong)?)?;
    Ok(Outcome::Pass)
}
