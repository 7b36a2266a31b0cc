#include "expect.h"

int main(int argc, char **argv) {
  int keys, length, flag;
  char value[21], key[MPI_MAX_INFO_KEY + 1];
  MPI_Info info;
  MPI_Init(&argc, &argv);
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "4");
  MPI_Info_set(info, "striping_unit", "1048576");
  MPI_Info_set(info, "cb_nodes", "16");
  MPI_Info_get_nkeys(info, &keys);
  EXPECT(keys, 2);
  MPI_Info_get(info, "cb_nodes", 20, value, &flag);
  EXPECT(flag, 1);
  EXPECT(atoi(value), 16);
  MPI_Info_get_valuelen(info, "striping_unit", &length, &flag);
  EXPECT(length, 7);
  MPI_Info_get(info, "nothing", 20, value, &flag);
  EXPECT(flag, 0);
  MPI_Info_get_nthkey(info, 1, key);
  EXPECT((int)strlen(key), 13);
  MPI_Info_free(&info);
  EXPECT(info == MPI_INFO_NULL, 1);
  return finish();
}
