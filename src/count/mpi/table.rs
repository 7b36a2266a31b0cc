//! The MPI functions that are modelled, by name.

use super::call::{Call, Called};
use super::{
    attributes, cart, collective, communicator, completion, groups, inquiry, matched, pack, persistent, point, probe,
    reductions, request, status, types,
};
use std::collections::HashMap;
use std::sync::OnceLock;

pub(super) type Handler = fn(&mut Call<'_>) -> Called;

/// A modelled function.
pub(super) struct Entry {
    pub name: &'static str,
    pub handler: Handler,
    /// May be called before MPI_Init and after MPI_Finalize.
    pub anytime: bool,
}

/// Whether `chronos` models the MPI function `name`.
pub fn supported(name: &str) -> bool {
    find(name).is_some()
}

pub(super) fn find(name: &str) -> Option<&'static Entry> {
    static BY_NAME: OnceLock<HashMap<&'static str, &'static Entry>> = OnceLock::new();
    // A profiled program calls the same function under its PMPI name.
    let plain = name.strip_prefix('P').unwrap_or(name);
    BY_NAME.get_or_init(|| all().map(|entry| (entry.name, entry)).collect()).get(plain).copied()
}

fn all() -> impl Iterator<Item = &'static Entry> {
    [ENVIRONMENT, POINT_TO_POINT, COMPLETION, COLLECTIVE, COMMUNICATORS, TYPES].into_iter().flatten()
}

const fn entry(name: &'static str, handler: Handler) -> Entry {
    Entry { name, handler, anytime: false }
}

const fn anytime(name: &'static str, handler: Handler) -> Entry {
    Entry { name, handler, anytime: true }
}

static ENVIRONMENT: &[Entry] = &[
    anytime("MPI_Init", inquiry::init),
    anytime("MPI_Init_thread", inquiry::init_thread),
    anytime("MPI_Initialized", inquiry::initialized),
    anytime("MPI_Finalized", inquiry::finalized),
    anytime("MPI_Get_version", inquiry::get_version),
    anytime("MPI_Get_library_version", inquiry::get_library_version),
    anytime("MPI_Wtime", inquiry::wtime),
    anytime("MPI_Wtick", inquiry::wtick),
    anytime("MPI_Error_string", inquiry::error_string),
    anytime("MPI_Error_class", inquiry::error_class),
    anytime("MPI_Abort", inquiry::abort),
    entry("MPI_Finalize", |call| collective::blocking(call, inquiry::finalize)),
    entry("MPI_Get_processor_name", inquiry::get_processor_name),
    entry("MPI_Query_thread", inquiry::query_thread),
    entry("MPI_Is_thread_main", inquiry::is_thread_main),
    entry("MPI_Alloc_mem", inquiry::alloc_mem),
    entry("MPI_Free_mem", inquiry::nothing),
    anytime("MPI_Pcontrol", inquiry::nothing),
    entry("MPI_Buffer_attach", inquiry::nothing),
    entry("MPI_Buffer_detach", inquiry::buffer_detach),
    entry("MPI_Comm_get_attr", attributes::get_attr),
    entry("MPI_Attr_get", attributes::get_attr),
    entry("MPI_Op_create", attributes::op_create),
    entry("MPI_Op_free", attributes::op_free),
    entry("MPI_Op_commutative", attributes::op_commutative),
    entry("MPI_Errhandler_create", |call| attributes::create_ignored(call, 1)),
    entry("MPI_Comm_create_errhandler", |call| attributes::create_ignored(call, 1)),
    entry("MPI_Errhandler_free", attributes::free_ignored),
    entry("MPI_Errhandler_set", inquiry::nothing),
    entry("MPI_Errhandler_get", attributes::get_errhandler),
    entry("MPI_Comm_set_errhandler", inquiry::nothing),
    entry("MPI_Comm_get_errhandler", attributes::get_errhandler),
    anytime("MPI_Info_create", |call| attributes::create_ignored(call, 0)),
    anytime("MPI_Info_set", inquiry::nothing),
    anytime("MPI_Info_free", attributes::free_ignored),
];

