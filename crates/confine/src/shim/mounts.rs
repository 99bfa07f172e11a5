//! The files that a command sees: an empty root, and what is granted in it.

use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::fs::{self, File};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode as Permissions, OFlags, StatVfsMountFlags, open, statvfs};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change, mount_remount, unmount,
};
use rustix::process::{Gid, Uid, pivot_root};
use rustix::thread::{
    CapabilitySet, CapabilitySets, capabilities, set_capabilities, set_thread_groups, set_thread_res_gid,
    set_thread_res_uid,
};

use super::unescaped::unescaped;
use crate::plan::Plan;

/// Where the root is made. Every system has it, and what is below is still reached through the old root.
const BASE: &str = "/tmp";
const OLD: &str = "/old";
const NEW: &str = "/new";
const EMPTY: &str = "/empty";
/// The settings of the system, of which some are closed to all but root.
const SETTINGS: &str = "/etc";
/// The user and group who have no files: only what all may read is open to them.
const NOBODY: u32 = 65534;
const DEVICES: &[&str] = &["null", "zero", "full", "random", "urandom", "tty"];
const LINKS: &[(&str, &str)] = &[
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];
/// Of /proc, what root could change of the machine: read-only, or hidden. As runc does it.
const READ_ONLY: &[&str] = &["bus", "fs", "irq", "sys", "sysrq-trigger"];
const HIDDEN: &[&str] = &["kcore", "key-users", "keys", "kmsg", "latency_stats", "sched_debug", "timer_list"];
/// How much a command can write below /tmp, /dev/shm and /var/tmp, which are in memory.
const IN_MEMORY: &str = "mode=1777,size=512m";

struct Seen {
    /// Where it really is.
    source: PathBuf,
    written: bool,
}

fn at(root: &str, path: &Path) -> PathBuf {
    let mut joined = OsString::from(root);
    joined.push(path.as_os_str());
    PathBuf::from(joined)
}

fn flags() -> MountFlags {
    MountFlags::NOSUID | MountFlags::NODEV
}

pub(super) fn replace_root(plan: &Plan) -> Result<(), String> {
    let failed =
        |what: &'static str| move |error: rustix::io::Errno| format!("the system refuses namespaces: {what}: {error}");
    let broken = |path: &Path, error: &dyn std::fmt::Display| format!("{} cannot be granted: {error}", path.display());
    let seen = seen(plan)?;
    let hidden = hidden(plan);
    // Links are followed while the old root is the root.
    let layers = plan.overlay.as_ref().map(|overlay| {
        let upper = plan.upper.as_ref().ok_or("an overlay has no folder for what is written")?;
        Ok::<_, String>((opened(&overlay.lower)?, opened(upper)?, overlay.at.clone()))
    });
    let layers = layers.transpose()?;

    mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC).map_err(failed("the root"))?;
    mount("tmpfs", BASE, "tmpfs", flags(), Some(c"mode=0755")).map_err(failed("a tmpfs"))?;
    for name in [OLD, NEW, EMPTY] {
        fs::create_dir(at(BASE, Path::new(name))).map_err(|error| broken(Path::new(name), &error))?;
    }
    pivot_root(BASE, at(BASE, Path::new(OLD))).map_err(failed("pivot_root"))?;
    std::env::set_current_dir("/").map_err(|error| broken(Path::new("/"), &error))?;
    mount_bind_recursive(NEW, NEW).map_err(failed("the new root"))?;

    scaffold()?;
    for (path, seen) in &seen {
        let (from, to) = (at(OLD, &seen.source), at(NEW, path));
        // A link came with its folder, and what it leads to is granted by its own name.
        if to.is_symlink() {
            continue;
        }
        match point(&to, from.is_dir()) {
            // In a folder that is closed to all but root: it stays closed.
            Err(_) if !seen.written && path.starts_with(SETTINGS) => continue,
            pointed => pointed.map_err(|error| broken(path, &error))?,
        }
        if path == Path::new(SETTINGS) && !seen.written && as_others_see(&from, &to).is_some() {
            continue;
        }
        mount_bind_recursive(&from, &to).map_err(|error| broken(path, &error))?;
    }
    hold(&seen)?;
    if let Some((lower, upper, path)) = &layers {
        overlay(lower, upper, path)?;
    }
    for path in &hidden {
        hide(&at(NEW, path)).map_err(|error| format!("{} cannot be hidden: {error}", path.display()))?;
    }
    proc()?;

    unmount(OLD, UnmountFlags::DETACH).map_err(failed("the old root"))?;
    std::env::set_current_dir(NEW).map_err(|error| broken(Path::new(NEW), &error))?;
    pivot_root(".", ".").map_err(failed("pivot_root"))?;
    unmount(".", UnmountFlags::DETACH).map_err(failed("the root between"))?;
    std::env::set_current_dir("/").map_err(|error| broken(Path::new("/"), &error))?;
    // Without its flag a folder that is nowhere granted could be made in the root.
    mount_remount("/", MountFlags::BIND | MountFlags::RDONLY | flags(), "").map_err(failed("the root is not read-only"))
}

