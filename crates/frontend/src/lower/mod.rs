//! Lowering: from the syntax trees of all translation units to the program.
//!
//! Names are resolved, types laid out, implicit conversions made explicit, constant expressions
//! folded and control flow brought into regions; the blocks are then formed by
//! [`chronos_ir::build`]. This module must not know costs or the meaning of MPI calls.
//!
//! Functions that the user's files define have their ids before any body is lowered, so whether a
//! name is defined in the program is known at each call. What system headers declare or define is
//! looked at when it is used.

pub mod codes;
mod context;
mod declarations;
mod expressions;
pub(crate) mod input;
mod linking;
mod statements;
mod types;
pub use context::item::not_declared;
pub use input::{LowerInput, Settings};
#[cfg(test)]
mod tests;

use crate::Sources;
use crate::lower::context::interner::Interner;
use crate::lower::context::lowerer::{Lowerer, PieceInput, UnitInput};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_base::span::{FileId, Span};
use chronos_ir::raw::RawProgram;
use chronos_ir::{DataModel, Generators, OpenMp, Program, build};
use context::body::Body;
use context::free_names::Parameters;
use context::linkage::Linkage;
use context::scopes::Scopes;
use std::sync::Arc;

/// Deep nesting of the source means deep recursion here.
const STACK_BYTES: usize = 1 << 30;

/// Lowers and links all units. `files` and `pragmas` of the program are for the caller to fill in.
pub fn lower(units: &[LowerInput<'_>], model: DataModel, settings: &Settings) -> (Program, Vec<Diagnostic>) {
    let units: Vec<_> = units.iter().map(UnitInput::from).collect();
    lower_units(&units, model, settings)
}

fn lower_units(units: &[UnitInput<'_>], model: DataModel, settings: &Settings) -> (Program, Vec<Diagnostic>) {
    let run = || lower_here(units, model, settings);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // No memory for the large stack: ordinary sources do without.
            Err(_) => run(),
        }
    })
}

/// Lowers what the front end read, files and pragmas included.
pub fn lower_sources(sources: &Sources, settings: &Settings) -> (Program, Vec<Diagnostic>) {
    type SpanOf<'a> = Box<dyn Fn(lang_c::span::Span) -> Span + Sync + 'a>;
    type IsSystem<'a> = Box<dyn Fn(FileId) -> bool + Sync + 'a>;
    let maps: Vec<(SpanOf<'_>, IsSystem<'_>)> = sources
        .units
        .iter()
        .map(|unit| {
            let span: SpanOf<'_> = Box::new(|span| unit.lines.span(span));
            let is_system: IsSystem<'_> = Box::new(|file| !unit.lines.is_user_file(file));
            (span, is_system)
        })
        .collect();
    let inputs: Vec<UnitInput<'_>> = sources
        .units
        .iter()
        .zip(&maps)
        .map(|(unit, (span, is_system))| {
            let pieces = unit.pieces.iter().map(PieceInput::from).collect();
            UnitInput {
                pieces,
                span,
                file: unit.file,
                is_system,
                weak: &unit.weak,
                threadprivate: &unit.threadprivate,
                dialect: unit.dialect,
            }
        })
        .collect();
    let (mut program, diagnostics) = lower_units(&inputs, sources.model, settings);
    program.files = Arc::new(sources.files.clone());
    program.pragmas.clone_from(&sources.pragmas);
    program.departures.clone_from(&sources.departures);
    if let (Some(openmp), Some(threads)) = (&mut program.openmp, sources.threads) {
        (openmp.threads, openmp.given) = (threads, sources.threads_given);
        openmp.schedule = sources.omp_schedule;
    } else {
        program.openmp = None;
    }
    (program, diagnostics)
}

fn lower_here(units: &[UnitInput<'_>], model: DataModel, settings: &Settings) -> (Program, Vec<Diagnostic>) {
    let generators = Generators { library: settings.c_library, ..Generators::default() };
    let mut raw = RawProgram { model, generators, ..RawProgram::default() };
    let mut linkage = Linkage::default();
    let indices: Vec<_> = units.iter().map(|unit| linkage.index(unit, &mut raw)).collect();
    if let Some(error) = linkage.duplicate_main() {
        // That other names are defined twice follows from it.
        return (build::build(RawProgram::default()), vec![error]);
    }
    let mut interner = Interner::new(&mut raw.types);
    let mut strings = FxHashMap::default();
    let mut free = Parameters::new(&settings.symbolic);
    let mut diagnostics = std::mem::take(&mut linkage.diagnostics);
    for (unit, index) in units.iter().zip(&indices) {
        let mut lowerer = Lowerer {
            unit,
            index,
            settings,
            program: raw,
            diagnostics,
            interner,
            strings,
            free,
            linkage,
            scopes: Scopes::new(),
            body: Body::default(),
            statics: FxHashMap::default(),
            system_functions: FxHashMap::default(),
            queue: Vec::new(),
            members: FxHashMap::default(),
            vectors: Vec::new(),
            prototype: 0,
            shift: 0,
        };
        lowerer.unit();
        lowerer.threadprivate();
        Lowerer { program: raw, diagnostics, interner, strings, free, linkage, .. } = lowerer;
    }
    linkage.finish(&mut raw, &mut diagnostics);
    free.finish(&mut raw, &mut diagnostics);
    let openmp = OpenMp {
        threads: 1,
        region: raw.parallel_region,
        threadprivate: raw.threadprivate.clone(),
        ..OpenMp::default()
    };
    (Program { openmp: Some(openmp), ..build::build(raw) }, diagnostics)
}
