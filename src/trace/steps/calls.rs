//! What MPI calls asked for, as operations.

use crate::activity::{Collective, CollectiveKind, CommId, Operation, RequestId, SendMode, TaskId, Volume};
use crate::diag::Diagnostic;
use crate::program::{BlockId, BlockKind, Callee, Program};
use crate::trace::codes;
use crate::trace::task::{Asked, TracedCall};
use crate::units::Bytes;
use std::collections::BTreeMap;

/// Communicators by their numbers on the task.
type Comms = BTreeMap<i64, CommId>;

/// The operation of a call; `None` where it moved nothing.
///
/// # Errors
/// A call of which the trace has not what it asked for.
pub fn operations(
    call: &TracedCall,
    program: &Program,
    tasks: u32,
    comms: &Comms,
) -> Result<Option<Operation>, Box<Diagnostic>> {
    let block = BlockId(call.site);
    let Some(asked) = &call.asked else { return unrecorded(block, program) };
    if asked.kind == "none" {
        return Ok(None);
    }
    let operation = Numbers { asked, tasks, comms }.operation();
    operation.map(Some).ok_or_else(|| {
        let message = format!("the trace has a call `{}` whose numbers mean nothing", asked.kind);
        Box::new(Diagnostic::error(&codes::UNREADABLE, message).help("the file was changed; trace the program again"))
    })
}

struct Numbers<'a> {
    asked: &'a Asked,
    tasks: u32,
    comms: &'a Comms,
}

impl Numbers<'_> {
    fn operation(&self) -> Option<Operation> {
        let kind = &*self.asked.kind;
        match kind {
            "send" => self.send(SendMode::Standard),
            "ssend" => self.send(SendMode::Synchronous),
            "bsend" => self.send(SendMode::Buffered),
            "rsend" => self.send(SendMode::Ready),
            "recv" => Some(Operation::Recv {
                from: self.task(0)?,
                tag: self.tag()?,
                comm: self.comm(2)?,
                bytes: self.bytes(3)?,
                request: self.request(4)?,
            }),
            "probe" => {
                Some(Operation::Probe { from: self.task(0)?, tag: self.tag()?, comm: self.comm(2)?, blocking: true })
            }
            "wait" => {
                let requests = (0..self.asked.numbers.len()).map(|at| self.request(at)?);
                Some(Operation::WaitAll { requests: requests.collect::<Option<_>>()? })
            }
            "access" => Some(Operation::Access {
                to: self.task(0)??,
                sent: self.bytes(1)?,
                returned: self.bytes(2)?,
                request: self.request(3)??,
            }),
            "lock" => Some(Operation::Lock { comm: self.comm(0)?, of: self.task(1)?, exclusive: self.number(2)? != 0 }),
            "unlock" => Some(Operation::Unlock { comm: self.comm(0)?, of: self.task(1)? }),
            "storage" => Some(Operation::Storage {
                bytes: self.bytes(0)?,
                write: self.number(1)? != 0,
                request: self.request(2)?,
            }),
            _ => self.collective(collective_kind(kind)?),
        }
    }

    fn number(&self, at: usize) -> Option<i64> {
        self.asked.numbers.get(at).copied()
    }

    fn task(&self, at: usize) -> Option<Option<TaskId>> {
        match self.number(at)? {
            -1 => Some(None),
            rank => u32::try_from(rank).ok().filter(|&rank| rank < self.tasks).map(|rank| Some(TaskId(rank))),
        }
    }

    fn tag(&self) -> Option<Option<i32>> {
        match self.number(1)? {
            -1 => Some(None),
            tag => i32::try_from(tag).ok().map(Some),
        }
    }

    fn comm(&self, at: usize) -> Option<CommId> {
        self.comms.get(&self.number(at)?).copied()
    }

    fn bytes(&self, at: usize) -> Option<Bytes> {
        self.number(at)?.try_into().ok().map(Bytes)
    }

    fn request(&self, at: usize) -> Option<Option<RequestId>> {
        match self.number(at)? {
            -1 => Some(None),
            request => request.try_into().ok().map(|request| Some(RequestId(request))),
        }
    }

    fn send(&self, mode: SendMode) -> Option<Operation> {
        Some(Operation::Send {
            to: self.task(0)??,
            tag: self.tag()??,
            comm: self.comm(2)?,
            bytes: self.bytes(3)?,
            mode,
            request: self.request(4)?,
        })
    }

    fn collective(&self, kind: CollectiveKind) -> Option<Operation> {
        let blocks: Option<Vec<Bytes>> = (5..self.asked.numbers.len()).map(|at| self.bytes(at)).collect();
        let volume = match self.asked.kind.ends_with('v') {
            true => Volume::Blocks { own: self.bytes(4)?, blocks: blocks?.into() },
            false => Volume::Each(self.bytes(4)?),
        };
        Some(Operation::Collective(Collective {
            kind,
            comm: self.comm(0)?,
            root: self.task(1)?,
            volume,
            commutative: self.number(3)? != 0,
            request: self.request(2)?,
        }))
    }
}

