//! The headers of our own that stand in for an installed MPI and OpenMP.
//!
//! They are written to a directory that lives as long as the preprocessor; its name is random
//! and must never show, so places in it are called `<chronos>/mpi.h`.

pub use crate::source_text::file_names::BUNDLED;
use chronos_base::temporary::Folder;
use std::io;
use std::path::Path;

/// What `chronos header` prints.
pub const CHRONOS: &str = include_str!("../../runtime/chronos.h");

const FILES: &[(&str, &str)] = &[
    ("mpi.h", include_str!("../../runtime/mpi.h")),
    ("omp.h", include_str!("../../runtime/omp.h")),
    ("chronos.h", CHRONOS),
    ("pthread.h", include_str!("../../runtime/pthread.h")),
    ("semaphore.h", include_str!("../../runtime/semaphore.h")),
    // glibc asks for these by data model, and installs only those of its own.
    ("gnu/stubs-32.h", ""),
    ("gnu/stubs-x32.h", ""),
    // That of x86 would say 32 where the macros are those of another processor.
    ("aarch64/bits/wordsize.h", "#define __WORDSIZE 64\n#define __SYSCALL_WORDSIZE 64\n"),
];

/// Writes all headers to a directory of their own, removed on drop.
pub fn write() -> io::Result<Folder> {
    let directory = Folder::named("chronos-headers-")?;
    for (name, text) in FILES {
        write_file(&directory.path().join(name), text)?;
    }
    Ok(directory)
}

/// The same with an mpi.h whose constants stay names, so that preprocessed text can be compiled with any MPI.
pub(crate) fn write_with_names() -> io::Result<Folder> {
    let directory = write()?;
    // What is compiled starts real threads.
    for name in ["pthread.h", "semaphore.h"] {
        std::fs::remove_file(directory.path().join(name))?;
    }
    let (_, mpi) = FILES[0];
    write_file(&directory.path().join("mpi.h"), &constants_as_names(mpi))?;
    Ok(directory)
}

/// Makes a declared constant of every macro that is a number or a pointer; directives still find it defined.
fn constants_as_names(header: &str) -> String {
    let mut out = String::with_capacity(header.len() * 2);
    for line in header.lines() {
        match constant(line) {
            Some((name, value)) if value.contains('*') => {
                out.push_str(&format!("static void *const {name} = {value};\n#define {name} {name}\n"));
            }
            Some((name, value)) => out.push_str(&format!("enum {{ {name} = {value} }};\n#define {name} {name}\n")),
            None => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}

/// Name and value of a macro of MPI without parameters; versions may be compared in directives.
fn constant(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix("#define ")?.split_once(' ')?;
    let is_function = name.contains('(') || value.trim_start_matches('(').starts_with("MPI_Comm_c2f");
    let compared = matches!(name, "MPI_VERSION" | "MPI_SUBVERSION");
    (name.starts_with("MPI_") && !is_function && !compared && !value.trim().is_empty()).then_some((name, value.trim()))
}

/// Writes a file and the directories above it.
pub fn write_file(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent)?;
    }
    std::fs::write(path, text)
}

#[cfg(test)]
mod tests {
    use super::CHRONOS;
    use std::process::Command;

    const PROGRAM: &str = r#"
#include "chronos.h"
#include "chronos.h"
int main(void) {
  int i, s = 0;
  PIC_proba(s++ / 2.0);
  if (chronos_probability(s++), s > 3) s = 9;
  if ((PIC_proba(0.2), s == 0) && (PIC_proba(0.1), s < 2)) s += 2;
  chronos_iterations(s++);
  for (i = 0; i < 4; i++) s++;
  while (chronos_iterations(s++), s > 6) s--;
  return (PIC_proba(.5), s == 6) ? 0 : 1;
}
"#;

    /// Compiled strictly and run: the arguments have no effect.
    fn runs_as_nothing(compiler: &[&str]) {
        let directory = tempfile::tempdir().expect("temporary directory");
        let file = |name: &str| directory.path().join(name);
        std::fs::write(file("chronos.h"), CHRONOS).expect("written");
        std::fs::write(file("a.c"), PROGRAM).expect("written");
        let mut command = Command::new(compiler[0]);
        command.args(&compiler[1..]).args(["-pedantic", "-Wall", "-Wextra", "-Werror", "-O0", "-o"]);
        match command.arg(file("a")).arg(file("a.c")).status() {
            Ok(status) => assert!(status.success(), "{compiler:?}"),
            // This compiler is not installed.
            Err(_) => return,
        }
        assert!(Command::new(file("a")).status().expect("compiled").success(), "{compiler:?}");
    }

    #[test]
    fn the_header_is_nothing_to_compilers_of_c_and_cpp() {
        for compiler in ["gcc", "clang"] {
            for standard in ["-std=c89", "-std=c99", "-std=c11", "-std=c17"] {
                runs_as_nothing(&[compiler, standard]);
            }
        }
        for standard in ["-std=c++98", "-std=c++17"] {
            runs_as_nothing(&["g++", standard, "-x", "c++"]);
        }
    }
}
