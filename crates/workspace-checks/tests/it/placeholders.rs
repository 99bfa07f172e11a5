//! Where placeholders are seen, and where they are not.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "helpers of tests")]

use candor_workspace_checks::{Finding, Region, Rules, Scanner};
use proptest::prelude::*;

fn scan(path: &str, text: &str) -> Vec<Finding> {
    Scanner::new(&Rules::default()).unwrap().scan(path, text)
}

#[test]
fn what_counts_counts_where_it_stands() {
    for (path, text, marker, line, column) in [
        ("a.rs", "/// TODO: say it\nfn a() {}\n", "TODO", 1, 5),
        ("a.rs", "/* a /* FIXME */ b */ fn a() {}", "FIXME", 1, 9),
        ("a.rs", "/* a /* b */ FIXME */ fn a() {}", "FIXME", 1, 14),
        ("a.rs", "let s = r#\"x\"y\"#; // XXX\n", "XXX", 1, 22),
        ("a.rs", "let c = '\"'; // TODO\n", "TODO", 1, 17),
        ("a.rs", "fn a<'a>(x: &'a str) {} // TODO\n", "TODO", 1, 28),
        ("a.rs", "panic!(\"not implemented\")", "not implemented", 1, 8),
        ("a.py", "x = 1  # todo: y\n", "TODO", 1, 10),
        ("a.py", "def a():\n    '''\n    FIXME\n    '''\n", "FIXME", 3, 5),
        ("a.py", "def a(): ...\n", "...", 1, 10),
        (
            "a.py",
            "class A:\n    def a(self):\n        if x:\n            raise NotImplementedError('x')\n",
            "NotImplementedError",
            4,
            19,
        ),
        ("a.ts", "const a = 'it\\'s'; // TODO\n", "TODO", 1, 23),
        ("a.ts", "throw new Error(`TODO`);\n", "not implemented", 1, 17),
        ("a.java", "throw new UnsupportedOperationException(\"Not implemented yet\");", "not implemented", 1, 41),
        ("a.kt", "fun a() = TODO(\"x\")\n", "TODO()", 1, 11),
        ("a.cs", "throw new NotImplementedException();", "NotImplementedException", 1, 11),
        ("a.cs", "var s = @\"c:\\\"; // TODO\n", "TODO", 1, 20),
        ("a.go", "panic(\"unimplemented\")\n", "not implemented", 1, 7),
        ("a.cpp", "auto s = R\"x(// TODO)x\"; // FIXME\n", "FIXME", 1, 29),
        ("a.rb", "raise NotImplementedError\n", "NotImplementedError", 1, 7),
        ("a.sh", "echo \"# no\" # TODO\n", "TODO", 1, 15),
        ("a.sql", "select 'it''s' -- TODO\n", "TODO", 1, 19),
        ("a.yaml", "a: it's # TODO\n", "TODO", 1, 11),
        ("a.toml", "a = '''x''' # TODO\n", "TODO", 1, 15),
        ("a.html", "<p>TODO</p>", "TODO", 1, 4),
        ("a.html", "<!-- FIXME -->", "FIXME", 1, 6),
        ("a.css", "/* TODO */", "TODO", 1, 4),
        ("a.md", "- [ ] TODO\n", "TODO", 1, 7),
        ("a.md", "```py\n# TODO\n```\n", "TODO", 2, 3),
        ("a.txt", "first\n...\nlast\n", "...", 2, 1),
        ("a.txt", "ＴO\u{200b}DＯ\n", "TODO", 1, 1),
        ("a.xyz", "TBD", "TBD", 1, 1),
        ("a.js", "function a() {\n  // …\n}\n", "...", 2, 6),
        ("a.js", "x; // ... existing code ...\n", "...", 1, 7),
        ("a.js", "x = `Dear <your name here>`\n", "<placeholder>", 1, 11),
        ("a.ts", "const s = \"Lorem ipsum\";\n", "lorem ipsum", 1, 12),
        ("a.js", "const A = () => <p>TODO</p>;\n", "TODO", 1, 20),
        ("a.tsx", "const A = () => <List<string> a=\"b\">TODO</List>;\n", "TODO", 1, 37),
        ("a.tsx", "a.replace(/<br>/g, '');\nthrow new Error(\"not implemented\");\n", "not implemented", 2, 17),
        ("a.js", "for (i = 0; i <n; i++) {}\nif (a > b) throw new Error(\"todo\");\n", "not implemented", 2, 28),
        ("Makefile", "all: # FIXME\n", "FIXME", 1, 8),
        ("a.rs", "let s = r###\"a \"# b \"## c\"###; // TODO\n", "TODO", 1, 35),
        ("a.ts", "a.replace(/`/g, b); // TODO\nconst c = `// TODO`;\n", "TODO", 1, 24),
        ("a.ts", "a.replace(/\\/*$/, b);\nconst c = \"TODO\"; // TODO\n", "TODO", 2, 22),
        ("a.tsx", "<p>(TODO: it)</p>\n", "TODO", 1, 5),
        ("a.tsx", "<p>{a}/b, TODO: it</p>\n", "TODO", 1, 11),
        ("a.js", "function a() {\n}\n\n...\n\nclass B {\n}\n", "...", 4, 1),
        ("a.groovy", "sh '''\ncp a/* b\necho TODO\n''' // TODO\n", "TODO", 4, 8),
        ("a.kt", "val s = \"\"\"a \"b\"\"\"\" // TODO\n", "TODO", 1, 24),
        ("a.cs", "var s = \"\"\"\"\n a \"b\"\n \"\"\"\"; // TODO\n", "TODO", 3, 11),
        ("a.cpp", "auto s = R\"j({\"a\": \"f(x)\",\n \"src/*\"})j\"; // TODO\n", "TODO", 2, 18),
        ("a.fs", "let a = fold (*) b // TODO\nlet c = @\"c:\\\"\nlet d = \"// TODO\"\n", "TODO", 1, 23),
        ("a.rb", "a = <<~SQL\n  it's\nSQL\n# TODO\nb = ' # TODO'\n", "TODO", 4, 3),
        ("a.rb", "a.gsub(/\"/, b) # TODO\nc = %q(it's)\nd = \" # TODO\"\n", "TODO", 1, 18),
        ("a.pl", "$a =~ s/\"/x/; # TODO\n$b = \" # TODO\";\n", "TODO", 1, 17),
        ("a.php", "<?php\n$a = <<<EOT\nit's // TODO\nEOT;\n// TODO\n$b = '// TODO';\n", "TODO", 5, 4),
        ("a.php", "<a href=\"<?= $a /* TODO */ ?>\">b</a>\n", "TODO", 1, 20),
        ("a.sh", "cat <<EOF\nDon't\nEOF\n# TODO\necho ' # TODO'\n", "TODO", 4, 3),
        ("a.sh", "echo 'it'\\''s' # TODO\necho ' # TODO'\n", "TODO", 1, 18),
        ("a.sh", "echo $'it\\'s' # TODO\necho ' # TODO'\n", "TODO", 1, 17),
        ("a.lua", "a = 'it\\'s' -- TODO\nb = [[ -- TODO ]]\nc = ' -- TODO'\n", "TODO", 1, 16),
        ("a.hs", "f' a = g' a -- TODO\nb = '\"' : \" -- TODO\"\n", "TODO", 1, 16),
        ("a.hs", "{- a {- b -} TODO -}\n", "TODO", 1, 14),
        ("a.html", "<script>\nfor (; i<n;) { // TODO\n}\nlet TODO = \"TODO: a\";\n</script>\n", "TODO", 2, 19),
        ("a.xml", "<style name=\"a\">\n<!-- TODO -->\n</style>\n", "TODO", 2, 6),
        ("a.md", "````\n```\na\n```\n````\nTBD\n", "TBD", 6, 1),
        ("a.md", "```a``` is b\n\nTBD\n", "TBD", 3, 1),
    ] {
        let found = scan(path, text);
        assert_eq!(found.len(), 1, "{path}: {text:?}: {found:?}");
        assert_eq!(
            (found[0].marker.as_str(), found[0].line, found[0].column),
            (marker, line, column),
            "{path}: {text:?}"
        );
    }
}

