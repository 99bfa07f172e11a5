//! PostgreSQL and MariaDB, each in a folder of its own and on a free port of this machine. Whatever becomes of the tests,
//! the server ends when the pipe that its keeper listens to does, and its folder is removed.

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Which database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// PostgreSQL.
    Postgres,
    /// MariaDB.
    Mariadb,
}

/// A server that runs. Its administrator (`postgres`, `root`) has no password; `reader` has the one that
/// `${env:CARGO_PKG_NAME}` is.
pub struct Database {
    kind: Kind,
    port: u16,
    folder: PathBuf,
    certificate: String,
    keeper: Child,
    pipe: Option<ChildStdin>,
}

/// The password of `reader`, in the environment of every test.
const PASSWORD: &str = env!("CARGO_PKG_NAME");

/// Starts the command that follows the folder and the signal, waits until standard input ends, stops the command by the
/// signal, and removes the folder.
const KEEPER: &str = "folder=$1; signal=$2; shift 2; \"$@\" >\"$folder/log\" 2>&1 </dev/null & server=$!; \
    cat >/dev/null; kill -\"$signal\" $server 2>/dev/null; wait $server; rm -rf \"$folder\"";

/// The server of a kind that all tests of a binary share.
///
/// # Panics
/// When it does not start.
#[must_use]
pub fn shared(kind: Kind) -> &'static Database {
    static POSTGRES: OnceLock<Database> = OnceLock::new();
    static MARIADB: OnceLock<Database> = OnceLock::new();
    match kind {
        Kind::Postgres => POSTGRES.get_or_init(|| Database::start(kind)),
        Kind::Mariadb => MARIADB.get_or_init(|| Database::start(kind)),
    }
}