/// Mounts a folder so that root, too, opens only what all may read in it, also what is made later: the kernel looks into the
/// layer below with the rights of who mounted it. `None` where this is not root, or the system has no such layer; then what
/// is closed by now is hidden.
fn as_others_see(from: &Path, to: &Path) -> Option<()> {
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    let groups = rustix::process::getgroups().ok().filter(|_| rustix::process::geteuid().is_root())?;
    let options = CString::new(format!("lowerdir={}:{EMPTY}", from.display())).ok()?;
    set_thread_groups(&[]).ok()?;
    set_thread_res_gid(None, group, None).ok()?;
    let mounted = set_thread_res_uid(None, user, None).ok().and_then(|()| {
        let all = capabilities(None).ok()?;
        let effective = CapabilitySet::SYS_ADMIN & all.permitted;
        set_capabilities(None, CapabilitySets { effective, ..all }).ok()?;
        mount("overlay", to, "overlay", flags() | MountFlags::RDONLY, Some(options.as_c_str())).ok()
    });
    set_thread_res_uid(None, Uid::ROOT, None).ok()?;
    set_thread_res_gid(None, rustix::process::getgid(), None).ok()?;
    set_thread_groups(&groups).ok()?;
    mounted?;
    // The layer lacks what is mounted in the folder, as containers do it with the names of hosts.
    let table = fs::read(at(OLD, Path::new("/proc/self/mountinfo"))).unwrap_or_default();
    let points =
        table.split(|&byte| byte == b'\n').filter_map(|line| line.split(|&byte| byte == b' ').nth(4).map(unescaped));
    for (point, below) in points.filter_map(|point| Some((point.clone(), point.strip_prefix(from).ok()?.to_owned()))) {
        if !below.as_os_str().is_empty() {
            let _ = mount_bind_recursive(&point, to.join(below));
        }
    }
    Some(())
}

/// The granted paths, those above before those below.
fn seen(plan: &Plan) -> Result<BTreeMap<PathBuf, Seen>, String> {
    let mut seen = BTreeMap::new();
    for (paths, written) in [(&plan.read, false), (&plan.write, true)] {
        for path in paths {
            let real = match path.canonicalize() {
                Ok(real) => real,
                Err(_) if !written => continue,
                Err(error) => return Err(format!("{} cannot be granted: {error}", path.display())),
            };
            if real == Path::new("/") {
                return Err("/ cannot be granted: nothing would be kept apart".to_owned());
            }
            // Where it is named, and where it really is: programs ask for both.
            for path in [path.clone(), real.clone()] {
                let one = seen.entry(path).or_insert_with(|| Seen { source: real.clone(), written });
                one.written |= written;
            }
        }
    }
    Ok(seen)
}

/// The hidden paths, which a granted folder contains: those that the plan names, and those of /etc that only their
/// owner reads.
pub(super) fn hidden(plan: &Plan) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = plan.hide.iter().filter_map(|path| path.canonicalize().ok()).collect();
    let mut open = vec![PathBuf::from(SETTINGS)];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            let needed = if metadata.is_dir() { 0o005 } else { 0o004 };
            if metadata.is_symlink() {
                continue;
            }
            if metadata.permissions().mode() & needed != needed {
                all.push(entry.path());
            } else if metadata.is_dir() {
                open.push(entry.path());
            }
        }
    }
    all
}

fn scaffold() -> Result<(), String> {
    let failed = |path: &str, error: &dyn std::fmt::Display| format!("the system refuses namespaces: {path}: {error}");
    for folder in ["/tmp", "/var", "/var/tmp", "/dev", "/proc", "/dev/pts", "/dev/shm"] {
        let path = at(NEW, Path::new(folder));
        if folder == "/dev/pts" {
            // A file system of its own, so that these are not in the root.
            mount("tmpfs", at(NEW, Path::new("/dev")), "tmpfs", MountFlags::NOSUID, Some(c"mode=0755,size=64k"))
                .map_err(|error| failed("/dev", &error))?;
        }
        fs::create_dir(&path).map_err(|error| failed(folder, &error))?;
    }
    let memory = CString::new(IN_MEMORY).unwrap_or_default();
    for folder in ["/tmp", "/var/tmp", "/dev/shm"] {
        mount("tmpfs", at(NEW, Path::new(folder)), "tmpfs", flags(), Some(memory.as_c_str()))
            .map_err(|error| failed(folder, &error))?;
    }
    for name in DEVICES {
        let device = Path::new("/dev").join(name);
        let (from, to) = (at(OLD, &device), at(NEW, &device));
        if from.exists() {
            File::create(&to).map_err(|error| failed(name, &error))?;
            mount_bind_recursive(&from, &to).map_err(|error| failed(name, &error))?;
        }
    }
    for (name, target) in LINKS {
        symlink(target, at(NEW, &Path::new("/dev").join(name))).map_err(|error| failed(name, &error))?;
    }
    let own = c"newinstance,ptmxmode=0666,mode=620";
    let terminals = MountFlags::NOSUID | MountFlags::NOEXEC;
    // Without it no terminal can be opened, and that is all.
    let _ = mount("devpts", at(NEW, Path::new("/dev/pts")), "devpts", terminals, Some(own));
    Ok(())
}

