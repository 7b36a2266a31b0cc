//! The date and time of compilation, `__DATE__` and `__TIME__`: another compilation has others.
//!
//! The preprocessor is told a date of its own (`SOURCE_DATE_EPOCH`, which GCC and clang 16 heed), so that the same source
//! gives the same counts at any time, and so that the texts can be told from others here.

use super::{Certainty, Doubt, Doubts, Subject};
use crate::Analysis;
use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use chronos_ir::{Arg, Base, BlockKind, Const, Op, OpKind, Operand, Place, Program, ScalarType, StrId, VarId};
use chronos_values::Origin;
use std::collections::BTreeMap;

/// The texts that the preprocessor makes of `chronos_frontend`'s `COMPILATION_TIME` (ISO C, 6.10.8.1).
const DATE: &[u8] = b"Feb 13 2009";
const TIME: &[u8] = b"23:31:30";

/// Strings and arrays that hold one of the texts.
pub fn add(program: &Program, analysis: &Analysis, doubts: &mut Doubts) {
    let strings: Vec<StrId> = program.strings.iter().filter(|(_, bytes)| holds_time(bytes)).map(|(id, _)| id).collect();
    let uses = if strings.is_empty() { FxHashMap::default() } else { string_uses(program) };
    for id in strings {
        if let Some(&span) = uses.get(&id) {
            doubts.add(doubt(span), Subject::Storage(analysis.class(Origin::String(id))));
        }
    }
    for (id, variable) in program.variables.iter() {
        if variable.init.as_ref().is_some_and(|init| holds_time(&initial_bytes(init))) {
            doubts.add(doubt(variable.span), Subject::Variable(id));
        }
    }
    for (variable, span) in filled_arrays(program) {
        doubts.add(doubt(span), Subject::Variable(variable));
    }
}

fn doubt(span: Span) -> Doubt {
    let text = "the date and time of compilation decide: 13 February 2009, 23:31:30 is taken";
    let help = Some("give them: -D'__DATE__=\"Jan  1 2026\"' -D'__TIME__=\"12:00:00\"'".into());
    Doubt { span, certainty: Certainty::Approximate, text: text.into(), help }
}

fn holds_time(bytes: &[u8]) -> bool {
    [DATE, TIME].iter().any(|text| bytes.windows(text.len()).any(|part| part == *text))
}

/// Where each string is used first.
fn string_uses(program: &Program) -> FxHashMap<StrId, Span> {
    let mut uses = FxHashMap::default();
    for (_, variable) in program.variables.iter() {
        for (_, constant) in variable.init.iter().flatten() {
            if let Const::Str(id, _) = constant {
                uses.entry(*id).or_insert(variable.span);
            }
        }
    }
    for (_, block) in program.blocks.iter() {
        let BlockKind::Straight(straight) = &block.kind else { continue };
        for op in &straight.ops {
            if let Some(id) = string_of(op) {
                uses.entry(id).or_insert(op.span);
            }
        }
    }
    // A string that is only handed to a call stands among its arguments.
    for (_, block) in program.blocks.iter() {
        let BlockKind::Call(call) = &block.kind else { continue };
        for arg in &call.args {
            if let Arg::Scalar(Operand::Const(Const::Str(id, _))) = arg {
                uses.entry(*id).or_insert(block.span);
            }
        }
    }
    uses
}

fn string_of(op: &Op) -> Option<StrId> {
    let of_operand = |operand: &Operand| match operand {
        Operand::Const(Const::Str(id, _)) => Some(*id),
        _ => None,
    };
    let of_place = |place: &Place| match &place.base {
        Base::Pointer(operand) => of_operand(operand),
        Base::Variable(_) => None,
    };
    match &op.kind {
        OpKind::Read(place) | OpKind::Address(place) => of_place(place),
        OpKind::Write(place, operand) => of_place(place).or_else(|| of_operand(operand)),
        OpKind::Copy { from, .. } => of_place(from),
        OpKind::Unary(_, operand) | OpKind::Convert(_, operand) | OpKind::Move(operand) => of_operand(operand),
        OpKind::Binary(_, _, a, b) | OpKind::PointerDiff(a, b, _) => of_operand(a).or_else(|| of_operand(b)),
        _ => None,
    }
}

fn initial_bytes(init: &[(u64, Const)]) -> Vec<u8> {
    init.iter().filter_map(|(_, constant)| byte(constant)).collect()
}

fn byte(constant: &Const) -> Option<u8> {
    match constant {
        Const::Int(n, ScalarType::I8 | ScalarType::U8) => u8::try_from(n & 0xff).ok(),
        _ => None,
    }
}

/// Local arrays that are initialised with a text, byte by byte.
fn filled_arrays(program: &Program) -> Vec<(VarId, Span)> {
    let mut found = Vec::new();
    for (_, block) in program.blocks.iter() {
        let BlockKind::Straight(straight) = &block.kind else { continue };
        let mut texts: BTreeMap<VarId, (Vec<u8>, Span)> = BTreeMap::new();
        for op in &straight.ops {
            if let OpKind::Write(Place { base: Base::Variable(variable), .. }, Operand::Const(constant)) = &op.kind
                && let Some(byte) = byte(constant)
            {
                texts.entry(*variable).or_insert_with(|| (Vec::new(), op.span)).0.push(byte);
            }
        }
        let of_time = texts.into_iter().filter(|(_, (text, _))| holds_time(text));
        found.extend(of_time.map(|(variable, (_, span))| (variable, span)));
    }
    found
}
