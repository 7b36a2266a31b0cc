/* Topologies: graphs that all tasks know, and graphs of which each knows its part. */
#include "topologies.h"

/* --- graphs --- */

API(MPI_Graph_create)
int MPI_Graph_create(MPI_Comm handle, int nodes, const int index[], const int edges[], int reorder, MPI_Comm *new) {
  cm_comm *made;
  cm_topology *graph;
  int first;
  (void)reorder;
  ENTER();
  CHECK_COMM(comm, handle);
  if (nodes < 0 || nodes > comm->local->size)
    return cm_error(comm, MPI_ERR_ARG, "a graph of %d tasks does not fit into a communicator of %d", nodes,
                    comm->local->size);
  made = cm_first_tasks(comm, nodes, new);
  if (!made) return MPI_SUCCESS;
  graph = made->topology = cm_allocate(sizeof *graph);
  graph->kind = MPI_GRAPH;
  graph->dimensions = nodes;
  graph->index = cm_copied(index, nodes);
  graph->edges = cm_copied(edges, nodes > 0 ? index[nodes - 1] : 0);
  first = made->rank > 0 ? index[made->rank - 1] : 0;
  graph->in_count = graph->out_count = index[made->rank] - first;
  graph->in = cm_copied(edges + first, graph->in_count);
  graph->out = cm_copied(edges + first, graph->out_count);
  return MPI_SUCCESS;
}

API(MPI_Graphdims_get)
int MPI_Graphdims_get(MPI_Comm handle, int *nodes, int *edges) {
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_GRAPH);
  *nodes = graph->dimensions;
  *edges = graph->dimensions > 0 ? graph->index[graph->dimensions - 1] : 0;
  return MPI_SUCCESS;
}

API(MPI_Graph_get)
int MPI_Graph_get(MPI_Comm handle, int max_index, int max_edges, int index[], int edges[]) {
  int i, all;
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_GRAPH);
  all = graph->dimensions > 0 ? graph->index[graph->dimensions - 1] : 0;
  for (i = 0; i < graph->dimensions && i < max_index; i++) index[i] = graph->index[i];
  for (i = 0; i < all && i < max_edges; i++) edges[i] = graph->edges[i];
  return MPI_SUCCESS;
}

API(MPI_Graph_map)
int MPI_Graph_map(MPI_Comm handle, int nodes, const int index[], const int edges[], int *rank) {
  (void)index;
  (void)edges;
  ENTER();
  CHECK_COMM(comm, handle);
  *rank = comm->rank < nodes ? comm->rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

API(MPI_Graph_neighbors_count)
int MPI_Graph_neighbors_count(MPI_Comm handle, int rank, int *count) {
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_GRAPH);
  if (rank < 0 || rank >= graph->dimensions) return cm_error(comm, MPI_ERR_RANK, "there is no task %d", rank);
  *count = graph->index[rank] - (rank > 0 ? graph->index[rank - 1] : 0);
  return MPI_SUCCESS;
}

API(MPI_Graph_neighbors)
int MPI_Graph_neighbors(MPI_Comm handle, int rank, int max, int found[]) {
  int i, count;
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_GRAPH);
  if (PMPI_Graph_neighbors_count(handle, rank, &count)) return MPI_ERR_RANK;
  for (i = 0; i < count && i < max; i++) found[i] = graph->edges[(rank > 0 ? graph->index[rank - 1] : 0) + i];
  return MPI_SUCCESS;
}

