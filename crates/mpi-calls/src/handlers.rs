//! The MPI functions that are modelled, by name.

use crate::call::{Call, Called};
use crate::collectives::plan::{Planner, perform};
use crate::collectives::{neighbourhood, planners, reductions};
use crate::communicators::{cartesian, graphs, groups, intercommunicators, management, spawn};
use crate::datatypes::{constructors, inquiries, pack};
use crate::environment::{info, inquiry, keyvals, predefined};
use crate::files::{management as file_management, transfer};
use crate::point_to_point::{completion, matched_probe, persistent, probe, requests, send_receive, statuses};
use crate::windows::{access, creation, dynamic, sync};
use chronos_base::hash::FxHashMap;
use chronos_functions::{self as functions, Function};
use std::sync::LazyLock;

/// What performs a call.
#[derive(Clone, Copy)]
pub(crate) enum Handler {
    /// The function alone.
    Call(fn(&mut Call<'_>) -> Called),
    /// A collective: the part of a member, which is the same whether the call waits, makes a request, or is persistent.
    Collective(Planner),
}

impl Handler {
    pub(crate) fn perform(self, call: &mut Call<'_>) -> Called {
        match self {
            Self::Call(handler) => handler(call),
            Self::Collective(plan) => perform(call, plan),
        }
    }
}

/// A modelled function.
#[derive(Clone, Copy)]
pub(crate) struct Entry {
    pub name: &'static str,
    pub handler: Handler,
    /// The handler performs the variants of the row too: it asks the row what the call is.
    pub variants: bool,
}

/// Whether `chronos` models the MPI function `name`.
pub fn supported(name: &str) -> bool {
    find(name).is_some()
}

/// Whether the MPI function `name` is one of point-to-point communication that takes time whoever its partners are.
pub fn moves_messages(name: &str) -> bool {
    find(name).is_some_and(|found| found.row.moves)
}

/// Whether a call of the MPI function `name` takes the time of a call although it moves no message.
pub fn takes_call_time(name: &str) -> bool {
    find(name).is_some_and(|Modelled { row, .. }| row.moves || row.takes_call_time)
}

/// A modelled function with its row in the table of functions.
pub(crate) struct Modelled {
    pub handler: Handler,
    pub row: &'static Function,
}

pub(crate) fn find(name: &str) -> Option<&'static Modelled> {
    static BY_NAME: LazyLock<FxHashMap<&'static str, Modelled>> = LazyLock::new(by_name);
    // A profiled program calls the same function under its PMPI name.
    let plain = name.strip_prefix('P').unwrap_or(name);
    BY_NAME.get(plain)
}

fn by_name() -> FxHashMap<&'static str, Modelled> {
    let entries: FxHashMap<&str, Entry> = all().map(|entry| (entry.name, entry)).collect();
    let handler = |row: &Function| {
        let own = entries.get(row.name);
        own.or_else(|| entries.get(row.base).filter(|entry| entry.variants)).map(|entry| entry.handler)
    };
    functions::all().filter_map(|row| Some((row.name, Modelled { handler: handler(row)?, row }))).collect()
}

fn all() -> impl Iterator<Item = Entry> {
    let tables = [ENVIRONMENT, POINT_TO_POINT, COMPLETION, COLLECTIVES, COMMUNICATORS, TYPES, WINDOWS, FILES, INFO];
    let exchanges = planners::PLANNERS.iter().map(|&(name, plan)| Entry { variants: true, ..collective(name, plan) });
    tables.into_iter().flatten().copied().chain(exchanges)
}

const fn entry(name: &'static str, handler: fn(&mut Call<'_>) -> Called) -> Entry {
    Entry { name, handler: Handler::Call(handler), variants: false }
}

/// A function whose handler performs its variants too.
const fn with_variants(name: &'static str, handler: fn(&mut Call<'_>) -> Called) -> Entry {
    Entry { variants: true, ..entry(name, handler) }
}

const fn collective(name: &'static str, plan: Planner) -> Entry {
    Entry { name, handler: Handler::Collective(plan), variants: false }
}

