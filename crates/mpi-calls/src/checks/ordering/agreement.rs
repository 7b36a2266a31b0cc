//! Whether the members of a collective mean the same: operators, types and counts.
//!
//! What one member gives another must have the type signature that the other expects (MPI 4.0, 6.5 on); members of
//! reductions all give the same. Members are compared as they enter, each with those that are there, as MUST does
//! with its matching of collectives by signatures (T. Hilbrich et al., "Distributed wait state tracking for runtime
//! MPI deadlock detection", SC 2013).

use crate::call::Call;
use crate::checks::remote_codes as codes;
use crate::checks::state::declarations::{Declared, DeclaredBlocks};
use crate::checks::state::uses::BufferUse;
use crate::data::buffer::{Buffer, Data};
use crate::state::handle_table::{Handle, OperationId};
use chronos_activity::{CommId, TaskId};
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_functions::{CollectiveOperation, Object};
use chronos_ir::DataModel;
use chronos_mpi::ReduceOp;
use chronos_mpi::signature::{Agreement, TypedElements};
use chronos_values::Value;

/// Members up to which each is compared with all; those of larger groups are compared with the first one.
const COMPARED: usize = 128;

/// The argument with the data that a member of a reduction gives.
const SENT: usize = 0;

fn typed(block: &Buffer) -> TypedElements {
    TypedElements::new(&block.datatype, block.count)
}

/// A use as blocks for so many partners.
fn blocks(one: &BufferUse, partners: usize) -> Vec<TypedElements> {
    match one.blocks.as_slice() {
        [all] if partners > 1 => vec![TypedElements { count: all.count / partners as u64, ..typed(all) }],
        each => each.iter().map(typed).collect(),
    }
}

impl Call<'_> {
    /// The task has entered a collective.
    pub(crate) fn check_agreement(&mut self, comm: CommId, number: u64, root: Option<TaskId>) {
        let Some(checks) = &self.mpi.checks else { return };
        let uses = checks.uses[self.task.index()].clone();
        if self.mpi.sides(comm).is_some() || uses.iter().flat_map(|one| &one.blocks).any(|block| block.vague.is_some())
        {
            return;
        }
        let (rank, size) = (self.own_rank(comm), self.mpi.members(comm).size());
        let root = root.and_then(|root| self.mpi.members(comm).rank(root));
        let Some(declared) = self.declared(&uses, rank, root, size) else { return };
        let model = self.form();
        let Some(checks) = &mut self.mpi.checks else { return };
        let others = checks.entered.entry((comm, number)).or_default();
        others.push(declared.clone());
        let compared = if size > COMPARED { 1 } else { others.len() };
        let found = others[..compared].iter().chain([&declared]).find_map(|other| difference(&declared, other, model));
        if others.len() == size {
            checks.entered.remove(&(comm, number));
        }
        found.into_iter().for_each(|finding| self.mpi.tell(finding));
    }

    fn declared(&mut self, uses: &[BufferUse], rank: usize, root: Option<usize>, size: usize) -> Option<Declared> {
        let operation = self.function.collective()?;
        let read = uses.iter().find(|one| !one.writes);
        let written = uses.iter().find(|one| one.writes);
        let (task, span, name) = (self.task, self.span, self.name());
        let none = DeclaredBlocks::default();
        let mut declared =
            Declared { rank, task, span, name, operator: None, all: None, gives: none.clone(), gets: none };
        let part = |one: Option<&BufferUse>, partners, only| DeclaredBlocks {
            blocks: one.map_or_else(Vec::new, |one| blocks(one, partners)),
            only,
        };
        let is_root = root == Some(rank);
        let many = |yes| if yes { size } else { 1 };
        match operation {
            CollectiveOperation::Bcast => declared.all = uses.first().and_then(|one| one.blocks.first()).map(typed),
            CollectiveOperation::Gather => {
                declared.gives = part(read, 1, root);
                declared.gets = part(written, many(true), None);
            }
            CollectiveOperation::Scatter => {
                declared.gives = part(read, many(is_root), None);
                declared.gets = part(written, 1, root);
            }
            CollectiveOperation::Allgather => {
                declared.gives = part(read, 1, None);
                declared.gets = part(written, size, None);
            }
            CollectiveOperation::Alltoall => {
                declared.gives = part(read, size, None);
                declared.gets = part(written, size, None);
            }
            // What members give has as many blocks as they are, and each gets one: with its own data in place, a member
            // names the block alone.
            CollectiveOperation::ReduceScatter => {
                let whole = read.filter(|_| !self.function.has_count_per_task(SENT));
                declared.all = whole.and_then(|one| one.blocks.first()).map(typed);
                declared.operator = self.operator();
            }
            CollectiveOperation::Reduce
            | CollectiveOperation::Allreduce
            | CollectiveOperation::Scan
            | CollectiveOperation::Exscan => {
                declared.all = read.or(written).and_then(|one| one.blocks.first()).map(typed);
                declared.operator = self.operator();
            }
            CollectiveOperation::Barrier | CollectiveOperation::Neighbor | CollectiveOperation::ReduceLocal => {
                return None;
            }
        }
        Some(declared)
    }

    /// The operator of a reduction: what it is, and its name.
    fn operator(&mut self) -> Option<(Value, &'static str)> {
        let argument = self.function.handle_of(Object::Operation)?;
        let handle = self.env.argument(argument).as_int()?;
        if let Some(op) = ReduceOp::from_handle(handle) {
            return Some((Value::Int(handle), op.name()));
        }
        let id = OperationId::from_handle(handle)?;
        let own = self.mpi.task(self.task).operations.get(id)?;
        Some((own.function, "an operation of the program"))
    }

    /// What was sent point to point is received as something else; whether that was told.
    pub(crate) fn check_received(&mut self, data: &Data, into: &Buffer) -> bool {
        let Some(sent) = data.typed.as_ref().filter(|_| self.mpi.checks.is_some()) else { return false };
        let received = typed(into);
        let how = sent.compare(&received, self.form());
        let new = match how {
            Agreement::Same | Agreement::Longer | Agreement::Shorter => return false,
            Agreement::Signs => Diagnostic::warning,
            Agreement::Different => Diagnostic::error,
        };
        let message = format!("{} is received as {}", described(sent), described(&received));
        let finding = new(&crate::codes::DATATYPES, message)
            .label(self.span, format!("task {} receives it in {}", self.task.0, self.name()))
            .help("use the same datatype at the sender and at the receiver");
        self.mpi.tell(finding);
        true
    }
}

