//! Wrong calls, and calls whose structure is not known.

use super::driver::*;
use crate::state::handle_table::Handle;
use crate::{Action, CODES, MpiCalls, Options, supported, unsupported_calls};
use chronos_activity::RequestId;
use chronos_base::ids::Table;
use chronos_base::span::{FileId, Span};
use chronos_ir::{Block, BlockId, BlockKind, Call, Callee, CounterId, Effects, FuncId, Function, Program};
use chronos_mpi::handles;
use chronos_mpi::libraries::MpiLibrary;

/// Code and message of the failure of task 0.
fn failure(job: &TestJob) -> String {
    match job.failure(0) {
        Some(Action::Fail(diagnostic)) => format!("{}: {}", diagnostic.code.id, diagnostic.message),
        other => format!("{other:?}"),
    }
}

fn check(name: &str, args: &[Arg]) -> String {
    let mut job = TestJob::new(2);
    job.set_all(800, &[0; 8]);
    job.call(0, name, args);
    job.run_partly();
    failure(&job)
}

#[test]
fn arguments_that_mpi_does_not_allow() {
    let send = |count: i64, kind: Arg, to: i64, tag: i64, comm: i64| {
        check("MPI_Send", &[at(0), int(count), kind, int(to), int(tag), int(comm)])
    };
    insta::assert_snapshot!(send(-1, INT, 1, 0, 1), @"C0402: argument 2 of MPI_Send is -1, which is negative");
    insta::assert_snapshot!(
        send(1, INT, 2, 0, 1),
        @"C0403: MPI_Send is given rank 2, and its communicator has ranks 0 to 1"
    );
    insta::assert_snapshot!(send(1, INT, 1, -1, 1), @"C0404: MPI_Send is given tag -1");
    insta::assert_snapshot!(send(1, INT, 1, 0, 0), @"C0405: argument 6 of MPI_Send is MPI_COMM_NULL");
    insta::assert_snapshot!(send(1, INT, 1, 0, 3), @"C0405: argument 6 of MPI_Send is no communicator of this task");
    insta::assert_snapshot!(send(1, NULL, 1, 0, 1), @"C0405: argument 3 of MPI_Send is MPI_DATATYPE_NULL");
    insta::assert_snapshot!(
        check("MPI_Bcast", &[at(0), int(1), INT, int(5), WORLD]),
        @"C0403: MPI_Bcast is given rank 5, and its communicator has ranks 0 to 1"
    );
    insta::assert_snapshot!(
        check("MPI_Cart_shift", &[WORLD, int(0), int(1), at(0), at(0)]),
        @"C0411: MPI_Cart_shift is given a communicator without Cartesian topology"
    );
}

#[test]
fn a_request_is_waited_for_once() {
    let wait = |name: &str, rest: &[Arg]| {
        let mut job = TestJob::new(2);
        let first = RequestId(0).handle();
        job.set(0, 0, &[handles::NULL, first, first]);
        job.call(0, "MPI_Irecv", &[at(100), int(1), INT, int(1), int(0), WORLD, at(4)]);
        job.call(0, name, &[&[int(3), at(0)], rest].concat());
        job.run_partly();
        failure(&job)
    };
    insta::assert_snapshot!(wait("MPI_Waitall", &[NULL]), @"C0405: MPI_Waitall is given one request twice, at positions 1 and 2");
    insta::assert_snapshot!(wait("MPI_Testall", &[at(200), NULL]), @"C0405: MPI_Testall is given one request twice, at positions 1 and 2");
    insta::assert_snapshot!(wait("MPI_Waitany", &[at(200), NULL]), @"C0405: MPI_Waitany is given one request twice, at positions 1 and 2");
}

#[test]
fn dimensions_that_do_not_fit() {
    let mut job = TestJob::new(2);
    job.set(0, 0, &[3, 0]);
    job.call(0, "MPI_Dims_create", &[int(4), int(2), at(0)]);
    job.run_partly();
    insta::assert_snapshot!(failure(&job), @"C0411: MPI_Dims_create cannot split 4 tasks with dimensions [3, 0]");
}

