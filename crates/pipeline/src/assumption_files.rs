//! Files of assumptions: from their entries to blocks.

use super::locations;
use super::options::ProgramOptions;
use super::values::LocatedValue;
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_ir::places::Decision;
use chronos_ir::{BlockId, Program};
use chronos_predict::assumptions::{AssumptionFile, codes};
use chronos_slicing::Assumptions;
use std::path::Path;

/// What the files say, by block; of two entries for one place the later one counts.
pub fn read(options: &ProgramOptions, program: &Program) -> Result<Assumptions, Vec<Diagnostic>> {
    let mut assumed = Assumptions::default();
    let mut errors = Vec::new();
    for path in &options.assumption_files {
        match AssumptionFile::load(path) {
            Ok(file) => Resolver { path, options, program, errors: &mut errors }.resolve(file, &mut assumed),
            Err(faults) => errors.extend(faults),
        }
    }
    if errors.is_empty() { Ok(assumed) } else { Err(errors) }
}

struct Resolver<'a> {
    path: &'a Path,
    options: &'a ProgramOptions,
    program: &'a Program,
    errors: &'a mut Vec<Diagnostic>,
}

impl Resolver<'_> {
    fn resolve(mut self, file: AssumptionFile, assumed: &mut Assumptions) {
        for (i, entry) in file.branches.into_iter().enumerate() {
            let value = entry.probability.map(|p| located(entry.file, entry.line, entry.column, p));
            self.enter(&format!("branches[{i}]"), value, Decision::Branch, &mut assumed.probability);
        }
        for (i, entry) in file.loops.into_iter().enumerate() {
            let value = entry.iterations.map(|n| located(entry.file, entry.line, entry.column, n));
            self.enter(&format!("loops[{i}]"), value, Decision::Loop, &mut assumed.iterations);
        }
    }

    /// Entries without a value say nothing, so their places need not exist.
    fn enter(
        &mut self,
        entry: &str,
        value: Option<LocatedValue>,
        decision: Decision,
        into: &mut FxHashMap<BlockId, f64>,
    ) {
        let here = |place: &LocatedValue| !locations::is_in_another_program(self.options, self.program, place);
        let Some(place) = value.filter(here) else { return };
        match locations::blocks_at(self.program, &place, decision) {
            Ok(blocks) => into.extend(blocks.into_iter().map(|block| (block, place.number))),
            Err(error) => self.errors.push(self.of_entry(entry, &place, decision, error)),
        }
    }

    fn of_entry(&self, entry: &str, place: &LocatedValue, decision: Decision, error: Diagnostic) -> Diagnostic {
        let what = if decision == Decision::Loop { "loop" } else { "branch" };
        let column = place.column.map_or(String::new(), |column| format!(":{column}"));
        let several = error.code == &super::codes::AMBIGUOUS_PLACE;
        let found = if several { format!("more than one {what} begins") } else { format!("no {what} begins") };
        let message = format!("{}: {entry}: {found} at {}:{}{column}", self.path.display(), place.file, place.line);
        let named = Diagnostic::error(&codes::PLACE, message);
        error.help.iter().fold(named, |named, help| named.help(help.clone()))
    }
}

fn located(file: String, line: u32, column: Option<u32>, number: f64) -> LocatedValue {
    LocatedValue { file, line, column, number }
}