fn collective_kind(kind: &str) -> Option<CollectiveKind> {
    Some(match kind {
        "barrier" => CollectiveKind::Barrier,
        "bcast" => CollectiveKind::Bcast,
        "reduce" => CollectiveKind::Reduce,
        "allreduce" => CollectiveKind::Allreduce,
        "gather" | "gatherv" => CollectiveKind::Gather,
        "scatter" | "scatterv" => CollectiveKind::Scatter,
        "allgather" | "allgatherv" => CollectiveKind::Allgather,
        "alltoall" | "alltoallv" => CollectiveKind::Alltoall,
        "reduce_scatter" => CollectiveKind::ReduceScatter,
        "scan" => CollectiveKind::Scan,
        "exscan" => CollectiveKind::Exscan,
        "agreement" => CollectiveKind::Agreement,
        _ => return None,
    })
}

/// A call of which only its place is known.
fn unrecorded(id: BlockId, program: &Program) -> Result<Option<Operation>, Box<Diagnostic>> {
    let called = program.blocks.get(id).and_then(|block| match &block.kind {
        BlockKind::Call(call) => match &call.callee {
            Callee::Mpi(name) => Some((name, block.span)),
            _ => None,
        },
        _ => None,
    });
    let Some((name, span)) = called else { return Ok(None) };
    if is_recorded(name) {
        // What it asked for stands in the event behind this one.
        return Ok(None);
    }
    match &**name {
        "MPI_Wtime" | "PMPI_Wtime" => Ok(Some(Operation::ReadClock { slot: id })),
        "MPI_Abort" | "PMPI_Abort" => Ok(Some(Operation::Abort { code: 1 })),
        _ if is_local(name) => Ok(Some(Operation::Local { function: name.clone() })),
        _ => Err(Box::new(
            Diagnostic::error(&codes::NOT_RECORDED, format!("the trace does not say what {name} asked for"))
                .label(span, "traces record no such call")
                .help("give what the structure depends on (--set, --prob, --iterations), so that it need not come from the trace"),
        )),
    }
}

/// Functions that the runtime records by their own names.
fn is_recorded(name: &str) -> bool {
    const POINT_TO_POINT: &[&str] = &[
        "Send",
        "Ssend",
        "Bsend",
        "Rsend",
        "Isend",
        "Issend",
        "Ibsend",
        "Irsend",
        "Send_init",
        "Ssend_init",
        "Bsend_init",
        "Rsend_init",
        "Recv",
        "Irecv",
        "Recv_init",
        "Start",
        "Startall",
        "Sendrecv",
        "Sendrecv_replace",
        "Wait",
        "Waitall",
        "Waitany",
        "Waitsome",
        "Test",
        "Testall",
        "Testany",
        "Testsome",
        "Request_free",
        "Probe",
        "Iprobe",
        "Mprobe",
        "Improbe",
        "Mrecv",
        "Imrecv",
    ];
    const COLLECTIVES: &[&str] = &[
        "barrier",
        "bcast",
        "reduce",
        "allreduce",
        "scan",
        "exscan",
        "reduce_scatter",
        "reduce_scatter_block",
        "gather",
        "gatherv",
        "scatter",
        "scatterv",
        "allgather",
        "allgatherv",
        "alltoall",
        "alltoallv",
        "alltoallw",
        "neighbor_allgather",
        "neighbor_allgatherv",
        "neighbor_alltoall",
        "neighbor_alltoallv",
        "neighbor_alltoallw",
    ];
    const MAKERS: &[&str] = &[
        "Finalize",
        "Comm_dup",
        "Comm_split",
        "Comm_split_type",
        "Comm_create",
        "Cart_create",
        "Cart_sub",
        "Graph_create",
        "Comm_dup_with_info",
        "Comm_create_group",
        "Dist_graph_create",
        "Dist_graph_create_adjacent",
        "Intercomm_create",
        "Intercomm_merge",
    ];
    let Some(name) = name.strip_prefix("MPI_") else { return false };
    if is_access(name) || is_file_access(name) {
        return true;
    }
    let lower = name.to_ascii_lowercase();
    let collective = lower.strip_prefix('i').filter(|_| name.starts_with('I')).unwrap_or(&lower);
    POINT_TO_POINT.contains(&name) || MAKERS.contains(&name) || COLLECTIVES.contains(&collective)
}

