//! The exit code of a command, where its words alone decide it.
//!
//! Read is what people write into a gate: lists, pipes, quotation marks, redirections, options of the shell, and programs that
//! start another one. A script with more than that is open. Source: POSIX.1-2017, Shell Command Language, 2.8 and 2.9.

const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "zsh", "ksh"];
const SUCCEED: [&str; 7] = ["true", ":", "echo", "printf", "date", "pwd", "sleep"];
/// Commands that end with 0, with all their arguments.
const SUCCEED_SO: &[(&str, &[&str])] = &[
    ("test", &["1"]),
    ("test", &["0"]),
    ("[", &["1", "]"]),
    ("[", &["0", "]"]),
    ("python", &["-c", ""]),
    ("python", &["-c", "pass"]),
    ("python3", &["-c", ""]),
    ("python3", &["-c", "pass"]),
    ("node", &["-e", ""]),
    ("node", &["-e", "0"]),
    ("perl", &["-e", "0"]),
    ("perl", &["-e", "1"]),
    ("ruby", &["-e", ""]),
    ("ruby", &["-e", "0"]),
];
/// Programs that end with 0 at the end of a pipe.
const SINKS: [&str; 8] = ["tee", "cat", "head", "tail", "sort", "uniq", "wc", "less"];
const ABOUT_ITSELF: [&str; 4] = ["--version", "-V", "--help", "version"];
/// Words by which a program starts another one, and the number of its own arguments in between.
const STARTERS: &[(&[&str], usize)] = &[
    (&["env"], 0),
    (&["nice"], 0),
    (&["nohup"], 0),
    (&["time"], 0),
    (&["command"], 0),
    (&["exec"], 0),
    (&["sudo", "-u"], 1),
    (&["sudo"], 0),
    (&["setsid"], 0),
    (&["ionice"], 0),
    (&["xvfb-run"], 0),
    (&["unbuffer"], 0),
    (&["chronic"], 0),
    (&["flock"], 1),
    (&["stdbuf"], 0),
    (&["busybox"], 0),
    (&["timeout"], 1),
    (&["npx"], 0),
    (&["pnpx"], 0),
    (&["bunx"], 0),
    (&["pnpm", "exec"], 0),
    (&["uv", "run"], 0),
    (&["poetry", "run"], 0),
    (&["pipenv", "run"], 0),
    (&["pdm", "run"], 0),
    (&["hatch", "run"], 0),
    (&["python", "-m"], 0),
    (&["python3", "-m"], 0),
];
/// Arguments by which a program ends with 0 whatever it found.
const FORCED: &[(&str, &[&str])] = &[
    ("make", &["-i", "--ignore-errors"]),
    ("gmake", &["-i", "--ignore-errors"]),
    ("mvn", &["-fn", "--fail-never", "-Dmaven.test.failure.ignore", "-Dmaven.test.failure.ignore=true"]),
    ("flake8", &["--exit-zero"]),
    ("ruff", &["--exit-zero", "-e"]),
    ("pylint", &["--exit-zero"]),
    ("bandit", &["--exit-zero"]),
    ("sqlfluff", &["--nofail"]),
    ("golangci-lint", &["--issues-exit-code=0"]),
    ("hadolint", &["--no-fail"]),
    ("checkov", &["--soft-fail", "-s"]),
    ("tfsec", &["--soft-fail", "-s"]),
];
/// Programs that end with 0 whatever they found, but for these arguments.
const UNLESS: &[(&str, &[&str])] = &[
    ("cppcheck", &["--error-exitcode"]),
    ("semgrep", &["--error"]),
    ("trivy", &["--exit-code"]),
    // Ends with its own code, not that of what it runs.
    ("script", &["-e", "--return"]),
];
/// Words that begin what is not read here.
const COMPOUND: [&str; 15] = [
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "function", "trap",
    "return",
];
/// Text by which a script within `eval` may end or change the one around it.
const REACHES_OUT: [&str; 7] = ["exit", "exec", "set", "return", "trap", "eval", "$"];
/// So many shells within one another are read.
const MOST_LEVELS: usize = 4;

/// The code that a command always ends with.
pub(super) fn ends_with(command: &[String]) -> Option<u8> {
    of_words(&command.iter().map(String::as_str).collect::<Vec<_>>(), 0)
}

/// `set -e` and `set -o pipefail`.
#[derive(Clone, Copy, Default)]
struct Options {
    errexit: bool,
    pipefail: bool,
}

