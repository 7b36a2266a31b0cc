//! Which machine file is meant, where it is not named in full.
//!
//! Whoever tries a program wants an answer for the computer at hand, with the compiler at hand: `native`, or nothing at
//! all, stands for that. A part of a name (`zen5`) stands for the processor, and the program's build chooses among its
//! files. What was chosen is always said; a file of another build is used with a warning, a file of another processor
//! never. The module asks nobody and measures nothing.

mod build;
mod processor;

use crate::{Machine, codes, embedded_names};
use build::Distance;
use chronos_base::diag::Diagnostic;
use std::path::PathBuf;

pub use build::{Build, CompilerKind};
pub use processor::Processor;

/// By this name `--machine` asks for the processor at hand.
pub const NATIVE: &str = "native";

/// Where the choice is made: the processor, the build, and files that were measured here before.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The processor at hand.
    pub processor: Processor,
    /// How the program is built.
    pub build: Build,
    /// Whether somebody named the compiler of the program, or it is the usual one.
    pub named_compiler: bool,
    /// Machine files that calibrations of this user left.
    pub kept: Vec<PathBuf>,
}

/// A machine file that was chosen.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// What [`Machine::load`] finds it by: the name of a shipped file, or a path.
    pub reference: String,
    /// The file.
    pub machine: Machine,
    /// That it was chosen, and what is wrong with that.
    pub diagnostics: Vec<Diagnostic>,
}

impl Chosen {
    /// Found by this name or path; nothing is said of it yet.
    fn load(reference: &str) -> Result<Self, Diagnostic> {
        let machine = Machine::load(reference)?;
        Ok(Self { reference: reference.to_owned(), machine, diagnostics: Vec::new() })
    }
}

impl Surroundings {
    /// What a machine file that is measured here is called: `amd-epyc-family-26-model-2-gcc12-O2`.
    #[must_use]
    pub fn short(&self) -> String {
        format!("{}-{}", self.processor.short(), self.build.short())
    }

    /// The machine that `name` stands for, and what is to be said of that.
    ///
    /// # Errors
    /// No such machine, a part of a name that stands for several processors, no file of this processor; and those of
    /// [`Machine::load`].
    pub fn machine(&self, name: &str) -> Result<Chosen, Diagnostic> {
        if name == NATIVE {
            return self.native();
        }
        let parts: Vec<&str> = embedded_names().filter(|shipped| is_part(name, shipped)).collect();
        if parts.is_empty() || parts.contains(&name) {
            return self.named_in_full(name);
        }
        let parts: Vec<Chosen> = parts.into_iter().map(Chosen::load).collect::<Result<_, _>>()?;
        if parts.iter().any(|part| part.machine.processor != parts[0].machine.processor) {
            return Err(ambiguous(name, &parts));
        }
        Ok(self.said(self.nearest(parts), &format!("the shipped file that fits `{name}`")))
    }

    /// Whether there is a file of this processor and compiler.
    #[must_use]
    pub fn knows_native(&self) -> bool {
        self.candidates().is_some()
    }

    fn named_in_full(&self, name: &str) -> Result<Chosen, Diagnostic> {
        let mut chosen = Chosen::load(name)?;
        chosen.diagnostics.extend(self.warning(&chosen.machine).filter(|_| self.named_compiler));
        Ok(chosen)
    }

    fn native(&self) -> Result<Chosen, Diagnostic> {
        let (candidates, what) = self.candidates().ok_or_else(|| self.unknown_processor())?;
        Ok(self.said(self.nearest(candidates), &what))
    }