static ENVIRONMENT: &[Entry] = &[
    entry("MPI_Init", inquiry::init),
    entry("MPI_Init_thread", inquiry::init_thread),
    entry("MPI_Initialized", inquiry::initialized),
    entry("MPI_Finalized", inquiry::finalized),
    entry("MPI_Get_version", inquiry::get_version),
    entry("MPI_Get_library_version", inquiry::get_library_version),
    entry("MPI_Wtime", inquiry::wtime),
    entry("MPI_Wtick", inquiry::wtick),
    entry("MPI_Error_string", inquiry::error_string),
    entry("MPI_Error_class", inquiry::error_class),
    entry("MPI_Abort", inquiry::abort),
    collective("MPI_Finalize", inquiry::finalize),
    entry("MPI_Get_processor_name", inquiry::get_processor_name),
    entry("MPI_Query_thread", inquiry::query_thread),
    entry("MPI_Is_thread_main", inquiry::is_thread_main),
    entry("MPI_Alloc_mem", inquiry::alloc_mem),
    entry("MPI_Free_mem", inquiry::nothing),
    entry("MPI_Pcontrol", inquiry::nothing),
    entry("MPI_Buffer_attach", inquiry::buffer_attach),
    entry("MPI_Buffer_detach", inquiry::buffer_detach),
    entry("MPI_Comm_get_attr", predefined::get_attr),
    entry("MPI_Attr_get", predefined::get_attr),
    entry("MPI_Comm_create_keyval", keyvals::create),
    entry("MPI_Comm_free_keyval", keyvals::free),
    entry("MPI_Comm_set_attr", keyvals::set),
    entry("MPI_Comm_delete_attr", keyvals::delete),
    entry("MPI_Keyval_create", keyvals::create),
    entry("MPI_Keyval_free", keyvals::free),
    entry("MPI_Attr_put", keyvals::set),
    entry("MPI_Attr_delete", keyvals::delete),
    entry("MPI_Type_create_keyval", keyvals::create),
    entry("MPI_Type_free_keyval", keyvals::free),
    entry("MPI_Type_set_attr", keyvals::set),
    entry("MPI_Type_get_attr", keyvals::get),
    entry("MPI_Type_delete_attr", keyvals::delete),
    entry("MPI_Win_create_keyval", keyvals::create),
    entry("MPI_Win_free_keyval", keyvals::free),
    entry("MPI_Win_set_attr", keyvals::set),
    entry("MPI_Win_delete_attr", keyvals::delete),
    entry("MPI_Op_create", predefined::op_create),
    entry("MPI_Op_free", predefined::op_free),
    entry("MPI_Op_commutative", predefined::op_commutative),
    entry("MPI_Errhandler_create", |call| predefined::create_ignored(call, 1)),
    entry("MPI_Comm_create_errhandler", |call| predefined::create_ignored(call, 1)),
    entry("MPI_Errhandler_free", predefined::free_ignored),
    entry("MPI_Errhandler_set", inquiry::nothing),
    entry("MPI_Errhandler_get", predefined::get_errhandler),
    entry("MPI_Comm_set_errhandler", inquiry::nothing),
    entry("MPI_Comm_get_errhandler", predefined::get_errhandler),
];

static POINT_TO_POINT: &[Entry] = &[
    with_variants("MPI_Send", send_receive::send),
    with_variants("MPI_Ssend", send_receive::send),
    with_variants("MPI_Bsend", send_receive::send),
    with_variants("MPI_Rsend", send_receive::send),
    entry("MPI_Recv", send_receive::recv),
    entry("MPI_Irecv", send_receive::irecv),
    entry("MPI_Sendrecv", send_receive::sendrecv),
    entry("MPI_Sendrecv_replace", send_receive::sendrecv_replace),
    entry("MPI_Probe", probe::probe),
    entry("MPI_Iprobe", probe::iprobe),
    entry("MPI_Mprobe", matched_probe::mprobe),
    entry("MPI_Improbe", matched_probe::improbe),
    entry("MPI_Mrecv", matched_probe::mrecv),
    entry("MPI_Imrecv", matched_probe::imrecv),
    entry("MPI_Get_count", statuses::get_count),
    entry("MPI_Get_elements", statuses::get_elements),
    entry("MPI_Recv_init", persistent::recv_init),
    entry("MPI_Start", persistent::start),
    entry("MPI_Startall", persistent::startall),
];

static COMPLETION: &[Entry] = &[
    entry("MPI_Wait", completion::wait),
    entry("MPI_Waitall", completion::waitall),
    entry("MPI_Waitany", completion::waitany),
    entry("MPI_Waitsome", completion::waitsome),
    entry("MPI_Test", completion::test),
    entry("MPI_Testall", completion::testall),
    entry("MPI_Testany", completion::testany),
    entry("MPI_Testsome", completion::testsome),
    entry("MPI_Request_free", requests::free),
    entry("MPI_Request_get_status", completion::get_status),
    entry("MPI_Cancel", requests::cancel),
    entry("MPI_Test_cancelled", statuses::test_cancelled),
];

