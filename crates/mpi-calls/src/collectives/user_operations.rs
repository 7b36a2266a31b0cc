//! Reductions by functions of the program: the function is called for one operand after the other.
//!
//! What comes out is that of one order of operands, which MPI allows: from the last member to the first. How often a
//! library calls the function on which task depends on its algorithm, so these calls count as nothing.

use crate::call::{Call, Called, DONE, Refusal};
use crate::data::buffer::{Buffer, Data};
use crate::interface::calls::Action;
use crate::state::delivery::{Delivery, EnteredCollective, UserOperation};
use crate::state::instances::Contribution;
use crate::state::pending::{Folding, Pending};
use chronos_base::ids::Id;
use chronos_ir::ScalarType;
use chronos_values::{Pointer, Value};

/// Bytes of all operands together beyond which the result is left unknown.
const MOST: u64 = 1 << 24;

impl Call<'_> {
    /// The end of a collective; a reduction by a function of the program first calls that.
    pub(crate) fn joined_or_folded(&mut self, joined: EnteredCollective) -> Called {
        match self.operands(&joined) {
            Some((own, into, operands)) => self.start_folding(Some(joined), own, into, operands),
            None => self.joined(joined),
        }
    }

    /// Finishes the reductions by functions of the program that a wait has found complete, one after the other.
    pub(crate) fn fold_due(&mut self) -> Called {
        while let Some(joined) = self.mpi.task(self.task).folds.pop() {
            let action = self.joined_or_folded(joined)?;
            if !matches!(action, Action::Return(_)) {
                return Ok(action);
            }
        }
        DONE
    }

    /// What is to be combined, where all of it is known and nobody has done so.
    fn operands(&mut self, joined: &EnteredCollective) -> Option<(UserOperation, Buffer, Vec<Data>)> {
        let Delivery::Reduced { into, own: Some(own), range, .. } = &joined.delivery else { return None };
        if !matches!(own.function, Value::Function(_)) {
            return None;
        }
        let form = self.form();
        self.mpi.comms[joined.comm.index()].instances.recall(joined.number);
        let instance = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number)?;
        let ranks = range.ranks(instance.contributions.len());
        if instance.reduced.is_some() && range.is_whole() {
            return None;
        }
        let given = instance.contributions.get(ranks)?;
        let known = |given: &Option<Box<Contribution>>| {
            let data = &given.as_ref()?.data;
            let held: u64 = data.payload.as_ref()?.known_bytes(form);
            (held >= data.bytes && data.bytes > 0).then(|| data.clone())
        };
        let operands: Vec<Data> = given.iter().map(known).collect::<Option<_>>()?;
        let bytes: u64 = operands.iter().map(|data| data.bytes).sum();
        (!operands.is_empty() && bytes <= MOST).then(|| (*own, into.clone(), operands))
    }

    /// `MPI_Reduce_local` with a function of the program.
    pub(crate) fn fold_locally(&mut self, own: UserOperation, into: Buffer, operands: [Data; 2]) -> Called {
        let form = self.form();
        let known = |data: &Data| {
            let held = data.payload.as_ref().map_or(0, |payload| payload.known_bytes(form));
            data.bytes > 0 && held >= data.bytes
        };
        if matches!(own.function, Value::Function(_)) && operands.iter().all(known) {
            return self.start_folding(None, own, into, operands.to_vec());
        }
        let unknown = Data::unknown(into.bytes());
        self.write(&into, &unknown);
        DONE
    }

    fn start_folding(
        &mut self,
        joined: Option<EnteredCollective>,
        own: UserOperation,
        into: Buffer,
        mut operands: Vec<Data>,
    ) -> Called {
        let first = operands.pop().unwrap_or_default();
        let room = self.scratch(own, &into, first.bytes);
        let Some([input, result, count, datatype]) = room else { return self.end_folding(joined, &into, None) };
        let elements = first.bytes / into.datatype.message_size.max(1);
        let buffer = |address| Buffer { address: Some(address), count: elements, ..into.clone() };
        let (input, result) = (buffer(input), buffer(result));
        self.write(&result, &first);
        let number = i64::try_from(elements).unwrap_or(i64::MAX);
        self.env.store(count, ScalarType::I32, Value::Int(number));
        self.env.store(datatype, ScalarType::I32, Value::Int(own.datatype));
        self.fold(Folding { joined, own, operands, input, result, count, datatype, into })
    }

    /// Memory for input, result, number of elements and datatype.
    fn scratch(&mut self, own: UserOperation, into: &Buffer, bytes: u64) -> Option<[Pointer; 4]> {
        let elements = bytes / into.datatype.message_size.max(1);
        let (start, end) = into.datatype.span(elements);
        if into.datatype.size == 0 || start < 0 || into.datatype.scattered {
            return None;
        }
        let size = u64::try_from(end).ok()?.max(into.datatype.extent().unsigned_abs().saturating_mul(elements));
        let [input, result] = [size; 2].map(|size| self.env.allocate(size, own.block));
        let [count, datatype] = [4; 2].map(|size| self.env.allocate(size, own.block));
        Some([input?, result?, count?, datatype?])
    }

    /// Calls the function for the next operand, or delivers the result.
    pub fn fold(&mut self, mut folding: Folding) -> Called {
        let Some(operand) = folding.operands.pop() else {
            let data = self.data(&folding.result);
            for buffer in [&folding.input, &folding.result] {
                buffer.address.iter().for_each(|&address| self.env.release(address));
            }
            [folding.count, folding.datatype].into_iter().for_each(|address| self.env.release(address));
            return self.end_folding(folding.joined, &folding.into, Some(data));
        };
        self.write(&folding.input, &operand);
        let pointer = |address: Option<Pointer>| address.map_or(Value::Int(0), Value::Pointer);
        let arguments = vec![
            pointer(folding.input.address),
            pointer(folding.result.address),
            Value::Pointer(folding.count),
            Value::Pointer(folding.datatype),
        ];
        let function = folding.own.function;
        self.pend(Pending::Folding(Box::new(folding)));
        Ok(Action::CallBack { function, arguments, counted: false })
    }

    fn end_folding(&mut self, joined: Option<EnteredCollective>, into: &Buffer, data: Option<Data>) -> Called {
        let Some(joined) = joined else {
            let data = data.unwrap_or(Data::unknown(into.bytes()));
            self.write(into, &data);
            return DONE;
        };
        let result = self.take_folded(&joined, into, data);
        self.mpi.comms[joined.comm.index()].instances.finish(joined.number);
        result.and_then(|()| self.fold_due())
    }

    fn take_folded(&mut self, joined: &EnteredCollective, into: &Buffer, data: Option<Data>) -> Result<(), Refusal> {
        let Delivery::Reduced { range, .. } = &joined.delivery else { return Ok(()) };
        let Some(data) = data else { return self.take(into, &Data::unknown(into.bytes())) };
        let part = range.part(&data, self.form());
        if let Some(instance) = self.mpi.comms[joined.comm.index()].instances.get_mut(joined.number)
            && range.is_whole()
        {
            instance.reduced = Some(data);
        }
        self.take(into, &part)
    }
}
