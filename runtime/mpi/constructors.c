/* Constructors of datatypes. */
#include "internal.h"

enum { AS_BYTES, AS_EXTENTS };

static int check(long count, MPI_Datatype handle, cm_type **type) {
  *type = cm_type_of(handle);
  if (count < 0) return cm_error(0, MPI_ERR_COUNT, "the count %ld is negative", count);
  if (!*type) return cm_error(0, MPI_ERR_TYPE, "%d is no datatype", handle);
  return MPI_SUCCESS;
}

static cm_block *room(long count) { return cm_allocate((size_t)count * sizeof(cm_block)); }

static cm_type *made(long count, cm_block *blocks) {
  cm_type *type = cm_type_of_blocks(count, blocks);
  free(blocks);
  return type;
}

API(MPI_Type_contiguous)
int MPI_Type_contiguous(int count, MPI_Datatype old, MPI_Datatype *new) {
  cm_type *part, *type;
  cm_block whole = {0, count, 0};
  ENTER();
  if (check(count, old, &part)) return MPI_ERR_TYPE;
  whole.type = part;
  type = cm_type_of_blocks(1, &whole);
  cm_type_made_of(type, 1, &count, 0, 0, 1, &old);
  *new = cm_type_publish(type, MPI_COMBINER_CONTIGUOUS);
  return MPI_SUCCESS;
}

static cm_type *vector(int count, int length, long step, cm_type *part) {
  cm_block *blocks = room(count);
  int i;
  for (i = 0; i < count; i++) {
    blocks[i].at = i * step;
    blocks[i].count = length;
    blocks[i].type = part;
  }
  return made(count, blocks);
}

API(MPI_Type_vector)
int MPI_Type_vector(int count, int length, int stride, MPI_Datatype old, MPI_Datatype *new) {
  const int ints[] = {count, length, stride};
  cm_type *part, *type;
  ENTER();
  if (check(count < 0 ? count : length, old, &part)) return MPI_ERR_TYPE;
  type = vector(count, length, stride * cm_extent(part), part);
  cm_type_made_of(type, 3, ints, 0, 0, 1, &old);
  *new = cm_type_publish(type, MPI_COMBINER_VECTOR);
  return MPI_SUCCESS;
}

API(MPI_Type_create_hvector)
int MPI_Type_create_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *new) {
  const int ints[] = {count, length};
  cm_type *part, *type;
  ENTER();
  if (check(count < 0 ? count : length, old, &part)) return MPI_ERR_TYPE;
  type = vector(count, length, stride, part);
  cm_type_made_of(type, 2, ints, 1, &stride, 1, &old);
  *new = cm_type_publish(type, MPI_COMBINER_HVECTOR);
  return MPI_SUCCESS;
}

API(MPI_Type_hvector)
int MPI_Type_hvector(int count, int length, MPI_Aint stride, MPI_Datatype old, MPI_Datatype *new) {
  return PMPI_Type_create_hvector(count, length, stride, old, new);
}

/* Blocks at places given in extents (`places`) or bytes (`bytes`); all of one length where there are no lengths. */
static int indexed(int combiner, int count, const int *lengths, int length, const int *places, const MPI_Aint *bytes,
                   MPI_Datatype old, MPI_Datatype *new) {
  cm_type *part, *type;
  cm_block *blocks;
  int *ints, i, used = 0;
  if (check(count, old, &part)) return MPI_ERR_TYPE;
  blocks = room(count);
  ints = cm_allocate((size_t)(2 * count + 2) * sizeof *ints);
  ints[used++] = count;
  if (!lengths) ints[used++] = length;
  for (i = 0; i < count; i++) {
    blocks[i].at = places ? places[i] * cm_extent(part) : bytes[i];
    blocks[i].count = lengths ? lengths[i] : length;
    blocks[i].type = part;
    if (blocks[i].count < 0) return cm_error(0, MPI_ERR_ARG, "the length of a block is negative");
    if (lengths) ints[used++] = lengths[i];
  }
  for (i = 0; places && i < count; i++) ints[used++] = places[i];
  type = made(count, blocks);
  cm_type_made_of(type, used, ints, places ? 0 : count, bytes, 1, &old);
  free(ints);
  *new = cm_type_publish(type, combiner);
  return MPI_SUCCESS;
}

