//! Where a linker puts functions: objects are linked, without the libraries, and the symbols of the executable are read.
//!
//! Whether the body of a short loop crosses a border of lines of decoded operations decides between one and two cycles per
//! iteration on some cores ([`crate::core`]). The places hang on the objects, their order, and how many functions of
//! libraries are called, not on what these libraries hold.

use crate::compile::{self, BOUNDS, Compilation};
use crate::object_code::{CompiledUnit, Placement};
use chronos_base::children;
use chronos_base::hash::FxHashMap;
use chronos_base::temporary::Folder;
use object::{Object as _, ObjectSymbol as _, SymbolKind};
use std::process::Command;

/// Addresses of functions in the executable, by their symbols; those that several functions have are left out.
pub type LinkedAddresses = FxHashMap<String, u64>;

/// The functions of the program that these objects are, in this order. Empty where it cannot be known: the linker refuses, there is
/// no `main`, so that these are not all objects, or one calls MPI, whose built-in header makes calls of another length than that
/// of the MPI it will run with.
pub fn addresses(compilation: &Compilation, objects: &[&[u8]]) -> LinkedAddresses {
    if objects.iter().any(|object| calls_mpi(object)) {
        return LinkedAddresses::default();
    }
    let found = executable(compilation, objects).and_then(|bytes| functions(&bytes));
    found.filter(|found| found.contains_key("main")).unwrap_or_default()
}

/// Tells each function of a unit by how much it lies behind its place in the object.
pub fn place(unit: &mut CompiledUnit, addresses: &LinkedAddresses) {
    for function in &mut unit.functions {
        let (Some(&linked), Some(first)) = (addresses.get(&*function.name), function.instructions.first()) else {
            continue;
        };
        function.placement = Placement::Known(linked.wrapping_sub(first.address));
    }
}

fn calls_mpi(object: &[u8]) -> bool {
    let Ok(file) = object::File::parse(object) else { return true };
    file.symbols().any(|symbol| symbol.is_undefined() && symbol.name().is_ok_and(|name| name.starts_with("MPI_")))
}

fn executable(compilation: &Compilation, objects: &[&[u8]]) -> Option<Vec<u8>> {
    let folder = Folder::new().ok()?;
    let (program, flags) = compilation.command.split_first()?;
    let mut command = Command::new(program);
    command.env("LC_ALL", "C").args(compile::kept(flags)).args(["-fno-lto", "-w"]);
    for (at, object) in objects.iter().enumerate() {
        let path = folder.path().join(format!("{at}.o"));
        std::fs::write(&path, object).ok()?;
        command.arg(path);
    }
    let made = folder.path().join("executable");
    command.arg("-Wl,--unresolved-symbols=ignore-all").arg("-o").arg(&made);
    let output = children::bounded(&mut command, None, BOUNDS).ok()?;
    if output.status.success() { std::fs::read(made).ok() } else { None }
}

fn functions(executable: &[u8]) -> Option<LinkedAddresses> {
    let file = object::File::parse(executable).ok()?;
    let mut found: FxHashMap<String, Option<u64>> = FxHashMap::default();
    for symbol in file.symbols() {
        let Ok(name) = symbol.name() else { continue };
        if symbol.kind() != SymbolKind::Text || symbol.is_undefined() {
            continue;
        }
        let address = symbol.address();
        found
            .entry(name.to_owned())
            .and_modify(|known| *known = known.filter(|&at| at == address))
            .or_insert(Some(address));
    }
    Some(found.into_iter().filter_map(|(name, address)| Some((name, address?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(sources: &[&str]) -> LinkedAddresses {
        let folder = tempfile::tempdir().expect("a folder");
        let compilation = Compilation { command: vec!["gcc".to_owned(), "-O2".to_owned()], ..Compilation::default() };
        let objects: Vec<Vec<u8>> = sources
            .iter()
            .map(|text| {
                let file = folder.path().join("a.c");
                std::fs::write(&file, text).expect("written");
                compile::object_of(&compilation, &file).expect("compiled").bytes
            })
            .collect();
        addresses(&compilation, &objects.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    #[test]
    fn functions_lie_where_the_linker_puts_them() {
        let found = check(&[
            "int g(int); int main(void) { return g(1); }",
            "double sin(double); int g(int a) { return sin(a); }",
        ]);
        let distance = found["g"] - found["main"];
        // Objects follow each other, the library need not be there.
        assert!((1..4096).contains(&distance), "{found:?}");
    }

    #[test]
    fn a_name_of_two_functions_and_calls_of_mpi_are_not_known() {
        let f = "static __attribute__((noinline)) int f(int a) { return a * a; }";
        let found = check(&[
            &format!("{f} int main(int c, char **v) {{ return f(c); }}"),
            &format!("{f} int g(int a) {{ return f(a); }}"),
        ]);
        assert!(found.contains_key("main") && !found.contains_key("f"), "{found:?}");
        assert!(check(&["int MPI_Finalize(void); int main(void) { return MPI_Finalize(); }"]).is_empty());
        assert!(check(&["int f(int a) { return a; }"]).is_empty());
    }
}
