//! Credentials from settings, from the environment, or not at all; and no secret in any message.

use candor_json::{Value, json};
use candor_tests::clouds::guarded_s3;
use candor_tests::grade::all_in;
use candor_tests::http::{Reply, Server, closed};

use super::grade::{described, told};
use super::{ACCOUNT, ACCOUNT_KEY, Cloud};

fn total() -> Value {
    json!({"assert": "sftp-file-present", "path": "*.json", "fields": [{"path": "total", "expected": 120.5}]})
}

/// Fails when a text holds a secret, or most of one.
#[track_caller]
fn keeps(text: &str, secret: &str) {
    assert!(!text.contains(&secret[..secret.len().min(12)]), "a secret in: {text}");
}

#[test]
fn keys_of_s3() {
    let (address, id, secret) = guarded_s3();
    let at = |bucket: &str| format!("[files]\nurl = \"s3://{bucket}/drop\"\nendpoint = \"http://{address}\"\n");
    let by_setting = "access_key_id = \"${env:ID}\"\nsecret_access_key = \"${env:SECRET}\"\nregion = \"us-east-1\"\n";
    let set = |secret| vec![("ID", id), ("SECRET", secret)];
    let (graded, all) = told(&format!("{}{by_setting}", at("claims")), &total(), &set(secret));
    graded.is("passed", &[]);
    keeps(&all, secret);
    let environment = [("AWS_ACCESS_KEY_ID", id), ("AWS_SECRET_ACCESS_KEY", secret), ("AWS_REGION", "us-east-1")];
    told(&at("claims"), &total(), &environment).0.is("passed", &[]);
    let (graded, all) = told(&format!("{}{by_setting}", at("claims")), &total(), &set("wr0ng-wr0ng-wr0ng"));
    graded.is("unverifiable source_denied", &["s3://claims/drop/ cannot be read", "403", "SignatureDoesNotMatch"]);
    keeps(&all, "wr0ng-wr0ng-wr0ng");
    // What the file says wins over what the environment says.
    let mut both = environment.to_vec();
    both.extend([("ID", id), ("SECRET", "wr0ng-wr0ng-wr0ng")]);
    told(&format!("{}{by_setting}", at("claims")), &total(), &both).0.is("unverifiable source_denied", &[]);
    told(&at("not-theirs"), &total(), &environment).0.is("unverifiable source_denied", &["403"]);
    let server = Server::start(|_| Reply::status(403));
    let anonymous = format!("[files]\nurl = \"s3://b\"\nendpoint = \"{}\"\nanonymous = true\n", server.url);
    told(&anonymous, &total(), &environment).0.is("unverifiable source_denied", &["403"]);
    assert!(server.requests()[0].header("authorization").is_empty());
    // Signed, and for this region.
    let signed = format!("[files]\nurl = \"s3://b\"\nendpoint = \"{}\"\nregion = \"eu-west-1\"\n", server.url);
    told(&signed, &total(), &environment).0.is("unverifiable source_denied", &["403"]);
    let requests = server.requests();
    assert!(requests[1].header("authorization").contains("/eu-west-1/s3/aws4_request"));
}

#[test]
fn no_credentials_anywhere() {
    // Nothing listens where the machine would be asked for its own.
    let host = closed().to_string();
    let none = format!("http://{host}");
    let (host, none) = (host.as_str(), none.as_str());
    let s3 = "[files]\nurl = \"s3://b/drop\"\n";
    let (graded, _) = told(s3, &total(), &[("AWS_METADATA_ENDPOINT", none)]);
    graded.is("unverifiable source_denied", &["no credentials", "AWS_ACCESS_KEY_ID", "`access_key_id`", "Profiles"]);
    let google = "[files]\nurl = \"gs://b/drop\"\n";
    let (graded, _) = told(google, &total(), &[("GCE_METADATA_HOST", host), ("GCE_METADATA_IP", host)]);
    graded.is("unverifiable source_denied", &["no credentials", "GOOGLE_APPLICATION_CREDENTIALS"]);
    let azure = "[files]\nurl = \"az://b/drop\"\naccount = \"a\"\n";
    let (graded, _) = told(azure, &total(), &[("IDENTITY_ENDPOINT", none)]);
    graded.is("unverifiable source_denied", &["no credentials", "AZURE_STORAGE_ACCOUNT_KEY"]);
    let (graded, _) = told("[files]\nurl = \"az://b/drop\"\n", &total(), &[]);
    graded.is("unverifiable source_unavailable", &["names no account", "AZURE_STORAGE_ACCOUNT_NAME"]);
    let half = told(s3, &total(), &[("AWS_ACCESS_KEY_ID", "half-of-two-1")]);
    half.0.is("unverifiable source_denied", &["cannot be used"]);
    keeps(&half.1, "half-of-two-1");
}

