//! Many predictions at once: one cell is a program, values of sweeps, a place and a number of tasks.
//!
//! A plan has all cells in the order in which they are told. They are computed on all processors and handed over
//! in that order, as soon as those before them are done; what a program does is evaluated once for all machines.
//! This module must not know how predictions are shown.

mod cache;
pub mod places;
mod programs;
mod run;

use super::args::{CostModelChoice, FrontEndArgs, SweepArgs};
use super::exit::Exit;
use super::loaded::Loaded;
use super::output::Terminal;
use super::sweeps::combinations;
use super::timeline::TraceOut;
use crate::cost::{ModelName, Source};
use crate::diag::Diagnostic;
use crate::machine::network::Network;
use crate::machine::scale::Factor;
use crate::machine::{self, Machine};
use crate::report::model::{DiagnosticData, LabelData, Prediction, SweepValue};
use crate::span::SourceFiles;
use crate::trace::sharing::Sharing;
use cache::Cache;
use places::Place;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A program to predict.
#[derive(Clone, Debug)]
pub struct ProgramRequest {
    /// How it is told from the others.
    pub name: String,
    pub front_end: FrontEndArgs,
}

/// What is to be predicted.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// At least one.
    pub programs: Vec<ProgramRequest>,
    pub machines: &'a [String],
    pub platforms: &'a [String],
    pub factors: &'a [Factor],
    pub network: &'a str,
    /// Whose decision rules choose the algorithms of collectives; `None`: those of the network file.
    pub mpi_library: Option<&'a str>,
    /// Files of recorded computing times without their last part, the rank, and how much slower the machine is.
    pub recorded: Option<(&'a Path, f64)>,
    pub tasks_per_node: u32,
    pub cost_model: Option<CostModelChoice>,
    pub tasks: &'a [usize],
    pub sweep: &'a SweepArgs,
    pub trace: Option<(&'a Path, Option<Sharing>)>,
    pub sensitivity: bool,
    /// Files to write of the one cell that there is.
    pub timelines: &'a [TraceOut],
    /// Spans of the timeline that a prediction holds; 0: no timeline.
    pub timeline_room: usize,
    /// Count iterations that repeat with the same timing instead of replaying them.
    pub jump_ahead: bool,
    /// Function that must be there, with the flag that names it.
    pub function: Option<(&'a str, &'a str)>,
}

/// One prediction to make.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Position among the programs of the request.
    pub program: usize,
    pub sweep: Vec<SweepValue>,
    /// Position among the places.
    pub place: usize,
    pub tasks: usize,
    /// Position among the programs as they were read.
    loaded: usize,
    /// Arguments of the program.
    arguments: Vec<String>,
}

/// A prediction that was made.
pub struct Done {
    pub prediction: Prediction,
    pub diagnostics: Vec<Diagnostic>,
    /// How writing timelines ended.
    pub exit: Exit,
    /// It comes from the folder of `--resume`.
    pub reused: bool,
    pub took: Duration,
}

/// All that is needed to make the predictions.
pub struct Plan<'a> {
    pub request: Request<'a>,
    pub places: Vec<Place>,
    network: Network,
    loaded: Vec<Loaded>,
    pub cells: Vec<Cell>,
    cache: Option<Cache>,
}

impl<'a> Plan<'a> {
    /// Reads everything that the flags name.
    ///
    /// # Errors
    /// What is wrong was reported; the exit code.
    pub fn new(request: Request<'a>, terminal: &Terminal) -> Result<Self, Exit> {
        let told = |errors: Vec<Diagnostic>| terminal.report(&errors, &SourceFiles::default());
        let (places, network) = places::load(&request).map_err(told)?;
        let combinations = combinations(&request.sweep.sweeps).map_err(|error| told(vec![error]))?;
        let cache = request.sweep.resume.as_deref().map(Cache::open).transpose().map_err(|e| told(vec![e]))?;
        let (loaded, cells) = programs::load(&request, &places, &combinations, terminal)?;
        Ok(Self { request, places, network, loaded, cells, cache })
    }

    pub fn place(&self, cell: &Cell) -> &Place {
        &self.places[cell.place]
    }

    /// The files that diagnostics of a cell speak of.
    pub fn files(&self, cell: &Cell) -> &Arc<SourceFiles> {
        &self.loaded[cell.loaded].files
    }

    /// All diagnostics of reading the programs.
    pub fn read(&self) -> impl Iterator<Item = (&Arc<SourceFiles>, &[Diagnostic])> {
        self.loaded.iter().map(|loaded| (&loaded.files, &loaded.diagnostics[..]))
    }

    fn network(&self, cell: &Cell) -> &Network {
        let own = self.place(cell).platform().and_then(|platform| platform.network.as_ref());
        own.unwrap_or(&self.network)
    }
}

/// The model that is asked for; else the best one that the machine has the figures of.
pub fn cost_model(choice: Option<CostModelChoice>, machine: &Machine) -> ModelName {
    match choice {
        Some(CostModelChoice::InstructionSum) => ModelName::InstructionSum,
        Some(CostModelChoice::Source) => ModelName::Source,
        None if Source::suits(machine) => ModelName::Source,
        None => ModelName::InstructionSum,
    }
}

/// Tells that the model is not the one that is usual, for a machine file of the user's; of shipped files, scaled ones
/// included, the guide does.
pub fn fallback(choice: Option<CostModelChoice>, machine: &Machine) -> Option<Diagnostic> {
    let base = machine.name.split(' ').next();
    let shipped = || machine::embedded_names().any(|name| Some(name) == base);
    Source::why_not(machine).filter(|_| choice.is_none() && !shipped())
}

/// Diagnostics of many cells, each kept once.
#[derive(Default)]
pub struct Collected {
    all: Vec<(Diagnostic, Arc<SourceFiles>)>,
    pub data: Vec<DiagnosticData>,
}

impl Collected {
    pub fn add(&mut self, diagnostics: &[Diagnostic], files: &Arc<SourceFiles>) {
        for diagnostic in diagnostics {
            let data = crate::report::diagnostics::data(diagnostic, files);
            if !self.data.iter().any(|known| is_same(known, &data)) {
                self.all.push((diagnostic.clone(), files.clone()));
                self.data.push(data);
            }
        }
    }

    /// Tells them all.
    pub fn report(&self, terminal: &Terminal) {
        for part in self.all.chunk_by(|(_, a), (_, b)| Arc::ptr_eq(a, b)) {
            let diagnostics: Vec<Diagnostic> = part.iter().map(|(diagnostic, _)| diagnostic.clone()).collect();
            terminal.report(&diagnostics, &part[0].1);
        }
    }

    pub fn has_errors(&self) -> bool {
        self.all.iter().any(|(diagnostic, _)| diagnostic.is_error())
    }
}

/// A diagnostic is told once, however many machines and numbers of tasks it holds for.
fn is_same(a: &DiagnosticData, b: &DiagnosticData) -> bool {
    let place = |label: &LabelData| (label.file.clone(), label.line, label.column, label.end_line, label.text.clone());
    let same = a.code == b.code && a.message == b.message && a.labels.len() == b.labels.len();
    same && a.labels.iter().zip(&b.labels).all(|(a, b)| place(a) == place(b))
}