#[test]
fn types_must_be_committed() {
    let mut job = TestJob::new(2);
    job.call(0, "MPI_Type_contiguous", &[int(2), INT, at(0)]);
    job.call(0, "MPI_Send", &[at(0), int(1), load(0), int(1), int(0), WORLD]);
    job.run_partly();
    insta::assert_snapshot!(failure(&job), @"C0406: the datatype that MPI_Send is given was not committed");
}

#[test]
fn types_of_another_extent_are_committed_in_open_mpi_alone() {
    let send = |library| {
        let mut job = TestJob::uninitialised(2, Options { library, ..Options::default() });
        job.call(0, "MPI_Init", &[NULL, NULL]);
        job.call(0, "MPI_Type_create_resized", &[INT, int(0), int(8), at(0)]);
        job.call(0, "MPI_Send", &[at(0), int(1), load(0), int(1), int(0), WORLD]);
        job.run_partly();
        let told = job.calls.take_reports();
        (failure(&job), told.iter().map(|d| format!("{}: {}", d.code.id, d.message)).collect::<Vec<_>>())
    };
    let (failed, told) = send(MpiLibrary::OpenMpi);
    assert_eq!(failed, "None");
    let warning = "the datatype that MPI_Send is given was not committed: Open MPI takes it as the one it was made of";
    assert_eq!(told, [format!("C0406: {warning}")]);
    assert_eq!(send(MpiLibrary::Mpich).0, "C0406: the datatype that MPI_Send is given was not committed");
}

#[test]
fn too_long_a_message() {
    let mut job = TestJob::new(2);
    job.call(1, "MPI_Send", &[at(0), int(4), INT, int(0), int(0), WORLD]);
    job.call(0, "MPI_Recv", &[at(0), int(3), INT, int(1), int(0), WORLD, NULL]);
    job.run_partly();
    insta::assert_snapshot!(failure(&job), @"C0407: MPI_Recv has room for 12 bytes, and 16 arrive");
}

#[test]
fn calls_outside_of_init_and_finalize() {
    let mut job = TestJob::uninitialised(1, Options::default());
    job.call(0, "MPI_Comm_rank", &[WORLD, at(0)]);
    job.run_partly();
    insta::assert_snapshot!(failure(&job), @"C0408: MPI_Comm_rank is called before MPI_Init");
    let mut job = TestJob::new(1);
    job.call(0, "MPI_Finalize", &[]);
    job.call(0, "MPI_Barrier", &[WORLD]);
    job.run_partly();
    insta::assert_snapshot!(failure(&job), @"C0408: MPI_Barrier is called after MPI_Finalize");
    insta::assert_snapshot!(
        check("MPI_Init", &[NULL, NULL]),
        @"C0408: MPI_Init is called a second time, or after MPI_Finalize"
    );
}

#[test]
fn collectives_that_do_not_match() {
    let mut job = TestJob::new(2);
    job.call(1, "MPI_Bcast", &[at(0), int(1), INT, int(1), WORLD]);
    job.run_partly();
    job.call(0, "MPI_Bcast", &[at(0), int(1), INT, int(0), WORLD]);
    job.run_partly();
    insta::assert_snapshot!(
        failure(&job),
        @"C0409: task 0 calls MPI_Bcast with root 0, and task 1 calls MPI_Bcast with root 1"
    );
}

/// Reports that did not keep the tasks from going on.
fn reports(job: &mut TestJob) -> Vec<String> {
    job.run();
    let reports = job.calls.take_reports();
    reports.iter().map(|d| format!("{}: {}", d.code.id, d.message)).collect()
}

#[test]
fn kinds_of_data_that_do_not_match() {
    let send = |kind: Arg| {
        let mut job = TestJob::new(2);
        job.call(0, "MPI_Send", &[at(0), int(2), INT, int(1), int(0), WORLD]);
        job.call(1, "MPI_Recv", &[at(0), int(2), kind, int(0), int(0), WORLD, NULL]);
        reports(&mut job)
    };
    assert!(send(INT).is_empty());
    assert_eq!(send(DOUBLE), ["C0412: MPI_INT is sent and received as MPI_DOUBLE"]);
}

