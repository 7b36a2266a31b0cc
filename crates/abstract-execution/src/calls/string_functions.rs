//! Strings that are known where a program is executed abstractly: literals, arguments and what was written byte by byte.

use crate::expressions::affine::Affine;
use crate::expressions::symbolic::Symbolic;
use crate::state::execution::Execution;
use chronos_functions::AbstractModel;
use chronos_ir::{Arg, Call, ScalarType, StrId};
use std::cmp::Ordering;

/// Bytes of a text.
const MAX_STRING_BYTES: usize = 4096;

impl Execution<'_> {
    /// What a function of string.h returns of strings that are known; `None` for any other.
    pub(crate) fn string_function_result(&mut self, call: &Call, model: AbstractModel) -> Option<Symbolic> {
        // Elsewhere the interpreter reads them.
        self.whole_program.as_ref()?;
        match model {
            AbstractModel::StringLength => {
                let length = self.string_argument(call, 0)?.len();
                Some(Symbolic::int(i128::try_from(length).ok()?))
            }
            AbstractModel::StringComparison => {
                Some(three_way(&self.string_argument(call, 0)?, &self.string_argument(call, 1)?))
            }
            AbstractModel::BoundedStringComparison => {
                let most = usize::try_from(self.constant_argument(call, 2)?).ok()?;
                let (a, b) = (self.string_argument(call, 0)?, self.string_argument(call, 1)?);
                Some(three_way(&a[..most.min(a.len())], &b[..most.min(b.len())]))
            }
            AbstractModel::CaselessStringComparison => {
                let [a, b] = [0, 1].map(|index| self.string_argument(call, index).map(|s| s.to_ascii_lowercase()));
                Some(three_way(&a?, &b?))
            }
            _ => None,
        }
    }

    /// The text that an argument leads to, without the zero at its end.
    fn string_argument(&mut self, call: &Call, index: usize) -> Option<Vec<u8>> {
        let Some(Arg::Scalar(operand)) = call.args.get(index) else { return None };
        let Symbolic::Pointer(object, offset) = self.operand(operand) else { return None };
        let start = offset.as_constant()?;
        let mut text = Vec::new();
        while text.len() < MAX_STRING_BYTES {
            let at = start.checked_add(i128::try_from(text.len()).ok()?)?;
            let Symbolic::Int(byte) = self.read_cell(object, at, ScalarType::I8) else { return None };
            match byte.as_constant()? {
                0 => return Some(text),
                byte => text.push(u8::try_from(byte & 0xff).ok()?),
            }
        }
        None
    }

    /// A byte of a literal; none behind the zero at its end.
    pub(crate) fn byte_at(&self, string: StrId, offset: i128, ty: ScalarType) -> Option<Symbolic> {
        let bytes = &self.setting.program.strings[string];
        let byte = *bytes.get(usize::try_from(offset).ok()?)?;
        match ty {
            ScalarType::I8 => Some(Symbolic::int(i128::from(byte.cast_signed()))),
            ScalarType::U8 => Some(Symbolic::int(i128::from(byte))),
            _ => None,
        }
    }
}

/// C says only the sign.
fn three_way(a: &[u8], b: &[u8]) -> Symbolic {
    Symbolic::int(match a.cmp(b) {
        Ordering::Less => -1,
        Ordering::Equal => 0,
        Ordering::Greater => 1,
    })
}

impl Execution<'_> {
    /// What a text stands for as a number.
    pub(crate) fn number_in(&mut self, text: &Symbolic) -> Option<Symbolic> {
        let Symbolic::Pointer(crate::expressions::symbolic::Object::Outer(object), offset) = text else { return None };
        let whole = self.whole_program.as_ref().filter(|_| offset.as_constant() == Some(0))?;
        if let Some(&symbol) = whole.numeric_strings.get(object) {
            return Some(Symbolic::Int(Affine::symbol(symbol)));
        }
        let text = whole.argument_strings.get(object)?.trim_start();
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let magnitude: i128 = if end == 0 { 0 } else { digits[..end].parse().ok()? };
        Some(Symbolic::int(if text.starts_with('-') { -magnitude } else { magnitude }))
    }
}
