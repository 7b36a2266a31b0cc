//! MPI calls of a task that stands for others: which are followed for all of them, and how they depend on the rank.
//!
//! What a call of another function does for the others is not known from what it does for this task, so that each of them is
//! followed by itself.

use crate::code::instructions::{CallArg, CallCode};
use crate::execute::by_rank::After;
use crate::execute::machine::Machine;
use crate::state::by_rank::{ByRank, Partners, task_of_formula};
use crate::state::formulas::{Formula, FormulaId, Formulas};
use chronos_activity::{Event, Operation};
use chronos_functions::{self as functions, Role};
use chronos_ir::{BinaryOp, ScalarType};
use chronos_mpi::handles::{ANY_SOURCE, ANY_TAG, IN_PLACE, PROC_NULL};
use chronos_values::{Pointer, Value};
use std::sync::Arc;

/// Of a status in memory, at most.
const STATUS_BYTES: u64 = 24;

/// What a function is to tasks that stand for others.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    /// It does the same for all.
    Same,
    /// `MPI_Comm_rank`.
    Rank,
    /// Arguments: datatype, partner, tag.
    Sends([usize; 3]),
    Receives([usize; 3]),
    /// Datatypes, partners and tags of what is sent and of what is received.
    Exchanges([usize; 3], [usize; 3]),
    /// A collective operation, with its datatypes and its root.
    Collective {
        datatypes: &'static [usize],
        root: Option<usize>,
    },
    /// The same, where data that is received lies elsewhere without the task's own (`MPI_IN_PLACE`).
    Spread {
        datatypes: &'static [usize],
        root: Option<usize>,
    },
    /// It makes a communicator of all tasks.
    Makes,
    CartCoordinates,
    CartShift,
}

fn meaning(name: &str) -> Option<Meaning> {
    use Meaning::{CartCoordinates, CartShift, Collective, Exchanges, Makes, Rank, Receives, Same, Sends, Spread};
    Some(match name {
        "MPI_Init"
        | "MPI_Init_thread"
        | "MPI_Initialized"
        | "MPI_Finalize"
        | "MPI_Finalized"
        | "MPI_Comm_size"
        | "MPI_Wtime"
        | "MPI_Wtick"
        | "MPI_Wait"
        | "MPI_Waitall"
        | "MPI_Type_contiguous"
        | "MPI_Type_vector"
        | "MPI_Type_commit"
        | "MPI_Type_free"
        | "MPI_Type_size"
        | "MPI_Comm_free"
        | "MPI_Dims_create"
        | "MPI_Comm_set_errhandler"
        | "MPI_Errhandler_set"
        | "MPI_Get_version" => Same,
        "MPI_Comm_rank" => Rank,
        "MPI_Send" | "MPI_Ssend" | "MPI_Isend" | "MPI_Issend" => Sends([2, 3, 4]),
        "MPI_Recv" | "MPI_Irecv" => Receives([2, 3, 4]),
        "MPI_Sendrecv" => Exchanges([2, 3, 4], [7, 8, 9]),
        "MPI_Sendrecv_replace" => Exchanges([2, 3, 4], [2, 5, 6]),
        "MPI_Barrier" | "MPI_Ibarrier" => Collective { datatypes: &[], root: None },
        "MPI_Bcast" | "MPI_Ibcast" => Collective { datatypes: &[2], root: Some(3) },
        "MPI_Reduce" | "MPI_Ireduce" => Collective { datatypes: &[3], root: Some(5) },
        "MPI_Allreduce" | "MPI_Iallreduce" => Collective { datatypes: &[3], root: None },
        "MPI_Scan" => Collective { datatypes: &[3], root: None },
        "MPI_Gatherv" => Spread { datatypes: &[2, 6], root: Some(7) },
        "MPI_Scatterv" => Spread { datatypes: &[3, 6], root: Some(7) },
        "MPI_Allgatherv" => Spread { datatypes: &[2, 6], root: None },
        "MPI_Gather" | "MPI_Scatter" => Spread { datatypes: &[2, 5], root: Some(6) },
        "MPI_Allgather" | "MPI_Alltoall" => Spread { datatypes: &[2, 5], root: None },
        "MPI_Cart_create" | "MPI_Comm_dup" => Makes,
        "MPI_Cart_coords" => CartCoordinates,
        "MPI_Cart_shift" => CartShift,
        _ => return None,
    })
}

