//! What the text of a printf format says of its arguments, whatever they are.

use chronos_ir::{DataModel, ScalarType};

/// The types of the arguments that a format takes, in their order.
pub(crate) fn argument_types(format: &[u8], model: DataModel) -> Vec<ScalarType> {
    let mut types = Vec::new();
    let mut bytes = format.iter().copied();
    while bytes.by_ref().any(|byte| byte == b'%') {
        let mut long = 0;
        for byte in bytes.by_ref() {
            match byte {
                b'*' => types.push(ScalarType::I32),
                b'-' | b'+' | b' ' | b'#' | b'\'' | b'.' | b'0'..=b'9' | b'h' => {}
                b'l' | b'L' | b'q' | b'j' | b'z' | b't' => long += length(byte),
                b'%' => break,
                kind => {
                    types.push(argument_type(kind, long, model));
                    break;
                }
            }
        }
    }
    types
}

/// The type as which each argument of a format is written in decimal, by position; `None` for arguments that are written otherwise.
pub(crate) fn decimals(format: &[u8], model: DataModel) -> Vec<Option<ScalarType>> {
    let mut types = Vec::new();
    let mut bytes = format.iter().copied();
    while bytes.by_ref().any(|byte| byte == b'%') {
        let (mut long, mut is_half) = (0, false);
        for byte in bytes.by_ref() {
            match byte {
                b'*' => types.push(None),
                b'-' | b'+' | b' ' | b'#' | b'\'' | b'.' | b'0'..=b'9' => {}
                b'h' => is_half = true,
                b'l' | b'L' | b'q' | b'j' | b'z' | b't' => long += length(byte),
                b'%' => break,
                kind => {
                    let is_decimal = matches!(kind, b'd' | b'i') && !is_half;
                    types.push(is_decimal.then(|| argument_type(kind, long, model)));
                    break;
                }
            }
        }
    }
    types
}

/// How many `l` a length modifier stands for: `long`, `size_t` and `ptrdiff_t` have one size, and the C library takes `ll`
/// for `L`.
pub(crate) fn length(modifier: u8) -> usize {
    match modifier {
        b'l' | b'z' | b't' => 1,
        _ => 2,
    }
}

fn argument_type(kind: u8, long: usize, model: DataModel) -> ScalarType {
    match (kind, long) {
        (b's' | b'p' | b'n', _) => ScalarType::Pointer,
        (b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A', 0 | 1) => ScalarType::F64,
        (b'e' | b'f' | b'g' | b'a' | b'E' | b'F' | b'G' | b'A', _) => model.long_double(),
        (_, 0) => ScalarType::I32,
        (_, 1) => model.long(),
        _ => ScalarType::I64,
    }
}
