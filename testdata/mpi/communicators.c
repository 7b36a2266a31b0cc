#include "expect.h"

int main(int argc, char **argv) {
  int rank, size, own, n, ranks[2] = {3, 1}, dims[2] = {2, 2}, periods[2] = {1, 0}, at[2], up, down, sum, nodes;
  MPI_Comm half, copy, chosen, few, shared, grid;
  MPI_Group world, group;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  /* The odd and the even ones, in reverse. */
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  MPI_Comm_rank(half, &own);
  MPI_Comm_size(half, &n);
  EXPECT(n, 2);
  EXPECT(own, 1 - rank / 2);
  MPI_Comm_dup(half, &copy);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy);
  EXPECT(sum, rank % 2 ? 4 : 2);
  MPI_Comm_free(&copy);
  EXPECT(copy == MPI_COMM_NULL, 1);
  MPI_Comm_free(&half);

  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, ranks, &group);
  MPI_Group_rank(group, &own);
  EXPECT(own, rank == 3 ? 0 : rank == 1 ? 1 : MPI_UNDEFINED);
  MPI_Comm_create(MPI_COMM_WORLD, group, &chosen);
  EXPECT(chosen == MPI_COMM_NULL, rank % 2 == 0);
  if (rank % 2) {
    MPI_Comm_rank(chosen, &own);
    EXPECT(own, rank == 1);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &few);
    MPI_Bcast(&sum, 1, MPI_INT, 0, few);
    MPI_Comm_size(few, &n);
    EXPECT(n, 2);
    MPI_Comm_free(&few);
    MPI_Comm_free(&chosen);
  }
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  EXPECT(group == MPI_GROUP_NULL, 1);

  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  MPI_Comm_rank(shared, &own);
  n = own == 0;
  MPI_Allreduce(&n, &nodes, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(nodes >= 1 && nodes <= 4, 1);
  MPI_Comm_free(&shared);

  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Cart_coords(grid, rank, 2, at);
  EXPECT(at[0], rank / 2);
  EXPECT(at[1], rank % 2);
  MPI_Cart_shift(grid, 1, 1, &up, &down);
  EXPECT(up, rank % 2 ? rank - 1 : MPI_PROC_NULL);
  EXPECT(down, rank % 2 ? MPI_PROC_NULL : rank + 1);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  EXPECT(up, (rank + 2) % 4);
  MPI_Cart_get(grid, 2, dims, periods, at);
  EXPECT(dims[0], 2);
  EXPECT(periods[1], 0);
  MPI_Cart_rank(grid, at, &own);
  EXPECT(own, rank);
  MPI_Comm_free(&grid);
  return finish();
}
