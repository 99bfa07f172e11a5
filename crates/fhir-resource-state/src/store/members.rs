//! JSON objects whose members are not parsed yet.

use std::collections::BTreeMap;

use candor_json::value::RawValue;

pub(super) type Members<'a> = BTreeMap<String, RawValue<'a>>;

pub(super) fn members(text: &str) -> Option<Members<'_>> {
    candor_json::from_str(text).ok()
}

pub(super) fn string(members: &Members<'_>, name: &str) -> Option<String> {
    candor_json::from_str(members.get(name)?.get()).ok()
}

pub(super) fn object<'a>(members: &Members<'a>, name: &str) -> Members<'a> {
    members.get(name).and_then(|raw| self::members(raw.get())).unwrap_or_default()
}