/// Those that exchange data between all members are in [`planners`].
static COLLECTIVES: &[Entry] = &[
    entry("MPI_Reduce_local", reductions::reduce_local),
    with_variants("MPI_Neighbor_allgather", neighbourhood::allgather),
    with_variants("MPI_Neighbor_allgatherv", neighbourhood::allgatherv),
    with_variants("MPI_Neighbor_alltoall", neighbourhood::alltoall),
    with_variants("MPI_Neighbor_alltoallv", neighbourhood::alltoallv),
    with_variants("MPI_Neighbor_alltoallw", neighbourhood::alltoallw),
];

static COMMUNICATORS: &[Entry] = &[
    entry("MPI_Comm_rank", management::rank),
    entry("MPI_Comm_size", management::size),
    collective("MPI_Comm_split", management::split),
    collective("MPI_Comm_split_type", management::split_type),
    collective("MPI_Comm_dup", management::dup),
    collective("MPI_Comm_dup_with_info", management::dup_with_info),
    collective("MPI_Comm_idup", management::dup),
    collective("MPI_Comm_create", management::create),
    entry("MPI_Comm_create_group", management::create_group),
    entry("MPI_Comm_free", management::free),
    entry("MPI_Comm_disconnect", management::disconnect),
    entry("MPI_Comm_compare", management::compare),
    entry("MPI_Comm_test_inter", intercommunicators::test),
    entry("MPI_Comm_remote_size", intercommunicators::remote_size),
    entry("MPI_Comm_remote_group", intercommunicators::remote_group),
    entry("MPI_Intercomm_create", intercommunicators::create),
    collective("MPI_Intercomm_merge", intercommunicators::merge),
    entry("MPI_Comm_spawn", spawn::spawn),
    entry("MPI_Comm_spawn_multiple", spawn::spawn_multiple),
    entry("MPI_Comm_get_parent", management::get_parent),
    entry("MPI_Comm_set_name", management::set_name),
    entry("MPI_Comm_get_name", management::get_name),
    entry("MPI_Comm_group", groups::of_comm),
    entry("MPI_Group_incl", groups::incl),
    entry("MPI_Group_excl", groups::excl),
    entry("MPI_Group_range_incl", groups::range_incl),
    entry("MPI_Group_range_excl", groups::range_excl),
    entry("MPI_Group_union", groups::union),
    entry("MPI_Group_intersection", groups::intersection),
    entry("MPI_Group_difference", groups::difference),
    entry("MPI_Group_size", groups::size),
    entry("MPI_Group_rank", groups::rank),
    entry("MPI_Group_translate_ranks", groups::translate_ranks),
    entry("MPI_Group_compare", groups::compare),
    entry("MPI_Group_free", groups::free),
    collective("MPI_Cart_create", cartesian::create),
    collective("MPI_Cart_sub", cartesian::sub),
    entry("MPI_Cart_coords", cartesian::coords),
    entry("MPI_Cart_rank", cartesian::rank),
    entry("MPI_Cart_shift", cartesian::shift),
    entry("MPI_Cart_get", cartesian::get),
    entry("MPI_Cartdim_get", cartesian::dim_get),
    entry("MPI_Topo_test", cartesian::topo_test),
    entry("MPI_Dims_create", cartesian::dims_create),
    collective("MPI_Graph_create", graphs::graph_create),
    entry("MPI_Graphdims_get", graphs::graph_dims),
    entry("MPI_Graph_get", graphs::graph_get),
    entry("MPI_Graph_neighbors_count", graphs::graph_count),
    entry("MPI_Graph_neighbors", graphs::graph_neighbours),
    collective("MPI_Dist_graph_create", graphs::create_distributed),
    collective("MPI_Dist_graph_create_adjacent", graphs::create_adjacent),
    entry("MPI_Dist_graph_neighbors_count", graphs::distributed_count),
    entry("MPI_Dist_graph_neighbors", graphs::distributed_neighbours),
];

