//! `install.sh` over archives of the form that `cargo xtask dist` makes.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The programs that the script needs, in addition to a shell.
const TOOLS: [&str; 12] =
    ["cat", "cp", "dirname", "gzip", "mkdir", "mktemp", "mv", "rm", "rmdir", "sha256sum", "tar", "uname"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A folder with `dist`, which holds an archive, its sums and the script, and with `bin`, the only folder of the `PATH`.
struct Place(tempfile::TempDir);

impl Place {
    fn new(program: &str) -> Self {
        let place = Self(tempfile::tempdir().unwrap());
        let name = place.name();
        let folder = place.path("stage").join(&name);
        fs::create_dir_all(folder.join("completions")).unwrap();
        for file in [
            "LICENSE-APACHE",
            "LICENSE-MIT",
            "completions/candor.bash",
            "completions/candor.fish",
            "completions/_candor",
        ] {
            fs::write(folder.join(file), file).unwrap();
        }
        place.script(&folder.join("candor"), program);
        fs::create_dir_all(place.path("dist")).unwrap();
        fs::copy(root().join("install.sh"), place.path("dist/install.sh")).unwrap();
        let packed =
            Command::new("tar").arg("-czf").arg(place.archive()).arg("-C").arg(place.path("stage")).arg(&name).status();
        assert!(packed.unwrap().success());
        place.summed();
        fs::create_dir_all(place.path("bin")).unwrap();
        for tool in TOOLS.into_iter().chain(["sh"]) {
            let found = std::env::split_paths(&std::env::var_os("PATH").unwrap())
                .map(|folder| folder.join(tool))
                .find(|file| file.exists());
            symlink(found.unwrap_or_else(|| panic!("{tool} is not on this machine")), place.path("bin").join(tool))
                .unwrap();
        }
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn name(&self) -> String {
        format!("candor-{}-{}-unknown-linux-gnu", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH)
    }

    fn archive(&self) -> PathBuf {
        self.path("dist").join(format!("{}.tar.gz", self.name()))
    }

    fn script(&self, file: &Path, text: &str) {
        fs::write(file, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Writes the sums of the archives that are there.
    fn summed(&self) {
        let sums =
            Command::new("sh").args(["-c", "sha256sum *.tar.gz >SHA256SUMS"]).current_dir(self.path("dist")).status();
        assert!(sums.unwrap().success());
    }

    fn run(&self, args: &[&str]) -> Output {
        let mut sh = Command::new(self.path("bin/sh"));
        sh.arg("dist/install.sh").args(args).current_dir(self.0.path()).stdin(Stdio::null());
        sh.env_clear().env("PATH", self.path("bin")).output().unwrap()
    }

    /// The text that a run prints which installs.
    fn installs(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", said(&output.stderr));
        assert_eq!(said(&output.stderr), "");
        said(&output.stdout)
    }

    /// The sentence of a run that installs nothing.
    fn refuses(&self, args: &[&str]) -> String {
        let output = self.run(args);
        let text = said(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty(), "{args:?}: {text}");
        let sentence =
            text.strip_prefix("install.sh: ").and_then(|text| text.strip_suffix("; nothing was installed\n"));
        let sentence = sentence.unwrap_or_else(|| panic!("{args:?}: {text}"));
        assert!(!sentence.contains('\n') && !self.path("here").exists(), "{text}");
        sentence.to_owned()
    }
}

fn said(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

const WORKS: &str = "echo candor 0.1.0";

#[test]
fn an_archive_is_installed_with_few_programs_on_the_path() {
    let place = Place::new(WORKS);
    let first = place.installs(&["--prefix", "here"]);
    assert_eq!(first.lines().next(), Some("candor 0.1.0 is installed: here/bin/candor"));
    assert!(first.lines().nth(1).unwrap().ends_with("/here/bin:$PATH\""), "{first}");
    let program = Command::new(place.path("here/bin/candor")).output().unwrap();
    assert_eq!(said(&program.stdout), "candor 0.1.0\n");
    for file in [
        "bash-completion/completions/candor",
        "fish/vendor_completions.d/candor.fish",
        "zsh/site-functions/_candor",
        "doc/candor/LICENSE-MIT",
    ] {
        assert!(place.path("here/share").join(file).is_file(), "{file}");
    }
    assert_eq!(fs::read_dir(place.path("here/bin")).unwrap().count(), 1, "files of the installation are left");
    // Once more over itself, from an archive that is named, and from a folder.
    let named = format!("dist/{}.tar.gz", place.name());
    assert_eq!(place.installs(&["--prefix", "here", "--from", &named]), first);
    assert_eq!(place.installs(&["--prefix", "here", "--from", "dist/"]), first);
    assert!(place.installs(&["--help"]).contains("--prefix FOLDER"));
}

#[test]
fn an_archive_is_fetched_from_a_url() {
    let place = Place::new(WORKS);
    let url = "http://127.0.0.1:9/v1/";
    for program in ["curl", "wget"] {
        // Both are called with three options, `--` and the URL.
        let file = place.path("bin").join(program);
        place.script(&file, &format!("[ \"$4 $5\" = \"-- {url}${{5##*/}}\" ] && cp \"dist/${{5##*/}}\" \"$3\""));
        let installed = place.installs(&["--from", url, "--prefix", program]);
        assert!(installed.starts_with("candor 0.1.0 is installed: "), "{installed}");
        fs::remove_file(&file).unwrap();
    }
    let args = ["--from", url, "--prefix", "here"];
    assert_eq!(place.refuses(&args), "http://127.0.0.1:9/v1 needs curl or wget, and neither is on this machine");
    place.script(&place.path("bin/curl"), "exit 22");
    assert_eq!(place.refuses(&args), "http://127.0.0.1:9/v1/SHA256SUMS cannot be read");
}

#[test]
fn a_cut_archive_is_refused_and_the_old_program_stays() {
    let place = Place::new(WORKS);
    let (archive, whole) = (format!("{}.tar.gz", place.name()), fs::read(place.archive()).unwrap());
    for cut in [0, 1, whole.len() / 2, whole.len() - 1] {
        fs::write(place.archive(), &whole[..cut]).unwrap();
        let sentence = place.refuses(&["--prefix", "here"]);
        let (before, expected) = sentence.split_once(", expected ").unwrap();
        let found = before.strip_prefix(&format!("{archive} has the SHA-256 ")).unwrap();
        let (sum, rest) = expected.split_once(": ").unwrap();
        assert!(found.len() == 64 && sum.len() == 64 && found != sum, "{sentence}");
        assert_eq!(rest, "it is damaged or cut off; fetch it again");
    }
    fs::create_dir_all(place.path("old/bin")).unwrap();
    fs::write(place.path("old/bin/candor"), "old").unwrap();
    place.refuses(&["--prefix", "old"]);
    assert_eq!(fs::read_to_string(place.path("old/bin/candor")).unwrap(), "old");
    assert_eq!(fs::read_dir(place.path("old/bin")).unwrap().count(), 1);
}

#[test]
fn every_other_slip_has_its_sentence() {
    let place = Place::new(WORKS);
    let (archive, sums) = (format!("{}.tar.gz", place.name()), place.path("dist/SHA256SUMS"));
    let here = ["--prefix", "here"];
    assert_eq!(place.refuses(&["--prefx", "here"]), "there is no option --prefx; expected --from or --prefix");
    assert_eq!(place.refuses(&["--prefix"]), "--prefix needs a value");
    assert_eq!(place.refuses(&["--prefix", ""]), "--prefix needs a value");
    assert_eq!(place.refuses(&[]), "HOME is not set; give --prefix");
    assert_eq!(place.refuses(&["--prefix", "here", "--from", "nowhere"]), "nowhere/SHA256SUMS cannot be read");
    let other = "candor-9.9.9-x-unknown-linux-gnu.tar.gz";
    let sentence = place.refuses(&["--prefix", "here", "--from", &format!("dist/{other}")]);
    assert_eq!(sentence, format!("dist/SHA256SUMS has no {other}"));
    fs::write(place.path("a file"), "").unwrap();
    assert_eq!(place.refuses(&["--prefix", "a file"]), "a file/bin cannot be made");

    fs::create_dir_all(place.path("taken/bin/candor")).unwrap();
    let taken = "taken/bin/candor is a folder; move it, or give another --prefix";
    assert_eq!(place.refuses(&["--prefix", "taken"]), taken);
    assert_eq!(fs::read_dir(place.path("taken/bin/candor")).unwrap().count(), 0);
    // A folder that was there before stays, though it is empty.
    fs::create_dir(place.path("empty")).unwrap();
    place.refuses(&["--prefix", "empty/new", "--from", "nowhere"]);
    assert_eq!(fs::read_dir(place.path("empty")).unwrap().count(), 0);

    let listed = fs::read_to_string(&sums).unwrap();
    fs::write(&sums, "").unwrap();
    let ours = archive.replace(env!("CARGO_PKG_VERSION"), "*");
    assert_eq!(place.refuses(&here), format!("dist/SHA256SUMS has no {ours}"));
    fs::write(&sums, format!("{listed}{}", listed.replace("candor-0", "candor-1"))).unwrap();
    let several = "dist/SHA256SUMS has more than one archive for this machine; name one with --from";
    assert_eq!(place.refuses(&here), several);
    // Without a line end, and with the mark of a binary file.
    fs::write(&sums, listed.trim_end().replace("  ", " *")).unwrap();
    assert!(place.installs(&["--prefix", "marked"]).starts_with("candor 0.1.0 is installed"));

    fs::remove_file(place.archive()).unwrap();
    assert_eq!(place.refuses(&here), format!("dist/{archive} cannot be read"));
    fs::write(place.archive(), "no archive").unwrap();
    place.summed();
    assert_eq!(place.refuses(&here), format!("{archive} cannot be unpacked"));
    fs::remove_file(place.path("bin/sha256sum")).unwrap();
    let unchecked = "the archive cannot be checked: neither sha256sum nor shasum is on this machine";
    assert_eq!(place.refuses(&here), unchecked);

    let broken = Place::new("exit 1");
    assert_eq!(broken.refuses(&here), format!("the candor of {archive} does not start on this machine"));
    fs::remove_file(broken.path("bin/uname")).unwrap();
    broken.script(&broken.path("bin/uname"), "echo Darwin");
    assert_eq!(broken.refuses(&here), "archives are for Linux, and this is Darwin");
}
