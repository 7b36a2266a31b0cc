//! Folders and files that go away with the command, whichever way it ends.
//!
//! What is dropped removes itself; a command that a signal or a limit ends drops nothing, so all that is there is known
//! here as well ([`remove_all`]). Nobody else can read or change what lies in the folders.

use std::fs::{File, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{Builder, NamedTempFile, TempDir};

static PRESENT: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// A program that is just ending may still write.
const TRIES: usize = 5;

fn present() -> MutexGuard<'static, Vec<PathBuf>> {
    PRESENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes all that is there, for a process that is about to end.
pub fn remove_all() {
    // Kept locked: nothing new is made any more.
    let present = present();
    for path in present.iter() {
        let gone = || std::fs::remove_dir_all(path).is_ok() || std::fs::remove_file(path).is_ok() || !path.exists();
        let _ = (0..TRIES).any(|_| gone());
    }
    std::mem::forget(present);
}

/// A folder of its owner alone, removed when dropped.
#[derive(Debug)]
pub struct Folder(TempDir);

impl Folder {
    /// # Errors
    /// There is no room for it.
    pub fn new() -> io::Result<Self> {
        Self::named("chronos-")
    }

    /// With a name that begins so.
    ///
    /// # Errors
    /// There is no room for it.
    pub fn named(prefix: &str) -> io::Result<Self> {
        let mut present = present();
        let folder = Builder::new().prefix(prefix).permissions(Permissions::from_mode(0o700)).tempdir()?;
        present.push(folder.path().to_owned());
        Ok(Self(folder))
    }

    /// Where the folder is.
    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // It removes itself right afterwards; what a signal leaves in between is little.
        present().retain(|path| path != self.0.path());
    }
}

/// A file that is not finished, beside the one that it is to replace; removed when dropped.
#[derive(Debug)]
pub struct Draft {
    file: Option<NamedTempFile>,
    path: PathBuf,
}

impl Draft {
    /// # Errors
    /// Nothing can be made in the folder.
    pub fn new(folder: &Path, permissions: Permissions) -> io::Result<Self> {
        let mut present = present();
        let file = Builder::new().prefix(".chronos-").permissions(permissions).tempfile_in(folder)?;
        let path = file.path().to_owned();
        present.push(path.clone());
        Ok(Self { file: Some(file), path })
    }

    /// The open file, to write to. Error: `NotFound`, where there is no file any more.
    pub fn file(&mut self) -> io::Result<&mut File> {
        self.file.as_mut().map(NamedTempFile::as_file_mut).ok_or_else(|| ErrorKind::NotFound.into())
    }

    /// Puts it in the place of `path`.
    ///
    /// # Errors
    /// As for renaming.
    pub fn finish(mut self, path: &Path) -> io::Result<()> {
        let file = self.file.take().ok_or(ErrorKind::NotFound)?;
        file.persist(path).map(drop).map_err(|error| error.error)
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        drop(self.file.take());
        present().retain(|path| *path != self.path);
    }
}