static TYPES: &[Entry] = &[
    entry("MPI_Type_contiguous", constructors::contiguous),
    entry("MPI_Type_vector", constructors::vector),
    entry("MPI_Type_create_hvector", constructors::hvector),
    entry("MPI_Type_hvector", constructors::hvector),
    entry("MPI_Type_indexed", constructors::indexed),
    entry("MPI_Type_create_hindexed", constructors::hindexed),
    entry("MPI_Type_hindexed", constructors::hindexed),
    entry("MPI_Type_create_indexed_block", constructors::indexed_block),
    entry("MPI_Type_create_hindexed_block", constructors::hindexed_block),
    entry("MPI_Type_create_struct", constructors::structure),
    entry("MPI_Type_struct", constructors::structure),
    entry("MPI_Type_create_resized", constructors::resized),
    entry("MPI_Type_create_darray", constructors::darray),
    entry("MPI_Type_create_subarray", constructors::subarray),
    entry("MPI_Type_dup", constructors::dup),
    entry("MPI_Type_commit", constructors::commit),
    entry("MPI_Type_free", constructors::free),
    entry("MPI_Type_size", inquiries::size),
    entry("MPI_Type_size_x", inquiries::size_x),
    entry("MPI_Type_extent", inquiries::extent),
    entry("MPI_Type_lb", inquiries::lower),
    entry("MPI_Type_ub", inquiries::upper),
    entry("MPI_Type_get_extent", inquiries::get_extent),
    entry("MPI_Type_get_true_extent", inquiries::get_true_extent),
    entry("MPI_Type_get_extent_x", inquiries::get_extent),
    entry("MPI_Type_get_true_extent_x", inquiries::get_true_extent),
    entry("MPI_Type_set_name", inquiries::set_name),
    entry("MPI_Type_get_name", inquiries::get_name),
    entry("MPI_Get_address", inquiries::get_address),
    entry("MPI_Address", inquiries::get_address),
    entry("MPI_Aint_add", inquiries::aint_add),
    entry("MPI_Aint_diff", inquiries::aint_diff),
    entry("MPI_Pack", pack::pack),
    entry("MPI_Unpack", pack::unpack),
    entry("MPI_Pack_size", pack::pack_size),
];

static WINDOWS: &[Entry] = &[
    collective("MPI_Win_create", creation::create),
    collective("MPI_Win_allocate", creation::allocate),
    collective("MPI_Win_allocate_shared", creation::allocate),
    collective("MPI_Win_create_dynamic", dynamic::create_dynamic),
    entry("MPI_Win_attach", dynamic::attach),
    entry("MPI_Win_detach", dynamic::detach),
    entry("MPI_Win_shared_query", creation::shared_query),
    entry("MPI_Win_free", creation::free),
    entry("MPI_Win_get_attr", creation::get_attr),
    entry("MPI_Win_get_group", groups::of_window),
    entry("MPI_Win_set_info", inquiry::nothing),
    entry("MPI_Win_set_errhandler", inquiry::nothing),
    entry("MPI_Win_create_errhandler", |call| predefined::create_ignored(call, 1)),
    entry("MPI_Win_set_name", inquiry::nothing),
    entry("MPI_Win_fence", sync::fence),
    entry("MPI_Win_post", sync::post),
    entry("MPI_Win_start", sync::start),
    entry("MPI_Win_complete", sync::complete),
    entry("MPI_Win_wait", sync::wait),
    entry("MPI_Win_lock", sync::lock),
    entry("MPI_Win_unlock", sync::unlock),
    entry("MPI_Win_lock_all", sync::lock_all),
    entry("MPI_Win_unlock_all", sync::unlock_all),
    entry("MPI_Win_flush", sync::flush),
    entry("MPI_Win_flush_local", sync::flush_local),
    entry("MPI_Win_flush_all", sync::flush_all),
    entry("MPI_Win_flush_local_all", sync::flush_local_all),
    entry("MPI_Win_sync", sync::sync),
    with_variants("MPI_Put", access::put),
    with_variants("MPI_Get", access::get),
    with_variants("MPI_Accumulate", access::accumulate),
    with_variants("MPI_Get_accumulate", access::get_accumulate),
    entry("MPI_Fetch_and_op", access::fetch_and_op),
    entry("MPI_Compare_and_swap", access::compare_and_swap),
];

