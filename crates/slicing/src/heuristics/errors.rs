//! Arms that report an error: a run that is worth predicting does not take them.

use super::conditions::{Definition, Definitions};
use chronos_functions::{self as functions, Function as Row, Role};
use chronos_ir::{
    Arg, Arm, Base, BlockId, BlockKind, Call, Callee, Const, FuncId, Jump, OpKind, Operand, Program, Straight,
};

/// The arm prints a message that says it is about an error, or prints to standard error and then
/// returns a status other than success.
pub(crate) fn reports_error(program: &Program, definitions: &Definitions, arm: &Arm) -> bool {
    let straights = || arm.region.iter().filter_map(|&block| straight(program, block));
    let calls = || {
        straights().flat_map(|(_, s)| s.ops.iter()).filter_map(|op| match op.kind {
            OpKind::Call(leaf) => program.call(leaf).map(|call| (program.blocks[leaf].function, call)),
            _ => None,
        })
    };
    if calls().any(|(_, call)| says_error(program, call)) || leaves_with_message(program, arm) {
        return true;
    }
    let complains = calls().any(|(function, call)| prints_to_stderr(program, definitions, function, call));
    complains && straights().any(|(_, s)| fails(s))
}

/// The arm ends with a return.
pub fn returns(program: &Program, arm: &Arm) -> bool {
    let last = arm.region.last().and_then(|&block| straight(program, block)).and_then(|(_, s)| s.ops.last());
    last.is_some_and(|op| matches!(op.kind, OpKind::Jump(Jump::Return(_))))
}

fn straight(program: &Program, block: BlockId) -> Option<(BlockId, &Straight)> {
    match &program.blocks[block].kind {
        BlockKind::Straight(straight) => Some((block, straight)),
        _ => None,
    }
}

/// The arm returns after one task said that there is an error: `if (rank == 0) printf("... failed"); return;`.
fn leaves_with_message(program: &Program, arm: &Arm) -> bool {
    let arms = arm.region.iter().flat_map(|&block| match &program.blocks[block].kind {
        BlockKind::Branch(branch) => &branch.arms[..],
        _ => &[],
    });
    let mut straights = arms.flat_map(|arm| &arm.region).filter_map(|&block| straight(program, block));
    let complains = |(_, straight): (BlockId, &Straight)| {
        let calls = straight.ops.iter().filter_map(|op| match op.kind {
            OpKind::Call(leaf) => program.call(leaf),
            _ => None,
        });
        calls.into_iter().any(|call| says_error(program, call))
    };
    returns(program, arm) && straights.any(complains)
}

fn says_error(program: &Program, call: &Call) -> bool {
    let Callee::Library(name) = &call.callee else { return false };
    match &**name {
        "perror" | "warn" | "warnx" => true,
        name if functions::lookup(name).is_some_and(Row::prints) => {
            let texts = call.args.iter().filter_map(|arg| match arg {
                Arg::Scalar(Operand::Const(Const::Str(id, _))) => program.strings.get(*id),
                _ => None,
            });
            texts.into_iter().any(|text| is_complaint(&String::from_utf8_lossy(text)))
        }
        _ => false,
    }
}

/// Words that a message about an error begins with, behind signs and blanks.
const FIRST: &[&str] = &[
    "error:",
    "error!",
    "error -",
    "*** error",
    "fatal",
    "fail",
    "invalid",
    "illegal",
    "cannot",
    "can't",
    "could not",
    "couldn't",
    "unable",
    "usage",
    "abort",
    "wrong",
];
/// Words that tell it anywhere.
const ANYWHERE: &[&str] =
    &["error:", "error!", "failed", "failure", "invalid", "could not", "cannot ", "unable to", "aborting", "too large"];

fn is_complaint(text: &str) -> bool {
    let text = text.to_lowercase();
    let begin = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    FIRST.iter().any(|word| begin.starts_with(word)) || ANYWHERE.iter().any(|word| text.contains(word))
}

fn prints_to_stderr(program: &Program, definitions: &Definitions, function: FuncId, call: &Call) -> bool {
    let is_stderr = |argument: &Arg| {
        let Arg::Scalar(operand) = argument else { return false };
        let definition = definitions.of(function, operand);
        matches!(definition, Definition::Variable(variable) if &*program.variables[*variable].name == "stderr")
    };
    match &call.callee {
        Callee::Library(name) => {
            let printing = functions::lookup(name).filter(|row| row.prints());
            printing.and_then(|row| call.args.get(row.position_of(Role::Stream)?)).is_some_and(is_stderr)
        }
        // A function of the program that is handed the stream for messages about errors has one to write, as HPL_pwarn of HPL.
        _ => call.args.iter().any(is_stderr),
    }
}

/// Ends with a status other than success, or sets one.
fn fails(straight: &Straight) -> bool {
    let nonzero = |operand: &Operand| matches!(operand, Operand::Const(Const::Int(n, _)) if *n != 0);
    straight.ops.iter().any(|op| match &op.kind {
        OpKind::Jump(Jump::Return(Some(Arg::Scalar(status)))) => nonzero(status),
        OpKind::Write(place, status) => {
            place.steps.is_empty() && matches!(place.base, Base::Variable(_)) && nonzero(status)
        }
        _ => false,
    })
}
