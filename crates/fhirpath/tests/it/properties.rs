//! No expression and no document makes an evaluation panic, recurse without bound or run without end.

#![expect(clippy::unwrap_used, reason = "helpers outside of test functions may panic too")]

use std::path::Path;
use std::sync::LazyLock;

use candor_fhirpath::{Collection, Context, Expression, Limits, Temporal};
use candor_json::{Map, Value, json};
use proptest::prelude::*;

const LIMITS: Limits = Limits { steps: 50_000, items: 5_000, text: 20_000 };

fn evaluated<'a>(text: &str, document: &'a Value) -> Option<Collection<'a>> {
    let context = Context::new()
        .with_limits(LIMITS)
        .with_now(Temporal::date_time("2026-11-20T12:00:00Z").unwrap())
        .with_typed_references();
    match Expression::parse(text) {
        Err(error) => {
            assert!(error.position <= text.len() && text.is_char_boundary(error.position), "{text}: {error}");
            assert!(!error.to_string().is_empty());
            None
        }
        Ok(expression) => match expression.evaluate(document, &context) {
            Err(error) => {
                assert!(error.position < text.len(), "{text}: {error}");
                None
            }
            Ok(items) => {
                for item in items.iter().take(20) {
                    let _ = (item.json(), item.type_name().to_string(), item.path(document));
                }
                Some(items)
            }
        },
    }
}

/// The expressions of the official suites.
static EXPRESSIONS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/fhirpath/suites");
    let mut all = Vec::new();
    for suite in ["tests-fhir-r4.xml", "tests-fhir-r5.xml"] {
        let text = std::fs::read_to_string(folder.join(suite)).unwrap();
        let document = roxmltree::Document::parse(&text).unwrap();
        let expressions = document.descendants().filter(|node| node.tag_name().name() == "expression");
        all.extend(expressions.filter_map(|node| node.text()).map(str::to_owned));
    }
    assert!(all.len() > 1900);
    all
});

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        "-?[0-9]{1,30}(\\.[0-9]{1,30})?(e-?[0-9]{1,5})?"
            .prop_map(|text| candor_json::from_str(text.trim_start_matches('0')).unwrap_or(json!(0))),
        prop::sample::select(vec![
            "2026-11-20",
            "2026",
            "2026-11-20T10:00:00Z",
            "10:00",
            "Patient/1",
            "#a",
            "urn:uuid:1",
            "",
            "é\u{1F600}",
            "http://unitsofmeasure.org",
            "mg",
            "a",
            "completed",
        ])
        .prop_map(Value::from),
    ]
}

const NAMES: &[&str] = &[
    "resourceType",
    "name",
    "given",
    "family",
    "use",
    "value",
    "valueQuantity",
    "valueString",
    "_valueString",
    "code",
    "system",
    "unit",
    "birthDate",
    "_birthDate",
    "extension",
    "url",
    "contained",
    "id",
    "item",
    "entry",
    "resource",
    "reference",
    "coding",
    "active",
];

