//! Runs a program in the interpreter. Only [`child`](super::child()) comes here.

use candor_json::{Value as Json, json};
use starlark::environment::{GlobalsBuilder, LibraryExtension, Module};
use starlark::eval::Evaluator;
use starlark::syntax::{AstModule, Dialect};
use starlark::values::Value;
use starlark::values::dict::DictRef;
use starlark::{Error, ErrorKind, PrintHandler};

use super::answer::MOST_REASON;
use super::built_in::{self, Host, to_program};
use super::protocol::{Call, Came, Claimed, Returned, Task};

/// How deep functions may call each other.
const CALLS: usize = 200;

pub(super) fn evaluate(call: Call) -> Came {
    let name = call.name.clone();
    let indent = match &call.task {
        Task::Run { .. } => 0,
        Task::Handle { indent, .. } => *indent,
    };
    match returned(call) {
        Ok(returned) => Came::Returned(returned),
        Err(error) => match built_in::unread() {
            Some(why) => Came::Returned(Returned::Unread(why)),
            None => Came::Broke(told(&name, &error, indent)),
        },
    }
}

/// Drops what a program prints: only the return value is an answer.
struct Dropped;

impl PrintHandler for Dropped {
    fn println(&self, _: &str) -> starlark::Result<()> {
        Ok(())
    }
}

fn returned(call: Call) -> starlark::Result<Returned> {
    let dialect = Dialect {
        enable_load: false,
        enable_f_strings: true,
        enable_keyword_only_arguments: true,
        ..Dialect::Standard
    };
    Host::new(&call).enter()?;
    let (function, arguments, args) = arguments(call.task, &call.workspace).map_err(Error::new_other)?;
    let mut globals = GlobalsBuilder::extended_by(&[LibraryExtension::Print]).with(built_in::verifiers);
    if function == "handle" {
        globals = globals.with(built_in::hooks);
    }
    let globals = globals.build();
    let program = AstModule::parse(&call.name, call.source, &dialect)?;
    Module::with_temp_heap(|module| {
        let mut evaluator = Evaluator::new(&module);
        evaluator.set_print_handler(&Dropped);
        if let Some(args) = &args {
            module.set("args", to_program(args, module.heap()));
        }
        let set = evaluator
            .set_max_callstack_size(CALLS)
            .and_then(|()| evaluator.set_max_tick_count(call.limits.steps))
            .and_then(|()| evaluator.set_max_heap_size(usize::try_from(call.limits.memory / 2).unwrap_or(usize::MAX)));
        set.map_err(Error::from)?;
        evaluator.eval_module(program, &globals)?;
        let function_value = module.get(function).ok_or_else(|| {
            let parameters = if function == "run" { "result" } else { "event, payload" };
            built_in::refused(format!("it defines no `{function}({parameters})`"))
        })?;
        let arguments: Vec<Value<'_>> = arguments.iter().map(|argument| to_program(argument, module.heap())).collect();
        of(evaluator.eval_function(function_value, &arguments, &[])?)
    })
}

fn of(value: Value<'_>) -> starlark::Result<Returned> {
    Ok(if let Some(verified) = value.unpack_bool() {
        Returned::Bool(verified)
    } else if let Some(text) = value.unpack_str() {
        Returned::Text(text.to_owned())
    } else if DictRef::from_value(value).is_some() {
        Returned::Dict(
            value.to_json().map_err(|error| built_in::refused(format!("it returned what has no JSON: {error}")))?,
        )
    } else {
        Returned::Other(value.get_type().to_owned())
    })
}

/// The function's name, its arguments, and the variable `args` of a script.
fn arguments(task: Task, workspace: &std::path::Path) -> candor_json::Result<(&'static str, Vec<Json>, Option<Json>)> {
    Ok(match task {
        Task::Run { result, eval_result, iteration, args } => {
            let mut result = claim(result)?;
            let eval_result = eval_result.map(claim).transpose()?.unwrap_or_default();
            if let Json::Object(members) = &mut result {
                members.insert("eval_result".to_owned(), eval_result);
                members.insert("iteration".to_owned(), json!(iteration));
                members.insert("workspace".to_owned(), json!(workspace.to_string_lossy()));
            }
            let args = candor_json::from_str(args.get())?;
            ("run", vec![result], Some(args))
        }
        Task::Handle { event, result, outcome, reason, iteration, indent: _ } => {
            let result = claim(result)?;
            let mut payload = result.clone();
            if let Json::Object(members) = &mut payload {
                members.insert("result".to_owned(), result);
                members.insert("verdict".to_owned(), json!({ "outcome": outcome, "reason": reason }));
                members.insert("iteration".to_owned(), json!(iteration));
            }
            ("handle", vec![json!(event), payload], None)
        }
    })
}

fn claim(claimed: Claimed) -> candor_json::Result<Json> {
    let list = |text: &str| candor_json::from_str::<Json>(text);
    Ok(json!({
        "response": claimed.response,
        "tool_calls": list(claimed.tool_calls.get())?,
        "tool_results": list(claimed.tool_results.get())?,
    }))
}

/// An error in a sentence, with file, line and column where it has them.
fn told(name: &str, error: &Error, indent: usize) -> String {
    let what = match error.kind() {
        ErrorKind::Fail(why) => format!("it failed: {}", why.to_string().trim()),
        ErrorKind::StackOverflow(_) => format!("its functions call each other more than {CALLS} deep"),
        _ => error.without_diagnostic().to_string(),
    };
    let what: String = what.chars().take(MOST_REASON).collect();
    match error.span() {
        Some(span) => {
            let begin = span.resolve_span().begin;
            format!(
                "{name}:{}:{}: {what}",
                begin.line.saturating_add(1),
                begin.column.saturating_add(1).saturating_add(indent)
            )
        }
        None => format!("{name}: {what}"),
    }
}
