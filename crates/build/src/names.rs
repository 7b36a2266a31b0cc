//! Which programs of a build are compilers, linkers and archivers, by their names.

use std::ffi::OsStr;
use std::path::Path;

/// What a program of a build does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// Compiles and links C.
    C,
    /// Compiles and links C++.
    Cxx,
    /// As [`Tool::C`], with an MPI.
    MpiC,
    /// As [`Tool::Cxx`], with an MPI.
    MpiCxx,
    /// Joins objects in a library.
    Archiver,
}

/// Names that are wrapped even where there is no such program, because makefiles call them. The compilers of vendors are
/// wrapped only where they are installed: what they would make of the sources, others do not.
pub const ALWAYS: [&str; 6] = ["cc", "mpicc", "mpigcc", "mpicxx", "mpic++", "mpiCC"];

impl Tool {
    /// Of a program's name, without its folder; `None` for any other program.
    pub fn of(name: &str) -> Option<Self> {
        match name {
            "mpicc" | "mpigcc" | "mpiicc" | "mpiicx" | "mpiclang" | "mpixlc" => return Some(Self::MpiC),
            "mpicxx" | "mpic++" | "mpiCC" | "mpigxx" | "mpiicpc" | "mpiicpx" => return Some(Self::MpiCxx),
            _ => {}
        }
        match without_affixes(name) {
            "cc" | "gcc" | "clang" | "c99" | "c89" | "c11" | "icc" | "icx" | "tcc" => Some(Self::C),
            "c++" | "g++" | "clang++" | "icpc" | "icpx" => Some(Self::Cxx),
            "ar" | "gcc-ar" | "llvm-ar" => Some(Self::Archiver),
            _ => None,
        }
    }

    /// Of a program's path.
    pub fn of_path(program: &str) -> Option<Self> {
        Self::of(Path::new(program).file_name().and_then(OsStr::to_str)?)
    }

    /// The compiler that stands for it where no MPI is installed.
    pub fn without_mpi(self) -> Option<&'static str> {
        match self {
            Self::MpiC => Some("cc"),
            Self::MpiCxx => Some("c++"),
            Self::C | Self::Cxx | Self::Archiver => None,
        }
    }
}

/// `gcc` of `x86_64-linux-gnu-gcc-12`.
fn without_affixes(name: &str) -> &str {
    let is_version = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let name = name.rsplit_once('-').filter(|(_, version)| is_version(version)).map_or(name, |(stem, _)| stem);
    let archivers = ["gcc-ar", "llvm-ar"].into_iter().find(|archiver| name.ends_with(archiver));
    archivers.unwrap_or_else(|| name.rsplit_once('-').map_or(name, |(_, last)| last))
}

#[cfg(test)]
mod tests {
    use super::Tool;

    #[test]
    fn compilers_are_known_by_their_names_with_targets_and_versions() {
        let check = |name: &str, expected| assert_eq!(Tool::of(name), expected, "{name}");
        check("gcc", Some(Tool::C));
        check("x86_64-linux-gnu-gcc-12", Some(Tool::C));
        check("clang-14", Some(Tool::C));
        check("mpicc", Some(Tool::MpiC));
        check("mpicxx", Some(Tool::MpiCxx));
        check("aarch64-linux-gnu-ar", Some(Tool::Archiver));
        check("gcc-ar-12", Some(Tool::Archiver));
        check("make", None);
        check("x86_64-linux-gnu-ld", None);
        check("gcc-nm", None);
    }
}