impl<'a> Machine<'a> {
    /// What will have to be noted of a call of MPI whose arguments are these functions of the rank.
    pub(super) fn before_mpi(&mut self, call: &'a CallCode, name: &str, formulas: &[Option<FormulaId>]) -> After {
        if let Some(by_rank) = &mut self.task.by_rank {
            by_rank.partners = Partners::default();
            by_rank.rewritten.clear();
            by_rank.is_broadcast = matches!(name, "MPI_Bcast" | "MPI_Ibcast");
        }
        let Some(meaning) = meaning(name) else {
            self.stand_alone("an MPI function is called that is not followed for all tasks of a class");
            return After::Nothing;
        };
        self.pin_all_but_partners(call, meaning);
        self.note_statuses(call, name);
        let formula = |argument: usize| formulas.get(argument).copied().flatten();
        match meaning {
            Meaning::Same | Meaning::Makes => {}
            Meaning::Rank => return self.before_comm_rank(call),
            Meaning::Sends(arguments) => {
                let to = self.partner(call, arguments, formula(arguments[1]));
                self.set_partners(Partners { to, from: None });
            }
            Meaning::Receives(arguments) => {
                let from = self.partner(call, arguments, formula(arguments[1]));
                self.set_partners(Partners { to: None, from });
            }
            Meaning::Exchanges(sent, received) => {
                let to = self.partner(call, sent, formula(sent[1]));
                let from = self.partner(call, received, formula(received[1]));
                self.set_partners(Partners { to, from });
            }
            Meaning::Spread { datatypes, root } => {
                if call.args.iter().any(|&arg| self.argument_value(arg) == Value::Int(IN_PLACE)) {
                    self.stand_alone("MPI_IN_PLACE leaves out the task's own data");
                }
                self.before_collective(call, datatypes, root);
            }
            Meaning::Collective { datatypes, root } => self.before_collective(call, datatypes, root),
            Meaning::CartCoordinates => return self.before_coordinates(call, formula(1)),
            Meaning::CartShift => return self.before_shift(call),
        }
        After::Nothing
    }