    /// Files of this very processor: measured here, else shipped; else shipped ones of its microarchitecture. Of a
    /// compiler of the same kind, and never none.
    fn candidates(&self) -> Option<(Vec<Chosen>, String)> {
        let same_kind = |found: &Chosen| !self.distance(&found.machine).other_kind;
        let here = |found: &Chosen| found.machine.provenance.cpu == self.processor.name;
        // A file that cannot be read any more (another version wrote it, it is damaged) is measured again.
        let kept = self.kept.iter().filter_map(|path| Chosen::load(&path.to_string_lossy()).ok());
        let same_build = |found: &Chosen| self.distance(&found.machine) == Distance::default();
        let kept: Vec<Chosen> = kept.filter(|found| here(found) && same_build(found)).collect();
        if !kept.is_empty() {
            return Some((kept, "measured here".to_owned()));
        }
        let shipped = |fits: &dyn Fn(&str) -> bool| -> Vec<Chosen> {
            let names = embedded_names().filter(|name| fits(name));
            names.filter_map(|name| Chosen::load(name).ok()).filter(same_kind).collect()
        };
        let processor = &self.processor.name;
        // Virtual machines may show a model of another microarchitecture, so the name of the processor comes first.
        let of_this: Vec<Chosen> = shipped(&|_| true).into_iter().filter(here).collect();
        if !of_this.is_empty() {
            return Some((of_this, format!("shipped, of this processor ({processor})")));
        }
        let prefix = self.processor.shipped_prefix?;
        let similar = shipped(&|name| name.starts_with(prefix));
        let what = format!(
            "shipped, of a processor with the same cores as this one ({processor}), clock and caches may differ"
        );
        (!similar.is_empty()).then_some((similar, what))
    }

    fn distance(&self, machine: &Machine) -> Distance {
        self.build.distance(&Build::of_machine(&machine.compiler))
    }

    /// The machine whose build is nearest; of equal ones the first.
    fn nearest(&self, candidates: Vec<Chosen>) -> Chosen {
        let nearest = candidates.into_iter().min_by_key(|found| self.distance(&found.machine));
        nearest.expect("there is a machine to choose from")
    }

    fn said(&self, mut chosen: Chosen, what: &str) -> Chosen {
        let assumed = match &self.build.level {
            None => format!("; -O{} is assumed, --cc \"gcc -O3\" says otherwise", build::USUAL_LEVEL),
            Some(_) => String::new(),
        };
        let message = format!("the machine is {}: {what}{assumed}", chosen.machine.name);
        chosen.diagnostics.push(Diagnostic::note(&codes::CHOSEN_MACHINE, message));
        chosen.diagnostics.extend(self.warning(&chosen.machine));
        chosen
    }

    /// That the machine file is of another build than the program, where the program's is known.
    #[must_use]
    pub fn warning(&self, machine: &Machine) -> Option<Diagnostic> {
        let distance = self.distance(machine);
        if self.build.level.is_none() || !distance.matters() {
            return None;
        }
        let message = format!(
            "the machine `{}` is of `{} {}`, the program is built with `{}`",
            machine.name,
            machine.compiler.command,
            machine.compiler.flags.join(" "),
            self.build.command,
        );
        Some(Diagnostic::warning(&codes::OTHER_BUILD, message).help(self.remedy(machine)))
    }

    fn remedy(&self, machine: &Machine) -> String {
        let fits = |other: &Machine| other.processor == machine.processor && !self.distance(other).matters();
        match embedded_names().filter_map(|name| Machine::load(name).ok()).find(fits) {
            Some(other) => format!("--machine {} is of this build", other.name),
            None => format!(
                "chronos calibrate --cc \"{}\" -o here.json measures this build, then --machine here.json",
                self.build.command
            ),
        }
    }

    fn unknown_processor(&self) -> Diagnostic {
        let message = format!(
            "there is no machine file of this processor ({}) with `{}`",
            self.processor.name, self.build.command
        );
        let help = format!(
            "chronos calibrate --brief --cc \"{}\" measures it in a quarter of a minute and keeps the file; \
             or name a machine: {}",
            self.build.levelled_command(),
            embedded_names().collect::<Vec<_>>().join(", ")
        );
        Diagnostic::error(&codes::UNKNOWN_PROCESSOR, message).help(help)
    }
}

/// Whether `part` is the beginning of a name, or of one of the words between its hyphens.
fn is_part(part: &str, name: &str) -> bool {
    !part.is_empty() && (name.starts_with(part) || name.contains(&format!("-{part}")))
}

fn ambiguous(name: &str, found: &[Chosen]) -> Diagnostic {
    let names: Vec<&str> = found.iter().map(|found| &*found.reference).collect();
    Diagnostic::error(&codes::UNKNOWN_MACHINE, format!("`{name}` stands for machines of several processors"))
        .help(format!("name one of them: {}", names.join(", ")))
}

#[cfg(test)]
mod tests;