fn described(typed: &TypedElements) -> String {
    match typed.datatype.uniform() {
        Some(kind) => format!("{} {}", typed.datatype.elements.saturating_mul(typed.count), kind.name()),
        None => format!("{} of a type of {} bytes", typed.count, typed.datatype.size),
    }
}

/// What two members do not agree on.
fn difference(one: &Declared, other: &Declared, model: DataModel) -> Option<Diagnostic> {
    if let (Some(a), Some(b)) = (one.operator, other.operator)
        && a.0 != b.0
    {
        let message = format!(
            "{} reduces with {} on task {} and with {} on task {}",
            one.name, a.1, one.task.0, b.1, other.task.0
        );
        return Some(finding(one, other, Agreement::Different, message, "give the same operation on all members"));
    }
    let reduces = one.operator.is_some();
    let alike = one.all.as_ref().zip(other.all.as_ref());
    let to = one.gives.with(other.rank).zip(other.gets.with(one.rank));
    let from = other.gives.with(one.rank).zip(one.gets.with(other.rank));
    let (a, b, how) = [alike, to, from].into_iter().flatten().find_map(|(a, b)| {
        let how = a.compare(b, model);
        // Lengths of what goes from one to another are compared where it arrives.
        let told = matches!(how, Agreement::Signs | Agreement::Different) || (how != Agreement::Same && reduces);
        told.then_some((a, b, how))
    })?;
    let verb = if alike.is_some() { "is given" } else { "moves" };
    let message = format!("{} {verb} {} on one member and {} on another", one.name, described(a), described(b));
    Some(finding(one, other, how, message, "give types and counts that fit on all members"))
}

fn finding(one: &Declared, other: &Declared, how: Agreement, message: String, help: &str) -> Diagnostic {
    let new = if how == Agreement::Signs { Diagnostic::warning } else { Diagnostic::error };
    let mut finding = new(&codes::DISAGREE, message).label(one.span, format!("called by task {}", one.task.0));
    if one.task != other.task {
        finding = finding.label(other.span, format!("called by task {}", other.task.0));
    }
    finding.help(help)
}
