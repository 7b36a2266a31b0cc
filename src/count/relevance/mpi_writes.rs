//! Through which arguments an MPI call writes, by position.

use crate::mpi::buffers::buffers;

/// Positions of arguments that the MPI function `name`, called with `count` arguments, may write
/// through. Functions that are not known may write through all.
pub fn written_arguments(name: &str, count: usize) -> Vec<usize> {
    let plain = name.strip_prefix('P').filter(|rest| rest.starts_with("MPI_")).unwrap_or(name);
    match fixed(plain) {
        Some(positions) => positions.to_vec(),
        None => data(plain, count).unwrap_or_else(|| (0..count).collect()),
    }
}

/// Calls that move user data: the buffers received, and the request or status behind all others.
fn data(name: &str, count: usize) -> Option<Vec<usize>> {
    let known = buffers(name);
    if known.sent.is_empty() && known.received.is_empty() {
        return None;
    }
    let last = count.checked_sub(1)?;
    let mut positions: Vec<usize> = known.received.iter().map(|buffer| buffer.0).collect();
    if matches!(super::messages::kind(name), super::messages::WINDOW) {
        positions.extend(name.starts_with("MPI_R").then_some(last));
        return Some(positions);
    }
    let file = name.starts_with("MPI_File_") && !name.ends_with("_begin");
    let handed_out = name.starts_with("MPI_I") || name.ends_with("_init") || name.contains("ecv") || file;
    positions.extend(handed_out.then_some(last));
    Some(positions)
}

