//! `json!` takes what `serde_json`'s takes.

macro_rules! same {
    ($($json:tt)+) => {
        assert_eq!(candor_json::json!($($json)+).to_string(), serde_json::json!($($json)+).to_string());
    };
}

#[test]
fn json_is_made_alike() {
    let (name, list, none) = ("n", vec![1, 2], None::<u8>);
    same!(null);
    same!([]);
    same!({});
    same!(1 + 2);
    same!([null, true, [1, [2.5]], {"a": {}}, name, list.len() + 1, -1, &list, none,]);
    same!({ "a": null, name: [1], (format!("{name}x")): {"b": [true, false]}, "c": list.iter().map(|x| x + 1).collect::<Vec<_>>(), });
    same!({ name.to_owned(): if list.is_empty() { 1 } else { 2 }, "d": list[0], "e": -1.5, "f": name.len() });
}