API(MPI_Type_indexed)
int MPI_Type_indexed(int count, const int lengths[], const int places[], MPI_Datatype old, MPI_Datatype *new) {
  ENTER();
  return indexed(MPI_COMBINER_INDEXED, count, lengths, 0, places, 0, old, new);
}
API(MPI_Type_create_hindexed)
int MPI_Type_create_hindexed(int count, const int lengths[], const MPI_Aint bytes[], MPI_Datatype old,
                             MPI_Datatype *new) {
  ENTER();
  return indexed(MPI_COMBINER_HINDEXED, count, lengths, 0, 0, bytes, old, new);
}
API(MPI_Type_hindexed)
int MPI_Type_hindexed(int count, int lengths[], MPI_Aint bytes[], MPI_Datatype old, MPI_Datatype *new) {
  return PMPI_Type_create_hindexed(count, lengths, bytes, old, new);
}
API(MPI_Type_create_indexed_block)
int MPI_Type_create_indexed_block(int count, int length, const int places[], MPI_Datatype old, MPI_Datatype *new) {
  ENTER();
  return indexed(MPI_COMBINER_INDEXED_BLOCK, count, 0, length, places, 0, old, new);
}
API(MPI_Type_create_hindexed_block)
int MPI_Type_create_hindexed_block(int count, int length, const MPI_Aint bytes[], MPI_Datatype old,
                                   MPI_Datatype *new) {
  ENTER();
  return indexed(MPI_COMBINER_HINDEXED_BLOCK, count, 0, length, 0, bytes, old, new);
}

API(MPI_Type_create_struct)
int MPI_Type_create_struct(int count, const int lengths[], const MPI_Aint bytes[], const MPI_Datatype parts[],
                           MPI_Datatype *new) {
  cm_block *blocks;
  cm_type *type;
  int *ints, i;
  ENTER();
  if (count < 0) return cm_error(0, MPI_ERR_COUNT, "the count %d is negative", count);
  blocks = room(count);
  ints = cm_allocate((size_t)(count + 1) * sizeof *ints);
  ints[0] = count;
  for (i = 0; i < count; i++) {
    cm_type *part;
    if (check(lengths[i], parts[i], &part)) return MPI_ERR_TYPE;
    blocks[i].at = bytes[i];
    blocks[i].count = lengths[i];
    blocks[i].type = part;
    ints[1 + i] = lengths[i];
  }
  type = made(count, blocks);
  /* As a C compiler pads a struct, so that arrays of it are arrays of the type. */
  if (!type->bounded && cm_extent(type) % type->align != 0) {
    type->ub += type->align - cm_extent(type) % type->align;
    type->dense = 0;
  }
  cm_type_made_of(type, count + 1, ints, count, bytes, count, parts);
  free(ints);
  *new = cm_type_publish(type, MPI_COMBINER_STRUCT);
  return MPI_SUCCESS;
}

API(MPI_Type_struct)
int MPI_Type_struct(int count, int lengths[], MPI_Aint bytes[], MPI_Datatype parts[], MPI_Datatype *new) {
  return PMPI_Type_create_struct(count, lengths, bytes, parts, new);
}

static cm_type *resized(cm_type *part, long lb, long extent) {
  cm_block whole = {0, 1, part};
  cm_type *type = cm_type_of_blocks(1, &whole);
  type->lb = lb;
  type->ub = lb + extent;
  type->bounded = 1;
  type->dense = part->dense && lb == 0 && extent == part->size;
  return type;
}

API(MPI_Type_create_resized)
int MPI_Type_create_resized(MPI_Datatype old, MPI_Aint lb, MPI_Aint extent, MPI_Datatype *new) {
  const MPI_Aint aints[] = {lb, extent};
  cm_type *part, *type;
  ENTER();
  if (check(0, old, &part)) return MPI_ERR_TYPE;
  type = resized(part, lb, extent);
  cm_type_made_of(type, 0, 0, 2, aints, 1, &old);
  *new = cm_type_publish(type, MPI_COMBINER_RESIZED);
  return MPI_SUCCESS;
}

/* --- parts of arrays --- */

/* The elements that `owned` names of a dimension of `size` elements of a type; takes the type over. */
static cm_type *dimension(cm_type *part, int size, const int *owned, int count) {
  const long extent = cm_extent(part);
  cm_block *blocks = room(count);
  cm_type *picked, *whole;
  int i, used = 0;
  for (i = 0; i < count; i++) {
    if (used > 0 && owned[i] == owned[i - 1] + 1) {
      blocks[used - 1].count++;
      continue;
    }
    blocks[used].at = owned[i] * extent;
    blocks[used].count = 1;
    blocks[used++].type = part;
  }
  picked = made(used, blocks);
  whole = resized(picked, 0, size * extent);
  cm_type_drop(picked);
  cm_type_drop(part);
  return whole;
}