#[test]
fn what_does_not_count_is_left_alone() {
    for (path, text) in [
        ("a.rs", "let a = \"TODO\"; struct Todo; let todo_list = TODO_ITEMS;"),
        ("a.rs", "// the Todo type, XXXL, XXX-XX-1234, mktemp XXXXXX, a TODO list, xxx-xxx-xxxx\n"),
        ("a.rs", "let a = b'\\''; let s = \"// TODO\";\nlet t = r\"\\\"; let u = \"FIXME\";"),
        ("a.rs", "fn implement() {} // implements Read\n"),
        ("a.py", "x: Callable[..., int] = f\ny[..., 0]\nf(\n    ...\n)\n"),
        ("a.py", "@overload\ndef a(): ...\n"),
        (
            "a.py",
            "class P(Protocol):\n    x: int\n\n    def a(\n        self,\n    ) -> int:\n        ...\n\n    def b(self): ...\n",
        ),
        (
            "a.py",
            "class A(ABC):\n    @abc.abstractmethod\n    async def a(self):\n        \"\"\"Doc.\"\"\"\n        raise NotImplementedError\n",
        ),
        ("a.py", "class E(Exception):\n    ...\n"),
        ("a.py", "def __eq__(self, o):\n    return NotImplemented\n"),
        ("a.pyi", "def a(): ...\n"),
        ("a.js", "f(...args); const { a, ...rest } = b;\n[\n  ...c,\n]\n"),
        ("a.js", "<input placeholder=\"Name\" />\n"),
        ("a.go", "func a(xs ...int) { b(xs...) }\n"),
        ("a.c", "int printf(const char *f, ...);\n"),
        ("a.yaml", "a: 1\n...\n---\nb: \"TODO\"\n"),
        ("a.json", "{\"label\": \"TODO\", \"text\": \"...\"}"),
        ("a.html", "<input placeholder=\"TODO\" class=\"todo\">"),
        ("a.md", "Use `TODO` or ``FIXME ` XXX``.\n\n```\n...\n```\n"),
        ("a.sql", "select 'TODO' from todo;"),
        ("a.py", "a = run(\n    \"\"\"\n    TODO: a text\n    \"\"\",\n)\n"),
        ("a.kt", "fun TODO(): Nothing = throw E()\nstd.TODO()\n"),
        ("a.txt", "wait for it... and then…\n"),
        ("a.md", "Such as `filter`, `map`...\n"),
        ("a.R", "f <- function(...) paste('a',\n  ...\n)\n"),
        ("a.rs", "// What it is called: `TODO`, or \"FIXME\".\n"),
    ] {
        assert_eq!(scan(path, text), [], "{path}: {text:?}");
    }
}