fn document() -> impl Strategy<Value = Value> {
    let tree = scalar().prop_recursive(5, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            prop::collection::vec((prop::sample::select(NAMES), inner), 0..5).prop_map(|members| {
                Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
            }),
        ]
    });
    (tree, prop::sample::select(vec!["Patient", "Observation", "Bundle", "Questionnaire", "Strange"])).prop_map(
        |(mut tree, kind)| {
            if let Value::Object(members) = &mut tree {
                members.insert("resourceType".to_owned(), kind.into());
            }
            tree
        },
    )
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(NAMES).prop_map(str::to_owned),
        prop::sample::select(vec![
            "$this",
            "$index",
            "$total",
            "%resource",
            "%context",
            "{}",
            "1",
            "0",
            "2147483647",
            "1.50",
            "5L",
            "'a'",
            "''",
            "true",
            "'2026-11-20'",
            "@2026",
            "@2026-11-20",
            "@2026-11-20T10:00:00.5Z",
            "@T10:30",
            "3 'mg'",
            "1 year",
            "7 days",
            "now()",
            "0.0000001",
            "Patient",
            "'[a-z]*'",
            "'base64'",
        ])
        .prop_map(str::to_owned),
    ];
    leaf.prop_recursive(5, 30, 3, |inner| {
        let functions = vec![
            "where",
            "select",
            "repeat",
            "all",
            "exists",
            "skip",
            "take",
            "combine",
            "union",
            "intersect",
            "exclude",
            "indexOf",
            "substring",
            "contains",
            "replaceMatches",
            "matches",
            "join",
            "split",
            "round",
            "power",
            "log",
            "lowBoundary",
            "highBoundary",
            "aggregate",
            "iif",
            "extension",
            "sort",
            "defineVariable",
            "replace",
            "encode",
            "subsetOf",
            "trace",
            "comparable",
            "toQuantity",
            "repeatAll",
            "coalesce",
        ];
        let plain = vec![
            "empty",
            "count",
            "distinct",
            "children",
            "descendants",
            "first",
            "tail",
            "toString",
            "toDecimal",
            "toDate",
            "abs",
            "sqrt",
            "exp",
            "ln",
            "not",
            "type",
            "hasValue",
            "resolve",
            "toChars",
            "length",
            "upper",
            "precision",
            "toDateTime",
            "toTime",
            "toQuantity",
            "floor",
            "sum",
            "min",
            "avg",
            "single",
            "isDistinct",
            "yearOf",
            "trim",
        ];
        let operators = vec![
            "+", "-", "*", "/", "div", "mod", "&", "|", "=", "!=", "~", "!~", "<", "<=", ">", ">=", "and", "or", "xor",
            "implies", "in", "contains",
        ];
        prop_oneof![
            (inner.clone(), prop::sample::select(functions), prop::collection::vec(inner.clone(), 1..3))
                .prop_map(|(input, name, arguments)| format!("({input}).{name}({})", arguments.join(", "))),
            (inner.clone(), prop::sample::select(plain)).prop_map(|(input, name)| format!("({input}).{name}()")),
            (inner.clone(), prop::sample::select(operators), inner.clone())
                .prop_map(|(left, operator, right)| format!("({left} {operator} {right})")),
            (inner.clone(), prop::sample::select(NAMES)).prop_map(|(input, name)| format!("({input}).{name}")),
            (inner.clone(), inner.clone()).prop_map(|(input, index)| format!("({input})[{index}]")),
            inner.clone().prop_map(|operand| format!("-{operand}")),
            (inner, prop::sample::select(vec!["string", "Quantity", "System.Decimal", "Patient"]), any::<bool>())
                .prop_map(|(input, of, is)| format!("({input} {} {of})", if is { "is" } else { "as" })),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(candor_test_size::cases(400)))]

    #[test]
    fn any_expression_over_any_document_ends(text in expression(), document in document()) {
        evaluated(&text, &document);
    }

    #[test]
    fn changed_expressions_of_the_suites_end(
        first in any::<prop::sample::Index>(),
        second in any::<prop::sample::Index>(),
        (from, to) in (0..80usize, 0..80usize),
        put in "[-+*/.()\\[\\]{}'%$@|&<>=~!a-z0-9 ]{0,3}",
        document in document(),
    ) {
        let (a, b) = (first.get(&EXPRESSIONS), second.get(&EXPRESSIONS));
        let head: String = a.chars().take(from).collect();
        let tail: String = b.chars().skip(to).collect();
        evaluated(&format!("{head}{put}{tail}"), &document);
    }

    #[test]
    fn any_text_is_an_expression_or_an_error(text in any::<String>()) {
        evaluated(&text, &json!({"resourceType": "Patient"}));
    }

    #[test]
    fn sets_keep_their_laws(a in prop::collection::vec(0..30i32, 0..25), b in prop::collection::vec(0..30i32, 0..25)) {
        let list = |items: &[i32]| items.iter().fold("{}".to_owned(), |all, item| format!("{all}.combine({item})"));
        let nothing = json!({});
        let count = |text: String| evaluated(&text, &nothing).unwrap().len();
        let (x, y) = (list(&a), list(&b));
        let distinct = |items: &[i32]| items.iter().collect::<std::collections::BTreeSet<_>>().len();
        let both: Vec<i32> = a.iter().chain(&b).copied().collect();
        let common: Vec<i32> = a.iter().filter(|item| b.contains(item)).copied().collect();
        prop_assert_eq!(count(format!("{x} | {y}")), distinct(&both));
        prop_assert_eq!(count(format!("{x}.intersect({y})")), distinct(&common));
        prop_assert_eq!(count(format!("{x}.exclude({y})")), a.iter().filter(|item| !b.contains(item)).count());
        prop_assert_eq!(count(format!("{x}.distinct()")), distinct(&a));
        let mut sorted = a.clone();
        sorted.sort_unstable();
        let in_order = evaluated(&format!("{x}.sort()"), &nothing).unwrap();
        let in_order: Vec<i64> = in_order.iter().map(|item| item.json().as_i64().unwrap()).collect();
        prop_assert_eq!(in_order, sorted.into_iter().map(i64::from).collect::<Vec<_>>());
    }

    #[test]
    fn numbers_calculate_as_integers_do(a in -9999i32..9999, b in -9999i32..9999) {
        let nothing = json!({});
        let holds = |text: String| evaluated(&text, &nothing).unwrap().boolean();
        prop_assert_eq!(holds(format!("({a}) + ({b}) = {}", a + b)), Some(true));
        prop_assert_eq!(holds(format!("({a}.0) * ({b}.00) = {}", a * b)), Some(true));
        prop_assert_eq!(holds(format!("({a}) < ({b}.0)")), Some(a < b));
        if b != 0 {
            prop_assert_eq!(holds(format!("({a} div ({b})) * ({b}) + ({a} mod ({b})) = {a}")), Some(true));
        }
    }
}

