//! Whether what was sent and what is received are of the same kind.

use crate::call::Call;
use crate::codes;
use crate::data::buffer::{Buffer, Data};
use chronos_base::diag::Diagnostic;
use chronos_ir::{DataModel, ScalarType};
use chronos_mpi::Predefined;
use chronos_mpi::predefined::Element;

/// How two kinds of data go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Match {
    Same,
    /// Numbers of the same class with different sizes.
    Sizes,
    /// Integers and floating-point numbers, or single numbers and pairs.
    Classes,
}

fn compare(sent: Predefined, received: Predefined, model: DataModel) -> Match {
    let anything = [Predefined::Byte, Predefined::Packed];
    if anything.contains(&sent) || anything.contains(&received) {
        return Match::Same;
    }
    match (sent.element(model), received.element(model)) {
        (Element::Scalar(a), Element::Scalar(b)) | (Element::Complex(a), Element::Complex(b)) => scalars(a, b, model),
        (Element::Pair(a), Element::Pair(b)) => scalars(a, b, model),
        (Element::Marker, Element::Marker) => Match::Same,
        _ => Match::Classes,
    }
}

fn scalars(a: ScalarType, b: ScalarType, model: DataModel) -> Match {
    if a.is_float() != b.is_float() {
        Match::Classes
    } else if a.size(model) != b.size(model) {
        Match::Sizes
    } else {
        Match::Same
    }
}

impl Call<'_> {
    /// Reports data that arrives as something else than it was sent as. No MPI compares the types of a message, so that a real
    /// run goes on with the bytes; what checks the use of MPI calls it an error where they mean nothing.
    pub(crate) fn check_kind(&mut self, data: &Data, into: &Buffer) {
        let (Some(sent), Some(received)) = (data.kind, into.datatype.uniform()) else { return };
        let how = compare(sent, received, self.form());
        if data.bytes == 0 || how == Match::Same {
            return;
        }
        let message = format!("{} is sent and received as {}", sent.name(), received.name());
        let is_error = how == Match::Classes && self.mpi.checks.is_some();
        let make = if is_error { Diagnostic::error } else { Diagnostic::warning };
        let diagnostic = make(&codes::DATATYPES, message)
            .label(self.span, format!("task {} receives it in {}", self.task.0, self.name()))
            .help("use the same datatype at the sender and at the receiver");
        self.mpi.reports.push(diagnostic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_that_go_together() {
        let check = |a, b| compare(a, b, DataModel::Lp64);
        assert_eq!(check(Predefined::Int, Predefined::Unsigned), Match::Same);
        assert_eq!(check(Predefined::Long, Predefined::LongLong), Match::Same);
        assert_eq!(check(Predefined::Double, Predefined::Byte), Match::Same);
        assert_eq!(check(Predefined::Int, Predefined::Long), Match::Sizes);
        assert_eq!(check(Predefined::Int, Predefined::Float), Match::Classes);
        assert_eq!(check(Predefined::TwoInt, Predefined::Int), Match::Classes);
    }
}