fn fixed(name: &str) -> Option<&'static [usize]> {
    Some(match name {
        "MPI_Init"
        | "MPI_Finalize"
        | "MPI_Abort"
        | "MPI_Wtime"
        | "MPI_Wtick"
        | "MPI_Barrier"
        | "MPI_Pcontrol"
        | "MPI_Buffer_attach"
        | "MPI_Errhandler_set"
        | "MPI_Comm_set_errhandler"
        | "MPI_Comm_set_name"
        | "MPI_Free_mem"
        | "MPI_Type_set_name"
        | "MPI_Info_set"
        | "MPI_Info_delete"
        | "MPI_Win_fence"
        | "MPI_Win_post"
        | "MPI_Win_start"
        | "MPI_Win_complete"
        | "MPI_Win_wait"
        | "MPI_Win_lock"
        | "MPI_Win_unlock"
        | "MPI_Win_lock_all"
        | "MPI_Win_unlock_all"
        | "MPI_Win_flush"
        | "MPI_Win_flush_all"
        | "MPI_Win_flush_local"
        | "MPI_Win_flush_local_all"
        | "MPI_Win_sync"
        | "MPI_Win_attach"
        | "MPI_Win_detach"
        | "MPI_File_seek"
        | "MPI_File_seek_shared"
        | "MPI_File_set_view"
        | "MPI_File_set_size"
        | "MPI_File_preallocate"
        | "MPI_File_set_atomicity"
        | "MPI_File_sync"
        | "MPI_File_delete"
        | "MPI_File_set_info"
        | "MPI_File_set_errhandler"
        | "MPI_Comm_set_attr"
        | "MPI_Comm_delete_attr"
        | "MPI_Attr_put"
        | "MPI_Attr_delete"
        | "MPI_Type_set_attr"
        | "MPI_Type_delete_attr"
        | "MPI_Win_set_attr"
        | "MPI_Win_delete_attr"
        | "MPI_Comm_f2c"
        | "MPI_Comm_c2f" => &[],
        "MPI_Win_free" | "MPI_File_close" => &[0],
        "MPI_Win_create" => &[5],
        "MPI_Win_allocate" | "MPI_Win_allocate_shared" => &[4, 5],
        "MPI_Win_get_group"
        | "MPI_File_get_size"
        | "MPI_File_get_info"
        | "MPI_File_get_position"
        | "MPI_File_get_position_shared"
        | "MPI_File_get_amode"
        | "MPI_File_get_group"
        | "MPI_File_get_atomicity"
        | "MPI_Info_dup"
        | "MPI_Info_get_nkeys" => &[1],
        "MPI_File_open" => &[4],
        "MPI_File_get_byte_offset" | "MPI_File_get_type_extent" | "MPI_Info_get_nthkey" => &[2],
        "MPI_Info_get" => &[3, 4],
        "MPI_Info_get_valuelen" => &[2, 3],
        "MPI_Win_get_attr" => &[2, 3],
        "MPI_Win_shared_query" => &[2, 3, 4],
        "MPI_Initialized"
        | "MPI_Finalized"
        | "MPI_Comm_free"
        | "MPI_Comm_disconnect"
        | "MPI_Group_free"
        | "MPI_Type_commit"
        | "MPI_Type_free"
        | "MPI_Op_free"
        | "MPI_Comm_free_keyval"
        | "MPI_Type_free_keyval"
        | "MPI_Win_free_keyval"
        | "MPI_Keyval_free"
        | "MPI_Start"
        | "MPI_Request_free"
        | "MPI_Info_create"
        | "MPI_Info_free"
        | "MPI_Errhandler_free"
        | "MPI_Query_thread"
        | "MPI_Is_thread_main"
        | "MPI_Comm_get_parent" => &[0],
        "MPI_Comm_rank"
        | "MPI_Comm_size"
        | "MPI_Comm_dup"
        | "MPI_Comm_group"
        | "MPI_Group_size"
        | "MPI_Group_rank"
        | "MPI_Cartdim_get"
        | "MPI_Topo_test"
        | "MPI_Type_dup"
        | "MPI_Type_size"
        | "MPI_Type_extent"
        | "MPI_Type_lb"
        | "MPI_Type_ub"
        | "MPI_Get_address"
        | "MPI_Address"
        | "MPI_Startall"
        | "MPI_Error_class"
        | "MPI_Ibarrier"
        | "MPI_Comm_test_inter"
        | "MPI_Comm_remote_size"
        | "MPI_Comm_remote_group"
        | "MPI_Test_cancelled"
        | "MPI_Comm_get_errhandler"
        | "MPI_Errhandler_get"
        | "MPI_Comm_create_errhandler"
        | "MPI_Errhandler_create"
        | "MPI_Op_commutative" => &[1],
        "MPI_Comm_create"
        | "MPI_Comm_create_keyval"
        | "MPI_Type_create_keyval"
        | "MPI_Win_create_keyval"
        | "MPI_Keyval_create"
        | "MPI_Intercomm_merge"
        | "MPI_Comm_dup_with_info"
        | "MPI_Group_union"
        | "MPI_Group_intersection"
        | "MPI_Group_difference"
        | "MPI_Cart_rank"
        | "MPI_Graph_neighbors_count"
        | "MPI_Cart_sub"
        | "MPI_Dims_create"
        | "MPI_Type_contiguous"
        | "MPI_Op_create"
        | "MPI_Get_count"
        | "MPI_Get_elements"
        | "MPI_Comm_compare"
        | "MPI_Group_compare"
        | "MPI_Alloc_mem" => &[2],
        "MPI_Comm_split"
        | "MPI_Comm_create_group"
        | "MPI_Group_incl"
        | "MPI_Group_excl"
        | "MPI_Group_range_incl"
        | "MPI_Group_range_excl"
        | "MPI_Cart_coords"
        | "MPI_Graph_neighbors"
        | "MPI_Probe"
        | "MPI_Pack_size"
        | "MPI_Init_thread"
        | "MPI_Type_create_resized"
        | "MPI_Type_create_indexed_block" => &[3],
        "MPI_Comm_split_type"
        | "MPI_Group_translate_ranks"
        | "MPI_Type_vector"
        | "MPI_Type_create_hvector"
        | "MPI_Type_hvector"
        | "MPI_Type_indexed"
        | "MPI_Type_create_hindexed"
        | "MPI_Type_hindexed"
        | "MPI_Type_create_struct"
        | "MPI_Type_struct" => &[4],
        "MPI_Cart_create" | "MPI_Graph_create" | "MPI_Intercomm_create" => &[5],
        "MPI_Comm_spawn" => &[6, 7],
        "MPI_Comm_spawn_multiple" => &[7, 8],
        "MPI_Dist_graph_create" => &[8],
        "MPI_Dist_graph_create_adjacent" => &[9],
        "MPI_Graphdims_get" => &[1, 2],
        "MPI_Dist_graph_neighbors_count" => &[1, 2, 3],
        "MPI_Dist_graph_neighbors" => &[2, 3, 5, 6],
        "MPI_Type_create_subarray" => &[6],
        "MPI_Type_create_darray" => &[9],
        "MPI_Win_create_dynamic" => &[2],
        "MPI_Wait" | "MPI_Get_processor_name" | "MPI_Get_version" | "MPI_Buffer_detach" => &[0, 1],
        "MPI_Waitall"
        | "MPI_Type_get_extent"
        | "MPI_Type_get_true_extent"
        | "MPI_Comm_get_name"
        | "MPI_Get_library_version"
        | "MPI_Error_string"
        | "MPI_Type_get_name"
        | "MPI_Comm_idup" => &[0, 1, 2],
        "MPI_Test" => &[0, 1, 2],
        "MPI_Request_get_status" => &[1, 2],
        "MPI_Waitany" | "MPI_Testall" => &[1, 2, 3],
        "MPI_Waitsome" | "MPI_Testany" | "MPI_Testsome" => &[1, 2, 3, 4],
        "MPI_Comm_get_attr" | "MPI_Attr_get" | "MPI_Type_get_attr" | "MPI_Unpack" => &[2, 3],
        "MPI_Cart_shift" | "MPI_Iprobe" => &[3, 4],
        "MPI_Cart_get" => &[2, 3, 4],
        "MPI_Graph_get" => &[3, 4],
        "MPI_Pack" => &[3, 5],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::written_arguments;

    #[test]
    fn positions_follow_the_standard() {
        let cases: [(&str, usize, &[usize]); 8] = [
            ("MPI_Send", 6, &[]),
            ("MPI_Isend", 7, &[6]),
            ("MPI_Recv", 7, &[0, 6]),
            ("MPI_Irecv", 7, &[0, 6]),
            ("MPI_Bcast", 5, &[0]),
            ("MPI_Sendrecv", 12, &[5, 11]),
            ("MPI_Reduce", 7, &[1]),
            ("MPI_Unknown", 2, &[0, 1]),
        ];
        for (name, count, positions) in cases {
            assert_eq!(written_arguments(name, count), positions, "{name}");
        }
    }
}