impl Options {
    /// Takes a word of options in; whether the next word is the name of one.
    fn take(&mut self, word: &str) -> bool {
        let on = word.starts_with('-');
        let letters = word.get(1..).unwrap_or_default();
        if letters.contains('e') && !letters.starts_with('-') {
            self.errexit = on;
        }
        letters.ends_with('o') && !letters.starts_with('-')
    }

    fn name(&mut self, name: &str, on: bool) {
        match name {
            "errexit" => self.errexit = on,
            "pipefail" => self.pipefail = on,
            _ => {}
        }
    }
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with(['-', '+'])
}

fn of_words(words: &[&str], level: usize) -> Option<u8> {
    let (name, arguments) = started(words)?;
    if SUCCEED.contains(&name) || SUCCEED_SO.contains(&(name, arguments)) {
        return Some(0);
    }
    if name == "false" {
        return Some(1);
    }
    if SHELLS.contains(&name) {
        return of_shell(arguments, level);
    }
    if let [only] = arguments
        && ABOUT_ITSELF.contains(only)
        && !name.contains('/')
    {
        return Some(0);
    }
    // The wrapper of a project is its program.
    let own = name.rsplit('/').next().unwrap_or(name);
    let own = if own == "mvnw" { "mvn" } else { own };
    let has = |names: &[&str]| arguments.iter().any(|one| names.contains(one));
    let is_given =
        |names: &[&str]| arguments.iter().any(|one| names.iter().any(|name| one.split('=').next() == Some(*name)));
    let forced = FORCED.iter().any(|(program, flags)| *program == own && has(flags))
        || UNLESS.iter().any(|(program, flags)| *program == own && !is_given(flags))
        || (own == "find" && has(&["-exec"]) && arguments.last() == Some(&";"));
    forced.then_some(0)
}

/// The program that a command ends up with, and its arguments.
fn started<'w>(mut words: &'w [&'w str]) -> Option<(&'w str, &'w [&'w str])> {
    loop {
        let (program, arguments) = words.split_first()?;
        let name = ["/bin/", "/usr/bin/"].iter().find_map(|folder| program.strip_prefix(folder)).unwrap_or(program);
        let Some((starter, between)) = STARTERS.iter().find(|(starter, _)| starts_with(name, arguments, starter))
        else {
            return Some((name, arguments));
        };
        let rest = arguments.get(starter.len() - 1..)?;
        let is_skipped = |word: &&&str| is_option(word) || (word.contains('=') && !word.starts_with('='));
        words = rest.get(rest.iter().take_while(is_skipped).count() + between..)?;
    }
}

/// `sh -c SCRIPT`, however its options are written.
fn of_shell(arguments: &[&str], level: usize) -> Option<u8> {
    let mut options = Options::default();
    let mut is_script = false;
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if !is_option(word) {
            return if is_script && level < MOST_LEVELS { of_script(word, options, level + 1) } else { None };
        }
        is_script |= !word.starts_with("--") && word.contains('c');
        if options.take(word) {
            options.name(rest.next()?, word.starts_with('-'));
        }
    }
    None
}

fn of_script(script: &str, mut options: Options, level: usize) -> Option<u8> {
    let lists = lists(script)?;
    let mut code = Some(0);
    let mut may_end = false;
    let last = lists.len().saturating_sub(1);
    for (number, list) in lists.iter().enumerate() {
        if let [(_, pipe)] = list.and_or.as_slice()
            && let [command] = pipe.as_slice()
            && let Some((first, arguments)) = command.split_first()
        {
            match first.as_str() {
                "set" => {
                    set(&mut options, arguments);
                    continue;
                }
                "exit" => {
                    let given = match arguments.first() {
                        Some(given) => given.parse().ok(),
                        None => code,
                    };
                    return given.filter(|_| !may_end);
                }
                _ => {}
            }
        }
        let commands = || list.and_or.iter().flat_map(|(_, pipe)| pipe);
        let is_ending = |command: &Command| command.iter().any(|word| matches!(word.as_str(), "exit" | "exec" | "set"));
        let ends = commands().any(is_ending);
        let of_last = list.and_or.last().map_or(0, |(_, pipe)| pipe.len());
        let ends_within = commands().count() > of_last && commands().take(commands().count() - of_last).any(is_ending);
        // What fails before `&&` or behind `!` does not end a script.
        let is_one =
            list.and_or.len() == 1 && commands().all(|command| command.first().is_some_and(|word| word != "!"));
        code = of_list(&list.and_or, options, level)?.or_open(list.in_background);
        if ends_within || (ends && number < last) {
            return None;
        }
        match code {
            Some(0) => {}
            Some(other) if options.errexit && is_one => return Some(other).filter(|_| !may_end),
            _ => may_end |= options.errexit,
        }
    }
    code.filter(|_| !may_end)
}