    /// Where the call stores what it says of messages: nothing may depend on that.
    fn note_statuses(&mut self, call: &CallCode, name: &str) {
        let row = functions::lookup(name);
        let is_status =
            |index: usize| row.and_then(|row| row.param(index)).is_some_and(|param| param.role == Role::Status);
        let count = if name == "MPI_Waitall" { self.argument(call, 0).as_int() } else { Some(1) };
        let bytes = count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0).saturating_mul(STATUS_BYTES);
        let mut statuses = Vec::new();
        for index in (0..call.args.len()).filter(|&index| is_status(index)) {
            match self.argument(call, index) {
                Value::Pointer(to) => {
                    let room = self.task.memory.object(to.object).size.saturating_sub(to.offset as u64);
                    statuses.push((to, bytes.min(room)));
                }
                Value::Int(_) => {}
                _ => self.stand_alone("a status is stored nobody knows where"),
            }
        }
        statuses.iter().for_each(|&(to, bytes)| self.task.clear_rewritten(to, bytes));
        self.task.by_rank.iter_mut().for_each(|by_rank| by_rank.statuses.clone_from(&statuses));
    }

    /// The call has stored what it says of messages.
    pub(super) fn leave_statuses_unsaid(&mut self) {
        let statuses = self.task.by_rank.as_mut().map(|by_rank| std::mem::take(&mut by_rank.statuses));
        statuses.into_iter().flatten().for_each(|(to, bytes)| self.task.leave_unsaid(to, bytes));
    }

    fn set_partners(&mut self, partners: Partners) {
        self.task.by_rank.iter_mut().for_each(|by_rank| by_rank.partners = partners);
    }

    fn argument_value(&self, arg: CallArg) -> Value {
        match arg {
            CallArg::Scalar(src) => self.value(src),
            CallArg::Object(_) => Value::NULL,
        }
    }

    fn argument(&self, call: &CallCode, index: usize) -> Value {
        call.args.get(index).map_or(Value::NULL, |&arg| self.argument_value(arg))
    }

    fn pin_all_but_partners(&mut self, call: &CallCode, meaning: Meaning) {
        let keeps = |argument: usize| match meaning {
            Meaning::Sends(arguments) | Meaning::Receives(arguments) => argument == arguments[1],
            Meaning::Exchanges(sent, received) => argument == sent[1] || argument == received[1],
            Meaning::CartCoordinates => argument == 1,
            _ => false,
        };
        for (argument, arg) in call.args.iter().enumerate() {
            if let (CallArg::Scalar(src), false) = (*arg, keeps(argument)) {
                self.pin_src(src);
            }
        }
    }

    /// Whom a message goes to or comes from, where that depends on the rank. Its datatype is noted.
    fn partner(&mut self, call: &CallCode, arguments: [usize; 3], formula: Option<FormulaId>) -> Option<FormulaId> {
        let [datatype, partner, tag] = arguments.map(|argument| self.argument(call, argument));
        let (Value::Int(datatype), Value::Int(partner), Value::Int(tag)) = (datatype, partner, tag) else {
            self.stand_alone("an argument of an MPI call is unknown");
            return None;
        };
        if partner == ANY_SOURCE || tag == ANY_TAG {
            self.stand_alone("a message is received that may be any of several");
        }
        let kind = self.calls.uniform_type(self.task.id, datatype);
        let by_rank = self.task.by_rank.as_mut()?;
        match kind {
            Some(kind) => _ = by_rank.signatures.messages.entry(tag).or_default().insert(kind),
            None => by_rank.refuse("a datatype has elements of several types"),
        }
        let formula = formula?;
        if partner == PROC_NULL {
            by_rank.formulas.fix(formula);
            return None;
        }
        by_rank.fix_within(formula, 0, i64::from(by_rank.tasks) - 1);
        Some(formula)
    }

    fn before_collective(&mut self, call: &CallCode, datatypes: &[usize], root: Option<usize>) {
        for &argument in datatypes {
            let kind = self.argument(call, argument).as_int();
            let kind = kind.and_then(|handle| self.calls.uniform_type(self.task.id, handle));
            let Some(by_rank) = &mut self.task.by_rank else { return };
            match kind {
                Some(kind) => _ = by_rank.signatures.calls.entry(call.block).or_default().insert(kind),
                None => by_rank.refuse("a datatype has elements of several types"),
            }
        }
        let root = root.map(|root| self.argument(call, root).as_int());
        let Some(by_rank) = &mut self.task.by_rank else { return };
        match root {
            Some(Some(root)) => by_rank.fix_is(root),
            Some(None) => by_rank.refuse("an argument of an MPI call is unknown"),
            None => {}
        }
    }

    /// Whether the ranks of a communicator are those of all tasks.
    fn is_world(&mut self, handle: Value) -> bool {
        let Some(comm) = handle.as_int().and_then(|handle| self.calls.communicator(self.task.id, handle)) else {
            return false;
        };
        let calls = &*self.calls;
        self.task.by_rank.as_mut().is_some_and(|by_rank| by_rank.is_world(comm, || calls.group(comm)))
    }

    fn before_comm_rank(&mut self, call: &CallCode) -> After {
        if !self.is_world(self.argument(call, 0)) {
            self.stand_alone("a rank is asked for in a communicator that has not all tasks");
        }
        let Value::Pointer(to) = self.argument(call, 1) else { return After::Nothing };
        self.overwritten(vec![(to, Formulas::RANK)])
    }

    /// Integers that the call will write are these.
    fn overwritten(&mut self, written: Vec<(Pointer, FormulaId)>) -> After {
        for &(to, _) in &written {
            self.task.clear_rewritten(to, ScalarType::I32.size(self.task.memory.model));
        }
        After::Written(written)
    }

    fn grid(&mut self, call: &CallCode) -> Option<(Vec<i64>, Vec<bool>)> {
        let comm = self.argument(call, 0);
        let grid = comm.as_int().and_then(|comm| self.calls.cartesian(self.task.id, comm));
        let is_world = self.is_world(comm);
        let tasks = self.task.by_rank.as_ref().map_or(0, |by_rank| i64::from(by_rank.tasks));
        let grid = grid.filter(|(lengths, _)| is_world && lengths.iter().product::<i64>() == tasks);
        if grid.is_none() {
            self.stand_alone("a grid has not all tasks");
        }
        grid
    }

    fn before_coordinates(&mut self, call: &CallCode, of: Option<FormulaId>) -> After {
        let Some((lengths, _)) = self.grid(call) else { return After::Nothing };
        let (Some(of), Value::Pointer(to)) = (of, self.argument(call, 3)) else { return After::Nothing };
        let Some(room) = self.argument(call, 2).as_int() else { return After::Nothing };
        let Some(by_rank) = self.task.by_rank.as_deref_mut() else { return After::Nothing };
        let tasks = i64::from(by_rank.tasks);
        by_rank.fix_within(of, 0, tasks - 1);
        let mut written = Vec::new();
        for dimension in 0..lengths.len().min(usize::try_from(room).unwrap_or(0)) {
            match by_rank.coordinate(of, &lengths, dimension) {
                Some(formula) => {
                    written.push((Pointer { object: to.object, offset: to.offset + 4 * dimension as i64 }, formula));
                }
                None => by_rank.refuse("a coordinate is no number"),
            }
        }
        self.overwritten(written)
    }

    fn before_shift(&mut self, call: &CallCode) -> After {
        let Some((lengths, periodic)) = self.grid(call) else { return After::Nothing };
        let (direction, by) = (self.argument(call, 1).as_int(), self.argument(call, 2).as_int());
        let (Some(direction), Some(by)) = (direction.and_then(|n| usize::try_from(n).ok()), by) else {
            return After::Nothing;
        };
        let Some((&length, &wraps)) = lengths.get(direction).zip(periodic.get(direction)) else {
            return After::Nothing;
        };
        let mut written = Vec::new();
        for (argument, by) in [(3, -by), (4, by)] {
            let Value::Pointer(to) = self.argument(call, argument) else { continue };
            let Some(by_rank) = self.task.by_rank.as_deref_mut() else { return After::Nothing };
            match by_rank.shifted(&lengths, direction, (length, wraps), by) {
                Ok(Some(formula)) => written.push((to, formula)),
                Ok(None) => {}
                Err(()) => by_rank.refuse("a neighbour is no number"),
            }
        }
        self.overwritten(written)
    }

    /// Puts the functions of the rank in place of the partners that an event has.
    pub(super) fn with_partners(&mut self, event: Arc<Event>) -> Arc<Event> {
        let Some(by_rank) = &mut self.task.by_rank else { return event };
        let calls = &*self.calls;
        let comm = match &event.operation {
            Operation::Send { comm, .. } | Operation::Recv { comm, .. } => Some(*comm),
            Operation::Collective(collective) => Some(collective.comm),
            _ => None,
        };
        if comm.is_some_and(|comm| !by_rank.is_world(comm, || calls.group(comm))) {
            by_rank.refuse("a communicator has not all tasks");
        }
        let Partners { to: receiver, from: sender } = by_rank.partners;
        let mut event = event;
        match (&event.operation, receiver, sender) {
            (Operation::Send { .. }, Some(formula), _) => {
                if let Operation::Send { to, .. } = &mut Arc::make_mut(&mut event).operation {
                    *to = task_of_formula(formula);
                }
            }
            (Operation::Recv { .. }, _, Some(formula)) => {
                if let Operation::Recv { from, .. } = &mut Arc::make_mut(&mut event).operation {
                    *from = Some(task_of_formula(formula));
                }
            }
            _ => {}
        }
        event
    }
}