#[test]
fn nesting_is_bounded() {
    let document = json!({"resourceType": "Patient", "name": [{"given": ["a"]}]});
    for (open, close) in [
        ("(", ")"),
        ("name.where(", ")"),
        ("name[", "]"),
        ("iif(true, ", ")"),
        ("1 implies 1 or 1 and 1 in 1 = 1 < 1 | (", ")"),
    ] {
        let nested = |depth: usize| format!("{}true{}", open.repeat(depth), close.repeat(depth));
        evaluated(&nested(12), &document);
        evaluated(&nested(118), &document);
        let error = Expression::parse(&nested(900)).unwrap_err();
        assert!(error.expected.contains("nests no deeper"), "{error}");
    }
    // What is a chain and no nesting has no such limit.
    assert!(Expression::parse(&vec!["name"; 5_000].join(" | ")).is_ok());
    assert!(Expression::parse(&vec!["name"; 5_000].join(".")).is_ok());
    assert!(Expression::parse(&format!("{}1", "-".repeat(60_000))).is_ok());
    let error = Expression::parse(&"a.".repeat(40_000)).unwrap_err();
    assert_eq!(error.position, 65_536);
}

#[test]
fn bombs_end_at_the_limits() {
    let document = json!({"resourceType": "Patient", "name": [{"given": ["aaaaaaaaaa"]}]});
    for bomb in [
        format!("name.given{}", ".select($this.combine($this))".repeat(30)),
        "name.repeatAll($this)".to_owned(),
        "1.repeat($this + 1)".to_owned(),
        format!("'a'{}", ".select($this + $this)".repeat(80)),
        format!("'aaaaaaaaaa'{}", ".replace('a', 'aaaaaaaaaaaaaaaa')".repeat(12)),
        format!("'aaaaaaaaaa'{}", ".replaceMatches('a', '$0$0$0$0$0$0$0')".repeat(12)),
        format!("(1|2|3|4|5|6|7|8|9){}", ".select((1|2|3|4|5|6|7|8|9).combine($this))".repeat(8)),
        format!("(1|2|3|4|5|6|7|8|9){}.join('')", ".select('a'|'b'|'c'|'d'|'e'|'f'|'g')".repeat(9)),
        "(1|2|3|4|5|6|7|8|9).aggregate($total.combine($total).combine($this), 1)".to_owned()
            + &".repeatAll(1|2)".repeat(3),
    ] {
        let expression = Expression::parse(&bomb).unwrap();
        let error = expression.evaluate(&document, &Context::new().with_limits(LIMITS)).unwrap_err();
        assert!(error.is_limit(), "{bomb}: {error}");
    }
}

#[test]
fn hostile_patterns_are_refused_or_quick() {
    let document = json!({});
    for pattern in ["(a*)*b", "(a|a)*$", "(.*)(.*)(.*)(.*)x", "a{1,500}"] {
        let text = format!("'{}'.matches('{pattern}')", "a".repeat(5000));
        assert!(evaluated(&text, &document).is_some(), "{pattern}");
    }
    for pattern in ["((a{1000}){1000}){1000}", "(?=a)", "(a)\\\\1", "("] {
        assert!(Expression::parse(&format!("'a'.matches('{pattern}')")).is_err(), "{pattern}");
        assert!(evaluated(&format!("'a'.matches('{pattern}' & '')"), &document).is_none(), "{pattern}");
    }
}

#[test]
fn deep_documents_are_compared_to_a_bound() {
    let deep = |leaf: &str, levels: usize| (0..levels).fold(json!(leaf), |inner, _| json!({"item": [inner]}));
    let document = json!({"a": deep("x", 90), "b": deep("y", 90), "c": deep("x", 90)});
    assert_eq!(evaluated("a = b", &document).unwrap().boolean(), Some(false));
    assert_eq!(evaluated("a = c", &document).unwrap().boolean(), Some(true));
    assert_eq!(evaluated("a ~ c", &document).unwrap().boolean(), Some(true));
    // Beyond the bound there is no answer.
    let document = json!({"a": deep("x", 150), "b": deep("x", 150)});
    for text in ["a = b", "a ~ b", "descendants().isDistinct()"] {
        assert!(evaluated(text, &document).is_none(), "{text}");
    }
    assert_eq!(evaluated("a.descendants().count() > 140", &document).unwrap().boolean(), Some(true));
}
