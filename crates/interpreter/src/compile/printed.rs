//! Values that go to `printf` and the like as decimal numbers: what the call does follows from their numbers of digits.

use crate::code::formats::decimals;
use crate::compile::functions::Compiler;
use chronos_base::ids::Id as _;
use chronos_ir::{Arg, BlockKind, Call, Callee, Const, Operand, ScalarType, ValueId};

/// The most digits that an integer of 64 bits has.
const MOST_DIGITS: u32 = 19;

/// The types as which calls of the function print a value in decimal, one for each time; `None` where another call uses it.
pub(crate) fn printed_as(compiler: &Compiler<'_>, value: ValueId) -> Option<Vec<ScalarType>> {
    let program = compiler.program;
    let (first, end) = program.functions[compiler.function].blocks;
    let mut types = Vec::new();
    for block in &program.blocks.as_slice()[first.index()..end.index()] {
        if let BlockKind::Call(call) = &block.kind {
            types.extend(printed_by(compiler, call, value)?);
        }
    }
    Some(types)
}

fn printed_by(compiler: &Compiler<'_>, call: &Call, value: ValueId) -> Option<Vec<ScalarType>> {
    let is_value = |arg: &Arg| matches!(arg, Arg::Scalar(Operand::Value(other)) if *other == value);
    let positions: Vec<usize> = (0..call.args.len()).filter(|&at| is_value(&call.args[at])).collect();
    if positions.is_empty() {
        return Some(Vec::new());
    }
    let Callee::Library(name) = &call.callee else { return None };
    let format = match &**name {
        "printf" => 0,
        "fprintf" | "dprintf" => 1,
        _ => return None,
    };
    let Some(Arg::Scalar(Operand::Const(Const::Str(text, 0)))) = call.args.get(format) else { return None };
    let decimals = decimals(compiler.program.strings.get(*text)?, compiler.program.model);
    let decimal = |at: usize| decimals.get(at.checked_sub(format + 1)?).copied().flatten();
    positions.into_iter().map(decimal).collect()
}

/// Between two of these, and beyond them, all integers have as many digits and the same sign.
pub(crate) fn limits() -> impl Iterator<Item = i64> {
    let powers = (1..MOST_DIGITS).map(|digits| 10i64.pow(digits));
    powers.clone().map(|power| 1 - power).chain([0]).chain(powers)
}