/// A language's ways to write a comment and a string, and code around them that is neither.
const WAYS: &[(&str, &str, &str, &str, &str)] = &[
    ("a.rs", "// ", "", "\"", "\""),
    ("a.rs", "/* ", " */", "r#\"", "\"#"),
    ("a.py", "# ", "", "'", "'"),
    ("a.ts", "/* ", " */", "`", "`"),
    ("a.go", "// ", "", "`", "`"),
    ("a.java", "// ", "", "\"", "\""),
    ("a.cpp", "// ", "", "R\"d(", ")d\""),
    ("a.sh", "# ", "", "'", "'"),
    ("a.sql", "-- ", "", "'", "'"),
    ("a.toml", "# ", "", "\"\"\"", "\"\"\""),
];

/// Lines of code: names, numbers, brackets, whole strings and comments.
fn program(way: usize) -> impl Strategy<Value = Vec<String>> {
    let (_, open, close, quote, unquote) = WAYS[way];
    let piece = prop_oneof![
        "[a-z]{1,8}".prop_map(|name| format!(" {name} ")),
        "[0-9]{1,4}".prop_map(|number| format!(" {number} ")),
        "[a-zé ]{0,10}".prop_map(move |text| format!(" {quote}{text}{unquote} ")),
        Just(" = ".to_owned()),
        Just(" (x) ".to_owned()),
    ];
    let line = (prop::collection::vec(piece, 0..5), prop::option::of("[a-zé ]{0,12}"));
    let line = line.prop_map(move |(pieces, comment)| {
        let comment = comment.map(|text| format!(" {open}{text}{close}")).unwrap_or_default();
        format!("{}{comment}", pieces.concat())
    });
    prop::collection::vec(line, 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: candor_test_size::cases(128), ..ProptestConfig::default() })]

    #[test]
    fn a_marker_is_seen_in_a_comment_and_not_in_a_string(
        (way, before, after) in (0..WAYS.len()).prop_flat_map(|way| (Just(way), program(way), program(way))),
        marker in prop::sample::select(vec!["TODO", "FIXME", "XXX", "TBD", "PLACEHOLDER", "IMPLEMENT"]),
    ) {
        let (path, open, close, quote, unquote) = WAYS[way];
        let (before, after) = (before.join("\n"), after.join("\n"));
        let commented = format!("{before}\n x {open}{marker}{close}\n{after}");
        let found = scan(path, &commented);
        prop_assert_eq!(found.len(), 1, "{}\n{:?}", commented, found);
        prop_assert_eq!((&*found[0].marker, found[0].region), (marker, Region::Comment));
        prop_assert_eq!(found[0].line, before.matches('\n').count() + 2);
        prop_assert_eq!(found[0].column, 4 + open.len());
        let quoted = format!("{before}\n x = {quote}{marker}{unquote}\n{after}");
        prop_assert_eq!(scan(path, &quoted), [], "{}", quoted);
    }

    #[test]
    fn any_text_is_looked_through(
        path in prop::sample::select(vec!["a.rs", "a.py", "a.ts", "a.cs", "a.cpp", "a.rb", "a.sh", "a.sql", "a.yaml", "a.html", "a.md", "a.txt"]),
        text in "([ -~é…\n]|TODO|\\.\\.\\.|\"|'|`|//|/\\*|\\*/|#|<!--|-->|```|raise NotImplementedError|class |def ){0,60}",
    ) {
        let mut end = 0;
        for finding in scan(path, &text) {
            prop_assert!(end <= finding.span.0 && finding.span.0 < finding.span.1);
            let before = &text[..finding.span.0];
            prop_assert_eq!(finding.line, before.matches('\n').count() + 1);
            prop_assert_eq!(finding.column, before.rsplit('\n').next().unwrap().chars().count() + 1);
            end = finding.span.1;
        }
    }
}