impl Database {
    /// Starts one.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start(kind: Kind) -> Self {
        // The user who runs it reaches nothing below a folder that is closed to others.
        let place = crate::reachable::place();
        let folder = tempfile::Builder::new().prefix("candor-database").tempdir_in(place).unwrap().keep();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let rcgen::CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        let data = folder.join("data");
        let (certificate, key) = (folder.join("server.crt"), folder.join("server.key"));
        std::fs::write(&certificate, cert.pem()).unwrap();
        std::fs::write(&key, signing_key.serialize_pem()).unwrap();
        run(Command::new("chmod").arg("600").arg(&key));
        let (signal, mut server) = match kind {
            Kind::Postgres => ("INT", postgres(&folder, &data, port)),
            Kind::Mariadb => ("KILL", mariadb(&folder, &data, port)),
        };
        let mut keeper = Command::new("sh");
        keeper.args(["-c", KEEPER, "sh"]).arg(&folder).arg(signal).arg(server.get_program()).args(server.get_args());
        let mut keeper = keeper.stdin(Stdio::piped()).spawn().unwrap();
        server.env_clear();
        let pipe = keeper.stdin.take();
        let database = Self { kind, port, folder, certificate: cert.pem(), keeper, pipe };
        database.wait();
        database.sql(match kind {
            Kind::Postgres => format!("CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'"),
            Kind::Mariadb => {
                format!(
                    "CREATE USER reader@'%' IDENTIFIED BY '{PASSWORD}'; CREATE DATABASE portal CHARACTER SET utf8mb4"
                )
            }
        });
        if kind == Kind::Postgres {
            database.sql_in("postgres", "CREATE DATABASE portal ENCODING 'UTF8' TEMPLATE template0");
        }
        database
    }

    fn wait(&self) {
        let start = Instant::now();
        loop {
            let ready = TcpStream::connect(("127.0.0.1", self.port)).is_ok()
                && self
                    .client("")
                    .arg(self.flag())
                    .arg("SELECT 1")
                    .output()
                    .is_ok_and(|output| output.status.success());
            if ready {
                return;
            }
            assert!(start.elapsed() < Duration::from_secs(300), "{:?} does not start: {}", self.kind, self.log());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn flag(&self) -> &'static str {
        match self.kind {
            Kind::Postgres => "-c",
            Kind::Mariadb => "-e",
        }
    }

    /// The server's own client, as its administrator.
    fn client(&self, database: &str) -> Command {
        let mut client;
        let port = self.port.to_string();
        match self.kind {
            Kind::Postgres => {
                client = Command::new("psql");
                let database = if database.is_empty() { "postgres" } else { database };
                client.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-U", "postgres"]);
                client.args(["-p", &port, "-d", database]).env_remove("PGPASSWORD");
            }
            Kind::Mariadb => {
                client = Command::new("mariadb");
                client.args(["--no-defaults", "-N", "-B", "-h127.0.0.1", "-uroot", "-P", &port]);
                client.args(["--skip-ssl", "--default-character-set=utf8mb4"]);
                if !database.is_empty() {
                    client.arg(database);
                }
            }
        }
        client
    }

    /// The output of statements that run in the database `portal`, or before it exists in the administrator's.
    ///
    /// # Panics
    /// When one fails.
    pub fn sql(&self, statements: impl AsRef<str>) -> String {
        self.sql_in("", statements.as_ref())
    }

    /// Runs statements in a database.
    ///
    /// # Panics
    /// When one fails.
    pub fn sql_in(&self, database: &str, statements: &str) -> String {
        let output = self.client(database).arg(self.flag()).arg(statements).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{:?}: {statements}: {said}", self.kind);
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// A session in `portal` that stays open: statements go in one by one.
    ///
    /// # Panics
    /// When the client does not start.
    #[must_use]
    pub fn session(&self) -> Session {
        let mut client = self.client("portal");
        if self.kind == Kind::Mariadb {
            client.arg("--unbuffered");
        }
        let mut client = client.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let pipe = client.stdin.take();
        Session { client, pipe }
    }

    /// The URL of `portal` for a user.
    #[must_use]
    pub fn url(&self, user: &str) -> String {
        let scheme = if self.kind == Kind::Postgres { "postgres" } else { "mysql" };
        format!("{scheme}://{user}@127.0.0.1:{}/portal", self.port)
    }

    /// Its port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The server's log.
    #[must_use]
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// The certificate it shows, in PEM.
    #[must_use]
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// Stops it while others are being served.
    pub fn stop(&mut self) {
        drop(self.pipe.take());
        let _ = self.keeper.wait();
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A client that keeps its session.
pub struct Session {
    client: Child,
    pipe: Option<ChildStdin>,
}

impl Session {
    /// Runs statements.
    ///
    /// # Panics
    /// When the client is gone.
    pub fn run(&mut self, statements: &str) {
        let pipe = self.pipe.as_mut().unwrap();
        writeln!(pipe, "{statements}").unwrap();
        pipe.flush().unwrap();
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        drop(self.pipe.take());
        let _ = self.client.wait();
    }
}

fn program(variable: &str, name: &str) -> PathBuf {
    let folder = std::env::var_os(variable)
        .unwrap_or_else(|| panic!("`cargo xtask test` installs the database and names its folder in {variable}"));
    Path::new(&folder).join(name)
}

fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output().unwrap();
    output.stdout.trim_ascii() == b"0"
}

/// A command, run by who may run it: PostgreSQL refuses to be root.
fn as_nobody(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(program);
    command
}

fn postgres(folder: &Path, data: &Path, port: u16) -> Command {
    if is_root() {
        run(Command::new("chown").args(["-R", "nobody:nogroup"]).arg(folder));
    }
    let mut init = as_nobody(&program("CANDOR_PEERS_POSTGRES", "initdb"));
    run(init.args(["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync", "-D"]).arg(data));
    let rules = "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
    std::fs::write(data.join("pg_hba.conf"), rules).unwrap();
    let mut server = as_nobody(&program("CANDOR_PEERS_POSTGRES", "postgres"));
    server.arg("-D").arg(data);
    for setting in [
        format!("port={port}"),
        "listen_addresses=127.0.0.1".to_owned(),
        format!("unix_socket_directories={}", folder.display()),
        "fsync=off".to_owned(),
        "shared_buffers=16MB".to_owned(),
        "ssl=on".to_owned(),
        format!("ssl_cert_file={}", folder.join("server.crt").display()),
        format!("ssl_key_file={}", folder.join("server.key").display()),
    ] {
        server.arg("-c").arg(setting);
    }
    server
}

fn mariadb(folder: &Path, data: &Path, port: u16) -> Command {
    let mut init = Command::new("mariadb-install-db");
    init.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
    init.arg(format!("--datadir={}", data.display()));
    let mut server = Command::new(program("CANDOR_PEERS_MARIADB", "mariadbd"));
    server.arg("--no-defaults");
    if is_root() {
        init.arg("--user=root");
        server.arg("--user=root");
    }
    run(&mut init);
    for (setting, value) in [
        ("datadir", data.display().to_string()),
        ("port", port.to_string()),
        ("bind-address", "127.0.0.1".to_owned()),
        ("socket", folder.join("socket").display().to_string()),
        ("pid-file", folder.join("pid").display().to_string()),
        ("innodb-flush-log-at-trx-commit", "0".to_owned()),
        ("innodb-buffer-pool-size", "32M".to_owned()),
        ("ssl-cert", folder.join("server.crt").display().to_string()),
        ("ssl-key", folder.join("server.key").display().to_string()),
    ] {
        server.arg(format!("--{setting}={value}"));
    }
    server
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