static POINT_TO_POINT: &[Entry] = &[
    entry("MPI_Send", point::send),
    entry("MPI_Ssend", point::ssend),
    entry("MPI_Bsend", point::bsend),
    entry("MPI_Rsend", point::rsend),
    entry("MPI_Recv", point::recv),
    entry("MPI_Isend", point::isend),
    entry("MPI_Issend", point::issend),
    entry("MPI_Ibsend", point::ibsend),
    entry("MPI_Irsend", point::irsend),
    entry("MPI_Irecv", point::irecv),
    entry("MPI_Sendrecv", point::sendrecv),
    entry("MPI_Sendrecv_replace", point::sendrecv_replace),
    entry("MPI_Probe", probe::probe),
    entry("MPI_Iprobe", probe::iprobe),
    entry("MPI_Mprobe", matched::mprobe),
    entry("MPI_Improbe", matched::improbe),
    entry("MPI_Mrecv", matched::mrecv),
    entry("MPI_Imrecv", matched::imrecv),
    entry("MPI_Get_count", status::get_count),
    entry("MPI_Get_elements", status::get_elements),
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
    entry("MPI_Request_free", request::free),
    entry("MPI_Request_get_status", completion::get_status),
    entry("MPI_Cancel", request::cancel),
    entry("MPI_Test_cancelled", status::test_cancelled),
];

static COLLECTIVE: &[Entry] = &[
    entry("MPI_Barrier", |call| collective::blocking(call, collective::barrier)),
    entry("MPI_Bcast", |call| collective::blocking(call, collective::bcast)),
    entry("MPI_Reduce", |call| collective::blocking(call, reductions::reduce)),
    entry("MPI_Allreduce", |call| collective::blocking(call, reductions::allreduce)),
    entry("MPI_Reduce_scatter", |call| collective::blocking(call, reductions::reduce_scatter)),
    entry("MPI_Reduce_scatter_block", |call| collective::blocking(call, reductions::reduce_scatter_block)),
    entry("MPI_Scan", |call| collective::blocking(call, reductions::scan)),
    entry("MPI_Exscan", |call| collective::blocking(call, reductions::exscan)),
    entry("MPI_Gather", |call| collective::blocking(call, collective::gather)),
    entry("MPI_Gatherv", |call| collective::blocking(call, collective::gatherv)),
    entry("MPI_Scatter", |call| collective::blocking(call, collective::scatter)),
    entry("MPI_Scatterv", |call| collective::blocking(call, collective::scatterv)),
    entry("MPI_Allgather", |call| collective::blocking(call, collective::allgather)),
    entry("MPI_Allgatherv", |call| collective::blocking(call, collective::allgatherv)),
    entry("MPI_Alltoall", |call| collective::blocking(call, collective::alltoall)),
    entry("MPI_Alltoallv", |call| collective::blocking(call, collective::alltoallv)),
    entry("MPI_Alltoallw", |call| collective::blocking(call, collective::alltoallw)),
    entry("MPI_Ialltoallw", |call| collective::immediate(call, collective::alltoallw, 9)),
    entry("MPI_Reduce_local", reductions::reduce_local),
    entry("MPI_Ibarrier", |call| collective::immediate(call, collective::barrier, 1)),
    entry("MPI_Ibcast", |call| collective::immediate(call, collective::bcast, 5)),
    entry("MPI_Ireduce", |call| collective::immediate(call, reductions::reduce, 7)),
    entry("MPI_Iallreduce", |call| collective::immediate(call, reductions::allreduce, 6)),
    entry("MPI_Ireduce_scatter", |call| collective::immediate(call, reductions::reduce_scatter, 6)),
    entry("MPI_Ireduce_scatter_block", |call| collective::immediate(call, reductions::reduce_scatter_block, 6)),
    entry("MPI_Iscan", |call| collective::immediate(call, reductions::scan, 6)),
    entry("MPI_Iexscan", |call| collective::immediate(call, reductions::exscan, 6)),
    entry("MPI_Igather", |call| collective::immediate(call, collective::gather, 8)),
    entry("MPI_Igatherv", |call| collective::immediate(call, collective::gatherv, 9)),
    entry("MPI_Iscatter", |call| collective::immediate(call, collective::scatter, 8)),
    entry("MPI_Iscatterv", |call| collective::immediate(call, collective::scatterv, 9)),
    entry("MPI_Iallgather", |call| collective::immediate(call, collective::allgather, 7)),
    entry("MPI_Iallgatherv", |call| collective::immediate(call, collective::allgatherv, 8)),
    entry("MPI_Ialltoall", |call| collective::immediate(call, collective::alltoall, 7)),
    entry("MPI_Ialltoallv", |call| collective::immediate(call, collective::alltoallv, 9)),
];

