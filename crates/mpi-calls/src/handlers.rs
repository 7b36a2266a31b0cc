//! The MPI functions that are modelled, by name.

use crate::call::{Call, Called};
use crate::collectives::plan::{blocking, immediate};
use crate::collectives::{data_movement, neighbourhood, reductions};
use crate::communicators::{cartesian, graphs, groups, intercommunicators, management, spawn};
use crate::datatypes::{constructors, inquiries, pack};
use crate::environment::{info, inquiry, keyvals, predefined};
use crate::files::{management as file_management, transfer};
use crate::point_to_point::{completion, matched_probe, persistent, probe, requests, send_receive, statuses};
use crate::windows::{access, creation, dynamic, sync};
use chronos_functions::{self as functions, Function};
use std::collections::HashMap;
use std::sync::LazyLock;

pub(crate) type Handler = fn(&mut Call<'_>) -> Called;

/// A modelled function.
pub(crate) struct Entry {
    pub name: &'static str,
    pub handler: Handler,
}

/// Whether `chronos` models the MPI function `name`.
pub fn supported(name: &str) -> bool {
    find(name).is_some()
}

/// Whether the MPI function `name` is one of point-to-point communication that takes time whoever its partners are.
pub fn moves_messages(name: &str) -> bool {
    find(name).is_some_and(|found| found.row.moves)
}

/// A modelled function with its row in the table of functions.
pub(crate) struct Modelled {
    pub handler: Handler,
    pub row: &'static Function,
}

pub(crate) fn find(name: &str) -> Option<&'static Modelled> {
    static BY_NAME: LazyLock<HashMap<&'static str, Modelled>> = LazyLock::new(|| {
        let known = all()
            .filter_map(|&Entry { name, handler }| Some((name, Modelled { handler, row: functions::exact(name)? })));
        known.collect()
    });
    // A profiled program calls the same function under its PMPI name.
    let plain = name.strip_prefix('P').unwrap_or(name);
    BY_NAME.get(plain)
}

fn all() -> impl Iterator<Item = &'static Entry> {
    [
        ENVIRONMENT,
        POINT_TO_POINT,
        COMPLETION,
        COLLECTIVE,
        PERSISTENT_COLLECTIVES,
        COMMUNICATORS,
        TYPES,
        WINDOWS,
        FILES,
        INFO,
    ]
    .into_iter()
    .flatten()
}

