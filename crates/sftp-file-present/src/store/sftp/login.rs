//! Logging in: with the key, the agent's keys, the password, in this order, until the server is content.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use candor_check::{Obstacle, Unverifiable};
use ssh2::{ErrorCode, KeyboardInteractivePrompt, Prompt, Session};

use super::Settings;
use super::private_key::is_encrypted;
use super::trouble::{is_timeout, session};

/// Answers every hidden question with the password, and none that is shown: those ask for something else.
struct Password<'a>(&'a str);

impl KeyboardInteractivePrompt for Password<'_> {
    fn prompt(&mut self, _user: &str, _instructions: &str, prompts: &[Prompt<'_>]) -> Vec<String> {
        let answer = |prompt: &Prompt<'_>| if prompt.echo { String::new() } else { self.0.to_owned() };
        prompts.iter().map(answer).collect()
    }
}

/// Logs in; `time` says before every step how long it may take, in milliseconds.
///
/// # Errors
/// The login that the server did not accept, or why that could not be found out.
pub(super) fn log_in(session: &Session, settings: &Settings, time: impl Fn() -> u32) -> Result<(), Unverifiable> {
    let name = &settings.address.name;
    let user = settings.address.user.as_str();
    let mut refused: Vec<String> = Vec::new();
    let mut step = |what: String, done: Result<(), ssh2::Error>| -> Result<bool, Unverifiable> {
        let Err(error) = done else { return Ok(session.authenticated()) };
        match error.code() {
            ErrorCode::Session(code) if is_timeout(code) => {
                let details = format!("{name}: the server did not answer the login in time");
                Err(Unverifiable::new(Obstacle::Timeout, details))
            }
            ErrorCode::Session(code) if is_refusal(code) => {
                refused.push(what);
                Ok(session.authenticated())
            }
            _ => {
                let details = format!("{name}: the server broke the connection off during the login");
                Err(Unverifiable::new(Obstacle::SourceUnavailable, details))
            }
        }
    };
    session.set_timeout(time());
    let methods = methods(session, user);
    if session.authenticated() {
        return Ok(());
    }
    if let Some(file) = &settings.identity_file {
        is_key(file, settings.passphrase.is_some()).map_err(|what| {
            Unverifiable::new(Obstacle::SourceDenied, format!("{name}: the key {} {what}", file.display()))
        })?;
        session.set_timeout(time());
        let passphrase = settings.passphrase.as_ref().map(|secret| secret.reveal());
        let done = session.userauth_pubkey_file(user, None, file, passphrase);
        if let Err(error) = &done
            && error.code() == ErrorCode::Session(session::FILE)
        {
            let what = if passphrase.is_some() {
                "the passphrase is wrong, or it is not a private key"
            } else {
                "it is not a private key"
            };
            let details = format!("{name}: the key {} cannot be read: {what}", file.display());
            return Err(Unverifiable::new(Obstacle::SourceDenied, details));
        }
        if step(format!("the key {}", file.display()), done)? {
            return Ok(());
        }
    }
    if settings.agent {
        session.set_timeout(time());
        for (what, done) in agent(session, user, name)? {
            if step(what, done())? {
                return Ok(());
            }
        }
    }
    if let Some(password) = &settings.password {
        session.set_timeout(time());
        let offers = |method: &str| methods.as_ref().is_none_or(|methods| methods.iter().any(|known| known == method));
        // Asked for in one way only: a second refusal of the same password could lock the account.
        let done = if offers("password") || !offers("keyboard-interactive") {
            session.userauth_password(user, password.reveal())
        } else {
            session.userauth_keyboard_interactive(user, &mut Password(password.reveal()))
        };
        if step("the password".to_owned(), done)? {
            return Ok(());
        }
    }
    let why = match (refused.as_slice(), methods) {
        ([], _) => "the server wants more than it was given".to_owned(),
        (refused, None) => format!("the server does not accept {} of {user}", refused.join(", nor ")),
        (refused, Some(methods)) => {
            format!("the server does not accept {} of {user}; it takes {}", refused.join(", nor "), methods.join(", "))
        }
    };
    Err(Unverifiable::new(Obstacle::SourceDenied, format!("{name}: {why}")))
}

/// The ways to log in that the server offers, where it says so in text.
fn methods(session: &Session, user: &str) -> Option<Vec<String>> {
    // The library takes for granted that the list is UTF-8, and stops where it is not.
    let methods =
        catch_unwind(AssertUnwindSafe(|| session.auth_methods(user).map(str::to_owned).ok())).ok().flatten()?;
    let plain = |method: &str| method.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-@.".contains(&byte));
    let known: Vec<String> =
        methods.split(',').filter(|method| !method.is_empty() && plain(method)).take(10).map(str::to_owned).collect();
    (!known.is_empty()).then_some(known)
}

type Attempt<'a> = (String, Box<dyn FnOnce() -> Result<(), ssh2::Error> + 'a>);

fn agent<'a>(session: &'a Session, user: &'a str, name: &str) -> Result<Vec<Attempt<'a>>, Unverifiable> {
    let none = |what: &str| Unverifiable::new(Obstacle::SourceDenied, format!("{name}: {what}"));
    let identities = || {
        let mut agent = session.agent().ok()?;
        agent.connect().ok()?;
        agent.list_identities().ok()?;
        let identities = agent.identities().ok()?;
        Some((std::sync::Arc::new(agent), identities))
    };
    let (agent, identities) = identities().ok_or_else(|| none("no SSH agent answers (SSH_AUTH_SOCK)"))?;
    if identities.is_empty() {
        return Err(none("the SSH agent holds no key"));
    }
    let attempt = |identity: ssh2::PublicKey| -> Attempt<'a> {
        let agent = std::sync::Arc::clone(&agent);
        let what = format!("the agent's key {}", super::known_hosts::fingerprint(identity.blob()));
        (what, Box::new(move || agent.userauth(user, &identity)))
    };
    Ok(identities.into_iter().map(attempt).collect())
}

fn is_refusal(code: i32) -> bool {
    matches!(
        code,
        session::AUTHENTICATION_FAILED
            | session::PUBLICKEY_UNVERIFIED
            | session::PASSWORD_EXPIRED
            | session::METHOD_NONE
            | session::AGENT_PROTOCOL
    )
}

/// Says if a file can be a private key; an encrypted one needs a passphrase.
fn is_key(file: &Path, has_passphrase: bool) -> Result<(), String> {
    use std::io::Read as _;
    let mut text = Vec::new();
    let read = std::fs::File::open(file).and_then(|open| open.take(1 << 20).read_to_end(&mut text));
    read.map_err(|error| format!("cannot be read: {error}"))?;
    match is_encrypted(&String::from_utf8_lossy(&text)) {
        None => Err("is not a private key in OpenSSH's or PEM form".to_owned()),
        Some(true) if !has_passphrase => Err("is encrypted, and no `passphrase` is given".to_owned()),
        Some(_) => Ok(()),
    }
}
