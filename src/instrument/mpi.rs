//! MPI calls: each says that it begins, and hands on the integers that the source does not tell.

use super::edits::Edits;
use super::syntax::{Range, Syntax};
use crate::program::{Arg, BlockKind, Call, Callee, Operand, Program};
use crate::source::offsets::unit_of;

/// Positions of arguments that are plain integers (not handles), by the name of a call; counts, ranks, tags, colours.
const INTEGERS: &[(&str, &[usize])] = &[
    ("MPI_Send", &[1, 3, 4]),
    ("MPI_Ssend", &[1, 3, 4]),
    ("MPI_Bsend", &[1, 3, 4]),
    ("MPI_Rsend", &[1, 3, 4]),
    ("MPI_Isend", &[1, 3, 4]),
    ("MPI_Issend", &[1, 3, 4]),
    ("MPI_Ibsend", &[1, 3, 4]),
    ("MPI_Irsend", &[1, 3, 4]),
    ("MPI_Send_init", &[1, 3, 4]),
    ("MPI_Recv", &[1, 3, 4]),
    ("MPI_Irecv", &[1, 3, 4]),
    ("MPI_Recv_init", &[1, 3, 4]),
    ("MPI_Sendrecv", &[1, 3, 4, 6, 8, 9]),
    ("MPI_Sendrecv_replace", &[1, 3, 4, 5, 6]),
    ("MPI_Probe", &[0, 1]),
    ("MPI_Iprobe", &[0, 1]),
    ("MPI_Waitall", &[0]),
    ("MPI_Waitany", &[0]),
    ("MPI_Waitsome", &[0]),
    ("MPI_Testall", &[0]),
    ("MPI_Testany", &[0]),
    ("MPI_Startall", &[0]),
    ("MPI_Bcast", &[1, 3]),
    ("MPI_Ibcast", &[1, 3]),
    ("MPI_Reduce", &[2, 5]),
    ("MPI_Ireduce", &[2, 5]),
    ("MPI_Allreduce", &[2]),
    ("MPI_Iallreduce", &[2]),
    ("MPI_Scan", &[2]),
    ("MPI_Exscan", &[2]),
    ("MPI_Reduce_scatter_block", &[2]),
    ("MPI_Gather", &[1, 4, 6]),
    ("MPI_Scatter", &[1, 4, 6]),
    ("MPI_Gatherv", &[1, 7]),
    ("MPI_Scatterv", &[5, 7]),
    ("MPI_Allgather", &[1, 4]),
    ("MPI_Iallgather", &[1, 4]),
    ("MPI_Allgatherv", &[1]),
    ("MPI_Alltoall", &[1, 4]),
    ("MPI_Ialltoall", &[1, 4]),
    ("MPI_Comm_split", &[1, 2]),
    ("MPI_Abort", &[1]),
    ("MPI_Type_contiguous", &[0]),
    ("MPI_Type_vector", &[0, 1, 2]),
];

/// Edits for all MPI calls of a unit.
pub fn calls(program: &Program, unit: usize, syntax: &Syntax, edits: &mut Edits<'_>) {
    for (id, block) in program.blocks.iter() {
        let BlockKind::Call(call) = &block.kind else { continue };
        let Callee::Mpi(name) = &call.callee else { continue };
        let range = Range::of(block.span);
        let function = &program.functions[block.function];
        let Some(arguments) = syntax.calls.get(&range).filter(|_| unit_of(function.span) == Some(unit)) else {
            continue;
        };
        let begins = if &**name == "MPI_Abort" { "chronos_abort" } else { "chronos_mpi" };
        edits.around(range, &format!("({begins}({}), ", id.0));
        for &position in integers(name) {
            if let Some(&argument) = arguments.get(position).filter(|_| !is_constant(call, position)) {
                edits.around(argument, &format!("chronos_argument({position}, "));
            }
        }
    }
}

fn integers(name: &str) -> &'static [usize] {
    INTEGERS.iter().find(|(known, _)| *known == name).map_or(&[], |(_, positions)| positions)
}

fn is_constant(call: &Call, position: usize) -> bool {
    matches!(call.args.get(position), Some(Arg::Scalar(Operand::Const(_))))
}