#[test]
fn keys_of_azure() {
    Cloud::Azure.make_private("guarded");
    Cloud::Azure.put("guarded", "drop/a.json", b"{\"total\": 120.5}");
    let at = format!(
        "[files]\nurl = \"az://guarded/drop\"\nendpoint = \"http://{}/{ACCOUNT}\"\naccount = \"{ACCOUNT}\"\n",
        Cloud::Azure.address()
    );
    let by_setting = format!("{at}account_key = \"${{env:KEY}}\"\n");
    let (graded, all) = told(&by_setting, &total(), &[("KEY", ACCOUNT_KEY)]);
    graded.is("passed", &[]);
    keeps(&all, ACCOUNT_KEY);
    told(&at, &total(), &[("AZURE_STORAGE_ACCOUNT_KEY", ACCOUNT_KEY)]).0.is("passed", &[]);
    let nowhere = by_setting.replace("az://guarded", "az://no-such-container");
    told(&nowhere, &total(), &[("KEY", ACCOUNT_KEY)])
        .0
        .is("unverifiable source_unavailable", &["404", "there is no such bucket"]);
    let wrong = "d3Jvbmctd3Jvbmctd3Jvbmctd3Jvbmc=";
    let (graded, all) = told(&by_setting, &total(), &[("KEY", wrong)]);
    graded.is("unverifiable source_denied", &["403"]);
    keeps(&all, wrong);
    let (graded, all) = told(&by_setting, &total(), &[("KEY", "no base64, but secret")]);
    graded.is("unverifiable source_denied", &["cannot be used"]);
    keeps(&all, "no base64, but secret");
    let by_token = format!("{at}sas_token = \"${{env:SAS}}\"\n");
    let sas = "sv=2023-11-03&ss=b&srt=co&sp=rl&se=2030-01-01T00%3A00%3A00Z&sig=c2VjcmV0LXNpZ25hdHVyZQ%3D%3D";
    let (graded, all) = told(&by_token, &total(), &[("SAS", sas)]);
    graded.is("unverifiable source_denied", &["403"]);
    keeps(&all, "c2VjcmV0LXNpZ25hdHVyZQ");
}

/// Google's answers, for who shows a token.
fn google_that_wants(token: &'static str) -> Server {
    Server::start(move |request| {
        let head = |reply: Reply| {
            reply
                .with("ETag", "\"e1\"")
                .with("Last-Modified", "Fri, 20 Nov 2026 10:00:00 GMT")
                .with("Content-Length", "16")
        };
        match (request.header("authorization") == format!("Bearer {token}"), request.path(), request.method.as_str()) {
            (false, ..) => Reply { body: b"<Error><Code>AuthenticationRequired</Code></Error>".to_vec(), ..Reply::status(401) },
            (true, "/b", _) => Reply {
                body: b"<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>drop/a.json</Key><Size>16</Size>\
                    <LastModified>2026-11-20T10:00:00.5Z</LastModified><ETag>\"e1\"</ETag></Contents></ListBucketResult>"
                    .to_vec(),
                ..Reply::status(200)
            },
            (true, "/b/drop%2Fa%2Ejson", "HEAD") => head(Reply::status(200)),
            (true, "/b/drop%2Fa%2Ejson", _) => {
                // What is stored in gzip is wanted as it is stored.
                assert_eq!(request.header("accept-encoding"), "gzip");
                head(Reply { body: b"{\"total\": 120.5}".to_vec(), ..Reply::status(200) })
            }
            _ => Reply::status(404),
        }
    })
}

