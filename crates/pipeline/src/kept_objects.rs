//! Objects of compilers, kept between commands, so that a program that did not change is not compiled again.
//!
//! The name of an object is a hash of the command, the compiler's version and the file's text; beside it are kept the
//! headers that the compiler read, each with a hash of what it held (as ccache does it in its direct mode). An object
//! whose headers changed is made anew. What cannot be kept costs time and nothing else, so that no error comes of it.

use super::content_hash::ContentHash;
use chronos_base::atomic_file;
use chronos_base::units::Bytes;
use chronos_compiled::compile::CompiledObject;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// All kept objects together; the oldest go first. Objects of textbook programs have about 100 kB.
const KEPT_BYTES: Bytes = Bytes(256 << 20);

/// Names the format.
const SCHEMA: &str = "chronos-object/1";

const ENDING: &str = "object";

/// The folder of kept objects.
#[derive(Clone, Debug)]
pub struct KeptObjects {
    folder: PathBuf,
}

/// What stands in the first line of a file, before the object.
#[derive(Serialize, Deserialize)]
struct Manifest {
    schema: String,
    files: Vec<(PathBuf, String)>,
}

impl KeptObjects {
    /// In a folder, which is made where an object is written.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The object of this name whose headers are as they were.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        let mut content = std::fs::read(self.path(name)).ok()?;
        let end = content.iter().position(|&byte| byte == b'\n')?;
        let manifest: Manifest = serde_json::from_slice(&content[..end]).ok()?;
        let is_valid =
            manifest.schema == SCHEMA && manifest.files.iter().all(|(path, hash)| hash_of(path).as_ref() == Some(hash));
        is_valid.then(|| content.split_off(end + 1))
    }

    /// Keeps an object; `own`: folders of headers that are a part of its name. Where it is not known what was read, nobody could
    /// tell later whether that has changed.
    pub fn write(&self, name: &str, object: &CompiledObject, own: &[PathBuf]) {
        if object.files.is_empty() {
            return;
        }
        let foreign = object.files.iter().filter(|path| !own.iter().any(|folder| path.starts_with(folder)));
        let files: Option<Vec<_>> = foreign.map(|path| Some((path.clone(), hash_of(path)?))).collect();
        let manifest = files.map(|files| Manifest { schema: SCHEMA.to_owned(), files });
        let Some(Ok(mut content)) = manifest.map(|manifest| serde_json::to_vec(&manifest)) else { return };
        content.push(b'\n');
        content.extend_from_slice(&object.bytes);
        let written =
            std::fs::create_dir_all(&self.folder).and_then(|()| atomic_file::replace(&self.path(name), content));
        if written.is_ok() {
            self.shrink(KEPT_BYTES);
        }
    }

    /// Removes the oldest objects where all together have more than so many bytes.
    fn shrink(&self, most: Bytes) {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut files: Vec<(SystemTime, PathBuf, u64)> = entries
            .filter(|entry| entry.path().extension().is_some_and(|end| end == ENDING))
            .filter_map(|entry| {
                let found = entry.metadata().ok()?;
                Some((found.modified().ok()?, entry.path(), found.len()))
            })
            .collect();
        files.sort();
        let mut all: u64 = files.iter().map(|(.., bytes)| bytes).sum();
        for (_, path, bytes) in files {
            if all <= most.0 {
                break;
            }
            // Another command may have removed it.
            let _ = std::fs::remove_file(path);
            all -= bytes;
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.{ENDING}"))
    }
}

fn hash_of(path: &Path) -> Option<String> {
    let mut hash = ContentHash::new();
    hash.bytes(&std::fs::read(path).ok()?);
    Some(hash.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(files: &[&Path]) -> CompiledObject {
        CompiledObject { bytes: b"\x7fELF\n\0".to_vec(), files: files.iter().map(|path| path.to_path_buf()).collect() }
    }

    #[test]
    fn an_object_is_kept_until_a_header_changes() {
        let folder = tempfile::tempdir().expect("a folder");
        let header = folder.path().join("a.h");
        std::fs::write(&header, "int a;").expect("written");
        let kept = KeptObjects::new(folder.path().join("objects"));
        assert_eq!(kept.read("x"), None);
        kept.write("x", &object(&[&header]), &[]);
        assert_eq!(kept.read("x").as_deref(), Some(&b"\x7fELF\n\0"[..]));
        std::fs::write(&header, "long a;").expect("written");
        assert_eq!(kept.read("x"), None);
        kept.write("y", &object(&[]), &[]);
        assert_eq!(kept.read("y"), None);
    }

    #[test]
    fn headers_of_own_folders_may_be_gone() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = folder.path().join("own");
        let kept = KeptObjects::new(folder.path().to_owned());
        kept.write("x", &object(&[&own.join("mpi.h")]), std::slice::from_ref(&own));
        assert!(kept.read("x").is_some());
        kept.write("y", &object(&[&own.join("mpi.h")]), &[]);
        assert_eq!(kept.read("y"), None);
    }

    #[test]
    fn the_oldest_objects_go_first() {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = KeptObjects::new(folder.path().to_owned());
        let header = folder.path().join("a.h");
        std::fs::write(&header, "int a;").expect("written");
        for (name, age) in [("old", 100), ("new", 1)] {
            kept.write(name, &object(&[&header]), &[]);
            let file = std::fs::File::options().append(true).open(kept.path(name)).expect("there");
            file.set_modified(SystemTime::now() - std::time::Duration::from_secs(age)).expect("set");
        }
        let one = std::fs::metadata(kept.path("new")).expect("there").len();
        kept.shrink(Bytes(one + 1));
        assert_eq!((kept.read("old").is_some(), kept.read("new").is_some()), (false, true));
    }
}