static COMMUNICATORS: &[Entry] = &[
    entry("MPI_Comm_rank", communicator::rank),
    entry("MPI_Comm_size", communicator::size),
    entry("MPI_Comm_split", |call| collective::blocking(call, communicator::split)),
    entry("MPI_Comm_split_type", |call| collective::blocking(call, communicator::split_type)),
    entry("MPI_Comm_dup", |call| collective::blocking(call, communicator::dup)),
    entry("MPI_Comm_dup_with_info", |call| collective::blocking(call, communicator::dup_with_info)),
    entry("MPI_Comm_idup", |call| collective::immediate(call, communicator::dup, 2)),
    entry("MPI_Comm_create", |call| collective::blocking(call, communicator::create)),
    entry("MPI_Comm_create_group", communicator::create_group),
    entry("MPI_Comm_free", communicator::free),
    entry("MPI_Comm_disconnect", communicator::free),
    entry("MPI_Comm_compare", communicator::compare),
    entry("MPI_Comm_test_inter", communicator::test_inter),
    entry("MPI_Comm_get_parent", communicator::get_parent),
    entry("MPI_Comm_set_name", communicator::set_name),
    entry("MPI_Comm_get_name", communicator::get_name),
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
    entry("MPI_Cart_create", |call| collective::blocking(call, cart::create)),
    entry("MPI_Cart_sub", |call| collective::blocking(call, cart::sub)),
    entry("MPI_Cart_coords", cart::coords),
    entry("MPI_Cart_rank", cart::rank),
    entry("MPI_Cart_shift", cart::shift),
    entry("MPI_Cart_get", cart::get),
    entry("MPI_Cartdim_get", cart::dim_get),
    entry("MPI_Topo_test", cart::topo_test),
    entry("MPI_Dims_create", cart::dims_create),
];

static TYPES: &[Entry] = &[
    entry("MPI_Type_contiguous", types::contiguous),
    entry("MPI_Type_vector", types::vector),
    entry("MPI_Type_create_hvector", types::hvector),
    entry("MPI_Type_hvector", types::hvector),
    entry("MPI_Type_indexed", types::indexed),
    entry("MPI_Type_create_hindexed", types::hindexed),
    entry("MPI_Type_hindexed", types::hindexed),
    entry("MPI_Type_create_indexed_block", types::indexed_block),
    entry("MPI_Type_create_hindexed_block", types::hindexed_block),
    entry("MPI_Type_create_struct", types::structure),
    entry("MPI_Type_struct", types::structure),
    entry("MPI_Type_create_resized", types::resized),
    entry("MPI_Type_create_subarray", types::subarray),
    entry("MPI_Type_dup", types::dup),
    entry("MPI_Type_commit", types::commit),
    entry("MPI_Type_free", types::free),
    entry("MPI_Type_size", types::size),
    entry("MPI_Type_size_x", types::size_x),
    entry("MPI_Type_extent", types::extent),
    entry("MPI_Type_lb", types::lower),
    entry("MPI_Type_ub", types::upper),
    entry("MPI_Type_get_extent", types::get_extent),
    entry("MPI_Type_get_true_extent", types::get_true_extent),
    entry("MPI_Type_set_name", types::set_name),
    entry("MPI_Type_get_name", types::get_name),
    entry("MPI_Get_address", types::get_address),
    entry("MPI_Address", types::get_address),
    anytime("MPI_Aint_add", types::aint_add),
    anytime("MPI_Aint_diff", types::aint_diff),
    entry("MPI_Pack", pack::pack),
    entry("MPI_Unpack", pack::unpack),
    entry("MPI_Pack_size", pack::pack_size),
];

/// Names of all modelled functions.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    all().map(|entry| entry.name)
}