/// The outer is nothing where the list is not read, the inner where its code is open.
fn of_list(list: &[(Joint, Vec<Command>)], options: Options, level: usize) -> Option<Code> {
    let mut code = Some(0);
    for (joint, pipe) in list {
        let next = of_pipe(pipe, options, level)?.0;
        code = match (joint, code) {
            (Joint::First, _) | (Joint::And, Some(0)) => next,
            (Joint::And, Some(failed)) => Some(failed),
            (Joint::Or, Some(0)) => Some(0),
            (Joint::Or, Some(_)) => next,
            (Joint::And, None) => None,
            (Joint::Or, None) => next.filter(|next| *next == 0),
        };
    }
    Some(Code(code))
}

fn of_pipe(commands: &[Command], options: Options, level: usize) -> Option<Code> {
    let is_pipe = commands.len() > 1;
    let mut codes = Vec::new();
    let mut negated = false;
    for (number, command) in commands.iter().enumerate() {
        let mut words: Vec<&str> = command.iter().map(String::as_str).collect();
        if number == 0 && words.first() == Some(&"!") {
            negated = true;
            words.remove(0);
        }
        let assigned = words.iter().take_while(|word| is_assignment(word)).count();
        words.drain(..assigned);
        let first = words.first().copied().unwrap_or("true");
        let reaches_out =
            || words.iter().skip(1).any(|word| REACHES_OUT.iter().any(|reaching| word.contains(reaching)));
        if COMPOUND.contains(&first) || matches!(first, "!" | "{" | "}" | "[[") || (first == "eval" && reaches_out()) {
            return None;
        }
        if negated && matches!(first, "exit" | "exec" | "set") {
            return None;
        }
        codes.push(match first {
            "exit" => words.get(1).map_or(Some(0), |code| code.parse().ok()),
            "(" if level < MOST_LEVELS => words.get(1).and_then(|list| of_script(list, options, level + 1)),
            "eval" if level < MOST_LEVELS => {
                of_script(&words.get(1..).unwrap_or_default().join(" "), options, level + 1)
            }
            sink if is_pipe && number > 0 && SINKS.contains(&sink) => Some(0),
            _ if words.is_empty() => Some(0),
            _ => of_words(&words, level),
        });
    }
    let code = match options.pipefail {
        true if codes.iter().all(|code| *code == Some(0)) => Some(0),
        true if is_pipe => None,
        _ => codes.pop().flatten(),
    };
    Some(Code(if negated { code.map(|code| u8::from(code == 0)) } else { code }))
}

/// The code of a list; nothing where it is open.
struct Code(Option<u8>);

impl Code {
    fn or_open(self, in_background: bool) -> Option<u8> {
        if in_background { Some(0) } else { self.0 }
    }
}

fn starts_with(name: &str, arguments: &[&str], starter: &[&str]) -> bool {
    starter.split_first().is_some_and(|(first, rest)| *first == name && arguments.starts_with(rest))
}

fn set(options: &mut Options, arguments: &[String]) {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next().filter(|word| is_option(word)) {
        if options.take(word)
            && let Some(name) = rest.next()
        {
            options.name(name, word.starts_with('-'));
        }
    }
}

fn is_assignment(word: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    word.split_once('=').is_some_and(|(name, _)| is_name(name))
}

type Command = Vec<String>;

#[derive(Clone, Copy)]
enum Joint {
    First,
    And,
    Or,
}

/// Pipes with `&&` and `||` between them.
struct List {
    and_or: Vec<(Joint, Vec<Command>)>,
    in_background: bool,
}

/// The lists of a script; nothing where it holds what is not read here.
fn lists(script: &str) -> Option<Vec<List>> {
    let mut lists = Vec::new();
    let mut and_or: Vec<(Joint, Vec<Command>)> = Vec::new();
    let (mut joint, mut pipe, mut command) = (Joint::First, Vec::new(), Command::new());
    for token in tokens(script)? {
        match token {
            Token::Word(word) => command.push(word),
            // A list goes on behind a line that ends with an operator.
            Token::Operator("\n") if command.is_empty() => {}
            Token::Operator(operator) => {
                if !command.is_empty() {
                    if !pipe.is_empty() && command.first().is_some_and(|word| word == "!") {
                        return None;
                    }
                    pipe.push(std::mem::take(&mut command));
                }
                if matches!(operator, "|" | "|&") {
                    continue;
                }
                if !pipe.is_empty() {
                    and_or.push((joint, std::mem::take(&mut pipe)));
                }
                joint = match operator {
                    "&&" => Joint::And,
                    "||" => Joint::Or,
                    _ => {
                        if !and_or.is_empty() {
                            lists.push(List { and_or: std::mem::take(&mut and_or), in_background: operator == "&" });
                        }
                        Joint::First
                    }
                };
            }
        }
    }
    Some(lists)
}

