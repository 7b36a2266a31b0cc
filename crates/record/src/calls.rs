//! A program of the recorded calls alone: one block for each place, in its function, file and line.
//!
//! Nothing executes it. It is what an activity's sites name, so that reports, pages and questions treat a recorded run as
//! they treat a program that was read.

use crate::folder::Record;
use crate::places::{SourcePlace, unknown};
use crate::task::CodePlace;
use chronos_base::hash::FxHashMap;
use chronos_base::span::{SourceFiles, Span};
use chronos_ir::build::build;
use chronos_ir::raw::{RawCall, RawFunction, RawItem, RawProgram};
use chronos_ir::types::{Type, TypeId};
use chronos_ir::{BlockId, BlockKind, Call, Callee, FuncId, Program};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A program, and which of its blocks stands for a place.
#[derive(Clone, Debug)]
pub struct CallProgram {
    /// Functions that hold nothing but calls.
    pub program: Arc<Program>,
    blocks: FxHashMap<CodePlace, BlockId>,
}

/// What makes a block: calls of one function on one line are one.
type Key = (SourcePlace, String);

impl CallProgram {
    /// Of all places of a record.
    pub fn new(record: &Record) -> Self {
        let named: FxHashMap<(&str, u64), &SourcePlace> =
            record.info.places.iter().map(|place| ((&*place.module, place.offset), &place.source)).collect();
        let source = |place: &CodePlace| {
            named.get(&(&*place.module, place.offset)).map_or_else(|| unknown(place), |&source| source.clone())
        };
        let keys: BTreeMap<&CodePlace, Key> =
            record.code_places().into_iter().map(|place| (place, (source(place), place.function.clone()))).collect();
        let mut functions: BTreeMap<(String, String), Vec<&Key>> = BTreeMap::new();
        for key in keys.values() {
            functions.entry((key.0.file.clone(), key.0.function.clone())).or_default().push(key);
        }
        let mut files = SourceFiles::default();
        let program = program(&functions, &mut files);
        let by_key = blocks(&program);
        let block = |(place, key): (&CodePlace, &Key)| Some((place.clone(), *by_key.get(key)?));
        let blocks = keys.iter().filter_map(|(&place, key)| block((place, key))).collect();
        Self { program: Arc::new(program), blocks }
    }

    /// The block of a place.
    pub fn block(&self, place: &CodePlace) -> Option<BlockId> {
        self.blocks.get(place).copied()
    }
}

fn program(functions: &BTreeMap<(String, String), Vec<&Key>>, files: &mut SourceFiles) -> Program {
    let mut raw = RawProgram::default();
    let void = raw.types.types.push(Type::Void);
    for ((file, name), keys) in functions {
        raw.functions.push(function(file, name, keys, void, files));
    }
    let is_main = |(_, function): &(FuncId, &RawFunction)| &*function.name == "main";
    raw.main = raw.functions.iter().find(is_main).map(|(id, _)| id);
    if raw.main.is_none() {
        // What calls the functions is not recorded.
        raw.main = Some(raw.functions.push(function("", "main", &[], void, files)));
    }
    let mut program = build(raw);
    program.files = Arc::new(std::mem::take(files));
    program
}

fn function(file: &str, name: &str, keys: &[&Key], void: TypeId, files: &mut SourceFiles) -> RawFunction {
    let unit = files.intern(file, || std::fs::read_to_string(file).ok());
    let mut keys: Vec<&Key> = keys.to_vec();
    keys.sort_by_key(|key| (key.0.line, &key.1));
    keys.dedup();
    let lines = (keys.first().map_or(0, |key| key.0.line), keys.last().map_or(0, |key| key.0.line));
    let call = |key: &&Key| {
        let callee = Callee::Mpi(key.1.as_str().into());
        let call = Call { callee, args: Vec::new(), result_place: None };
        RawItem::Call(RawCall { dst: None, call, span: Span::line(unit, key.0.line) })
    };
    let span = Span::line(unit, lines.0).to(Span::line(unit, lines.1));
    RawFunction { body: keys.iter().map(call).collect(), ..RawFunction::empty(name, span, unit, void) }
}

fn blocks(program: &Program) -> FxHashMap<Key, BlockId> {
    let key = |(id, block): (BlockId, &chronos_ir::Block)| {
        let BlockKind::Call(Call { callee: Callee::Mpi(called), .. }) = &block.kind else { return None };
        let function = program.functions[block.function].name.to_string();
        let file = program.files.get(block.span.file).name.to_string();
        Some(((SourcePlace { function, file, line: block.span.line_start }, called.to_string()), id))
    };
    program.blocks.iter().filter_map(key).collect()
}