/// Makes what something can be mounted on.
fn point(path: &Path, folder: bool) -> std::io::Result<()> {
    if path.symlink_metadata().is_ok() {
        return Ok(());
    }
    if let Some(above) = path.parent() {
        fs::create_dir_all(above)?;
    }
    if folder { fs::create_dir(path) } else { File::create(path).map(drop) }
}

/// Sets on every mount what is granted of it: those that came with a folder, too.
fn hold(seen: &BTreeMap<PathBuf, Seen>) -> Result<(), String> {
    let table = fs::read(at(OLD, Path::new("/proc/self/mountinfo")))
        .map_err(|error| format!("the system refuses namespaces: the mounts cannot be read: {error}"))?;
    for line in table.split(|&byte| byte == b'\n') {
        let Some(point) = line.split(|&byte| byte == b' ').nth(4).map(unescaped) else { continue };
        let Some(path) = point.strip_prefix(NEW).ok().map(|path| Path::new("/").join(path)) else { continue };
        let Some((_, governs)) = seen.iter().rfind(|(granted, _)| path.starts_with(granted)) else {
            continue;
        };
        let kept = statvfs(&point).map(|stat| stat.f_flag).unwrap_or(StatVfsMountFlags::empty());
        // A user who is not root must repeat what is set.
        let pairs = [
            (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
            (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
            (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
            (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
            (StatVfsMountFlags::RDONLY, MountFlags::RDONLY),
        ];
        let mut all = MountFlags::BIND | flags();
        for (_, flag) in pairs.into_iter().filter(|(stat, _)| kept.contains(*stat)) {
            all |= flag;
        }
        if !governs.written {
            all |= MountFlags::RDONLY;
        }
        mount_remount(&point, all, "").map_err(|error| format!("{} cannot be granted: {error}", path.display()))?;
    }
    Ok(())
}

fn opened(path: &Path) -> Result<rustix::fd::OwnedFd, String> {
    open(path, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Permissions::empty())
        .map_err(|error| format!("the layer {}: {error}", path.display()))
}

/// Mounts a layer over a folder. By descriptors, in which no comma or colon of a name is read as an option's end.
fn overlay(lower: &rustix::fd::OwnedFd, upper: &rustix::fd::OwnedFd, path: &Path) -> Result<(), String> {
    let failed =
        |error: &dyn std::fmt::Display| format!("the system refuses an overlay at {}: {error}", path.display());
    // /proc is that of the old root.
    let through = |fd: &rustix::fd::OwnedFd| format!("{OLD}/proc/self/fd/{}", fd.as_raw_fd());
    for name in ["data", "work"] {
        let folder = format!("{}/{name}", through(upper));
        if !Path::new(&folder).is_dir() {
            fs::create_dir(folder).map_err(|error| failed(&error))?;
        }
    }
    let permissions = fs::metadata(through(lower)).map_err(|error| failed(&error))?.permissions();
    let _ = fs::set_permissions(format!("{}/data", through(upper)), permissions);
    let to = at(NEW, path);
    point(&to, true).map_err(|error| failed(&error))?;
    let options = format!("lowerdir={},upperdir={1}/data,workdir={1}/work", through(lower), through(upper));
    let mounted = |more: &str| {
        let options = CString::new(format!("{options}{more}")).unwrap_or_default();
        mount("overlay", &to, "overlay", flags(), Some(options.as_c_str()))
    };
    // The first is for a user who is not root, whose attributes the kernel keeps elsewhere.
    mounted(",userxattr").or_else(|_| mounted("")).map_err(|error| failed(&error))
}

/// Covers a path: a folder by an empty one, a file by nothing.
fn hide(path: &Path) -> Result<(), rustix::io::Errno> {
    let Ok(metadata) = path.symlink_metadata() else { return Ok(()) };
    if metadata.is_dir() {
        mount("tmpfs", path, "tmpfs", flags() | MountFlags::RDONLY, Some(c"mode=0555,size=4k"))
    } else {
        mount_bind_recursive(at(OLD, Path::new("/dev/null")), path)
    }
}

/// The processes behind the boundary, and no others.
fn proc() -> Result<(), String> {
    let refused = |error: rustix::io::Errno| format!("the system refuses namespaces: /proc cannot be mounted: {error}");
    let root = at(NEW, Path::new("/proc"));
    let all = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", &root, "proc", all, None::<&std::ffi::CStr>).map_err(refused)?;
    for name in READ_ONLY {
        let path = root.join(name);
        if path.exists() {
            mount_bind_recursive(&path, &path).map_err(refused)?;
            mount_remount(&path, MountFlags::BIND | MountFlags::RDONLY | all, "").map_err(refused)?;
        }
    }
    for name in HIDDEN {
        hide(&root.join(name)).map_err(refused)?;
    }
    Ok(())
}