fn is_access(name: &str) -> bool {
    const WINDOWS: &[&str] = &[
        "create",
        "allocate",
        "allocate_shared",
        "free",
        "fence",
        "post",
        "start",
        "complete",
        "wait",
        "test",
        "lock",
        "unlock",
        "lock_all",
        "unlock_all",
        "flush",
        "flush_local",
        "flush_all",
        "flush_local_all",
    ];
    const ACCESSES: &[&str] = &[
        "Put",
        "Get",
        "Accumulate",
        "Get_accumulate",
        "Rput",
        "Rget",
        "Raccumulate",
        "Rget_accumulate",
        "Fetch_and_op",
        "Compare_and_swap",
    ];
    ACCESSES.contains(&name) || name.strip_prefix("Win_").is_some_and(|name| WINDOWS.contains(&name))
}

fn is_file_access(name: &str) -> bool {
    const OTHERS: &[&str] =
        &["open", "close", "delete", "set_size", "preallocate", "sync", "seek_shared", "set_atomicity", "set_view"];
    // Immediate functions in which all tasks meet are not.
    let moves = |name: &str| {
        let plain = name.strip_prefix('i').filter(|_| !name.ends_with("_all")).unwrap_or(name);
        plain.starts_with("read") || plain.starts_with("write")
    };
    name.strip_prefix("File_").is_some_and(|name| OTHERS.contains(&name) || moves(name))
}

/// Functions that need no other task.
fn is_local(name: &str) -> bool {
    const FAMILIES: &[&str] = &[
        "Group_",
        "Type_",
        "Info_",
        "Op_",
        "Errhandler_",
        "Error_",
        "Status_",
        "Pack",
        "Unpack",
        "Attr_",
        "Keyval_",
        "Buffer_",
        "Aint_",
        "T_",
        "Init",
        "Finalized",
        "Graph_",
        "Dist_graph_neighbors",
        "Graphdims_",
        "Win_get_",
        "Win_set_",
        "Win_create_",
        "File_get_",
        "File_create_",
    ];
    const FUNCTIONS: &[&str] = &[
        "Wtick",
        "Query_thread",
        "Is_thread_main",
        "Alloc_mem",
        "Free_mem",
        "Pcontrol",
        "Get_count",
        "Get_elements",
        "Get_elements_x",
        "Get_version",
        "Get_library_version",
        "Get_processor_name",
        "Get_address",
        "Address",
        "Comm_rank",
        "Comm_size",
        "Comm_free",
        "Comm_compare",
        "Comm_test_inter",
        "Comm_get_parent",
        "Comm_set_name",
        "Comm_get_name",
        "Comm_group",
        "Comm_get_attr",
        "Comm_set_attr",
        "Comm_delete_attr",
        "Comm_create_keyval",
        "Comm_free_keyval",
        "Comm_create_errhandler",
        "Comm_set_errhandler",
        "Comm_get_errhandler",
        "Comm_remote_size",
        "Comm_remote_group",
        "Comm_set_info",
        "Comm_get_info",
        "Comm_c2f",
        "Comm_f2c",
        "Request_c2f",
        "Request_f2c",
        "Cart_coords",
        "Cart_rank",
        "Cart_shift",
        "Cart_get",
        "Cart_map",
        "Cartdim_get",
        "Topo_test",
        "Dims_create",
        "Reduce_local",
        "Test_cancelled",
        "Win_sync",
        "Win_shared_query",
        "File_seek",
        "File_set_info",
        "File_set_errhandler",
    ];
    let Some(name) = name.strip_prefix('P').unwrap_or(name).strip_prefix("MPI_") else { return false };
    FAMILIES.iter().any(|family| name.starts_with(family)) || FUNCTIONS.contains(&name)
}
