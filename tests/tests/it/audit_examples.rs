//! The bundled examples prove themselves, the literal tasks do not: the figures of `docs/trusting-a-green.md`.
//! `AUDIT_FIGURES=overwrite` writes them. What lint warns of, an audit shows a survivor for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use candor_audit::{Grade, Hardened, Options, Probe, Report, audit, harden};
use candor_check::Sandbox;
use candor_check::operators::Kind;
use candor_engine::{CODES, Document, Engine, Severity, Task, lint_with_notes};
use candor_json::{Value, json};

/// Examples that are proven, also over other forms of the right work.
const PROVEN: [&str; 17] = [
    "medication-order",
    "orders/antiviral",
    "orders/imaging",
    "orders/anticoagulant",
    "prior-auth",
    "elr",
    "ward-orders",
    "lab-feed",
    "claims-batch",
    "front-desk/book",
    "front-desk/refill",
    "front-desk/register",
    "front-desk/claim",
    "medication-order/done-right-sig-alone",
    "medication-order/done-right-route-coded",
    "orders/antiviral/done-right-sig-alone",
    "orders/anticoagulant/done-right-heparin",
];
/// Tasks whose fields are those that a published grader compares (fixtures/examples/literal/README.md): five of each of two
/// benchmarks.
const LITERAL: [&str; 10] = [
    "blood-pressure",
    "magnesium",
    "potassium",
    "referral",
    "a1c",
    "prophylaxis",
    "antiviral",
    "contraceptive",
    "thyroid",
    "inner-ear",
];

fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/examples")
}

fn engine() -> Engine {
    Engine::new(candor_checks::ALL.iter().copied(), "audit").with_parts(candor_checks::PARTS.iter().copied())
}

fn audited(task: &Task, sandbox: &Sandbox) -> Report {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    // Nothing here reads what could be added, and looking for it takes longer than all else.
    let options = Options { suggest: false, ..Options::default() };
    runtime.block_on(audit(&engine(), task, sandbox, candor_checks::OPERATORS, &options)).unwrap()
}

/// Literal tasks as they are written: several tests ask for the same.
fn literal(name: &str) -> &'static Report {
    static REPORTS: [OnceLock<Report>; LITERAL.len()] = [const { OnceLock::new() }; LITERAL.len()];
    let at = LITERAL.iter().position(|known| *known == name).unwrap();
    REPORTS[at].get_or_init(|| {
        let (task, sandbox) = example(&format!("literal/{name}"));
        audited(&task, &sandbox)
    })
}

fn example(name: &str) -> (Task, Sandbox) {
    let (task, right, before) = match (name.strip_prefix("front-desk/"), name.split_once("/done-right-")) {
        (Some(one), _) => {
            let of = |folder: &str| format!("front-desk/{folder}/{one}");
            (of("tasks") + ".yaml", of("done"), of("worlds"))
        }
        (None, Some((example, _))) => (format!("{example}/task.yaml"), name.to_owned(), format!("{example}/before")),
        (None, None) => (format!("{name}/task.yaml"), format!("{name}/done-right"), format!("{name}/before")),
    };
    let task = Task::read(&examples().join(task)).unwrap();
    let sandbox = Sandbox::open(&examples().join(right), candor_checks::PARTS).unwrap();
    let before = examples().join(before);
    match before.is_dir() {
        true => (task, sandbox.with_baseline(Sandbox::open(&before, candor_checks::PARTS).unwrap())),
        false => (task, sandbox),
    }
}

/// A row of the table: what was tried, and what of it came out as it must.
fn row(name: &str, report: &Report) -> String {
    let [leaf, harm, breach, same] = [
        report.total(|one| one.leaf),
        report.total(|one| one.harm),
        report.total(|one| one.breach),
        report.total(|one| one.equivalence),
    ];
    let covered = if harm.covered > 0 { format!(" (and {} covered)", harm.covered) } else { String::new() };
    let distinct = report.distinct("harm");
    let breaches = if breach.tried > 0 { format!("{} of {}", breach.good, breach.tried) } else { "–".to_owned() };
    format!(
        "| {name} | {} | {} of {} | {} of {}{covered} | {distinct} | {breaches} | {} of {} | {} |\n",
        report.mutants,
        leaf.good,
        leaf.tried,
        harm.good,
        harm.tried,
        same.good,
        same.tried,
        report.grade.name(),
    )
}

