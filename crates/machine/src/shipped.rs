//! Files that are part of the program, as the build script has compressed them (DEFLATE): their text would be a tenth
//! of it.

/// Names and compressed texts.
pub(crate) type ShippedFiles = &'static [(&'static str, &'static [u8])];

/// The compressed text of a file, by folder and name: names of one folder may be those of another one.
macro_rules! shipped {
    ($name:literal) => {
        include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".deflate"))
    };
}

/// The name and the text of the file of this name.
pub(crate) fn named(files: ShippedFiles, name: &str) -> Option<(&'static str, String)> {
    let &(name, compressed) = files.iter().find(|&&(known, _)| known == name)?;
    let bytes = miniz_oxide::inflate::decompress_to_vec(compressed).ok()?;
    Some((name, String::from_utf8(bytes).ok()?))
}
