//! Operations: reads, writes and arithmetic on symbolic values.

use crate::counts::path::Path;
use crate::expressions::affine::Affine;
use crate::expressions::symbolic::Symbolic;
use crate::state::execution::Execution;
use crate::state::store::Location;
use chronos_ir::{Op, OpKind, ValueId};
use chronos_values::ReasonKind;

impl Execution<'_> {
    pub fn operation(&mut self, op: &Op, path: &Path) {
        match &op.kind {
            OpKind::Write(place, operand) => {
                let value = self.operand(operand);
                self.write(place, value, op.span);
            }
            OpKind::Copy { to, from, bytes } => self.copy(to, from, *bytes),
            OpKind::Zero { to, bytes } => self.zero(to, *bytes, op.span),
            OpKind::Allocate { variable, .. } => {
                let location = self.aggregate(*variable);
                self.lose(Location::Within(location), op.span);
            }
            _ => {
                let Some(dst) = op.dst else { return };
                let value = self.compute(op, dst, path);
                self.frame().values.insert(dst, value);
            }
        }
    }

    fn compute(&mut self, op: &Op, dst: ValueId, path: &Path) -> Symbolic {
        let ty = self.setting.program.functions[self.function()].values[dst];
        let bounds = path.bounds();
        let result = match &op.kind {
            OpKind::Read(place) => {
                let value = self.read(place, ty);
                return self.with_span(value, op.span);
            }
            OpKind::Address(place) => return self.address(place),
            OpKind::Move(operand) => return self.operand(operand),
            OpKind::Opaque(what) => return self.unknown(ReasonKind::Unsupported(what.clone()), op.span),
            OpKind::Unary(unary, operand) => {
                let value = self.operand(operand);
                (self.symbols.unary(*unary, ty, &value, bounds), vec![value])
            }
            OpKind::Binary(binary, operands, a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                (self.symbols.binary(*binary, *operands, &a, &b, bounds), vec![a, b])
            }
            OpKind::Convert(from, operand) => {
                let value = self.operand(operand);
                (self.symbols.convert(*from, ty, &value, bounds), vec![value])
            }
            OpKind::PointerDiff(a, b, stride) => {
                let (a, b) = (self.operand(a), self.operand(b));
                (difference(&a, &b, *stride), vec![a, b])
            }
            _ => (None, Vec::new()),
        };
        let (value, inputs) = result;
        value.unwrap_or_else(|| self.unknown_from(&inputs, op.span))
    }

    /// An unknown value of a whole program, with a place at least: the one where it is read.
    fn with_span(&mut self, value: Symbolic, span: chronos_base::span::Span) -> Symbolic {
        match value {
            Symbolic::Unknown(reason)
                if self.whole_program.is_some() && self.setting.reasons.get(reason).span.is_none() =>
            {
                let kind = match self.setting.reasons.get(reason).kind.clone() {
                    ReasonKind::NotEvaluated => ReasonKind::Unsupported("memory at a place that is not known".into()),
                    kind => kind,
                };
                self.unknown(kind, span)
            }
            value => value,
        }
    }

    /// Unknown because an input is, or because it is not followed.
    fn unknown_from(&mut self, inputs: &[Symbolic], span: chronos_base::span::Span) -> Symbolic {
        let origin = inputs.iter().find(|input| matches!(input, Symbolic::Unknown(_)));
        origin.cloned().unwrap_or_else(|| self.unknown(ReasonKind::NotEvaluated, span))
    }
}

fn difference(a: &Symbolic, b: &Symbolic, stride: u64) -> Option<Symbolic> {
    let (Symbolic::Pointer(object, x), Symbolic::Pointer(other, y)) = (a, b) else { return None };
    let bytes = x.sub(y)?;
    let stride = i128::from(stride);
    let divisible = stride > 0 && bytes.constant % stride == 0 && bytes.terms.iter().all(|t| t.1 % stride == 0);
    let terms = bytes.terms.iter().map(|&(s, c)| (s, c / stride.max(1))).collect();
    (object == other && divisible).then(|| Symbolic::Int(Affine { constant: bytes.constant / stride, terms }))
}
