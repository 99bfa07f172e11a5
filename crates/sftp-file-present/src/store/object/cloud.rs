//! The three clouds: from settings and the environment to a bucket that can be asked. The settings of `sandbox.toml`
//! win. If they give credentials, or say that none are needed, those of the environment are not read.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use candor_check::sandbox::{Limits, Remote, Secret};
use candor_check::{Obstacle, Unverifiable};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey as S3};
use object_store::azure::{AzureConfigKey as Azure, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey as Google};
use object_store::list::PaginatedListStore;
use object_store::{BackoffConfig, ClientConfigKey, CredentialProvider, Error, RetryConfig};

use super::http::{Connector, Shared};
use super::trouble::Trouble;

pub(super) struct Bucket {
    pub(super) objects: Arc<dyn object_store::ObjectStore>,
    pub(super) pages: Arc<dyn PaginatedListStore>,
    /// Nothing where the bucket is read as anybody may.
    log_in: Option<LogIn>,
    /// True if credentials were given at all: if not, the machine itself is asked for some.
    is_given: bool,
    places: &'static str,
}

type LogIn = Box<dyn Fn() -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send>> + Send + Sync>;

const PLACES_S3: &str = "`access_key_id` and `secret_access_key`; AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; \
    AWS_WEB_IDENTITY_TOKEN_FILE and AWS_ROLE_ARN; AWS_CONTAINER_CREDENTIALS_RELATIVE_URI; the metadata service of the \
    instance. Profiles are not read";
const PLACES_GOOGLE: &str = "`service_account_file` and `token`; GOOGLE_APPLICATION_CREDENTIALS; GOOGLE_SERVICE_ACCOUNT; \
    GOOGLE_SERVICE_ACCOUNT_KEY; GOOGLE_BEARER_TOKEN; gcloud's application_default_credentials.json; the metadata service \
    of the instance";
const PLACES_AZURE: &str = "`account_key`, `sas_token` and `token`; AZURE_STORAGE_ACCOUNT_KEY; AZURE_STORAGE_SAS_TOKEN; \
    AZURE_STORAGE_TOKEN; AZURE_CLIENT_ID and AZURE_TENANT_ID with AZURE_CLIENT_SECRET or AZURE_FEDERATED_TOKEN_FILE; \
    AZURE_USE_AZURE_CLI; the metadata service of the instance";

impl Bucket {
    /// Gets credentials, unless they are there already or none are wanted.
    pub(super) async fn log_in(&self) -> Result<(), Error> {
        match &self.log_in {
            Some(log_in) => log_in().await,
            None => Ok(()),
        }
    }

    /// Why there are no credentials.
    pub(super) fn refusal(&self, place: &str, trouble: Option<Trouble>) -> Unverifiable {
        match trouble {
            _ if !self.is_given => {
                let details =
                    format!("{place} cannot be read: there are no credentials for it; looked at {}", self.places);
                Unverifiable::new(Obstacle::SourceDenied, details)
            }
            Some(trouble) => {
                let is_refused = trouble.status.is_some_and(|status| (400..500).contains(&status) && status != 429);
                let obstacle = if is_refused { Obstacle::SourceDenied } else { trouble.obstacle };
                let details = format!("{place} cannot be read: its credentials could not be had: {}", trouble.what);
                Unverifiable::new(obstacle, details)
            }
            None => Unverifiable::new(
                Obstacle::SourceDenied,
                format!("{place} cannot be read: the credentials that are given for it cannot be used"),
            ),
        }
    }
}

/// Opens a bucket; asks nothing yet.
///
/// # Errors
/// When settings or credentials cannot be used as they are.
pub(super) fn open(
    remote: &Remote,
    bucket: &str,
    place: &str,
    limits: &Limits,
    connector: &Arc<Connector>,
) -> Result<Bucket, Unverifiable> {
    let opening = Opening { remote, bucket, place, limits, connector: Shared(Arc::clone(connector)) };
    match remote.scheme {
        "s3" => opening.s3(),
        "gs" => opening.google(),
        _ => opening.azure(),
    }
}

struct Opening<'a> {
    remote: &'a Remote,
    bucket: &'a str,
    place: &'a str,
    limits: &'a Limits,
    connector: Shared,
}

/// A builder with what the environment says, unless `sandbox.toml` settles who asks, and with what `sandbox.toml` says.
macro_rules! described {
    ($builder:ty, $settles:expr, $kept:expr, $settings:expr) => {{
        let from_environment = <$builder>::from_env();
        let mut builder = <$builder>::new();
        if $settles {
            for key in $kept {
                if let Some(value) = from_environment.get_config_value(&key) {
                    builder = builder.with_config(key, value);
                }
            }
        } else {
            builder = from_environment;
        }
        for (key, value) in $settings {
            if let Some(value) = value {
                builder = builder.with_config(key, value);
            }
        }
        builder
    }};
}

/// Opens the bucket of a builder. `$ways` are the settings of which one gives credentials.
macro_rules! opened {
    ($opening:expr, $key:ident, $builder:expr, $endpoint:expr, $ways:expr, $places:expr) => {{
        let mut builder = $builder;
        let is_given = $ways.into_iter().any(|key| builder.get_config_value(&key).is_some());
        let is_anonymous = is_true(builder.get_config_value(&$key::SkipSignature));
        if is_plain($endpoint) {
            builder = builder.with_config($key::Client(ClientConfigKey::AllowHttp), "true");
        }
        let built = builder.with_retry($opening.retry()).with_http_connector($opening.connector.clone()).build();
        let store = Arc::new(built.map_err(|error| $opening.unusable(&error, $places))?);
        let credentials = Arc::clone(store.credentials());
        let log_in = (!is_anonymous).then(|| log_in(credentials));
        Ok(Bucket { objects: Arc::clone(&store) as _, pages: store, log_in, is_given, places: $places })
    }};
}