/// Text of markup among code is prose, in each file type that mixes the two; code, types and strings are not.
#[test]
fn markup_among_code_is_prose() {
    let scanner = Scanner::new(&Rules::default()).unwrap();
    let lines = |path: &str, text: &str| scanner.scan(path, text).iter().map(|found| found.line).collect::<Vec<_>>();
    for path in ["a.jsx", "a.tsx"] {
        for (text, expected) in [
            ("export const A = () => <div>TODO: content</div>;", &[1][..]),
            ("return (\n  <p>\n    TODO: content\n  </p>\n);", &[3]),
            ("const a = <>\n TODO: x {name} and\n more <b>FIXME: y</b>\n</>;", &[2, 3]),
            ("<p>What&apos;s TODO: x, {name}\n  FIXME: y</p>", &[1, 2]),
            ("<ul>{items.map((i) => <li key={i}>TODO: z</li>)}</ul>", &[1]),
            ("<A render={() => <b>TODO: in a tag</b>} x='>' />", &[1]),
            ("<p>Don't do that</p>;\nconst TODO_LIST = 1; // fine\n", &[]),
            ("<p>Don't</p>;\n// TODO: write\n", &[2]),
            ("const a = useState<TODO>(TODO);\nif (a < b && TODO > c) {}\n", &[]),
            ("const s = \"TODO\";\nconst t = `a <b>TODO</b>`;\n", &[]),
            ("<br />;\nconst TODO = 1;\n", &[]),
            ("<p>{/* TODO: write */}</p>", &[1]),
            ("<input placeholder=\"name\" value={TODO} />", &[]),
        ] {
            assert_eq!(lines(path, text), expected, "{path}: {text}");
        }
    }
    for (text, expected) in [
        ("<p>TODO: content</p>", &[1][..]),
        ("<?php\n// TODO: write\n$todo = 'TODO';\n?>\n<p>FIXME: text</p>\n<?= $TODO ?>", &[2, 5]),
        ("<?php\nfunction a() { return TODO; }\n", &[]),
        ("<h1><?= $a ?></h1>\n<script>\nlet TODO = 1; // TODO: js\n</script>", &[3]),
    ] {
        assert_eq!(lines("a.php", text), expected, "{text}");
    }
    // No text is slow.
    let often = candor_test_size::pick(10_000, 100_000);
    for text in ["<a {", "<a \"", "<a '<b {\"", "<?", "{<", "R\"("] {
        drop(scanner.scan("a.tsx", &format!("TODO {}", text.repeat(often))));
        drop(scanner.scan("a.php", &format!("TODO {}", text.repeat(often))));
        drop(scanner.scan("a.cpp", &format!("TODO {}", text.repeat(often))));
    }
}
