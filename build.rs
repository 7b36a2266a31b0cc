//! Compresses the published schemas for `chronos schema`: their text would be a hundredth of the program.

use std::path::Path;
use std::{env, fs};

/// The best that DEFLATE gives: it is done once.
const LEVEL: u8 = 10;

fn main() {
    let folder = Path::new(&variable("CARGO_MANIFEST_DIR")).join("schemas");
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(&folder).expect("there is a folder of schemas") {
        let path = entry.expect("the folder can be read").path();
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read(&path).expect("a schema can be read");
        let name = path.with_extension("deflate");
        let to = Path::new(&variable("OUT_DIR")).join(name.file_name().expect("a file has a name"));
        fs::write(to, miniz_oxide::deflate::compress_to_vec(&text, LEVEL)).expect("the build folder can be written");
    }
}

fn variable(name: &str) -> String {
    env::var(name).expect("cargo sets it")
}