API(MPI_Type_create_subarray)
int MPI_Type_create_subarray(int dimensions, const int sizes[], const int subsizes[], const int starts[], int order,
                             MPI_Datatype old, MPI_Datatype *new) {
  cm_type *type;
  int i, j, ints[3 * 64 + 2];
  ENTER();
  if (check(dimensions, old, &type)) return MPI_ERR_TYPE;
  if (dimensions < 1 || dimensions > 64) return cm_error(0, MPI_ERR_ARG, "%d dimensions", dimensions);
  cm_type_keep(type);
  for (i = 0; i < dimensions; i++) {
    const int d = order == MPI_ORDER_C ? dimensions - 1 - i : i;
    int *owned;
    if (subsizes[d] < 1 || starts[d] < 0 || starts[d] + subsizes[d] > sizes[d])
      return cm_error(0, MPI_ERR_ARG, "dimension %d: %d elements from %d on are not among %d", d, subsizes[d],
                      starts[d], sizes[d]);
    owned = cm_allocate((size_t)subsizes[d] * sizeof *owned);
    for (j = 0; j < subsizes[d]; j++) owned[j] = starts[d] + j;
    type = dimension(type, sizes[d], owned, subsizes[d]);
    free(owned);
  }
  ints[0] = dimensions;
  memcpy(ints + 1, sizes, (size_t)dimensions * sizeof *ints);
  memcpy(ints + 1 + dimensions, subsizes, (size_t)dimensions * sizeof *ints);
  memcpy(ints + 1 + 2 * dimensions, starts, (size_t)dimensions * sizeof *ints);
  ints[1 + 3 * dimensions] = order;
  cm_type_made_of(type, 3 * dimensions + 2, ints, 0, 0, 1, &old);
  *new = cm_type_publish(type, MPI_COMBINER_SUBARRAY);
  return MPI_SUCCESS;
}

/* Indices of a dimension that a place in a grid of tasks owns; their number. */
static int owned_by(int place, int places, int kind, int argument, int size, int *owned) {
  int count = 0, i;
  const int fair = (size + places - 1) / places;
  const int block = argument == MPI_DISTRIBUTE_DFLT_DARG ? (kind == MPI_DISTRIBUTE_BLOCK ? fair : 1) : argument;
  for (i = 0; i < size; i++) {
    int owner = i / block % places;
    if (kind == MPI_DISTRIBUTE_NONE) owner = place;
    if (kind == MPI_DISTRIBUTE_BLOCK) owner = i / block;
    if (owner == place) owned[count++] = i;
  }
  return count;
}

API(MPI_Type_create_darray)
int MPI_Type_create_darray(int size, int rank, int dimensions, const int sizes[], const int kinds[],
                           const int arguments[], const int grid[], int order, MPI_Datatype old, MPI_Datatype *new) {
  cm_type *type;
  int i, used = 0, places[64], ints[4 * 64 + 4], rest = rank, tasks = size;
  ENTER();
  if (check(dimensions, old, &type)) return MPI_ERR_TYPE;
  if (dimensions < 1 || dimensions > 64) return cm_error(0, MPI_ERR_ARG, "%d dimensions", dimensions);
  for (i = 0; i < dimensions; i++) { /* the grid of tasks is in C's order, whatever the array's is */
    if (grid[i] < 1) return cm_error(0, MPI_ERR_ARG, "dimension %d of the grid has %d tasks", i, grid[i]);
    tasks /= grid[i];
    places[i] = tasks > 0 ? rest / tasks : 0;
    rest = tasks > 0 ? rest % tasks : 0;
  }
  cm_type_keep(type);
  for (i = 0; i < dimensions; i++) {
    const int d = order == MPI_ORDER_C ? dimensions - 1 - i : i;
    int *owned = cm_allocate((size_t)sizes[d] * sizeof *owned);
    const int count = owned_by(places[d], grid[d], kinds[d], arguments[d], sizes[d], owned);
    type = dimension(type, sizes[d], owned, count);
    free(owned);
  }
  ints[used++] = size;
  ints[used++] = rank;
  ints[used++] = dimensions;
  for (i = 0; i < dimensions; i++) ints[used++] = sizes[i];
  for (i = 0; i < dimensions; i++) ints[used++] = kinds[i];
  for (i = 0; i < dimensions; i++) ints[used++] = arguments[i];
  for (i = 0; i < dimensions; i++) ints[used++] = grid[i];
  ints[used++] = order;
  cm_type_made_of(type, used, ints, 0, 0, 1, &old);
  *new = cm_type_publish(type, MPI_COMBINER_DARRAY);
  return MPI_SUCCESS;
}