impl Opening<'_> {
    fn s3(self) -> Result<Bucket, Unverifiable> {
        let settles = self.has_credentials(&["access_key_id", "secret_access_key", "session_token"]);
        let settings = [
            (S3::AccessKeyId, self.secret("access_key_id")),
            (S3::SecretAccessKey, self.secret("secret_access_key")),
            (S3::Token, self.secret("session_token")),
            (S3::Region, self.remote.text("region")),
            (S3::S3Endpoint, self.remote.text("endpoint")),
            (S3::SkipSignature, self.anonymous()),
        ];
        let kept = [S3::Region, S3::DefaultRegion, S3::Endpoint, S3::S3Endpoint];
        let builder = described!(AmazonS3Builder, settles, kept, settings).with_bucket_name(self.bucket);
        let setting = |key: S3| builder.get_config_value(&key);
        let endpoint = setting(S3::S3Endpoint).or(setting(S3::Endpoint));
        let ways = [
            S3::AccessKeyId,
            S3::SecretAccessKey,
            S3::WebIdentityTokenFile,
            S3::ContainerCredentialsRelativeUri,
            S3::ContainerCredentialsFullUri,
        ];
        opened!(self, S3, builder, endpoint, ways, PLACES_S3)
    }

    fn google(self) -> Result<Bucket, Unverifiable> {
        let settles = self.has_credentials(&["service_account_file", "token"]);
        let file = self.remote.file("service_account_file").map(|path| path.to_string_lossy());
        let settings = [
            (Google::ServiceAccount, file.as_deref()),
            (Google::BearerToken, self.secret("token")),
            (Google::BaseUrl, self.remote.text("endpoint")),
            (Google::SkipSignature, self.anonymous()),
            // So that nothing is looked for in the home folder either.
            (Google::BearerToken, self.anonymous().map(|_| "")),
        ];
        let builder = described!(GoogleCloudStorageBuilder, settles, [Google::BaseUrl], settings);
        let builder = builder.with_bucket_name(self.bucket);
        let endpoint = builder.get_config_value(&Google::BaseUrl);
        let ways =
            [Google::ServiceAccount, Google::ServiceAccountKey, Google::ApplicationCredentials, Google::BearerToken];
        opened!(self, Google, builder, endpoint, ways, PLACES_GOOGLE)
    }

    fn azure(self) -> Result<Bucket, Unverifiable> {
        let settles = self.has_credentials(&["account_key", "sas_token", "token"]);
        let settings = [
            (Azure::AccountName, self.remote.text("account")),
            (Azure::AccessKey, self.secret("account_key")),
            (Azure::SasKey, self.secret("sas_token")),
            (Azure::Token, self.secret("token")),
            (Azure::Endpoint, self.remote.text("endpoint")),
            (Azure::SkipSignature, self.anonymous()),
        ];
        let kept = [Azure::AccountName, Azure::Endpoint];
        let builder = described!(MicrosoftAzureBuilder, settles, kept, settings).with_container_name(self.bucket);
        if builder.get_config_value(&Azure::AccountName).is_none() {
            let details =
                format!("{} names no account: write `account`, or set AZURE_STORAGE_ACCOUNT_NAME", self.place);
            return Err(Unverifiable::new(Obstacle::SourceUnavailable, details));
        }
        let endpoint = builder.get_config_value(&Azure::Endpoint);
        let by_cli = is_true(builder.get_config_value(&Azure::UseAzureCli)).then_some(Azure::UseAzureCli);
        let ways = [Azure::AccessKey, Azure::SasKey, Azure::Token, Azure::ClientSecret, Azure::FederatedTokenFile];
        opened!(self, Azure, builder, endpoint, ways.into_iter().chain(by_cli), PLACES_AZURE)
    }

    fn secret(&self, name: &str) -> Option<&str> {
        self.remote.secret(name).map(Secret::reveal)
    }

    fn anonymous(&self) -> Option<&'static str> {
        self.remote.flag("anonymous").then_some("true")
    }

    /// Returns `true` if `sandbox.toml` settles who asks.
    fn has_credentials(&self, names: &[&str]) -> bool {
        let is_given = |name: &&str| self.remote.secret(name).is_some() || self.remote.file(name).is_some();
        self.remote.flag("anonymous") || names.iter().any(is_given)
    }

    fn retry(&self) -> RetryConfig {
        let backoff =
            BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff: Duration::from_secs(2), base: 2. };
        RetryConfig { backoff, max_retries: 3, retry_timeout: self.limits.timeout }
    }

    /// Settings or credentials that `object_store` refuses. What it says of them may quote them.
    fn unusable(&self, error: &Error, places: &str) -> Unverifiable {
        let mut causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
        let file = causes.find_map(|cause| cause.downcast_ref::<io::Error>());
        let why = file.map(|error| format!(" ({error})")).unwrap_or_default();
        let details = format!(
            "{} cannot be read: the credentials or settings for it cannot be used{why}; looked at {places}",
            self.place
        );
        Unverifiable::new(Obstacle::SourceDenied, details)
    }
}

fn log_in<T: Send + Sync + 'static>(credentials: Arc<dyn CredentialProvider<Credential = T>>) -> LogIn {
    Box::new(move || {
        let credentials = Arc::clone(&credentials);
        Box::pin(async move { credentials.get_credential().await.map(drop) })
    })
}

fn is_plain(endpoint: Option<String>) -> bool {
    endpoint.is_some_and(|url| url.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("http://")))
}

fn is_true(setting: Option<String>) -> bool {
    setting.is_some_and(|text| text == "true")
}