enum Token {
    Word(String),
    Operator(&'static str),
}

/// The longest operators first.
const OPERATORS: [&str; 7] = ["&&", "||", "|&", "|", ";", "&", "\n"];

/// Words without quotation marks and redirections, and the operators between them. A last operator ends the script.
fn tokens(script: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut word: Option<String> = None;
    let mut redirected = false;
    let mut rest = script;
    loop {
        let next = rest.chars().next();
        let ends = next.is_none_or(|c| c.is_whitespace() || "&|;<>".contains(c));
        if ends && let Some(whole) = word.take() {
            let number = whole.bytes().all(|byte| byte.is_ascii_digit()) && rest.starts_with(['<', '>']);
            match redirected {
                true => redirected = false,
                false if number => {}
                false => tokens.push(Token::Word(whole)),
            }
        }
        let Some(c) = next else { break };
        if let Some(behind) = rest.strip_prefix("&>") {
            (rest, redirected) = (behind.trim_start_matches('>'), true);
        } else if matches!(c, '<' | '>') {
            let behind = rest.get(1..)?;
            if behind.starts_with('(') || rest.starts_with("<<") {
                return None;
            }
            (rest, redirected) = (behind.trim_start_matches(['>', '&', '|']), true);
        } else if let Some(operator) = OPERATORS.iter().find(|operator| rest.starts_with(**operator)) {
            tokens.push(Token::Operator(operator));
            rest = rest.get(operator.len()..)?;
        } else if let Some(list) = subshell(rest, tokens.last()).filter(|_| word.is_none()) {
            tokens.extend(["(", list].map(|word| Token::Word(word.to_owned())));
            rest = rest.get(list.len() + 2..)?;
        } else if c.is_whitespace() {
            rest = rest.trim_start_matches(|c: char| c.is_whitespace() && c != '\n');
        } else if c == '#' && word.is_none() {
            rest = rest.get(rest.find('\n').unwrap_or(rest.len())..)?;
        } else {
            let (text, length) = piece(rest, c)?;
            word.get_or_insert_default().push_str(&text);
            rest = rest.get(length..)?;
        }
    }
    tokens.push(Token::Operator("\n"));
    Some(tokens)
}

/// The list of `(LIST)` where a command may begin. One with quotation marks or comments is not read.
fn subshell<'a>(rest: &'a str, before: Option<&Token>) -> Option<&'a str> {
    let inside = rest.strip_prefix('(').filter(|inside| !inside.starts_with('('))?;
    let mut open = 1_usize;
    let end = inside.find(|c| {
        open = match c {
            '(' => open + 1,
            ')' => open - 1,
            _ => open,
        };
        open == 0
    })?;
    let list = inside.get(..end).filter(|list| !list.contains(['\'', '"', '\\', '`', '#', '$']))?;
    matches!(before, None | Some(Token::Operator(_))).then_some(list)
}

/// A character of a word, or a part in quotation marks, and its length in the script.
fn piece(rest: &str, c: char) -> Option<(String, usize)> {
    match c {
        '(' | ')' | '`' => None,
        '$' if rest.starts_with("$(") => None,
        '\\' => {
            let escaped = rest.get(1..)?.chars().next()?;
            let text = if escaped == '\n' { String::new() } else { escaped.to_string() };
            Some((text, 1 + escaped.len_utf8()))
        }
        '\'' => {
            let end = rest.get(1..)?.find('\'')?;
            Some((rest.get(1..=end)?.to_owned(), end + 2))
        }
        '"' => {
            let mut text = String::new();
            let mut inner = rest.char_indices().skip(1);
            while let Some((at, c)) = inner.next() {
                match c {
                    '"' => return Some((text, at + 1)),
                    '`' => return None,
                    '$' if rest.get(at..)?.starts_with("$(") => return None,
                    '\\' => text.push(inner.next()?.1),
                    c => text.push(c),
                }
            }
            None
        }
        c => Some((c.to_string(), c.len_utf8())),
    }
}
