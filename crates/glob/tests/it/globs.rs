//! Globs over paths.

use candor_glob::Glob;
use proptest::prelude::*;

#[test]
fn matches_what_the_contract_says() {
    for (glob, path, matches) in [
        ("*.json", "a.json", true),
        ("*.json", "b/a.json", false),
        ("*.json", "a.JSON", false),
        ("*.json", ".a.json", false),
        (".*.json", ".a.json", true),
        ("**/*.json", "a.json", true),
        ("**/*.json", "x/y/a.json", true),
        ("**/*.json", "x/.y/a.json", false),
        ("**/.y/*.json", "x/.y/a.json", true),
        ("x/**", "x/y/z", true),
        ("x/**", "x", false),
        ("**", "x/y", true),
        ("**", ".x", false),
        ("\\.a", ".a", true),
        ("[]a]", "]", true),
        ("[!]a]b", "]b", false),
        ("[{,]", "{", true),
        ("[a!]", "!", true),
        ("x/**/z", "x/z", true),
        ("a?c", "abc", true),
        ("a?c", "a/c", false),
        ("a?c", "aéc", true),
        ("[ab]c", "bc", true),
        ("[!ab]c", "bc", false),
        ("[!ab]c", "xc", true),
        ("{a,b}.txt", "b.txt", true),
        ("{a/b,c}/d.txt", "a/b/d.txt", true),
        ("{a,{b,c}}d", "cd", true),
        ("{.a,b}", ".a", true),
        ("a b/ü.txt", "a b/ü.txt", true),
        ("a\\*b", "a*b", true),
        ("a\\*b", "axb", false),
    ] {
        assert_eq!(Glob::parse(glob).unwrap().matches(path), matches, "{glob} / {path}");
    }
}

#[test]
fn refuses_what_leads_out_or_does_not_close() {
    for (glob, expected) in [
        ("", "is empty"),
        ("/etc/passwd", "is absolute"),
        ("../x", "has the step `..`"),
        ("a/../b", "has the step `..`"),
        ("{a,..}/b", "has the step `..`"),
        ("a//b", "has an empty step"),
        ("a/", "has an empty step"),
        ("[a", "cannot be read"),
        ("{a", "does not close"),
        ("a}", "closes nothing"),
        ("a.zip!b.zip!c.zip!d", "in an archive in an archive"),
        ("a.zip!", "has an empty step"),
        ("!a", "has an empty step"),
        ("a.zip!../b", "has the step `..`"),
        ("a.zip!/b", "is absolute"),
        ("[a/b]", "holds a / in brackets"),
    ] {
        let error = Glob::parse(glob).unwrap_err();
        assert!(error.0.contains(expected), "{glob}: {error}");
    }
    assert!(Glob::parse(&"{a,b}".repeat(20)).unwrap_err().0.contains("alternatives"));
}

#[test]
fn members_stand_behind_an_exclamation_mark() {
    let glob = Glob::parse("out/*.zip!{a,b}/*.json").unwrap();
    assert!(glob.matches_member(&["out/x.zip", "a/1.json"]) && glob.matches_member(&["out/x.zip", "b/1.json"]));
    assert!(!glob.matches_member(&["out/x.zip", "1.json"]) && !glob.matches_member(&["out/x.zip"]));
    assert!(glob.looks_into(&["out/x.zip"]) && !glob.looks_into(&["x.zip"]) && !glob.looks_into(&["out/x.zip", "a"]));
    assert!(!glob.matches("out/x.zip") && !glob.matches("out/x.zip!a/1.json"));
    assert_eq!((glob.literal_prefix(), glob.extension()), ("out".to_owned(), Some("json".to_owned())));
    let mixed = Glob::parse("{x.zip!y.tar!*.csv,*.csv,[!a]\\!}").unwrap();
    assert!(mixed.matches("a.csv") && mixed.matches("b!") && mixed.names_members());
    assert!(mixed.looks_into(&["x.zip"]) && mixed.looks_into(&["x.zip", "y.tar"]));
    assert!(mixed.matches_member(&["x.zip", "y.tar", "a.csv"]));
}

#[test]
fn knows_its_prefix_and_its_extension() {
    for (glob, prefix, extension) in [
        ("a/b/*.json", "a/b", Some("json")),
        ("a/*/c.csv", "a", Some("csv")),
        ("{a/x,a/y}/*.TXT", "a", Some("txt")),
        ("*.{json,csv}", "", None),
        ("*", "", None),
        ("a/b", "a", None),
        ("a.*", "", None),
    ] {
        let glob = Glob::parse(glob).unwrap();
        assert_eq!(glob.literal_prefix(), prefix, "{}", glob.as_str());
        assert_eq!(glob.extension().as_deref(), extension, "{}", glob.as_str());
    }
}

proptest! {
    #[test]
    fn a_plain_path_matches_itself_alone(names in prop::collection::vec("[a-z.é ]{1,6}", 1..4), other in "[a-z/]{1,8}") {
        let path = names.join("/");
        if let Ok(glob) = Glob::parse(&path) {
            prop_assert!(glob.matches(&path));
            prop_assert_eq!(glob.matches(&other), other == path);
        }
    }

    #[test]
    fn never_panics(glob in "[a*?\\[\\]{},./!\\\\-]{0,24}", path in "[a./]{0,24}") {
        if let Ok(glob) = Glob::parse(&glob) {
            let _ = (glob.matches(&path), glob.literal_prefix(), glob.extension());
            if glob.matches(&path) {
                let prefix = glob.literal_prefix();
                prop_assert!(path.starts_with(&prefix), "{} is not below {prefix}", path);
            }
        }
    }
}
