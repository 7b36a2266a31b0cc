//! Which programs are known to be C compilers, and where they are looked for.

use std::path::{Path, PathBuf};

/// Names without the system that they compile for and without their version.
const NAMES: &[&str] = &[
    "amdclang", "armclang", "c89", "c99", "cc", "clang", "craycc", "fcc", "fccpx", "gcc", "h5cc", "h5pcc", "icc",
    "icx", "mpicc", "mpiclang", "mpifcc", "mpifccpx", "mpigcc", "mpiicc", "mpiicx", "mpixlc", "nvc", "opencc", "oshcc",
    "pcc", "pgcc", "suncc", "tcc", "xlc",
];
/// What distributions put behind a name: who made an MPI, the model of threads of MinGW, thread-safe calls of xlc.
const VARIANTS: &[&str] = &["openmpi", "mpich", "mvapich2", "intel", "win32", "posix", "mp"];
/// Where systems put programs; folders of PATH are added.
const SYSTEM: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin"];

/// `gcc`, `/usr/bin/aarch64-linux-gnu-gcc-12`, `clang14`, `mpicc.openmpi`.
pub(super) fn is_known(program: &str) -> bool {
    let name = program.rsplit('/').next().unwrap_or(program);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    let is_end = |part: &&str| VARIANTS.contains(part) || part.chars().all(|c| c.is_ascii_digit());
    let parts = || name.split(['-', '.']).rev().skip_while(is_end);
    let last = parts().next().unwrap_or_default();
    let unnumbered = last.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches("_r");
    name.chars().all(is_plain) && !name.starts_with('-') && [last, unnumbered].iter().any(|name| NAMES.contains(name))
}

pub(super) fn has_folder(program: &str) -> bool {
    program.contains('/')
}

/// An absolute path whose folder is one of these or of the system's.
pub(super) fn in_folders(program: &str, folders: &[PathBuf]) -> Option<String> {
    let folder = Path::new(program).parent().filter(|folder| folder.is_absolute())?;
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let wanted = real(folder);
    let mut known = folders.iter().map(PathBuf::as_path).chain(SYSTEM.iter().map(Path::new));
    known.any(|known| real(known) == wanted).then(|| program.to_owned())
}

/// The first of these folders that has the program, as a shell searches.
pub(super) fn found(program: &str, folders: &[PathBuf]) -> Option<String> {
    let mut paths = folders.iter().map(|folder| folder.join(program));
    paths.find(|path| is_program(path)).and_then(|path| path.into_os_string().into_string().ok())
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}
