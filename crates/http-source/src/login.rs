//! How Candor logs in to a server: fixed credentials, or a token that is fetched and kept until it ends.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use candor_check::sandbox::SettingFile;
use candor_check::{Obstacle, Unverifiable};
use candor_json::{Value, json};
use jiff::Timestamp;

use crate::budget::Budget;
use crate::client::Client;
use crate::jwt::{Key, RsaHash};
use crate::request::{Answer, Ask};
use crate::secrets::Secrets;
use crate::settings::{Credentials, SmartClient};
use crate::url;

const GOOGLE_METADATA_PATH: &str = "/computeMetadata/v1/instance/service-accounts/default/token";

/// How long before its end a token is no longer used.
const EARLY: Duration = Duration::from_secs(10);

pub(crate) struct Login {
    way: Way,
    kept: Mutex<Option<Token>>,
}

#[derive(Clone)]
struct Token {
    value: String,
    until: Instant,
    /// The scope of the token, if its issuer names one.
    scope: Option<String>,
}

enum Way {
    None,
    Fixed(String),
    Smart(SmartClient, Key),
    Google(Account),
    GoogleMetadata,
}

struct Account {
    email: String,
    token_url: String,
    key_id: Option<String>,
    key: Key,
}

impl Login {
    pub(crate) fn new(credentials: &Credentials, secrets: &Secrets, part: &str) -> Result<Self, Unverifiable> {
        let fixed = |value: String| {
            secrets.add(value.rsplit(' ').next().unwrap_or_default());
            Way::Fixed(value)
        };
        let way = match credentials {
            Credentials::None => Way::None,
            Credentials::Bearer(token) => fixed(format!("Bearer {}", token.reveal())),
            Credentials::Basic { username, password } => {
                secrets.add(password.reveal());
                fixed(format!("Basic {}", BASE64_STANDARD.encode(format!("{username}:{}", password.reveal()))))
            }
            Credentials::Smart(client) => {
                let pem = read("private_key_file", &client.private_key_file, part)?;
                let key = Key::from_pem(&pem).map_err(|what| unusable("private_key_file", what, part))?;
                Way::Smart(client.clone(), key)
            }
            Credentials::GoogleServiceAccount { file } => {
                Way::Google(account(&read("service_account_file", file, part)?, part)?)
            }
            Credentials::GoogleMetadata => Way::GoogleMetadata,
        };
        Ok(Self { way, kept: Mutex::default() })
    }

    /// Forgets a token that was fetched; false when there is no token to fetch anew.
    pub(crate) fn forget(&self) -> bool {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).take().is_some()
    }

    pub(crate) fn authorization(&self, client: &Client, budget: &mut Budget) -> Result<Option<String>, Unverifiable> {
        if let Way::Fixed(value) = &self.way {
            return Ok(Some(value.clone()));
        }
        // Held while a token is fetched: criteria that run side by side wait for one token.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(token) = kept.as_ref().filter(|token| Instant::now() < token.until) {
            return Ok(Some(format!("Bearer {}", token.value)));
        }
        let answer = match &self.way {
            Way::None | Way::Fixed(_) => return Ok(None),
            Way::Smart(smart, key) => by_smart(client, smart, key, budget)?,
            Way::Google(account) => by_account(client, account, budget)?,
            Way::GoogleMetadata => by_metadata(client, budget)?,
        };
        let token = token(client, &answer)?;
        client.secrets.add(&token.value);
        Ok(Some(format!("Bearer {}", kept.insert(token).value)))
    }

    pub(crate) fn scope(&self) -> Option<String> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().and_then(|token| token.scope.clone())
    }
}

fn read(setting: &str, file: &SettingFile, part: &str) -> Result<Vec<u8>, Unverifiable> {
    file.read().map_err(|error| unusable(setting, &format!("cannot be read: {error}"), part))
}

fn unusable(setting: &str, what: &str, part: &str) -> Unverifiable {
    Unverifiable::new(Obstacle::SourceDenied, format!("Candor cannot log in: the `{setting}` of [{part}] {what}"))
}

fn account(bytes: &[u8], part: &str) -> Result<Account, Unverifiable> {
    let wrong = |what: &str| unusable("service_account_file", what, part);
    let file: Value = candor_json::from_slice(bytes).map_err(|_| wrong("is no JSON"))?;
    let member = |name: &str| file.get(name).and_then(Value::as_str).map(str::to_owned);
    let needed = |name: &str| member(name).ok_or_else(|| wrong(&format!("has no `{name}`")));
    let key = Key::from_pem(needed("private_key")?.as_bytes()).map_err(wrong)?;
    let token_url = needed("token_uri")?;
    if url::origin(&token_url).is_none() {
        return Err(wrong("has a `token_uri` that is not a URL"));
    }
    Ok(Account { email: needed("client_email")?, token_url, key_id: member("private_key_id"), key })
}