#[test]
fn unknown_structure_names_the_argument() {
    let unknown = |name: &str, args: &[Arg]| check(name, args);
    let peer = unknown("MPI_Send", &[at(0), int(1), INT, Arg::Unknown, int(0), WORLD]);
    assert_eq!(peer, "Some(Unknown { argument: 3, reason: why7 })");
    let root = unknown("MPI_Bcast", &[at(0), int(1), INT, Arg::Unknown, WORLD]);
    assert_eq!(root, "Some(Unknown { argument: 3, reason: why7 })");
}

#[test]
fn unknown_sizes_are_no_structure() {
    let mut job = TestJob::new(2);
    job.call(0, "MPI_Send", &[at(0), Arg::Unknown, INT, int(1), int(0), WORLD]);
    job.call(1, "MPI_Recv", &[at(0), Arg::Unknown, INT, int(0), int(0), WORLD, at(100)]);
    job.run();
}

#[test]
fn unknown_buffers_are_no_structure() {
    let mut job = TestJob::new(2);
    job.call(0, "MPI_Send", &[Arg::Unknown, int(1), INT, int(1), int(0), WORLD]);
    job.call(1, "MPI_Recv", &[Arg::Unknown, int(1), INT, int(0), int(0), WORLD, Arg::Unknown]);
    job.run();
}

#[test]
fn characters_are_bytes() {
    let mut job = TestJob::new(1);
    job.call(0, "MPI_Type_size", &[CHAR, at(0)]);
    job.run();
    assert_eq!(job.get(0, 0), Some(1));
}

#[test]
fn what_is_modelled() {
    assert!(supported("MPI_Alltoallv") && supported("PMPI_Send"));
    assert!(supported("MPI_Comm_spawn") && !supported("MPI_Comm_connect") && !supported("MPI_Open_port"));
    assert!(unsupported_calls(&Program::default()).is_empty());
    insta::assert_snapshot!(
        check("MPI_Comm_connect", &[]),
        @"C0401: the program calls MPI_Comm_connect, which is not modelled"
    );
}

/// A program whose `main` is function 0; calls by the function that makes them.
fn program(calls: &[(u32, Callee)]) -> Program {
    let mut program = Program { main: Some(FuncId(0)), ..Program::default() };
    for name in ["main", "used", "unused"] {
        program.functions.push(function(name));
    }
    for (line, (function, callee)) in (1..).zip(calls) {
        let call = Call { callee: callee.clone(), args: Vec::new(), result_place: None };
        program.blocks.push(Block {
            function: FuncId(*function),
            parent: None,
            span: Span::line(FileId(0), line),
            kind: BlockKind::Call(call),
            first_counter: CounterId(line - 1),
        });
    }
    program
}

fn function(name: &str) -> Function {
    Function {
        name: name.into(),
        span: Span::line(FileId(0), 1),
        is_static: false,
        unit: FileId(0),
        result: chronos_ir::types::TypeId(0),
        variadic: false,
        params: Vec::new(),
        locals: Vec::new(),
        values: Table::new(),
        body: Vec::new(),
        labels: Table::new(),
        targets: Table::new(),
        blocks: (BlockId(0), BlockId(0)),
        effects: Effects::default(),
    }
}

#[test]
fn unsupported_calls_are_listed_at_once() {
    let mpi = |name: &str| Callee::Mpi(name.into());
    let calls = [
        (0, mpi("MPI_Send")),
        (0, mpi("MPI_Open_port")),
        (0, Callee::Function(FuncId(1))),
        (1, mpi("MPI_Comm_accept")),
        (1, mpi("MPI_Open_port")),
        (2, mpi("MPI_Comm_connect")),
    ];
    let diagnostics = unsupported_calls(&program(&calls));
    let [diagnostic] = diagnostics.as_slice() else { panic!("one expected: {diagnostics:?}") };
    insta::assert_snapshot!(
        diagnostic.message,
        @"the program calls MPI functions that are not modelled: MPI_Comm_accept, MPI_Open_port"
    );
    let lines: Vec<u32> = diagnostic.labels.iter().map(|label| label.span.line_start).collect();
    assert_eq!(lines, [4, 2, 5]);
}

