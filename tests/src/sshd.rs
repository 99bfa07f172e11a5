//! OpenSSH's server on loopback, with host keys, users and a configuration of its own. The user exists for this server
//! only: nss_wrapper tells it of one, and the machine's list of users stays as it is.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The user of every server.
pub const USER: &str = "candor-reader";

/// Its password, which is also the passphrase of the encrypted key. Every test of this package finds it in its environment
/// as `CARGO_PKG_NAME`.
pub const PASSWORD: &str = "candor-tests";

/// [`PASSWORD`] as `openssl passwd -6 -salt candor` makes it.
const HASHED: &str = "$6$candor$XYso3MVHuWgEWujUyRBHNN7fNRxixC9.IaCOwkB4bayKnoZ2cJqlx4c/6clocKN1aZ2837tqo8Zqf2AMxHlw4/";

/// A server that runs until it is dropped, or the tests end.
pub struct Sshd {
    /// Where it listens.
    pub address: SocketAddr,
    folder: TempDir,
    // The server ends, and its folder goes, when this pipe does: neither can outlive the tests, however they end.
    pipe: Option<ChildStdin>,
    shell: Child,
}

/// The server that tests share, each in a folder of its own.
///
/// # Panics
/// When it does not start.
#[must_use]
pub fn shared() -> &'static Sshd {
    static RUNNING: OnceLock<Sshd> = OnceLock::new();
    RUNNING.get_or_init(|| Sshd::start(""))
}

fn keygen(arguments: &[&str]) {
    let output = Command::new("ssh-keygen").arg("-q").args(arguments).stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "ssh-keygen: {}", String::from_utf8_lossy(&output.stderr));
}

impl Sshd {
    /// Starts one, with more lines of configuration.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn start(configuration: &str) -> Self {
        let locked = "Subsystem sftp internal-sftp\nForceCommand internal-sftp\nChrootDirectory %FOLDER/root";
        Self::configured(locked, "", configuration)
    }

    /// Starts one that answers SFTP with a program of the tests in the place of OpenSSH's: its words, and a script that
    /// they run.
    ///
    /// # Panics
    /// When it does not start.
    #[must_use]
    pub fn speaking(program: &str, script: &str) -> Self {
        Self::configured(&format!("Subsystem sftp {program} %FOLDER/script"), script, "")
    }

    fn configured(subsystem: &str, script: &str, configuration: &str) -> Self {
        let sshd = std::env::var_os("CANDOR_PEERS_SSHD")
            .expect("`cargo xtask test` installs OpenSSH's server and names it in CANDOR_PEERS_SSHD");
        // The server locks its users into folders that only root can write to, all the way up.
        let folder = tempfile::Builder::new()
            .prefix("candor-sshd-")
            .tempdir_in("/run")
            .expect("OpenSSH's server is started by root, as its configuration and its folder in /run want it");
        let at = folder.path();
        fs::set_permissions(at, fs::Permissions::from_mode(0o755)).unwrap();
        let path = |name: &str| at.join(name).display().to_string();
        keygen(&["-t", "ed25519", "-N", "", "-f", &path("host_ed25519")]);
        keygen(&["-t", "ecdsa", "-N", "", "-f", &path("host_ecdsa")]);
        keygen(&["-t", "ed25519", "-N", "", "-C", "key", "-f", &path("key")]);
        fs::create_dir_all(at.join("root")).unwrap();
        fs::create_dir_all(at.join("keys")).unwrap();
        fs::copy(at.join("key.pub"), at.join("keys").join(USER)).unwrap();
        let write = |name: &str, content: &str| fs::write(at.join(name), content).unwrap();
        write(
            "passwd",
            &format!(
                "root:x:0:0::/root:/bin/sh\nsshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n{USER}:x:61234:61234::/:/bin/sh\n"
            ),
        );
        write("shadow", &format!("root:*:19000:0:99999:7:::\n{USER}:{HASHED}:19000:0:99999:7:::\n"));
        write("group", "root:x:0:\nnogroup:x:65534:\ncandor:x:61234:\n");
        write("script", script);
        // What the service's own start would make.
        fs::create_dir_all("/run/sshd").unwrap();
        let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let subsystem = subsystem.replace("%FOLDER", &at.display().to_string());
        write(
            "config",
            &format!(
                "ListenAddress {address}\nHostKey {}\nHostKey {}\nPidFile none\nUsePAM no\nPasswordAuthentication yes\n\
                 KbdInteractiveAuthentication no\nAuthorizedKeysFile {}/%u\nMaxStartups 200\nUseDNS no\n\
                 AllowTcpForwarding no\n{configuration}\n{subsystem}\n",
                path("host_ed25519"),
                path("host_ecdsa"),
                path("keys"),
            ),
        );
        let mut shell = Command::new("sh")
            .args([
                "-c",
                "\"$0\" -D -e -f config 2>log & sshd=$!; echo $sshd >pid; read line; kill $sshd 2>/dev/null; cd /; rm -rf \"$1\"",
            ])
            .arg(&sshd)
            .arg(at)
            .current_dir(at)
            .env("LD_PRELOAD", "libnss_wrapper.so")
            .env("NSS_WRAPPER_PASSWD", at.join("passwd"))
            .env("NSS_WRAPPER_SHADOW", at.join("shadow"))
            .env("NSS_WRAPPER_GROUP", at.join("group"))
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let pipe = shell.stdin.take();
        let server = Self { address, folder, pipe, shell };
        let start = Instant::now();
        while TcpStream::connect(address).is_err() {
            assert!(start.elapsed() < Duration::from_secs(120), "OpenSSH's server does not start: {}", server.log());
            std::thread::sleep(Duration::from_millis(20));
        }
        server
    }

    /// The server's log.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The folder that its users see as `/`.
    #[must_use]
    pub fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    /// A private key that is accepted.
    #[must_use]
    pub fn key(&self) -> PathBuf {
        self.folder.path().join("key")
    }

    /// A host key's public half, of `ed25519` or `ecdsa`: its kind and itself.
    ///
    /// # Panics
    /// When the server does not have a key of this kind.
    #[must_use]
    pub fn host_key(&self, kind: &str) -> String {
        let text = fs::read_to_string(self.folder.path().join(format!("host_{kind}.pub"))).unwrap();
        text.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
    }

    /// A file `known_hosts` that knows the server, under its own port or another one.
    #[must_use]
    pub fn known_hosts(&self, port: u16) -> String {
        format!("[127.0.0.1]:{port} {}\n", self.host_key("ed25519"))
    }

    /// Kills the server and every process of its connections by a signal that cannot be caught.
    ///
    /// # Panics
    /// When it does not run.
    pub fn kill(&self) {
        let pid = fs::read_to_string(self.folder.path().join("pid")).unwrap();
        let mut all = vec![pid.trim().to_owned()];
        let mut next = 0;
        while let Some(pid) = all.get(next).cloned() {
            let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
            all.extend(children.split_whitespace().map(str::to_owned));
            next += 1;
        }
        Command::new("kill").arg("-KILL").args(&all).status().unwrap();
    }

    /// Makes an encrypted copy of the key, with [`PASSWORD`] as its passphrase.
    pub fn encrypt_key(&self, to: &Path) {
        fs::copy(self.key(), to).unwrap();
        fs::set_permissions(to, fs::Permissions::from_mode(0o600)).unwrap();
        keygen(&["-p", "-P", "", "-N", PASSWORD, "-f", &to.display().to_string()]);
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        drop(self.pipe.take());
        let _ = self.shell.wait();
    }
}