/// Source: SMART App Launch 2.2, Backend Services, 4 (obtain access token), and Client Authentication: Asymmetric.
fn by_smart(client: &Client, smart: &SmartClient, key: &Key, budget: &mut Budget) -> Result<Answer, Unverifiable> {
    let token_url = match &smart.token_url {
        Some(url) => url.clone(),
        None => discovered(client, budget)?,
    };
    let now = Timestamp::now().as_second();
    let claims = json!({
        "iss": smart.client_id, "sub": smart.client_id, "aud": token_url,
        "iat": now, "exp": now + 240, "jti": uuid::Uuid::now_v7().to_string(),
    });
    let assertion = key
        .sign(RsaHash::Sha384, smart.key_id.as_deref(), &claims)
        .map_err(|what| unusable("private_key_file", what, client.manners.part))?;
    client.secrets.add(&assertion);
    let form = url::query([
        ("grant_type", "client_credentials"),
        ("scope", &smart.scope),
        ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
        ("client_assertion", &assertion),
    ]);
    client.persistent(Ask::post(&token_url, &form, "the request for a token"), None, budget)
}

/// The token endpoint that the server names. Source: SMART App Launch 2.2, Conformance, `.well-known/smart-configuration`.
fn discovered(client: &Client, budget: &mut Budget) -> Result<String, Unverifiable> {
    let base = &client.server.url;
    let asked = format!("{base}/.well-known/smart-configuration");
    let ask = Ask::get(&asked, "the request for the SMART configuration");
    let answer = client.persistent(ask, None, budget)?;
    let found = candor_json::from_slice::<Value>(&answer.body).ok();
    let found = found.as_ref().and_then(|value| value.get("token_endpoint")).and_then(Value::as_str);
    let wrong = |what: &str| {
        let details =
            format!("{asked} answered {} and {what}; set token_url in [{}]", answer.status, client.manners.part);
        Unverifiable::new(Obstacle::SourceUnavailable, details)
    };
    let found = found.filter(|_| answer.status == 200).ok_or_else(|| wrong("names no token_endpoint"))?;
    match (url::origin(base), url::origin(found)) {
        (Some((server, ..)), Some((scheme, ..))) if scheme == "https" || server == "http" => Ok(found.to_owned()),
        _ => Err(wrong("names a token_endpoint that is not an https URL")),
    }
}

/// Source: Google, Using OAuth 2.0 for Server to Server Applications.
fn by_account(client: &Client, account: &Account, budget: &mut Budget) -> Result<Answer, Unverifiable> {
    let now = Timestamp::now().as_second();
    let claims = json!({
        "iss": account.email, "scope": client.manners.google_scope, "aud": account.token_url, "iat": now, "exp": now + 3600,
    });
    let assertion = account
        .key
        .sign(RsaHash::Sha256, account.key_id.as_deref(), &claims)
        .map_err(|what| unusable("service_account_file", what, client.manners.part))?;
    client.secrets.add(&assertion);
    let grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    let form = url::query([("grant_type", grant), ("assertion", &assertion)]);
    let ask = Ask::post(&account.token_url, &form, "the request for a token");
    client.persistent(ask, None, budget)
}

/// Source: Google, About VM metadata; Google's own libraries read the same environment variable.
fn by_metadata(client: &Client, budget: &mut Budget) -> Result<Answer, Unverifiable> {
    let host = std::env::var("GCE_METADATA_HOST").unwrap_or_else(|_| "metadata.google.internal".to_owned());
    let url = format!("http://{host}{GOOGLE_METADATA_PATH}");
    let header = Some(("Metadata-Flavor", "Google"));
    client.persistent(Ask { header, ..Ask::get(&url, "the request for a token") }, None, budget)
}

/// The token in an answer, and how long it lasts. Source: RFC 6749, 5.1 and 5.2.
fn token(client: &Client, answer: &Answer) -> Result<Token, Unverifiable> {
    let body = candor_json::from_slice::<Value>(&answer.body).unwrap_or_default();
    let member = |name: &str| body.get(name).and_then(Value::as_str);
    if answer.status != 200 {
        let said = [member("error"), member("error_description")].into_iter().flatten().collect::<Vec<_>>().join(": ");
        let said = if said.is_empty() { String::new() } else { format!(" ({})", client.secrets.quoted(&said)) };
        let obstacle = match answer.status {
            400 | 401 | 403 => Obstacle::SourceDenied,
            _ => Obstacle::SourceUnavailable,
        };
        let details = format!("no token was given out for {}: status {}{said}", client.server.url, answer.status);
        return Err(Unverifiable::new(obstacle, details));
    }
    let fits = |token: &&str| !token.is_empty() && token.bytes().all(|byte| (0x21..0x7f).contains(&byte));
    let Some(token) = member("access_token").filter(fits) else {
        let details = format!("the answer to the request for a token for {} holds none", client.server.url);
        return Err(Unverifiable::new(Obstacle::SourceUnavailable, details));
    };
    let lasts = Duration::from_secs(body.get("expires_in").and_then(Value::as_u64).unwrap_or(300).min(86_400));
    Ok(Token {
        value: token.to_owned(),
        until: Instant::now() + lasts.saturating_sub(EARLY),
        scope: member("scope").map(str::to_owned),
    })
}