API(MPI_Topo_test)
int MPI_Topo_test(MPI_Comm handle, int *kind) {
  ENTER();
  CHECK_COMM(comm, handle);
  *kind = comm->topology ? comm->topology->kind : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

/* --- graphs of which each task knows a part --- */

API(MPI_Dist_graph_create_adjacent)
int MPI_Dist_graph_create_adjacent(MPI_Comm handle, int ins, const int in[], const int in_weights[], int outs,
                                   const int out[], const int out_weights[], MPI_Info info, int reorder,
                                   MPI_Comm *new) {
  cm_topology *graph;
  (void)info;
  (void)reorder;
  ENTER();
  CHECK_COMM(comm, handle);
  graph = cm_allocate(sizeof *graph);
  graph->kind = MPI_DIST_GRAPH;
  graph->in_count = ins;
  graph->out_count = outs;
  graph->in = cm_copied(in, ins);
  graph->out = cm_copied(out, outs);
  graph->weighted = in_weights != MPI_UNWEIGHTED && out_weights != MPI_UNWEIGHTED;
  if (graph->weighted && ins > 0) graph->in_weights = cm_copied(in_weights, ins);
  if (graph->weighted && outs > 0) graph->out_weights = cm_copied(out_weights, outs);
  cm_first_tasks(comm, comm->local->size, new)->topology = graph;
  return MPI_SUCCESS;
}

enum { EDGE = 3 }; /* source, destination, weight */

/* All edges that any task gave, by rank and then in their order. */
static int *all_edges(cm_comm *comm, const int *mine, int count, int *total) {
  const int size = comm->local->size;
  int *counts = cm_allocate((size_t)size * sizeof *counts), *padded, *all, most = 0, i, used = 0;
  cm_allgather_bytes(comm, &count, sizeof count, counts);
  for (i = 0; i < size; i++)
    if (counts[i] > most) most = counts[i];
  padded = cm_allocate((size_t)(most * EDGE) * sizeof *padded);
  memcpy(padded, mine, (size_t)(count * EDGE) * sizeof *padded);
  all = cm_allocate((size_t)(size * most * EDGE) * sizeof *all);
  cm_allgather_bytes(comm, padded, (long)sizeof *all * most * EDGE, all);
  for (i = 0; i < size; i++) {
    memmove(all + used * EDGE, all + i * most * EDGE, (size_t)(counts[i] * EDGE) * sizeof *all);
    used += counts[i];
  }
  free(counts);
  free(padded);
  *total = used;
  return all;
}

API(MPI_Dist_graph_create)
int MPI_Dist_graph_create(MPI_Comm handle, int count, const int sources[], const int degrees[], const int targets[],
                          const int weights[], MPI_Info info, int reorder, MPI_Comm *new) {
  int *mine, *all, i, j, used = 0, total = 0, ins = 0, outs = 0, code;
  int *in, *out, *in_weights, *out_weights;
  ENTER();
  CHECK_COMM(comm, handle);
  for (i = 0; i < count; i++) total += degrees[i];
  mine = cm_allocate((size_t)(total * EDGE) * sizeof *mine);
  for (i = 0; i < count; i++)
    for (j = 0; j < degrees[i]; j++, used++) {
      mine[used * EDGE] = sources[i];
      mine[used * EDGE + 1] = targets[used];
      mine[used * EDGE + 2] = weights == MPI_UNWEIGHTED ? 1 : weights[used];
    }
  all = all_edges(comm, mine, used, &total);
  in = cm_allocate((size_t)total * sizeof *in);
  out = cm_allocate((size_t)total * sizeof *out);
  in_weights = cm_allocate((size_t)total * sizeof *in);
  out_weights = cm_allocate((size_t)total * sizeof *out);
  for (i = 0; i < total; i++) {
    const int *edge = all + i * EDGE;
    if (edge[1] == comm->rank) in[ins] = edge[0], in_weights[ins++] = edge[2];
    if (edge[0] == comm->rank) out[outs] = edge[1], out_weights[outs++] = edge[2];
  }
  code = PMPI_Dist_graph_create_adjacent(handle, ins, in, weights == MPI_UNWEIGHTED ? MPI_UNWEIGHTED : in_weights, outs,
                                         out, weights == MPI_UNWEIGHTED ? MPI_UNWEIGHTED : out_weights, info, reorder,
                                         new);
  free(mine);
  free(all);
  free(in);
  free(out);
  free(in_weights);
  free(out_weights);
  return code;
}

API(MPI_Dist_graph_neighbors_count)
int MPI_Dist_graph_neighbors_count(MPI_Comm handle, int *ins, int *outs, int *weighted) {
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_DIST_GRAPH);
  *ins = graph->in_count;
  *outs = graph->out_count;
  *weighted = graph->weighted;
  return MPI_SUCCESS;
}

API(MPI_Dist_graph_neighbors)
int MPI_Dist_graph_neighbors(MPI_Comm handle, int max_in, int in[], int in_weights[], int max_out, int out[],
                             int out_weights[]) {
  int i;
  ENTER();
  CHECK_COMM(comm, handle);
  CHECK_TOPOLOGY(graph, comm, MPI_DIST_GRAPH);
  for (i = 0; i < graph->in_count && i < max_in; i++) {
    in[i] = graph->in[i];
    if (graph->in_weights && in_weights != MPI_UNWEIGHTED) in_weights[i] = graph->in_weights[i];
  }
  for (i = 0; i < graph->out_count && i < max_out; i++) {
    out[i] = graph->out[i];
    if (graph->out_weights && out_weights != MPI_UNWEIGHTED) out_weights[i] = graph->out_weights[i];
  }
  return MPI_SUCCESS;
}
