//! From the steps of a build to the programs that it links, each with the sources that it consists of.

use crate::record::Call;
use crate::steps::{self, Product, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A program that a build links.
#[derive(Clone, Debug)]
pub struct Executable {
    /// Where the build puts it.
    pub path: PathBuf,
    /// What it consists of, in the order of linking.
    pub units: Vec<Unit>,
    /// Flags that link what is not of the build, by absolute paths: folders, libraries.
    pub link: Vec<String>,
    /// Objects among them that the build has not compiled from C.
    pub older_objects: Vec<PathBuf>,
    /// It is linked with an MPI.
    pub mpi: bool,
}

/// What the calls of a build made.
#[derive(Debug, Default)]
pub struct Made {
    /// The programs that it linked from sources that are still there.
    pub programs: Vec<Executable>,
    /// How many sources it compiled that are still there.
    pub sources: usize,
    /// A program that it linked without compiling any of its sources.
    pub linked_only: Option<PathBuf>,
}

/// A source as it was compiled for a program.
#[derive(Clone, Debug)]
pub struct Unit {
    /// The source.
    pub source: PathBuf,
    /// The call that compiled it.
    pub call: Call,
}

impl Executable {
    /// The file's name.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The programs that the calls link from sources that are still there: what `configure` and `cmake` compile as a trial is
/// not. A program that is linked again is as it was linked last.
pub fn of(calls: &[Call]) -> Made {
    let mut build = Build::default();
    for call in calls {
        match steps::of(call) {
            Some(Step::Compile(compiled)) => {
                let object = |made: steps::Compiled| (made.object, Unit { source: made.source, call: call.clone() });
                build.objects.extend(compiled.into_iter().map(object));
            }
            Some(Step::Collect(product)) => build.collect(product, call),
            Some(Step::Link(product)) => build.link(product, call),
            None => {}
        }
    }
    let complete =
        |program: &Executable| !program.units.is_empty() && program.units.iter().all(|unit| unit.source.exists());
    let sources: BTreeSet<&PathBuf> =
        build.objects.values().map(|unit| &unit.source).filter(|path| path.exists()).collect();
    let sources = sources.len();
    let linked_only =
        build.programs.values().find(|program| program.units.is_empty() && !program.older_objects.is_empty());
    let linked_only = linked_only.map(|program| program.path.clone());
    Made { programs: build.programs.into_values().filter(complete).collect(), sources, linked_only }
}

/// Libraries of the C interface of an MPI.
const MPI: [&str; 5] = ["mpi", "mpich", "open-rte", "open-pal", "pmpi"];

/// The folders of `-L`.
fn folders(arguments: &[String]) -> impl Iterator<Item = &str> {
    let apart = arguments.iter().zip(arguments.iter().skip(1)).filter(|(flag, _)| *flag == "-L");
    let apart = apart.map(|(_, folder)| folder.as_str());
    apart.chain(arguments.iter().filter_map(|word| word.strip_prefix("-L")).filter(|folder| !folder.is_empty()))
}

fn is_object(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "o")
}

#[derive(Default)]
struct Build {
    objects: BTreeMap<PathBuf, Unit>,
    /// What libraries consist of.
    libraries: BTreeMap<PathBuf, Vec<Unit>>,
    programs: BTreeMap<PathBuf, Executable>,
}

impl Build {
    /// `ar r` adds to what the library had; members of the same object are replaced.
    fn collect(&mut self, product: Product, call: &Call) {
        let units = self.units(&product, call);
        let members = self.libraries.entry(product.path).or_default();
        members.retain(|old| units.iter().all(|new| new.source != old.source));
        members.extend(units);
    }

    fn link(&mut self, product: Product, call: &Call) {
        let mut seen = BTreeSet::new();
        let mut units = self.units(&product, call);
        units.retain(|unit| seen.insert(unit.source.clone()));
        let link = self.foreign(&product, call);
        let is_older = |path: &&PathBuf| !self.objects.contains_key(*path) && is_object(path) && path.exists();
        let older_objects = product.inputs.iter().filter(is_older).cloned().collect();
        let mpi = call.is_of_mpi() || product.libraries.iter().any(|name| MPI.contains(&name.as_str()));
        self.programs.insert(product.path.clone(), Executable { path: product.path, units, link, older_objects, mpi });
    }

    /// What a program is linked with that the build has not made. An MPI is not among it: another one may take its place.
    fn foreign(&self, product: &Product, call: &Call) -> Vec<String> {
        let folders = folders(&call.arguments).map(|folder| format!("-L{}", call.directory.join(folder).display()));
        let is_made = |path: &PathBuf| self.objects.contains_key(path) || self.libraries.contains_key(path);
        let files = product.inputs.iter().filter(|path| !is_made(path) && path.exists());
        let files = files.map(|path| path.display().to_string());
        let foreign = |name: &&String| self.library(name).is_empty() && !MPI.contains(&name.as_str());
        let libraries = product.libraries.iter().filter(foreign).map(|name| format!("-l{name}"));
        folders.chain(files).chain(libraries).collect()
    }

    fn units(&self, product: &Product, call: &Call) -> Vec<Unit> {
        let own = product.sources.iter().map(|source| Unit { source: source.clone(), call: call.clone() });
        let inputs = product.inputs.iter().flat_map(|path| self.input(path));
        let libraries = product.libraries.iter().flat_map(|name| self.library(name));
        own.chain(inputs).chain(libraries).collect()
    }

    fn input(&self, path: &Path) -> Vec<Unit> {
        let object = self.objects.get(path).map(|unit| vec![unit.clone()]);
        object.or_else(|| self.libraries.get(path).cloned()).unwrap_or_default()
    }

    /// Libraries of a build are found by their names alone: the folders of `-L` may be links.
    fn library(&self, name: &str) -> Vec<Unit> {
        let files = [format!("lib{name}.a"), format!("lib{name}.so")];
        let is_it = |path: &Path| path.file_name().is_some_and(|own| files.iter().any(|file| own == file.as_str()));
        self.libraries.iter().find(|(path, _)| is_it(path)).map(|(_, units)| units.clone()).unwrap_or_default()
    }
}
