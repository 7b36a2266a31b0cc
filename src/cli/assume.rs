//! Files named by `--assume`: from entries to blocks.

use super::front_end::{block_at, other_places};
use super::values::Placed;
use crate::assumptions::{AssumptionFile, codes};
use crate::count::Assumptions;
use crate::diag::Diagnostic;
use crate::program::{BlockId, Program};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// What the files say, by block; of two entries for one place the later one counts.
pub fn read(files: &[PathBuf], program: &Program) -> Result<Assumptions, Vec<Diagnostic>> {
    let mut assumed = Assumptions::default();
    let mut errors = Vec::new();
    for path in files {
        match AssumptionFile::load(path) {
            Ok(file) => Resolver { path, program, errors: &mut errors }.resolve(file, &mut assumed),
            Err(faults) => errors.extend(faults),
        }
    }
    if errors.is_empty() { Ok(assumed) } else { Err(errors) }
}

struct Resolver<'a> {
    path: &'a Path,
    program: &'a Program,
    errors: &'a mut Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn resolve(mut self, file: AssumptionFile, assumed: &mut Assumptions) {
        for (i, entry) in file.branches.into_iter().enumerate() {
            let given = entry.probability.map(|p| placed(entry.file, entry.line, entry.column, p));
            self.enter(&format!("branches[{i}]"), given, false, &mut assumed.probability);
        }
        for (i, entry) in file.loops.into_iter().enumerate() {
            let given = entry.iterations.map(|n| placed(entry.file, entry.line, entry.column, n));
            self.enter(&format!("loops[{i}]"), given, true, &mut assumed.iterations);
        }
    }

    /// Entries without a value say nothing, so their places need not exist.
    fn enter(&mut self, entry: &str, given: Option<Placed>, is_loop: bool, into: &mut HashMap<BlockId, f64>) {
        let Some(place) = given else { return };
        match block_at(self.program, &place, is_loop) {
            Some(block) => drop(into.insert(block, place.number)),
            None => self.errors.push(self.unknown(entry, &place, is_loop)),
        }
    }

    fn unknown(&self, entry: &str, place: &Placed, is_loop: bool) -> Diagnostic {
        let what = if is_loop { "loop" } else { "branch" };
        let column = place.column.map_or(String::new(), |column| format!(":{column}"));
        let (path, file, line) = (self.path.display(), &place.file, place.line);
        let message = format!("{path}: {entry}: no {what} begins at {file}:{line}{column}");
        Diagnostic::error(&codes::PLACE, message).help(other_places(self.program, place, is_loop))
    }
}

fn placed(file: String, line: u32, column: Option<u32>, number: f64) -> Placed {
    Placed { file, line, column, number }
}