#[test]
fn tokens_of_google() {
    let server = google_that_wants("t0ken-of-google");
    let at = format!("[files]\nurl = \"gs://b/drop\"\nendpoint = \"{}\"\n", server.url);
    let by_setting = format!("{at}token = \"${{env:TOKEN}}\"\n");
    let (graded, all) = told(&by_setting, &total(), &[("TOKEN", "t0ken-of-google")]);
    graded.is("passed", &[]);
    keeps(&all, "t0ken-of-google");
    told(&at, &total(), &[("GOOGLE_BEARER_TOKEN", "t0ken-of-google")]).0.is("passed", &[]);
    let (graded, all) = told(&by_setting, &total(), &[("TOKEN", "an0ther-token")]);
    graded.is("unverifiable source_denied", &["401", "AuthenticationRequired"]);
    keeps(&all, "an0ther-token");
    let metadata = Server::start(|request| match request.header("metadata-flavor") {
        "Google" => Reply::fhir(200, json!({"access_token": "t0ken-of-google", "expires_in": 3599})),
        _ => Reply::status(403),
    });
    let host = metadata.url.trim_start_matches("http://");
    told(&at, &total(), &[("GCE_METADATA_HOST", host)]).0.is("passed", &[]);
    assert_eq!(metadata.requests().len(), 1);
    told(&format!("{at}anonymous = true\n"), &total(), &[("GCE_METADATA_HOST", host)])
        .0
        .is("unverifiable source_denied", &["401"]);
    assert_eq!(metadata.requests().len(), 1);
}

#[test]
fn a_key_file_of_google() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "key.json",
        "{\"private_key\": \"-----BEGIN secret-of-google\", \"client_email\": \"e\", \"private_key_id\": \"i\"}",
    );
    write("sandbox.toml", "[files]\nurl = \"gs://b/drop\"\nservice_account_file = \"key.json\"\n");
    let graded = all_in(folder.path(), vec![total()]).swap_remove(0);
    graded.is("unverifiable source_denied", &["cannot be used"]);
    keeps(&graded.0.to_string(), "secret-of-google");
    // Node makes the key: what signs with RSA here makes none.
    let script = "const {privateKey} = require('crypto').generateKeyPairSync('rsa', {modulusLength: 2048});\
        console.log(privateKey.export({type: 'pkcs8', format: 'pem'}))";
    let output =
        std::process::Command::new("node").args(["-e", script]).output().expect("`cargo xtask test` installs Node");
    let pem = String::from_utf8(output.stdout).unwrap();
    let server = Server::start(|_| Reply::status(401));
    let key = json!({"private_key": pem.trim(), "private_key_id": "k1", "client_email": "reader@project.example"});
    write("key.json", &key.to_string());
    let at = format!("url = \"gs://b/drop\"\nendpoint = \"{}\"\nservice_account_file = \"key.json\"\n", server.url);
    write("sandbox.toml", &format!("[files]\n{at}"));
    all_in(folder.path(), vec![total()]).swap_remove(0).is("unverifiable source_denied", &["401"]);
    // A token that the key has signed, for itself.
    let requests = server.requests();
    let token = requests[0].header("authorization").strip_prefix("Bearer ").unwrap();
    assert_eq!(token.split('.').count(), 3, "{token}");
}

#[test]
fn settings_that_are_wrong_are_told_before_anything_is_asked() {
    let open = |text: &str| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("sandbox.toml"), format!("[files]\n{text}\n")).unwrap();
        candor_check::Sandbox::open(folder.path(), candor_checks::PARTS)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    for (text, expected) in [
        ("url = \"s3://b//x\"", "`url` has a prefix with a part that is empty"),
        ("url = \"s3://b?x=1\"", "names no bucket"),
        ("url = \"s3://b\"\nendpoint = \"localhost:9000\"", "`endpoint` is not an http:// or https:// URL"),
        (
            "url = \"s3://b\"\nanonymous = true\naccess_key_id = \"${env:CARGO_PKG_NAME}\"\nsecret_access_key = \"${env:CARGO_PKG_NAME}\"",
            "cannot be used with `anonymous`",
        ),
        ("url = \"az://b\"\nsas_token = \"sig=hunter2\"", "is written out; a secret is given only"),
        ("url = \"gs://b\"\nregion = \"x\"", "unknown setting `region`"),
    ] {
        let error = open(text);
        assert!(error.contains(expected), "{text}\n{error}");
        assert!(!error.contains("hunter2"), "{error}");
    }
    let missing =
        "[files]\nurl = \"s3://b\"\nendpoint = \"https://127.0.0.1:9\"\nanonymous = true\nca_file = \"sandbox.toml\"\n";
    described(missing, &total())
        .is("unverifiable source_unavailable", &["`ca_file` of [files]", "holds no certificate"]);
}