static FILES: &[Entry] = &[
    entry("MPI_File_open", file_management::open),
    entry("MPI_File_close", file_management::close),
    entry("MPI_File_delete", file_management::delete),
    entry("MPI_File_get_size", file_management::get_size),
    entry("MPI_File_set_size", file_management::set_size),
    entry("MPI_File_preallocate", file_management::preallocate),
    entry("MPI_File_sync", file_management::sync),
    entry("MPI_File_seek", file_management::seek),
    entry("MPI_File_seek_shared", file_management::seek_shared),
    entry("MPI_File_get_position", file_management::get_position),
    entry("MPI_File_get_position_shared", file_management::get_position_shared),
    entry("MPI_File_get_byte_offset", file_management::get_byte_offset),
    entry("MPI_File_get_type_extent", file_management::get_type_extent),
    entry("MPI_File_set_view", file_management::set_view),
    entry("MPI_File_set_atomicity", file_management::set_atomicity),
    entry("MPI_File_get_atomicity", file_management::get_atomicity),
    entry("MPI_File_get_amode", file_management::get_amode),
    entry("MPI_File_get_group", file_management::get_group),
    entry("MPI_File_get_info", file_management::get_info),
    entry("MPI_File_set_info", file_management::accept),
    entry("MPI_File_set_errhandler", inquiry::nothing),
    entry("MPI_File_create_errhandler", |call| predefined::create_ignored(call, 1)),
    with_variants("MPI_File_read", transfer::transfer),
    with_variants("MPI_File_read_all", transfer::transfer),
    with_variants("MPI_File_read_at", transfer::transfer),
    with_variants("MPI_File_read_at_all", transfer::transfer),
    with_variants("MPI_File_read_shared", transfer::transfer),
    with_variants("MPI_File_read_ordered", transfer::transfer),
    with_variants("MPI_File_read_all_begin", transfer::transfer),
    with_variants("MPI_File_read_all_end", transfer::transfer),
    with_variants("MPI_File_read_at_all_begin", transfer::transfer),
    with_variants("MPI_File_read_at_all_end", transfer::transfer),
    with_variants("MPI_File_read_ordered_begin", transfer::transfer),
    with_variants("MPI_File_read_ordered_end", transfer::transfer),
    with_variants("MPI_File_write", transfer::transfer),
    with_variants("MPI_File_write_all", transfer::transfer),
    with_variants("MPI_File_write_at", transfer::transfer),
    with_variants("MPI_File_write_at_all", transfer::transfer),
    with_variants("MPI_File_write_shared", transfer::transfer),
    with_variants("MPI_File_write_ordered", transfer::transfer),
    with_variants("MPI_File_write_all_begin", transfer::transfer),
    with_variants("MPI_File_write_all_end", transfer::transfer),
    with_variants("MPI_File_write_at_all_begin", transfer::transfer),
    with_variants("MPI_File_write_at_all_end", transfer::transfer),
    with_variants("MPI_File_write_ordered_begin", transfer::transfer),
    with_variants("MPI_File_write_ordered_end", transfer::transfer),
];

static INFO: &[Entry] = &[
    entry("MPI_Info_create", info::create),
    entry("MPI_Info_dup", info::dup),
    entry("MPI_Info_free", info::free),
    entry("MPI_Info_set", info::set),
    entry("MPI_Info_delete", info::delete),
    entry("MPI_Info_get", info::get),
    entry("MPI_Info_get_string", info::get_string),
    entry("MPI_Info_get_valuelen", info::get_valuelen),
    entry("MPI_Info_get_nkeys", info::get_nkeys),
    entry("MPI_Info_get_nthkey", info::get_nthkey),
    entry("MPI_Comm_f2c", inquiry::same_handle),
    entry("MPI_Comm_c2f", inquiry::same_handle),
    entry("MPI_Group_f2c", inquiry::same_handle),
    entry("MPI_Group_c2f", inquiry::same_handle),
    entry("MPI_Type_f2c", inquiry::same_handle),
    entry("MPI_Type_c2f", inquiry::same_handle),
    entry("MPI_Op_f2c", inquiry::same_handle),
    entry("MPI_Op_c2f", inquiry::same_handle),
    entry("MPI_Request_f2c", inquiry::same_handle),
    entry("MPI_Request_c2f", inquiry::same_handle),
    entry("MPI_Info_f2c", inquiry::same_handle),
    entry("MPI_Info_c2f", inquiry::same_handle),
    entry("MPI_Win_f2c", inquiry::same_handle),
    entry("MPI_Win_c2f", inquiry::same_handle),
    entry("MPI_File_f2c", inquiry::same_handle),
    entry("MPI_File_c2f", inquiry::same_handle),
];

/// Names of all modelled functions, variants included.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    functions::all().map(|row| row.name).filter(|name| supported(name))
}

/// Names that the tables have.
#[cfg(test)]
pub(crate) fn entries() -> impl Iterator<Item = &'static str> {
    all().map(|entry| entry.name)
}
