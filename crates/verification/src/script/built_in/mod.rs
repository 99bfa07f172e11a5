//! The functions that a program finds in addition to the language: `json`, `http.get`, `fs.stat`, `fs.read`, `env`, as
//! granted, and nothing that writes.

mod fs;
#[cfg_attr(not(feature = "http"), path = "absent.rs")]
mod http;
mod system;

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::str::FromStr as _;

use candor_json::Value as Json;
use num_bigint::BigInt;
use starlark::environment::GlobalsBuilder;
use starlark::starlark_module;
use starlark::values::dict::{AllocDict, UnpackDictEntries};
use starlark::values::list::AllocList;
use starlark::values::none::NoneOr;
use starlark::values::{Heap, Value};

use super::protocol::Call;

#[derive(Debug)]
pub(super) struct Host {
    files: fs::Files,
    servers: http::Servers,
    env: BTreeMap<String, Option<String>>,
    /// Why a file of the workspace was not read, which ended the program.
    unread: OnceCell<String>,
}

impl Host {
    pub(super) fn new(call: &Call) -> Self {
        Self {
            files: fs::Files::new(call),
            servers: http::Servers::new(call.http.clone(), call.limits.time),
            env: call.env.clone(),
            unread: OnceCell::new(),
        }
    }

    /// Makes it the one of this thread, which runs one program and ends.
    ///
    /// # Errors
    /// When the thread has one.
    pub(super) fn enter(self) -> starlark::Result<()> {
        HOST.with(|host| host.set(self).map_err(|_| refused("this thread runs another program".to_owned())))
    }

    fn file<T>(read: impl FnOnce(&fs::Files) -> Result<T, system::Unread>) -> starlark::Result<T> {
        Self::read(|host| {
            read(&host.files).map_err(|unread| match unread {
                system::Unread::Work(why) => host.unread.get_or_init(|| why).clone(),
                system::Unread::Refused(why) => why,
            })
        })
    }

    fn read<T>(read: impl FnOnce(&Self) -> Result<T, String>) -> starlark::Result<T> {
        let missing = || "nothing is granted".to_owned();
        HOST.with(|host| host.get().ok_or_else(missing).and_then(read)).map_err(refused)
    }
}

thread_local! {
    /// The interpreter's own place for this takes a type whose implementation is `unsafe`.
    static HOST: OnceCell<Host> = const { OnceCell::new() };
}

/// Why a file of the workspace was not read, if that ended the program of this thread.
pub(super) fn unread() -> Option<String> {
    HOST.with(|host| host.get()?.unread.get().cloned())
}

#[derive(Debug)]
struct Refused(String);

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

/// An error about an action of a program that is not allowed, at the place of that action.
pub(super) fn refused(why: String) -> starlark::Error {
    starlark::Error::new_native(Refused(why))
}

/// A JSON value as a program has it. A number that is not an integer, and is beyond binary floating point, becomes its
/// text.
pub(super) fn to_program<'v>(value: &Json, heap: Heap<'v>) -> Value<'v> {
    match value {
        Json::Null => Value::new_none(),
        Json::Bool(value) => Value::new_bool(*value),
        Json::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(number), _, _) => heap.alloc(number),
            (_, Some(number), _) => heap.alloc(number),
            (_, _, Some(number)) => heap.alloc(number),
            _ => match BigInt::from_str(number.as_str()) {
                Ok(number) => heap.alloc(number),
                Err(_) => heap.alloc(number.as_str()),
            },
        },
        Json::String(text) => heap.alloc(text.as_str()),
        Json::Array(items) => heap.alloc(AllocList(items.iter().map(|item| to_program(item, heap)))),
        Json::Object(members) => {
            heap.alloc(AllocDict(members.iter().map(|(name, value)| (name.as_str(), to_program(value, heap)))))
        }
    }
}

pub(super) fn verifiers(globals: &mut GlobalsBuilder) {
    globals.namespace("json", json_members);
    globals.namespace("fs", fs_members);
    globals.namespace("http", http_members);
    environment(globals);
}

#[starlark_module]
pub(super) fn hooks(globals: &mut GlobalsBuilder) {
    fn allow() -> starlark::Result<AllocDict<[(&'static str, &'static str); 1]>> {
        Ok(AllocDict([("action", "allow")]))
    }

    fn block(reason: &str) -> starlark::Result<AllocDict<[(&'static str, String); 2]>> {
        Ok(AllocDict([("action", "block".to_owned()), ("reason", reason.to_owned())]))
    }

    /// `payload` is the name that other harnesses give it.
    fn modify<'v>(
        #[starlark(require = pos)] positional: Option<Value<'v>>,
        #[starlark(require = named)] result: Option<Value<'v>>,
        #[starlark(require = named)] payload: Option<Value<'v>>,
        heap: Heap<'v>,
    ) -> starlark::Result<AllocDict<[(&'static str, Value<'v>); 2]>> {
        match (positional.or(result), payload) {
            (Some(result), None) => Ok(AllocDict([("action", heap.alloc("modify")), ("result", result)])),
            (None, Some(payload)) => Ok(AllocDict([("action", heap.alloc("modify")), ("payload", payload)])),
            _ => Err(refused("`modify` takes one result".to_owned())),
        }
    }
}

#[starlark_module]
fn json_members(globals: &mut GlobalsBuilder) {
    fn encode(#[starlark(require = pos)] value: Value<'_>) -> starlark::Result<String> {
        value.to_json().map_err(|error| refused(format!("this has no JSON: {error}")))
    }

    fn decode<'v>(
        #[starlark(require = pos)] text: &str,
        default: Option<Value<'v>>,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        match (candor_json::from_str::<Json>(text), default) {
            (Ok(value), _) => Ok(to_program(&value, heap)),
            (Err(_), Some(default)) => Ok(default),
            (Err(error), None) => Err(refused(format!("this is not JSON: {error}"))),
        }
    }
}

#[starlark_module]
fn fs_members(globals: &mut GlobalsBuilder) {
    fn stat<'v>(#[starlark(require = pos)] path: &str, heap: Heap<'v>) -> starlark::Result<Value<'v>> {
        Host::file(|files| files.stat(path)).map(|properties| to_program(&properties, heap))
    }

    fn read(#[starlark(require = pos)] path: &str) -> starlark::Result<String> {
        Host::file(|files| files.read(path))
    }
}

#[starlark_module]
fn http_members(globals: &mut GlobalsBuilder) {
    fn get<'v>(
        #[starlark(require = pos)] url: &str,
        #[starlark(default = UnpackDictEntries::default())] headers: UnpackDictEntries<String, String>,
        #[starlark(default = 10)] timeout: i32,
        heap: Heap<'v>,
    ) -> starlark::Result<Value<'v>> {
        let answer = Host::read(|host| host.servers.get(url, &headers.entries, timeout))?;
        Ok(to_program(&answer, heap))
    }
}

#[starlark_module]
fn environment(globals: &mut GlobalsBuilder) {
    fn env(#[starlark(require = pos)] name: &str) -> starlark::Result<NoneOr<String>> {
        let value = Host::read(|host| match host.env.get(name) {
            Some(value) => Ok(value.clone()),
            None => Err(format!("the environment variable {name} is not granted; grant it with --allow-env {name}")),
        })?;
        Ok(value.map_or(NoneOr::None, NoneOr::Other))
    }
}
