//! Calls of functions that do not come back: nothing leads from them to the instruction behind, which belongs to other
//! code.
//!
//! Compilers know such functions by their declarations (`_Noreturn`, which DWARF tells) and find others by themselves
//! in the same translation unit: those that no way leads out of but through such calls.

use crate::instruction::Flow;
use crate::object_code::MachineFunction;
use chronos_base::hash::FxHashSet;
use std::sync::Arc;

/// Lets calls of functions that do not come back lead nowhere; `declared` are those that the debugging information
/// names.
pub(crate) fn end_calls(functions: &mut [MachineFunction], declared: FxHashSet<Arc<str>>) {
    let mut never = declared;
    loop {
        functions.iter_mut().for_each(|function| end_calls_of(function, &never));
        let found = functions.iter().filter(|function| !comes_back(function)).map(|function| function.name.clone());
        let known = never.len();
        never.extend(found);
        if never.len() == known {
            return;
        }
    }
}

fn end_calls_of(function: &mut MachineFunction, never: &FxHashSet<Arc<str>>) {
    for instruction in &mut function.instructions {
        if let Flow::Call(Some(name)) = &instruction.flow
            && (never.contains(&**name) || chronos_functions::never_returns(name))
        {
            instruction.flow = Flow::Exit(name.clone());
        }
    }
}

/// Whether some instruction may lead back to the caller, or to a part of the function that stands elsewhere: who comes
/// back from there is not looked at.
fn comes_back(function: &MachineFunction) -> bool {
    function.instructions.iter().any(|instruction| match instruction.flow {
        Flow::Return | Flow::TailCall(_) | Flow::IndirectJump => true,
        Flow::Next => instruction.condition.is_some(),
        _ => false,
    })
}
