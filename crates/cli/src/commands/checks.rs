//! `candor checks`.

use candor_report::Format;
use serde_json::json;

use crate::exit::Outcome;
use crate::output::OutputArgs;

pub(crate) fn run(output: &OutputArgs) -> Result<Outcome, String> {
    let metas = || candor_checks::ALL.iter().map(|check| check.meta());
    let value = |meta: &candor_check::Meta| json!({"assert": meta.assert, "about": meta.about, "part": meta.part, "evidence_key": meta.evidence_key});
    let rendered = match output.format() {
        Format::Text => {
            let width = metas().map(|meta| meta.assert.len()).max().unwrap_or_default();
            let part = metas().map(|meta| meta.part.len()).max().unwrap_or_default();
            metas().map(|meta| format!("{:width$}  {:part$}  {}\n", meta.assert, meta.part, meta.about)).collect()
        }
        Format::Json => format!("{:#}\n", json!(metas().map(value).collect::<Vec<_>>())),
        Format::Ndjson => metas().map(|meta| format!("{}\n", value(meta))).collect(),
        Format::Markdown => {
            let row = |meta: &candor_check::Meta| {
                format!("| `{}` | `{}/` | {} | `{}` |\n", meta.assert, meta.part, meta.about, meta.evidence_key)
            };
            let head = "| assert | reads | asserts | evidence |\n| --- | --- | --- | --- |\n";
            head.to_owned() + &metas().map(row).collect::<String>()
        }
        Format::Junit => return Err("checks writes text, json, ndjson or markdown".to_owned()),
    };
    output.write(rendered.as_bytes())?;
    Ok(Outcome::Pass)
}
