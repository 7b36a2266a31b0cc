//! Reductions over the known payload of the members of a communicator.

use crate::data::buffer::Data;
use crate::interface::payload::Payload;
use crate::state::instances::Contribution;
use chronos_ir::{DataModel, ScalarType};
use chronos_mpi::predefined::Element;
use chronos_mpi::{Predefined, ReduceOp, Scalar};
use chronos_values::Value;

/// Element by element over the members in the order of their ranks. An element that some member
/// does not know is not known.
pub(crate) fn combine(op: ReduceOp, kind: Predefined, given: &[Option<Box<Contribution>>], model: DataModel) -> Data {
    let bytes = given.iter().flatten().map(|given| given.data.bytes).max().unwrap_or(0);
    let known: Option<Vec<&Payload>> = given.iter().map(|given| given.as_ref()?.data.payload.as_ref()).collect();
    let payload = known.and_then(|known| match kind.element(model) {
        Element::Scalar(ty) => scalars(op, ty, &known, model).non_empty(),
        // Only the sum of complex numbers goes part by part.
        Element::Complex(ty) if op == ReduceOp::Sum => scalars(op, ty, &known, model).non_empty(),
        Element::Pair(ty) => pairs(op, ty, &known, bytes, model).non_empty(),
        Element::Complex(_) | Element::Marker => None,
    });
    let lost = given.iter().flatten().find_map(|given| given.data.lost);
    let vague = given.iter().flatten().find_map(|given| given.data.vague);
    Data { bytes, payload, kind: Some(kind), typed: None, lost, vague }
}

fn scalars(op: ReduceOp, ty: ScalarType, given: &[&Payload], model: DataModel) -> Payload {
    let Some((first, others)) = given.split_first() else { return Payload::default() };
    let combined = |at: u64| {
        let start = scalar_at(first, at, ty, model)?;
        let result =
            others.iter().try_fold(start, |left, other| op.apply(ty, left, scalar_at(other, at, ty, model)?))?;
        Some((at, ty, value(result)))
    };
    let size = ty.size(model).max(1);
    let mut begins: Vec<u64> = first.items.iter().map(|item| item.0 / size * size).collect();
    begins.dedup();
    Payload { items: begins.into_iter().filter_map(combined).collect() }
}

fn pairs(op: ReduceOp, ty: ScalarType, given: &[&Payload], bytes: u64, model: DataModel) -> Payload {
    let size = Element::Pair(ty).size(model);
    let mut items = Vec::new();
    for at in (0..bytes / size).map(|index| index * size) {
        let index_at = at + ty.size(model);
        let pair = |given: &Payload| {
            let Scalar::Int(index) = scalar_at(given, index_at, ScalarType::I32, model)? else { return None };
            Some((scalar_at(given, at, ty, model)?, index))
        };
        let all: Option<Vec<_>> = given.iter().map(|given| pair(given)).collect();
        let chosen = all.and_then(|all| all.iter().copied().map(Some).reduce(|a, b| op.locate(a?, b?)).flatten());
        if let Some((best, index)) = chosen {
            items.extend([(at, ty, value(best)), (index_at, ScalarType::I32, Value::Int(index))]);
        }
    }
    Payload { items }
}

fn scalar_at(payload: &Payload, at: u64, ty: ScalarType, model: DataModel) -> Option<Scalar> {
    match payload.scalar(at, ty, model)? {
        // Reductions are in double precision and in words.
        _ if ty.is_wide() => None,
        Value::Int(n) if !ty.is_float() => Some(Scalar::Int(n)),
        Value::Float(x) if ty.is_float() => Some(Scalar::Float(x)),
        _ => None,
    }
}

fn value(scalar: Scalar) -> Value {
    match scalar {
        Scalar::Int(n) => Value::Int(n),
        Scalar::Float(x) => Value::Float(x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::instances::{CollectiveCall, Instances};
    use chronos_activity::TaskId;
    use chronos_base::span::{FileId, Span};

    const MODEL: DataModel = DataModel::Lp64;

    /// What a member gives: numbers in double precision, of which it does not know the first.
    fn numbers(rank: usize, known: bool) -> Contribution {
        let from = usize::from(!known);
        let items = (from..3).map(|at| (8 * at as u64, ScalarType::F64, Value::Float(0.1 * (rank + at) as f64)));
        let payload = Some(Payload { items: items.collect() });
        Contribution::of(Data { payload, kind: Some(Predefined::Double), ..Data::unknown(24) })
    }

    #[test]
    fn reductions_over_the_first_members_are_those_of_each_on_its_own() {
        let mut instances = Instances::default();
        let call = CollectiveCall { name: "MPI_Scan", root: None, task: TaskId(0), span: Span::line(FileId(0), 1) };
        for rank in [2, 0, 1, 3, 4, 6] {
            instances.enter(rank, 7, call.clone(), numbers(rank, rank != 3));
        }
        let instance = instances.get_mut(0).expect("it is open");
        for op in [ReduceOp::Sum, ReduceOp::Max] {
            for members in [2, 5, 1, 4, 3] {
                let given = &instance.contributions[..members];
                let alone = format!("{:?}", combine(op, Predefined::Double, given, MODEL));
                let prefix = instance
                    .prefix(members, (op, Predefined::Double), |given| combine(op, Predefined::Double, given, MODEL));
                assert_eq!(prefix.map(|prefix| format!("{prefix:?}")), Some(alone), "of {members}");
            }
        }
        let sum = |given: &[Option<Box<Contribution>>]| combine(ReduceOp::Sum, Predefined::Double, given, MODEL);
        assert!(instance.prefix(7, (ReduceOp::Sum, Predefined::Double), sum).is_none(), "one has not come");
    }
}
