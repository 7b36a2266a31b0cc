//! Bytes that calls of the printf family write, where the format alone says it.

use crate::expressions::symbolic::{Object, Symbolic};
use crate::state::execution::Execution;
use chronos_functions::{self as functions, Role};
use chronos_ir::{Arg, Call};

impl Execution<'_> {
    /// `None` where they depend on values, or are not known.
    pub(crate) fn printed_bytes(&mut self, call: &Call, name: &str) -> Option<i128> {
        let row = functions::lookup(name)?;
        if let Some(at) = row.position_of(Role::Printed) {
            return i128::try_from(self.string_literal(call, at)?.len()).ok();
        }
        let at = row.position_of(Role::Format)?;
        let format = self.string_literal(call, at)?;
        let (mut length, mut next, mut rest) = (0, at + 1, &format[..]);
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if byte != b'%' {
                length += 1;
                continue;
            }
            let (&kind, after) = rest.split_first()?;
            rest = after;
            length += match kind {
                b'%' | b'c' => 1,
                b's' => self.string_literal(call, next)?.len(),
                _ => return None,
            };
            next += usize::from(kind != b'%');
        }
        i128::try_from(length).ok()
    }

    /// The text of a literal that is an argument.
    fn string_literal(&mut self, call: &Call, index: usize) -> Option<Vec<u8>> {
        let Some(Arg::Scalar(operand)) = call.args.get(index) else { return None };
        let Symbolic::Pointer(object, offset) = self.operand(operand) else { return None };
        let string = match object {
            Object::String(string) => string,
            Object::Outer(outer) => match self.environment.origin(outer) {
                chronos_values::Origin::String(string) => string,
                _ => return None,
            },
            _ => return None,
        };
        let bytes = self.setting.program.strings[string].get(usize::try_from(offset.as_constant()?).ok()?..)?;
        Some(bytes.iter().copied().take_while(|&byte| byte != 0).collect())
    }
}
