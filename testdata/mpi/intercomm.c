/* Tasks 0 and 2 (side A) and 1 and 3 (side B) of four; rank 1 of each side leads. */
#include "expect.h"

int main(int argc, char **argv) {
  int rank, side, own, n, other, flag, value, sum, result, all[4], counts[2] = {1, 2}, at[2] = {0, 1}, got[3];
  MPI_Comm half, inter, copy, joined, part;
  MPI_Group group;
  MPI_Request request;
  MPI_Status status;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  side = rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, side, rank, &half);
  MPI_Intercomm_create(half, 1, MPI_COMM_WORLD, side ? 2 : 3, 9, &inter);
  MPI_Comm_test_inter(inter, &flag);
  EXPECT(flag, 1);
  MPI_Comm_test_inter(half, &flag);
  EXPECT(flag, 0);
  MPI_Comm_rank(inter, &own);
  EXPECT(own, rank / 2);
  MPI_Comm_size(inter, &n);
  EXPECT(n, 2);
  MPI_Comm_remote_size(inter, &n);
  EXPECT(n, 2);
  MPI_Comm_remote_group(inter, &group);
  MPI_Group_rank(group, &n);
  EXPECT(n, MPI_UNDEFINED);
  MPI_Group_free(&group);
  MPI_Comm_group(inter, &group);
  MPI_Group_rank(group, &n);
  EXPECT(n, own);
  MPI_Group_free(&group);

  /* Rank r of one side and rank r of the other; then crosswise. */
  MPI_Sendrecv(&rank, 1, MPI_INT, own, 1, &other, 1, MPI_INT, own, 1, inter, &status);
  EXPECT(other, side ? rank - 1 : rank + 1);
  EXPECT(status.MPI_SOURCE, own);
  MPI_Isend(&rank, 1, MPI_INT, 1 - own, 2, inter, &request);
  MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 2, inter, &status);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  EXPECT(other, 3 - rank);
  EXPECT(status.MPI_SOURCE, 1 - own);

  /* With a root: task 2 is rank 1 of side A. */
  value = rank == 2 ? 42 : -1;
  MPI_Bcast(&value, 1, MPI_INT, side ? 1 : rank == 2 ? MPI_ROOT : MPI_PROC_NULL, inter);
  EXPECT(value, side || rank == 2 ? 42 : -1);
  sum = -1;
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, side ? 1 : rank == 2 ? MPI_ROOT : MPI_PROC_NULL, inter);
  EXPECT(sum, rank == 2 ? 4 : -1);
  got[0] = got[1] = -1;
  MPI_Gather(&rank, 1, MPI_INT, got, 1, MPI_INT, side ? rank == 1 ? MPI_ROOT : MPI_PROC_NULL : 0, inter);
  EXPECT(got[0], rank == 1 ? 0 : -1);
  EXPECT(got[1], rank == 1 ? 2 : -1);
  all[0] = 7, all[1] = 8, all[2] = 9;
  result = -1;
  MPI_Scatter(all, 1, MPI_INT, &result, 1, MPI_INT, side ? rank == 3 ? MPI_ROOT : MPI_PROC_NULL : 1, inter);
  EXPECT(result, side ? -1 : 7 + own);
  all[0] = all[1] = 10 * rank;
  got[0] = got[1] = got[2] = -1;
  MPI_Gatherv(all, own + 1, MPI_INT, got, counts, at, MPI_INT, side ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  EXPECT(got[0], rank == 0 ? 10 : -1);
  EXPECT(got[2], rank == 0 ? 30 : -1);
  all[0] = 4, all[1] = 5, all[2] = 6;
  got[0] = got[1] = -1;
  MPI_Scatterv(all, counts, at, MPI_INT, got, own + 1, MPI_INT, side ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter);
  EXPECT(got[0], side ? 4 + own : -1);
  EXPECT(got[1], rank == 3 ? 6 : -1);
  MPI_Ibcast(&value, 1, MPI_INT, side ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, inter, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);

  /* Without: each side gets what the other one gave. */
  MPI_Barrier(inter);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, inter);
  EXPECT(sum, side ? 2 : 4);
  MPI_Allgather(&rank, 1, MPI_INT, got, 1, MPI_INT, inter);
  EXPECT(got[0], 1 - side);
  EXPECT(got[1], 3 - side);
  all[0] = all[1] = rank;
  MPI_Allgatherv(all, own + 1, MPI_INT, got, counts, at, MPI_INT, inter);
  EXPECT(got[0], 1 - side);
  EXPECT(got[1], 3 - side);
  EXPECT(got[2], 3 - side);
  all[0] = 10 * rank, all[1] = 10 * rank + 1;
  MPI_Alltoall(all, 1, MPI_INT, got, 1, MPI_INT, inter);
  EXPECT(got[0], 10 * (1 - side) + own);
  EXPECT(got[1], 10 * (3 - side) + own);
  counts[0] = counts[1] = 1;
  MPI_Alltoallv(all, counts, at, MPI_INT, got, counts, at, MPI_INT, inter);
  EXPECT(got[1], 10 * (3 - side) + own);
  /* Sums over the other side, of which rank 0 of this side gets the first element. */
  MPI_Reduce_scatter(all, &result, counts, MPI_INT, MPI_SUM, inter);
  EXPECT(result, (side ? 20 : 40) + 2 * own);
  MPI_Reduce_scatter_block(all, &result, 1, MPI_INT, MPI_SUM, inter);
  EXPECT(result, (side ? 20 : 40) + 2 * own);

  MPI_Comm_dup(inter, &copy);
  MPI_Comm_compare(inter, copy, &result);
  EXPECT(result, MPI_CONGRUENT);
  MPI_Comm_compare(inter, half, &result);
  EXPECT(result, MPI_UNEQUAL);
  MPI_Comm_test_inter(copy, &flag);
  EXPECT(flag, 1);
  /* The side that is not high comes first. */
  MPI_Intercomm_merge(copy, side == 0, &joined);
  MPI_Comm_test_inter(joined, &flag);
  EXPECT(flag, 0);
  MPI_Comm_rank(joined, &n);
  EXPECT(n, side ? own : 2 + own);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, joined);
  EXPECT(sum, 6);
  /* Rank 0 of both sides, and rank 1 of both. */
  MPI_Comm_split(inter, own, 0, &part);
  MPI_Comm_remote_size(part, &n);
  EXPECT(n, 1);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, part);
  EXPECT(sum, side ? rank - 1 : rank + 1);
  MPI_Comm_free(&part);
  MPI_Comm_free(&joined);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
  return finish();
}