#[test]
fn codes_are_in_order_and_their_own() {
    let ids: Vec<&str> = CODES.iter().map(|code| code.id).collect();
    assert!(ids.is_sorted() && ids.iter().all(|id| id.starts_with("C04")), "{ids:?}");
}

/// What a persistent collective is stands in its row, so its members are compared as those of a blocking one.
#[test]
fn persistent_reductions_are_compared_where_they_start() {
    let options = Options { correctness: true, ..Options::default() };
    let mut job = TestJob::uninitialised(2, options);
    job.all("MPI_Init", &[NULL, NULL]);
    for (task, operation) in [(0, SUM), (1, MAX)] {
        job.call(task, "MPI_Allreduce_init", &[at(0), at(100), int(1), INT, operation, WORLD, NULL, at(200)]);
        job.call(task, "MPI_Start", &[at(200)]);
        job.call(task, "MPI_Wait", &[at(200), NULL]);
    }
    job.run();
    let reports = job.calls.take_reports();
    let codes: Vec<&str> = reports.iter().map(|report| report.code.id).collect();
    assert!(codes.contains(&crate::DISAGREE.id), "{codes:?}");
}

#[test]
fn numbers_of_constants_are_those_of_a_library() {
    let receive = |library, from: i64| {
        let mut job = TestJob::uninitialised(1, Options { library, ..Options::default() });
        job.call(0, "MPI_Init", &[NULL, NULL]);
        job.call(0, "MPI_Irecv", &[at(0), int(1), INT, int(from), int(-1), WORLD, at(8)]);
        reports(&mut job)
    };
    let any = "C0403: MPI_Irecv is given rank -1, which is MPI_ANY_SOURCE in Open MPI";
    // Libraries agree in the tag.
    let tag = "C0404: MPI_Irecv is given tag -1, which is MPI_ANY_TAG in Open MPI and MPICH";
    assert_eq!(receive(MpiLibrary::OpenMpi, -1), [any, tag]);
    let none = "C0403: MPI_Irecv is given rank -1, which is MPI_PROC_NULL in MPICH";
    assert_eq!(receive(MpiLibrary::Mpich, -1), [none, tag]);
}

#[test]
fn constants_in_the_place_of_others_are_numbers() {
    let receive = |library, from: i64, tag: i64| {
        let mut job = TestJob::uninitialised(1, Options { library, ..Options::default() });
        job.call(0, "MPI_Init", &[NULL, NULL]);
        job.call(0, "MPI_Irecv", &[at(0), int(1), INT, int(from), int(tag), WORLD, at(8)]);
        job.run_partly();
        let told = job.calls.take_reports();
        (failure(&job), told.iter().map(|d| format!("{}: {}", d.code.id, d.message)).collect::<Vec<_>>())
    };
    let tag = "C0404: MPI_Irecv is given MPI_ANY_SOURCE as a tag, whose number is that of MPI_ANY_TAG in Open MPI";
    assert_eq!(receive(MpiLibrary::OpenMpi, 0, handles::ANY_SOURCE), ("None".into(), vec![tag.to_owned()]));
    let (failed, _) = receive(MpiLibrary::Mpich, 0, handles::ANY_SOURCE);
    assert_eq!(failed, "C0404: MPI_Irecv is given tag -101");
    let rank = |library: MpiLibrary, constant: &str| {
        let name = library.name();
        let told =
            format!("C0403: MPI_Irecv is given MPI_ANY_TAG as a rank, whose number is that of {constant} in {name}");
        assert_eq!(receive(library, handles::ANY_TAG, 0), ("None".into(), vec![told]));
    };
    rank(MpiLibrary::OpenMpi, "MPI_ANY_SOURCE");
    rank(MpiLibrary::Mpich, "MPI_PROC_NULL");
}
