//! The cost of an item group compared with the same fields written plainly: one item of one record, and one of many.
//!
//! `cargo xtask bench items`. Each run is one criterion on a sandbox that is open: observing, judging, evidence. `plain`
//! asserts the facts without binding them, which any two items may satisfy; `group` binds them to one item, the last.

use std::fs;
use std::sync::LazyLock;

use candor_check::{CheckType, PartType, Sandbox, Status};
use candor_json::{Value, json};
use divan::{Bencher, black_box};
use tempfile::TempDir;
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

/// How many items the record has.
const ITEMS: [usize; 3] = [1, 100, 10_000];

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime"));

/// A sandbox of one file.
struct Work {
    _folder: TempDir,
    sandbox: Sandbox,
}

fn work(file: &str, content: &str, part: PartType) -> Work {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(file);
    fs::create_dir_all(path.parent().expect("a part")).expect("a folder");
    fs::write(path, content).expect("a file");
    let sandbox = Sandbox::open(folder.path(), &[part]).expect("a sandbox");
    Work { _folder: folder, sandbox }
}

fn run(bencher: Bencher, work: &Work, check: CheckType, assertion: &Value) {
    let outcome = || RUNTIME.block_on(check.run(assertion.clone(), &work.sandbox));
    let first = outcome();
    assert_eq!(first.status(), Status::Passed, "{}", first.details());
    bencher.bench(|| black_box(outcome()));
}

mod fhir {
    use super::*;
    use candor_fhir_resource_state::{CHECK, PART};

    fn order(items: usize) -> Work {
        let dosages: Vec<Value> = (1..=items)
            .map(|n| json!({"text": format!("dose {n}"), "route": {"text": "IV"}, "doseAndRate": [{"doseQuantity": {"unit": format!("g{n}")}}]}))
            .collect();
        let order = json!({
            "resourceType": "MedicationRequest", "id": "m1", "status": "active", "intent": "order",
            "subject": {"reference": "Patient/p1"}, "dosageInstruction": dosages
        });
        work("fhir/m1.json", &order.to_string(), PART)
    }

    fn assertion(fields: &Value) -> Value {
        json!({"assert": "fhir-resource-state", "resource_type": "MedicationRequest", "search": {"_id": "m1"}, "fields": fields})
    }

    #[divan::bench(args = ITEMS)]
    fn plain(bencher: Bencher, items: usize) {
        let fields = json!([
            {"path": "dosageInstruction.text", "op": "contains", "expected": format!("dose {items}")},
            {"path": "dosageInstruction.doseAndRate.doseQuantity.unit", "op": "contains", "expected": format!("g{items}")},
            {"path": "dosageInstruction.route.text", "op": "contains", "expected": "IV"}
        ]);
        run(bencher, &order(items), CHECK, &assertion(&fields));
    }

    #[divan::bench(args = ITEMS)]
    fn group(bencher: Bencher, items: usize) {
        let fields = json!([{"item": "dosageInstruction", "fields": [
            {"path": "text", "expected": format!("dose {items}")},
            {"path": "doseAndRate.doseQuantity.unit", "expected": format!("g{items}")},
            {"path": "route.text", "expected": "IV"}
        ]}]);
        run(bencher, &order(items), CHECK, &assertion(&fields));
    }
}

mod x12 {
    use super::*;
    use candor_x12_response::{CHECK, PART};

    fn remittance(items: usize) -> Work {
        let mut lines = vec![
            "ST*835*0001".to_owned(),
            "BPR*I*100*C*CHK************20261120".to_owned(),
            "TRN*1*T1*1512345678".to_owned(),
            "N1*PR*ACME".to_owned(),
            "N1*PE*CLINIC*XX*1234567893".to_owned(),
            "LX*1".to_owned(),
        ];
        for n in 1..=items {
            lines.push(format!("CLP*C{n}*1*{n}*{n}**12*P{n}"));
            lines.push(format!("NM1*QC*1*DOE*JANE****MI*W{n}"));
        }
        let set: String = lines.iter().map(|line| format!("{line}~")).collect();
        let interchange = format!(
            "ISA*00*          *00*          *ZZ*A              *ZZ*B              *261120*0915*^*00501*000000101*0*P*:~\
             GS*HP*A*B*20261120*0915*101*X*005010X221A1~{set}SE*{}*0001~GE*1*101~IEA*1*000000101~",
            lines.len() + 1
        );
        work("x12/a.x12", &interchange, PART)
    }

    fn assertion(fields: &Value) -> Value {
        json!({"assert": "x12-response", "transaction": "835", "correlate_by": {"TRN.2": "T1"}, "fields": fields})
    }

    #[divan::bench(args = ITEMS)]
    fn plain(bencher: Bencher, items: usize) {
        let fields = json!([
            {"path": "CLP[*].1", "op": "contains", "expected": format!("C{items}")},
            {"path": "CLP[*].4", "op": "contains", "expected": items.to_string()},
            {"path": "NM1[*].9", "op": "contains", "expected": format!("W{items}")}
        ]);
        run(bencher, &remittance(items), CHECK, &assertion(&fields));
    }

    #[divan::bench(args = ITEMS)]
    fn group(bencher: Bencher, items: usize) {
        let fields = json!([{"item": "2100", "fields": [
            {"path": "CLP.1", "expected": format!("C{items}")},
            {"path": "CLP.4", "expected": items.to_string()},
            {"path": "NM1[1=QC].9", "expected": format!("W{items}")}
        ]}]);
        run(bencher, &remittance(items), CHECK, &assertion(&fields));
    }
}

mod csv {
    use super::*;
    use candor_sftp_file_present::{CHECK, PART};

    fn drop(items: usize) -> Work {
        let rows: String = (1..=items).map(|n| format!("W{n},{n}.00,open\n")).collect();
        work("files/claims.csv", &format!("member,amount,status\n{rows}"), PART)
    }

    fn assertion(fields: &Value) -> Value {
        json!({"assert": "sftp-file-present", "path": "claims.csv", "fields": fields})
    }

    #[divan::bench(args = ITEMS)]
    fn plain(bencher: Bencher, items: usize) {
        let fields = json!([
            {"path": "member", "op": "contains", "expected": format!("W{items}")},
            {"path": "amount", "op": "contains", "expected": format!("{items}.00")},
            {"path": "status", "op": "contains", "expected": "open"}
        ]);
        run(bencher, &drop(items), CHECK, &assertion(&fields));
    }

    #[divan::bench(args = ITEMS)]
    fn group(bencher: Bencher, items: usize) {
        let fields = json!([{"item": "$rows", "fields": [
            {"path": "member", "expected": format!("W{items}")},
            {"path": "amount", "expected": format!("{items}.00")},
            {"path": "status", "expected": "open"}
        ]}]);
        run(bencher, &drop(items), CHECK, &assertion(&fields));
    }
}