const fn entry(name: &'static str, handler: Handler) -> Entry {
    Entry { name, handler }
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
    entry("MPI_Finalize", |call| blocking(call, inquiry::finalize)),
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
    entry("MPI_Send", send_receive::send),
    entry("MPI_Ssend", send_receive::ssend),
    entry("MPI_Bsend", send_receive::bsend),
    entry("MPI_Rsend", send_receive::rsend),
    entry("MPI_Recv", send_receive::recv),
    entry("MPI_Isend", send_receive::isend),
    entry("MPI_Issend", send_receive::issend),
    entry("MPI_Ibsend", send_receive::ibsend),
    entry("MPI_Irsend", send_receive::irsend),
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
    entry("MPI_Send_init", persistent::send_init),
    entry("MPI_Ssend_init", persistent::ssend_init),
    entry("MPI_Bsend_init", persistent::bsend_init),
    entry("MPI_Rsend_init", persistent::rsend_init),
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

static COLLECTIVE: &[Entry] = &[
    entry("MPI_Barrier", |call| blocking(call, data_movement::barrier)),
    entry("MPI_Bcast", |call| blocking(call, data_movement::bcast)),
    entry("MPI_Reduce", |call| blocking(call, reductions::reduce)),
    entry("MPI_Allreduce", |call| blocking(call, reductions::allreduce)),
    entry("MPI_Reduce_scatter", |call| blocking(call, reductions::reduce_scatter)),
    entry("MPI_Reduce_scatter_block", |call| blocking(call, reductions::reduce_scatter_block)),
    entry("MPI_Scan", |call| blocking(call, reductions::scan)),
    entry("MPI_Exscan", |call| blocking(call, reductions::exscan)),
    entry("MPI_Gather", |call| blocking(call, data_movement::gather)),
    entry("MPI_Gatherv", |call| blocking(call, data_movement::gatherv)),
    entry("MPI_Scatter", |call| blocking(call, data_movement::scatter)),
    entry("MPI_Scatterv", |call| blocking(call, data_movement::scatterv)),
    entry("MPI_Allgather", |call| blocking(call, data_movement::allgather)),
    entry("MPI_Allgatherv", |call| blocking(call, data_movement::allgatherv)),
    entry("MPI_Alltoall", |call| blocking(call, data_movement::alltoall)),
    entry("MPI_Alltoallv", |call| blocking(call, data_movement::alltoallv)),
    entry("MPI_Alltoallw", |call| blocking(call, data_movement::alltoallw)),
    entry("MPI_Ialltoallw", |call| immediate(call, data_movement::alltoallw, 9)),
    entry("MPI_Reduce_local", reductions::reduce_local),
    entry("MPI_Ibarrier", |call| immediate(call, data_movement::barrier, 1)),
    entry("MPI_Ibcast", |call| immediate(call, data_movement::bcast, 5)),
    entry("MPI_Ireduce", |call| immediate(call, reductions::reduce, 7)),
    entry("MPI_Iallreduce", |call| immediate(call, reductions::allreduce, 6)),
    entry("MPI_Ireduce_scatter", |call| immediate(call, reductions::reduce_scatter, 6)),
    entry("MPI_Ireduce_scatter_block", |call| immediate(call, reductions::reduce_scatter_block, 6)),
    entry("MPI_Iscan", |call| immediate(call, reductions::scan, 6)),
    entry("MPI_Iexscan", |call| immediate(call, reductions::exscan, 6)),
    entry("MPI_Igather", |call| immediate(call, data_movement::gather, 8)),
    entry("MPI_Igatherv", |call| immediate(call, data_movement::gatherv, 9)),
    entry("MPI_Iscatter", |call| immediate(call, data_movement::scatter, 8)),
    entry("MPI_Iscatterv", |call| immediate(call, data_movement::scatterv, 9)),
    entry("MPI_Iallgather", |call| immediate(call, data_movement::allgather, 7)),
    entry("MPI_Iallgatherv", |call| immediate(call, data_movement::allgatherv, 8)),
    entry("MPI_Ialltoall", |call| immediate(call, data_movement::alltoall, 7)),
    entry("MPI_Ialltoallv", |call| immediate(call, data_movement::alltoallv, 9)),
];

static PERSISTENT_COLLECTIVES: &[Entry] = &[
    entry("MPI_Alltoallw_init", |call| persistent::collective(call, data_movement::alltoallw, 10)),
    entry("MPI_Barrier_init", |call| persistent::collective(call, data_movement::barrier, 2)),
    entry("MPI_Bcast_init", |call| persistent::collective(call, data_movement::bcast, 6)),
    entry("MPI_Reduce_init", |call| persistent::collective(call, reductions::reduce, 8)),
    entry("MPI_Allreduce_init", |call| persistent::collective(call, reductions::allreduce, 7)),
    entry("MPI_Reduce_scatter_init", |call| persistent::collective(call, reductions::reduce_scatter, 7)),
    entry("MPI_Reduce_scatter_block_init", |call| persistent::collective(call, reductions::reduce_scatter_block, 7)),
    entry("MPI_Scan_init", |call| persistent::collective(call, reductions::scan, 7)),
    entry("MPI_Exscan_init", |call| persistent::collective(call, reductions::exscan, 7)),
    entry("MPI_Gather_init", |call| persistent::collective(call, data_movement::gather, 9)),
    entry("MPI_Gatherv_init", |call| persistent::collective(call, data_movement::gatherv, 10)),
    entry("MPI_Scatter_init", |call| persistent::collective(call, data_movement::scatter, 9)),
    entry("MPI_Scatterv_init", |call| persistent::collective(call, data_movement::scatterv, 10)),
    entry("MPI_Allgather_init", |call| persistent::collective(call, data_movement::allgather, 8)),
    entry("MPI_Allgatherv_init", |call| persistent::collective(call, data_movement::allgatherv, 9)),
    entry("MPI_Alltoall_init", |call| persistent::collective(call, data_movement::alltoall, 8)),
    entry("MPI_Alltoallv_init", |call| persistent::collective(call, data_movement::alltoallv, 10)),
];

static COMMUNICATORS: &[Entry] = &[
    entry("MPI_Comm_rank", management::rank),
    entry("MPI_Comm_size", management::size),
    entry("MPI_Comm_split", |call| blocking(call, management::split)),
    entry("MPI_Comm_split_type", |call| blocking(call, management::split_type)),
    entry("MPI_Comm_dup", |call| blocking(call, management::dup)),
    entry("MPI_Comm_dup_with_info", |call| blocking(call, management::dup_with_info)),
    entry("MPI_Comm_idup", |call| immediate(call, management::dup, 2)),
    entry("MPI_Comm_create", |call| blocking(call, management::create)),
    entry("MPI_Comm_create_group", management::create_group),
    entry("MPI_Comm_free", management::free),
    entry("MPI_Comm_disconnect", management::disconnect),
    entry("MPI_Comm_compare", management::compare),
    entry("MPI_Comm_test_inter", intercommunicators::test),
    entry("MPI_Comm_remote_size", intercommunicators::remote_size),
    entry("MPI_Comm_remote_group", intercommunicators::remote_group),
    entry("MPI_Intercomm_create", intercommunicators::create),
    entry("MPI_Intercomm_merge", |call| blocking(call, intercommunicators::merge)),
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
    entry("MPI_Cart_create", |call| blocking(call, cartesian::create)),
    entry("MPI_Cart_sub", |call| blocking(call, cartesian::sub)),
    entry("MPI_Cart_coords", cartesian::coords),
    entry("MPI_Cart_rank", cartesian::rank),
    entry("MPI_Cart_shift", cartesian::shift),
    entry("MPI_Cart_get", cartesian::get),
    entry("MPI_Cartdim_get", cartesian::dim_get),
    entry("MPI_Topo_test", cartesian::topo_test),
    entry("MPI_Dims_create", cartesian::dims_create),
    entry("MPI_Graph_create", |call| blocking(call, graphs::graph_create)),
    entry("MPI_Graphdims_get", graphs::graph_dims),
    entry("MPI_Graph_get", graphs::graph_get),
    entry("MPI_Graph_neighbors_count", graphs::graph_count),
    entry("MPI_Graph_neighbors", graphs::graph_neighbours),
    entry("MPI_Dist_graph_create", |call| blocking(call, graphs::create_distributed)),
    entry("MPI_Dist_graph_create_adjacent", |call| blocking(call, graphs::create_adjacent)),
    entry("MPI_Dist_graph_neighbors_count", graphs::distributed_count),
    entry("MPI_Dist_graph_neighbors", graphs::distributed_neighbours),
    entry("MPI_Neighbor_allgather", neighbourhood::allgather),
    entry("MPI_Neighbor_allgatherv", neighbourhood::allgatherv),
    entry("MPI_Neighbor_alltoall", neighbourhood::alltoall),
    entry("MPI_Neighbor_alltoallv", neighbourhood::alltoallv),
    entry("MPI_Neighbor_alltoallw", neighbourhood::alltoallw),
    entry("MPI_Ineighbor_allgather", neighbourhood::allgather),
    entry("MPI_Ineighbor_allgatherv", neighbourhood::allgatherv),
    entry("MPI_Ineighbor_alltoall", neighbourhood::alltoall),
    entry("MPI_Ineighbor_alltoallv", neighbourhood::alltoallv),
    entry("MPI_Ineighbor_alltoallw", neighbourhood::alltoallw),
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
    entry("MPI_Win_create", |call| blocking(call, creation::create)),
    entry("MPI_Win_allocate", |call| blocking(call, creation::allocate)),
    entry("MPI_Win_allocate_shared", |call| blocking(call, creation::allocate)),
    entry("MPI_Win_create_dynamic", |call| blocking(call, dynamic::create_dynamic)),
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
    entry("MPI_Win_flush_local", sync::flush),
    entry("MPI_Win_flush_all", sync::flush_all),
    entry("MPI_Win_flush_local_all", sync::flush_all),
    entry("MPI_Win_sync", sync::sync),
    entry("MPI_Put", access::put),
    entry("MPI_Get", access::get),
    entry("MPI_Accumulate", access::accumulate),
    entry("MPI_Get_accumulate", access::get_accumulate),
    entry("MPI_Fetch_and_op", access::fetch_and_op),
    entry("MPI_Compare_and_swap", access::compare_and_swap),
    entry("MPI_Rput", access::rput),
    entry("MPI_Rget", access::rget),
    entry("MPI_Raccumulate", access::raccumulate),
    entry("MPI_Rget_accumulate", access::rget_accumulate),
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
    entry("MPI_File_read", transfer::transfer),
    entry("MPI_File_read_all", transfer::transfer),
    entry("MPI_File_read_at", transfer::transfer),
    entry("MPI_File_read_at_all", transfer::transfer),
    entry("MPI_File_read_shared", transfer::transfer),
    entry("MPI_File_read_ordered", transfer::transfer),
    entry("MPI_File_iread", transfer::transfer),
    entry("MPI_File_iread_all", transfer::transfer),
    entry("MPI_File_iread_at", transfer::transfer),
    entry("MPI_File_iread_at_all", transfer::transfer),
    entry("MPI_File_iread_shared", transfer::transfer),
    entry("MPI_File_read_all_begin", transfer::transfer),
    entry("MPI_File_read_all_end", transfer::transfer),
    entry("MPI_File_read_at_all_begin", transfer::transfer),
    entry("MPI_File_read_at_all_end", transfer::transfer),
    entry("MPI_File_read_ordered_begin", transfer::transfer),
    entry("MPI_File_read_ordered_end", transfer::transfer),
    entry("MPI_File_write", transfer::transfer),
    entry("MPI_File_write_all", transfer::transfer),
    entry("MPI_File_write_at", transfer::transfer),
    entry("MPI_File_write_at_all", transfer::transfer),
    entry("MPI_File_write_shared", transfer::transfer),
    entry("MPI_File_write_ordered", transfer::transfer),
    entry("MPI_File_iwrite", transfer::transfer),
    entry("MPI_File_iwrite_all", transfer::transfer),
    entry("MPI_File_iwrite_at", transfer::transfer),
    entry("MPI_File_iwrite_at_all", transfer::transfer),
    entry("MPI_File_iwrite_shared", transfer::transfer),
    entry("MPI_File_write_all_begin", transfer::transfer),
    entry("MPI_File_write_all_end", transfer::transfer),
    entry("MPI_File_write_at_all_begin", transfer::transfer),
    entry("MPI_File_write_at_all_end", transfer::transfer),
    entry("MPI_File_write_ordered_begin", transfer::transfer),
    entry("MPI_File_write_ordered_end", transfer::transfer),
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

/// Names of all modelled functions.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|entry| entry.name)
}
