//! Writing whole files, wherever a command is told to (`-o FILE` and its like).
//!
//! A file is replaced by a finished one or stays as it was, and an existing one keeps its owner and its permissions. A
//! symbolic link is not followed: in a folder of others it may lead to any file of the user. What stands below `/dev`
//! and `/proc` are streams that somebody else opened: they are written to as they are, and never cut off.

use crate::temporary::Draft;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{Error, ErrorKind, Result, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::Path;

/// What stands at a path.
enum WriteTarget {
    Nothing,
    Regular(Metadata),
    /// A stream, a device or a pipe.
    Open,
}

/// Replaces the file by one with this content.
///
/// # Errors
/// It cannot be written, or is a symbolic link; then it is as it was, unless the disk is full and its folder cannot be
/// written.
pub fn replace(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let content = content.as_ref();
    match target(path)? {
        WriteTarget::Open => opened(path)?.write_all(content),
        WriteTarget::Nothing => draft(path, Permissions::from_mode(0o666), content, |_| Ok(()))?.finish(path),
        WriteTarget::Regular(found) => match like(path, &found, content) {
            Ok(draft) => draft.finish(path),
            // Nobody but its owner can make another file like it.
            Err(error) if error.kind() == ErrorKind::PermissionDenied => in_place(path, content),
            Err(error) => Err(error),
        },
    }
}

/// Whether the file can be written, as far as that can be told before there is something to write.
///
/// # Errors
/// What would be told later.
pub fn probe(path: &Path) -> Result<()> {
    if is_standard_output(path) {
        return Ok(());
    }
    match target(path)? {
        WriteTarget::Nothing => Draft::new(folder(path), Permissions::from_mode(0o600)).map(drop),
        WriteTarget::Regular(_) | WriteTarget::Open => Ok(()),
    }
}

/// Names of the stream itself.
pub fn is_standard_output(path: &Path) -> bool {
    ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].iter().any(|name| path == Path::new(name))
}

fn target(path: &Path) -> Result<WriteTarget> {
    if is_stream(path) {
        return if path.is_dir() { Err(ErrorKind::IsADirectory.into()) } else { Ok(WriteTarget::Open) };
    }
    let found = match std::fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(WriteTarget::Nothing),
        Err(error) => return Err(error),
    };
    if found.is_symlink() {
        return Err(Error::other("it is a symbolic link; name the file that it leads to"));
    }
    if found.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Ok(WriteTarget::Open);
    }
    // A file that may not be written is not replaced either.
    OpenOptions::new().write(true).open(path)?;
    Ok(WriteTarget::Regular(found))
}

fn is_stream(path: &Path) -> bool {
    let below = |folder: &str| path.starts_with(folder);
    (below("/dev") || below("/proc")) && !below("/dev/shm")
}

/// Not cut off: of a file that standard error goes to, others write as well.
fn opened(path: &Path) -> Result<File> {
    OpenOptions::new().append(true).open(path)
}

/// A draft with the owner and the permissions of the file that is there.
fn like(path: &Path, found: &Metadata, content: &[u8]) -> Result<Draft> {
    draft(path, Permissions::from_mode(0o600), content, |file| {
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (found.uid(), found.gid()) {
            fchown(&*file, Some(found.uid()), Some(found.gid()))?;
        }
        file.set_permissions(found.permissions())
    })
}

fn draft(
    path: &Path,
    permissions: Permissions,
    content: &[u8],
    settle: impl FnOnce(&mut File) -> Result<()>,
) -> Result<Draft> {
    let mut draft = Draft::new(folder(path), permissions)?;
    let file = draft.file()?;
    file.write_all(content)?;
    settle(file)?;
    Ok(draft)
}

fn in_place(path: &Path, content: &[u8]) -> Result<()> {
    OpenOptions::new().write(true).truncate(true).open(path)?.write_all(content)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}