impl ByRank {
    fn integer(&mut self, op: BinaryOp, a: FormulaId, b: i64) -> Option<FormulaId> {
        let b = self.formulas.constant(Value::Int(b))?;
        self.formulas.of(Formula::Binary(op, ScalarType::I64, a, b))
    }

    /// The coordinate in a dimension of the task with a rank in a grid.
    fn coordinate(&mut self, rank: FormulaId, lengths: &[i64], dimension: usize) -> Option<FormulaId> {
        let stride: i64 = lengths[dimension + 1..].iter().product();
        let row = self.integer(BinaryOp::Div, rank, stride)?;
        self.integer(BinaryOp::Rem, row, lengths[dimension])
    }

    /// The rank of a neighbour in a dimension of that length, which may be periodic; `None` beyond its end.
    fn shifted(
        &mut self,
        lengths: &[i64],
        dimension: usize,
        of: (i64, bool),
        by: i64,
    ) -> Result<Option<FormulaId>, ()> {
        let (length, wraps) = of;
        let (own, stride) = (Formulas::RANK, lengths[dimension + 1..].iter().product::<i64>());
        let coordinate = self.coordinate(own, lengths, dimension).ok_or(())?;
        let mut there = self.integer(BinaryOp::Add, coordinate, by).ok_or(())?;
        if wraps {
            // Not negative before the second remainder.
            let rest = self.integer(BinaryOp::Rem, there, length).ok_or(())?;
            let above = self.integer(BinaryOp::Add, rest, length).ok_or(())?;
            there = self.integer(BinaryOp::Rem, above, length).ok_or(())?;
        } else {
            self.fix_within(there, 0, length - 1);
            if !self.formulas.value(there).as_int().is_some_and(|there| (0..length).contains(&there)) {
                return Ok(None);
            }
        }
        let moved = self.formulas.of(Formula::Binary(BinaryOp::Sub, ScalarType::I64, there, coordinate)).ok_or(())?;
        let moved = self.integer(BinaryOp::Mul, moved, stride).ok_or(())?;
        self.formulas.of(Formula::Binary(BinaryOp::Add, ScalarType::I64, own, moved)).map(Some).ok_or(())
    }
}
