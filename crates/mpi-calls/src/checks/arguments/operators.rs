//! Whether a reduction's operator is defined for its datatype.

use crate::call::Call;
use crate::checks::remote_codes as codes;
use chronos_base::diag::Diagnostic;
use chronos_functions::Exchange;
use chronos_functions::Function;
use chronos_functions::{Object, Type};
use chronos_mpi::ReduceOp;

/// Arguments of a reduction: datatype and operator, and whether it is one-sided. The data that is combined there has
/// the datatype that stands last; where no task needs one of its own (`MPI_Fetch_and_op`), that is the only one.
fn arguments(row: &Function) -> Option<(usize, usize, bool)> {
    let operator = row.position(|param| param.ty == Type::Handle(Object::Operation))?;
    let datatype = row.params.iter().rposition(|param| param.ty == Type::Handle(Object::Datatype))?;
    Some((datatype, operator, row.exchange == Exchange::Window))
}

pub fn check(call: &mut Call<'_>) {
    let Some((datatype, operator, one_sided)) = arguments(call.function) else { return };
    let handles = (call.env.argument(datatype).as_int(), call.env.argument(operator).as_int());
    let (Some(handle), Some(operator)) = handles else { return };
    let (Some(op), Ok(named)) = (ReduceOp::from_handle(operator), call.named_datatype(datatype, handle)) else {
        return;
    };
    let (name, op_name) = (call.name(), op.name());
    let kind = named.datatype.uniform();
    let message = match kind {
        _ if !one_sided && matches!(op, ReduceOp::Replace | ReduceOp::NoOp) => {
            format!("{name} is given {op_name}, which only one-sided accesses take")
        }
        Some(kind) if !op.takes(kind, call.model()) => {
            format!("{name} is given {op_name}, which is not defined for {}", kind.name())
        }
        None if !matches!(op, ReduceOp::Replace | ReduceOp::NoOp) => {
            format!("{name} is given {op_name} and a derived datatype of different elements")
        }
        _ => return,
    };
    let finding = Diagnostic::error(&codes::OPERATOR, message)
        .label(call.span, "the operation and the datatype do not go together")
        .help("use an operation that is defined for the datatype, or one of your own (MPI_Op_create)");
    call.mpi.tell(finding);
}
