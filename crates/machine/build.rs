//! Compresses the files of `machines/`, `networks/` and `networks/rules/` for the program: a new file in `machines/` is all
//! that a new shipped machine needs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

/// The best that DEFLATE gives: it is done once.
const LEVEL: u8 = 10;

fn main() {
    let mut table = String::from("&[\n");
    for (name, compressed) in compress("machines") {
        writeln!(table, "    ({name:?}, include_bytes!({:?})),", compressed.display()).expect("strings can be written");
    }
    fs::write(out("machines.rs"), table + "]").expect("the build folder can be written");
    compress("networks");
    compress("networks/rules");
}

/// Names of the files of a folder, and where each is compressed.
fn compress(folder: &str) -> Vec<(String, PathBuf)> {
    let to = out(folder);
    fs::create_dir_all(&to).expect("the build folder can be written");
    let folder = Path::new(&variable("CARGO_MANIFEST_DIR")).join(folder);
    println!("cargo::rerun-if-changed={}", folder.display());
    files(&folder).iter().map(|file| compress_file(file, &to)).collect()
}

fn compress_file(file: &Path, to: &Path) -> (String, PathBuf) {
    println!("cargo::rerun-if-changed={}", file.display());
    let name = file.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    let text = fs::read(file).expect("a shipped file can be read");
    let compressed = to.join(format!("{name}.deflate"));
    fs::write(&compressed, miniz_oxide::deflate::compress_to_vec(&text, LEVEL))
        .expect("the build folder can be written");
    (name, compressed)
}

/// JSON files, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("there is a folder of shipped files");
    let paths = entries.map(|entry| entry.expect("the folder can be read").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
    files.sort_by(|a, b| a.file_stem().cmp(&b.file_stem()));
    files
}

fn out(name: &str) -> PathBuf {
    Path::new(&variable("OUT_DIR")).join(name)
}

fn variable(name: &str) -> String {
    env::var(name).expect("cargo sets it")
}