const HEAD: &str = "| task | mutants | leaves killed | harms killed | distinct harms | breaches killed | equivalents accepted | grade |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";

/// Holds a part of `docs/trusting-a-green.md` against what was measured.
fn documented(name: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/trusting-a-green.md");
    let page = std::fs::read_to_string(&file).unwrap();
    let (from, to) = (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"));
    let (before, rest) = page.split_once(&from).unwrap_or_else(|| panic!("the page has no part {name}"));
    let (written, after) = rest.split_once(&to).unwrap();
    if std::env::var("AUDIT_FIGURES").is_ok_and(|value| value == "overwrite") {
        std::fs::write(&file, format!("{before}{from}{text}{to}{after}")).unwrap();
    } else {
        assert_eq!(written, text, "docs/trusting-a-green.md, {name}: `AUDIT_FIGURES=overwrite` writes it anew");
    }
}

#[test]
fn the_bundled_examples_are_proven_and_the_literal_tasks_are_not() {
    let (mut harms, mut distinct, mut made) = (0, 0, BTreeMap::<String, usize>::new());
    let (mut proven, mut lists) = (HEAD.to_owned(), HEAD.to_owned());
    let mut wrong = String::new();
    for name in PROVEN.iter().copied().map(str::to_owned).chain(LITERAL.iter().map(|name| format!("literal/{name}"))) {
        let is_literal = name.starts_with("literal/");
        let report = match name.strip_prefix("literal/") {
            Some(name) => literal(name),
            None => {
                let (task, sandbox) = example(&name);
                &audited(&task, &sandbox)
            }
        };
        (if is_literal { &mut lists } else { &mut proven }).push_str(&row(&name, report));
        let as_expected = report.grade == if is_literal { Grade::Weak } else { Grade::Proven };
        if !as_expected || !report.findings.iter().all(|finding| finding.code == "gap") {
            let _ = writeln!(wrong, "{}", report.told());
        }
        harms += report.total(|one| one.harm).tried;
        distinct += report.distinct("harm");
        for (operator, count) in &report.operators {
            *made.entry(operator.clone()).or_default() += count;
        }
    }
    println!("{proven}\n{lists}\n{harms} harms, {distinct} distinct changes\n{made:#?}");
    assert!(wrong.is_empty(), "{wrong}");
    let operators = candor_checks::OPERATORS.iter().flat_map(|list| list.iter());
    let idle: Vec<&str> =
        operators.filter(|one| one.kind != Kind::Remark && !made.contains_key(one.id)).map(|one| one.id).collect();
    assert!(idle.is_empty(), "no mutant over the examples: {idle:?}");
    assert!(harms >= 800, "{harms} harms");
    documented("proven examples", &proven);
    documented("literal tasks", &lists);
}

/// The results of `candor harden` on a literal task.
fn hardened(name: &str, widen: bool) -> (Hardened, Report) {
    let (_, sandbox) = example(&format!("literal/{name}"));
    let file = examples().join("literal").join(name).join("task.yaml");
    let written = std::fs::read_to_string(&file).unwrap();
    let (engine, options) = (engine(), Options { widen, ..Options::default() });
    let mut all = |_: &candor_audit::Mended| true;
    let hardened = harden(&engine, &file, &written, &sandbox, candor_checks::OPERATORS, &options, &mut all);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let hardened = runtime.block_on(hardened).unwrap();
    // In full size, the text is read and audited once more.
    let report = if candor_test_size::pick(false, true) {
        let task = Task::from_document(Document::parse(&file, hardened.text.as_bytes()).unwrap()).unwrap();
        audited(&task, &sandbox)
    } else {
        hardened.report.clone()
    };
    assert_eq!(hardened.to_value()["refused"], hardened.refused, "{name}");
    (hardened, report)
}

/// The survivors of one probe, or of all others.
fn survivors(report: &Report, is_it: impl Fn(&str) -> bool) -> BTreeSet<(String, String)> {
    let all = report.criteria.iter().flat_map(|one| &one.survivors).filter(|one| is_it(one.probe));
    all.map(|one| (one.operator.clone(), one.locator.clone())).collect()
}

/// Rows of a table, and how many leaves, harms and equivalents came out as they must.
#[derive(Default)]
struct Figures {
    rows: String,
    leaf: (usize, usize),
    harm: (usize, usize),
    same: (usize, usize),
}

impl Figures {
    fn add(&mut self, name: &str, report: &Report) {
        self.rows.push_str(&row(&format!("literal/{name}"), report));
        let add =
            |(good, tried): (usize, usize), of: candor_audit::Tried| (good + of.good + of.covered, tried + of.tried);
        self.leaf = add(self.leaf, report.total(|one| one.leaf));
        self.harm = add(self.harm, report.total(|one| one.harm));
        self.same = add(self.same, report.total(|one| one.equivalence));
    }
}

#[test]
fn the_literal_tasks_are_hardened() {
    let (mut stricter, mut wider, mut refused) = (Figures::default(), Figures::default(), 0);
    let mut forms: BTreeMap<String, [BTreeSet<&str>; 2]> = BTreeMap::new();
    for name in LITERAL {
        let is_same = |probe: &str| probe == "equivalence";
        let (mended, report) = hardened(name, false);
        // Additions reject no form of the work that the list accepts.
        let still = survivors(&report, is_same);
        assert_eq!(still, survivors(literal(name), is_same), "{name}\n{}", mended.text);
        assert!(!mended.text.contains("dosageInstruction.text, op: empty"), "{name}\n{}", mended.text);
        stricter.add(name, &report);
        refused += mended.refused;
        let (mended, widened) = hardened(name, true);
        let lives = |report: &Report| survivors(report, |probe| !matches!(probe, "equivalence" | "remark"));
        assert_eq!(lives(&widened), lives(&report), "{name}\n{}", mended.text);
        let after = survivors(&widened, is_same);
        assert!(after.is_subset(&still), "{name}\n{}", mended.text);
        wider.add(name, &widened);
        for (at, all) in [still, after].into_iter().enumerate() {
            for (operator, _) in all {
                forms.entry(operator).or_default()[at].insert(name);
            }
        }
    }
    // A second coding of a drug is noticed by what rejects other forms of the work, before it is by its concept.
    assert!(refused > 0, "no addition was refused");
    for of in [&stricter, &wider] {
        assert_eq!(of.leaf.0, of.leaf.1, "a leaf lives");
        assert_eq!(of.harm.0, of.harm.1, "a harm lives");
    }
    println!("{:?} {:?} {:?}", stricter.harm, stricter.same, wider.same);
    assert!(wider.same.0 * 100 >= wider.same.1 * 98, "{:?} equivalents", wider.same);
    documented("literal tasks, hardened", &format!("{HEAD}{}", stricter.rows));
    documented("literal tasks, widened", &format!("{HEAD}{}", wider.rows));
    let mut text = "| form | rejected in | still rejected after `--widen` |\n| --- | --- | --- |\n".to_owned();
    for (operator, tasks) in &forms {
        let [before, after] = tasks.each_ref().map(|all| all.iter().copied().collect::<Vec<_>>().join(", "));
        let _ = writeln!(text, "| `{operator}` | {before} | {} |", if after.is_empty() { "–" } else { &after });
    }
    documented("what stays rejected", &text);
}

/// Compares the harms that live in the literal tasks, by operator and task, with the document.
#[test]
fn the_harms_that_literal_tasks_let_live_are_documented() {
    let mut alive: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    let (mut lives_of_all, mut all) = (0, 0);
    for name in LITERAL {
        let report = literal(name);
        let harm = report.total(|one| one.harm);
        (lives_of_all, all) = (lives_of_all + harm.tried - harm.good - harm.covered, all + harm.tried);
        for criterion in &report.criteria {
            let lives = criterion.survivors.iter().filter(|survivor| survivor.probe == "harm");
            for survivor in lives {
                alive.entry(survivor.operator.clone()).or_default().insert(name);
            }
        }
    }
    let mut text = "| harm | lives in |\n| --- | --- |\n".to_owned();
    for (operator, tasks) in &alive {
        let _ = writeln!(text, "| `{operator}` | {} |", tasks.iter().copied().collect::<Vec<_>>().join(", "));
    }
    documented("what lives", &text);
    assert!(lives_of_all > 0, "the lists let nothing live");
    documented("harms of the lists", &format!("Of {all} harms {lives_of_all} live.\n"));
}

/// The reason of each criterion that does not pass, over the sandbox in which the work was done wrong.
fn reasons(name: &str) -> Vec<(String, String)> {
    let folder = examples().join(name);
    let task = Arc::new(Task::read(&folder.join("task.yaml")).unwrap());
    let mut sandbox = Sandbox::open(&folder.join("done-wrong"), candor_checks::PARTS).unwrap();
    let before = folder.join("before");
    if before.is_dir() {
        sandbox = sandbox.with_baseline(Sandbox::open(&before, candor_checks::PARTS).unwrap());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let engine = engine();
    let run = runtime.block_on(engine.run(&engine.plan(task), &sandbox));
    run.criterion_runs.iter().filter_map(|one| Some((one.criterion_id.clone(), one.reason()?.to_owned()))).collect()
}

/// Each mistake in `done-wrong` is one that people make, and turns the criterion that is about it red, for its own reason.
#[test]
fn work_that_was_done_wrong_fails_for_the_right_reasons() {
    let expected: [(&str, &[(&str, &str)]); 3] = [
        (
            "ward-orders",
            &[
                // Ten times the dose; another patient; cancelled; twice; grams for milligrams; an order not to give it.
                ("magnesium-sulfate-4471-iv", "field_mismatch"),
                ("potassium-chloride-4472-oral", "no_candidate"),
                ("furosemide-4473-iv", "unsafe_match"),
                ("prednisone-4474-oral", "count_mismatch"),
                ("levothyroxine-4475-oral", "field_mismatch"),
                ("heparin-4476-subcutaneous", "unsafe_match"),
                // A second dose next to the first; a plan; a second drug under one order; of the day before.
                ("enoxaparin-4471-subcutaneous", "ambiguous_match"),
                ("metoprolol-4473-oral", "unsafe_match"),
                ("ceftriaxone-4475-iv", "unsafe_match"),
                ("furosemide-4476-oral", "field_mismatch"),
                // For the wrong day; forgotten; a slip of the hand; entered in error; a third value; a row too many; the wrong bed.
                ("magnesium-4471", "field_mismatch"),
                ("potassium-4472", "no_candidate"),
                ("heart-rate-4471", "field_mismatch"),
                ("body-temperature-4472", "no_candidate"),
                ("blood-pressure-4475", "count_mismatch"),
                ("no-allergy-recorded", "count_mismatch"),
                ("nothing-else-changed", "forbidden_found"),
            ],
        ),
        (
            "lab-feed",
            &[
                // Sent twice; of another patient; a replacement; cancelled afterwards, by a message of the same order; a test.
                ("order-4472", "count_mismatch"),
                ("order-4473", "field_mismatch"),
                ("order-4474", "field_mismatch"),
                ("order-4475", "count_mismatch"),
                ("order-4476", "unsafe_match"),
                // Withdrawn; ten times the value; a second value; a number of another ward; never sent.
                ("result-4471", "unsafe_match"),
                ("result-4472", "field_mismatch"),
                ("result-4473", "count_mismatch"),
                ("result-4474", "field_mismatch"),
                ("result-4476", "no_candidate"),
                // Cancelled by A11; sent home.
                ("admission-4476", "unsafe_match"),
                ("nobody-discharged", "count_mismatch"),
            ],
        ),
        (
            "claims-batch",
            &[
                // A replacement; ten times the amount; another member; another procedure; forgotten.
                ("claim-4472", "field_mismatch"),
                ("claim-4473", "field_mismatch"),
                ("claim-4474", "field_mismatch"),
                ("claim-4475", "field_mismatch"),
                ("claim-4476", "field_mismatch"),
                // Denied; reversed; a tenth of the amount; not in the remittance.
                ("payment-4472", "field_mismatch"),
                ("payment-4473", "unsafe_match"),
                ("payment-4474", "field_mismatch"),
                ("payment-4476", "field_mismatch"),
                // Not covered; a plan that ended, and another kind of service.
                ("covered-4472", "field_mismatch"),
                ("covered-4473", "field_mismatch"),
                ("benefits-4472", "field_mismatch"),
                ("benefits-4473", "field_mismatch"),
                ("nothing-rejected", "count_mismatch"),
                // Still a draft; twice; the row of another member, who has two now.
                ("billed-4472", "field_mismatch"),
                ("billed-4473", "count_mismatch"),
                ("billed-4474", "field_mismatch"),
                ("each-member-billed-once", "count_mismatch"),
                ("no-draft", "count_mismatch"),
                // A total that does not add up; a member with two claims; a list that is still under its temporary name.
                ("batch-sent", "field_mismatch"),
                ("batch-of-six", "count_mismatch"),
                ("list-sent", "no_candidate"),
                ("list-of-six", "no_candidate"),
                ("list-not-empty", "no_candidate"),
                // "The reference will be … if it is released".
                ("payment-announced", "phrase_missing"),
                ("nothing-in-error", "count_mismatch"),
            ],
        ),
    ];
    let mut wrong = String::new();
    for (name, expected) in expected {
        let found = reasons(name);
        let found: Vec<(&str, &str)> = found.iter().map(|(id, reason)| (id.as_str(), reason.as_str())).collect();
        if found != expected {
            let _ = writeln!(wrong, "{name}: {found:?}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn listed(name: &str) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("lint").join(name);
    Document::read(&file).unwrap().value().as_array().unwrap().clone()
}

#[test]
fn every_code_of_lint_names_its_probe() {
    let mut operators: BTreeSet<&str> =
        candor_checks::OPERATORS.iter().flat_map(|list| list.iter()).map(|one| one.id).collect();
    operators.insert("leaf/another-record");
    for code in CODES {
        let (probe, why) = code.shown_by().split_once(": ").unwrap_or_else(|| panic!("{}: no probe", code.name));
        assert!(probe == "none" || Probe::named(probe).is_some(), "{}: {probe}", code.name);
        assert!(!why.is_empty(), "{}", code.name);
        for quoted in why.split('`').skip(1).step_by(2).filter(|quoted| quoted.contains('/')) {
            assert!(operators.contains(quoted), "{}: {quoted} is not an operator", code.name);
        }
    }
}

#[test]
fn what_lint_warns_of_an_audit_shows_a_survivor_for() {
    let weak = listed("weak.yaml");
    let mut tried = 0;
    for sandbox in listed("sandboxes.yaml") {
        let about = sandbox["about"].as_str().unwrap();
        let found =
            weak.iter().find(|one| one["about"] == about).unwrap_or_else(|| panic!("{about} is not in weak.yaml"));
        let criteria: Vec<Value> = found["criteria"]
            .as_array()
            .unwrap()
            .iter()
            .enumerate()
            .map(|(at, assertion)| json!({"id": format!("c{at}"), "assertion": assertion}))
            .collect();
        let text = json!({"id": "weak", "criteria": criteria}).to_string();
        let task = Task::from_document(Document::parse(Path::new("task.json"), text.as_bytes()).unwrap()).unwrap();
        let warns = lint_with_notes(&engine().plan(Arc::new(task.clone())));
        let code = found["code"].as_str().unwrap();
        assert!(warns.iter().any(|one| one.code == code && one.severity != Severity::Error), "{about}: {code}");
        let mut builder = Sandbox::builder();
        for (path, content) in sandbox["files"].as_object().unwrap() {
            builder = builder.file(path, content.as_str().unwrap().as_bytes().to_vec());
        }
        let report = audited(&task, &builder.build(candor_checks::PARTS).unwrap());
        assert!(report.criteria.iter().all(|one| one.status == "passed"), "{about}\n{}", report.told());
        let code = CODES.iter().find(|one| one.name == code).unwrap();
        let (probe, _) = code.shown_by().split_once(": ").unwrap();
        let survives = report.criteria.iter().flat_map(|one| &one.survivors).any(|one| one.probe == probe);
        assert!(report.grade > Grade::Proven && survives, "{about}\n{}", report.told());
        tried += 1;
    }
    assert!(tried >= 9, "{tried}");
}
