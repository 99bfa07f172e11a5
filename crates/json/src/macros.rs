//! A value as it is written.

/// Makes a [`Value`](crate::Value) of JSON with expressions as values and as names.
///
/// ```
/// let (name, count) = ("claims", 2);
/// let value = candor_json::json!({ "name": name, "files": [count, null, { (name): true }] });
/// assert_eq!(value.to_string(), r#"{"name":"claims","files":[2,null,{"claims":true}]}"#);
/// ```
///
/// # Panics
/// An expression cannot be written as JSON: see [`to_value`](crate::to_value).
#[macro_export]
macro_rules! json {
    (null) => {
        $crate::Value::Null
    };
    ([]) => {
        $crate::Value::Array(::std::vec::Vec::new())
    };
    ([$($items:tt)+]) => {{
        let mut items = ::std::vec::Vec::new();
        $crate::json_items!(items $($items)+);
        $crate::Value::Array(items)
    }};
    ({}) => {
        $crate::Value::Object($crate::Map::new())
    };
    ({$($members:tt)+}) => {{
        let mut members = $crate::Map::new();
        $crate::json_members!(members () $($members)+);
        $crate::Value::Object(members)
    }};
    ($value:expr) => {
        $crate::value::of_expression(&$value)
    };
}

/// Adds the items of an array in [`json!`].
#[doc(hidden)]
#[macro_export]
macro_rules! json_items {
    ($list:ident) => {};
    ($list:ident null $(, $($rest:tt)*)?) => {
        $list.push($crate::Value::Null);
        $crate::json_items!($list $($($rest)*)?);
    };
    ($list:ident [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $list.push($crate::json!([$($inner)*]));
        $crate::json_items!($list $($($rest)*)?);
    };
    ($list:ident {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $list.push($crate::json!({$($inner)*}));
        $crate::json_items!($list $($($rest)*)?);
    };
    ($list:ident $item:expr $(, $($rest:tt)*)?) => {
        $list.push($crate::json!($item));
        $crate::json_items!($list $($($rest)*)?);
    };
}

/// Adds the members of an object in [`json!`]: the tokens of a name are gathered up to its colon.
#[doc(hidden)]
#[macro_export]
macro_rules! json_members {
    ($map:ident ()) => {};
    ($map:ident ($($key:tt)+) : null $(, $($rest:tt)*)?) => {
        $map.insert(($($key)+).into(), $crate::Value::Null);
        $crate::json_members!($map () $($($rest)*)?);
    };
    ($map:ident ($($key:tt)+) : [$($inner:tt)*] $(, $($rest:tt)*)?) => {
        $map.insert(($($key)+).into(), $crate::json!([$($inner)*]));
        $crate::json_members!($map () $($($rest)*)?);
    };
    ($map:ident ($($key:tt)+) : {$($inner:tt)*} $(, $($rest:tt)*)?) => {
        $map.insert(($($key)+).into(), $crate::json!({$($inner)*}));
        $crate::json_members!($map () $($($rest)*)?);
    };
    ($map:ident ($($key:tt)+) : $value:expr $(, $($rest:tt)*)?) => {
        $map.insert(($($key)+).into(), $crate::json!($value));
        $crate::json_members!($map () $($($rest)*)?);
    };
    ($map:ident () ($key:expr) : $($rest:tt)*) => {
        $crate::json_members!($map ($key) : $($rest)*);
    };
    ($map:ident ($($key:tt)*) $next:tt $($rest:tt)*) => {
        $crate::json_members!($map ($($key)* $next) $($rest)*);
    };
}
