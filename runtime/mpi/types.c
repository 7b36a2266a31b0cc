/* Datatypes as trees: a type is a list of blocks (displacement, number, type), down to predefined types; packing,
 * unpacking and lengths follow. */
#include "internal.h"
#include <stdbool.h>
#include <wchar.h>

static cm_table types;
enum { FIRST_TYPE = 64 };

cm_type *cm_type_of(MPI_Datatype handle) { return cm_table_get(&types, handle); }

cm_type *cm_type_keep(cm_type *type) {
  type->references++;
  return type;
}

void cm_type_drop(cm_type *type) {
  long i;
  if (--type->references > 0 || type->basic) return;
  for (i = 0; i < type->block_count; i++) cm_type_drop(type->blocks[i].type);
  for (i = 0; i < type->type_count; i++) cm_type_drop(type->types[i]);
  free(type->blocks);
  free(type->ints);
  free(type->aints);
  free(type->types);
  free(type);
}

/* --- predefined types --- */

static void basic(int handle, size_t size, size_t align, const char *name) {
  cm_type *type = cm_allocate(sizeof *type);
  type->references = 1;
  type->handle = type->basic = handle;
  type->size = type->ub = type->true_ub = (long)size;
  type->elements = size > 0;
  type->align = (int)align;
  type->dense = type->committed = 1;
  type->combiner = MPI_COMBINER_NAMED;
  strcpy(type->name, name);
  cm_table_put(&types, handle, type);
}

/* A value and a number, as reductions look for places. */
static void pair(int handle, int first, size_t second_at, size_t extent, const char *name) {
  cm_block blocks[2] = {{0, 1, cm_type_of(first)}, {(long)second_at, 1, cm_type_of(MPI_INT)}};
  cm_type *type = cm_type_of_blocks(2, blocks);
  type->ub = (long)extent;
  type->dense = type->size == (long)extent;
  type->handle = type->basic = handle;
  type->committed = 1;
  type->combiner = MPI_COMBINER_NAMED;
  strcpy(type->name, name);
  cm_table_put(&types, handle, type);
}

#define BASIC(handle, ctype) basic(handle, sizeof(ctype), _Alignof(ctype), #handle)
#define PAIR(handle, first, ctype)                                                         \
  do {                                                                                     \
    typedef struct { ctype value; int place; } both;                                       \
    pair(handle, first, offsetof(both, place), sizeof(both), #handle);                     \
  } while (0)

void cm_types_begin(void) {
  BASIC(MPI_CHAR, char);
  BASIC(MPI_SIGNED_CHAR, signed char);
  BASIC(MPI_UNSIGNED_CHAR, unsigned char);
  BASIC(MPI_BYTE, char);
  BASIC(MPI_WCHAR, wchar_t);
  BASIC(MPI_SHORT, short);
  BASIC(MPI_UNSIGNED_SHORT, unsigned short);
  BASIC(MPI_INT, int);
  BASIC(MPI_UNSIGNED, unsigned);
  BASIC(MPI_LONG, long);
  BASIC(MPI_UNSIGNED_LONG, unsigned long);
  BASIC(MPI_LONG_LONG_INT, long long);
  BASIC(MPI_UNSIGNED_LONG_LONG, unsigned long long);
  BASIC(MPI_FLOAT, float);
  BASIC(MPI_DOUBLE, double);
  BASIC(MPI_LONG_DOUBLE, long double);
  BASIC(MPI_INT8_T, int8_t);
  BASIC(MPI_INT16_T, int16_t);
  BASIC(MPI_INT32_T, int32_t);
  BASIC(MPI_INT64_T, int64_t);
  BASIC(MPI_UINT8_T, uint8_t);
  BASIC(MPI_UINT16_T, uint16_t);
  BASIC(MPI_UINT32_T, uint32_t);
  BASIC(MPI_UINT64_T, uint64_t);
  BASIC(MPI_C_BOOL, bool);
  BASIC(MPI_C_COMPLEX, float _Complex);
  BASIC(MPI_C_DOUBLE_COMPLEX, double _Complex);
  BASIC(MPI_PACKED, char);
  BASIC(MPI_AINT, MPI_Aint);
  BASIC(MPI_OFFSET, MPI_Offset);
  BASIC(MPI_COUNT, MPI_Count);
  BASIC(MPI_INTEGER, int);
  BASIC(MPI_REAL, float);
  BASIC(MPI_DOUBLE_PRECISION, double);
  basic(MPI_LB, 0, 1, "MPI_LB");
  basic(MPI_UB, 0, 1, "MPI_UB");
  PAIR(MPI_FLOAT_INT, MPI_FLOAT, float);
  PAIR(MPI_DOUBLE_INT, MPI_DOUBLE, double);
  PAIR(MPI_LONG_INT, MPI_LONG, long);
  PAIR(MPI_2INT, MPI_INT, int);
  PAIR(MPI_SHORT_INT, MPI_SHORT, short);
  PAIR(MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, long double);
}

/* --- derived types --- */

static void widen(long *low, long *high, int *is_set, long from, long to) {
  if (!*is_set || from < *low) *low = from;
  if (!*is_set || to > *high) *high = to;
  *is_set = 1;
}

/* The bounds that MPI_LB, MPI_UB or resized types inside give, before those of data. */
static void bounds(cm_type *type) {
  long i, low = 0, high = 0;
  int data = 0, lower = 0, upper = 0, real = 0;
  for (i = 0; i < type->block_count; i++) {
    const cm_block *block = &type->blocks[i];
    const cm_type *part = block->type;
    const long step = cm_extent(part), last = block->at + (block->count - 1) * step;
    const long from = step < 0 ? last : block->at, to = step < 0 ? block->at : last;
    if (block->count == 0) continue;
    if (part->align > type->align) type->align = part->align;
    if (part->basic == MPI_LB) {
      if (!lower || block->at < type->lb) type->lb = block->at;
      lower = 1;
    } else if (part->basic == MPI_UB) {
      if (!upper || block->at > type->ub) type->ub = block->at;
      upper = 1;
    } else {
      widen(&low, &high, &data, from + part->lb, to + part->ub);
      if (part->size > 0) widen(&type->true_lb, &type->true_ub, &real, from + part->true_lb, to + part->true_ub);
    }
  }
  if (!lower) type->lb = low;
  if (!upper) type->ub = high;
  type->bounded = lower || upper;
}

static int is_dense(const cm_type *type) {
  long i, at = 0;
  for (i = 0; i < type->block_count; i++) {
    const cm_block *block = &type->blocks[i];
    if (block->count == 0 || block->type->size == 0) continue;
    if (block->at != at || !block->type->dense) return 0;
    at += block->count * block->type->size;
  }
  return type->lb == 0 && type->ub == at;
}

cm_type *cm_type_of_blocks(long count, const cm_block *blocks) {
  cm_type *type = cm_allocate(sizeof *type);
  long i;
  type->references = 1;
  type->align = 1;
  type->block_count = count;
  type->blocks = cm_allocate((size_t)count * sizeof *blocks);
  for (i = 0; i < count; i++) {
    type->blocks[i] = blocks[i];
    cm_type_keep(blocks[i].type);
    type->size += blocks[i].count * blocks[i].type->size;
    type->elements += blocks[i].count * blocks[i].type->elements;
  }
  bounds(type);
  type->dense = is_dense(type);
  return type;
}

MPI_Datatype cm_type_publish(cm_type *type, int combiner) {
  type->combiner = combiner;
  type->handle = cm_table_add(&types, FIRST_TYPE, type);
  return type->handle;
}

void cm_type_made_of(cm_type *type, int ints, const int *int_values, int aints, const MPI_Aint *aint_values, int count,
                     const MPI_Datatype *type_values) {
  int i;
  type->int_count = ints;
  type->aint_count = aints;
  type->type_count = count;
  type->ints = cm_allocate((size_t)ints * sizeof *type->ints);
  type->aints = cm_allocate((size_t)aints * sizeof *type->aints);
  type->types = cm_allocate((size_t)count * sizeof *type->types);
  if (ints > 0) memcpy(type->ints, int_values, (size_t)ints * sizeof *type->ints);
  if (aints > 0) memcpy(type->aints, aint_values, (size_t)aints * sizeof *type->aints);
  for (i = 0; i < count; i++) type->types[i] = cm_type_keep(cm_type_of(type_values[i]));
}

API(MPI_Type_commit)
int MPI_Type_commit(MPI_Datatype *handle) {
  ENTER();
  CHECK_TYPE(0, type, *handle);
  type->committed = 1;
  return MPI_SUCCESS;
}

API(MPI_Type_free)
int MPI_Type_free(MPI_Datatype *handle) {
  ENTER();
  CHECK_TYPE(0, type, *handle);
  if (type->basic) return cm_error(0, MPI_ERR_TYPE, "%s cannot be freed", type->name);
  cm_attributes_delete(CM_OF_TYPE, *handle, &type->attributes);
  cm_table_remove(&types, *handle);
  cm_type_drop(type);
  *handle = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

API(MPI_Type_dup)
int MPI_Type_dup(MPI_Datatype handle, MPI_Datatype *copy) {
  ENTER();
  CHECK_TYPE(0, type, handle);
  cm_block whole = {0, 1, type};
  cm_type *made = cm_type_of_blocks(1, &whole);
  made->lb = type->lb;
  made->ub = type->ub;
  made->bounded = type->bounded;
  made->committed = type->committed;
  made->dense = type->dense;
  cm_type_made_of(made, 0, 0, 0, 0, 1, &handle);
  *copy = cm_type_publish(made, MPI_COMBINER_DUP);
  return cm_attributes_copy(CM_OF_TYPE, handle, type->attributes, &made->attributes);
}

/* --- packing --- */

static char *pack(const cm_type *type, const char *from, long count, char *to) {
  const long extent = cm_extent(type);
  long i, block;
  if (type->dense) {
    if (count * type->size > 0) memcpy(to, from, (size_t)(count * type->size));
    return to + count * type->size;
  }
  for (i = 0; i < count; i++, from += extent)
    for (block = 0; block < type->block_count; block++)
      to = pack(type->blocks[block].type, from + type->blocks[block].at, type->blocks[block].count, to);
  return to;
}

void cm_pack(const cm_type *type, const void *from, long count, void *to) { pack(type, from, count, to); }

static const char *unpack(const cm_type *type, char *to, long count, const char *from, const char *end) {
  const long extent = cm_extent(type);
  long i, block;
  if (type->dense) {
    long bytes = count * type->size;
    if (bytes > end - from) bytes = end - from;
    if (bytes > 0) memcpy(to, from, (size_t)bytes);
    return from + bytes;
  }
  for (i = 0; i < count && from < end; i++, to += extent)
    for (block = 0; block < type->block_count; block++)
      from = unpack(type->blocks[block].type, to + type->blocks[block].at, type->blocks[block].count, from, end);
  return from;
}

long cm_unpack(const cm_type *type, void *to, long count, const void *from, long bytes) {
  return unpack(type, to, count, from, (const char *)from + bytes) - (const char *)from;
}

void cm_runs(const cm_type *type, long at, long count, void (*run)(void *, long, long), void *context) {
  long i, block;
  if (type->dense) {
    if (count * type->size > 0) run(context, at, count * type->size);
    return;
  }
  for (i = 0; i < count; i++, at += cm_extent(type))
    for (block = 0; block < type->block_count; block++)
      cm_runs(type->blocks[block].type, at + type->blocks[block].at, type->blocks[block].count, run, context);
}

/* Whole predefined elements in so many bytes of packed data. */
static long elements(const cm_type *type, long count, long *bytes) {
  long sum = 0, i, block;
  long whole = type->size > 0 ? *bytes / type->size : 0;
  if (type->size == 0) return 0;
  if (whole > count) whole = count;
  sum = whole * type->elements;
  *bytes -= whole * type->size;
  if (whole == count || type->block_count == 0) return sum;
  for (i = 0, block = 0; block < type->block_count && *bytes > 0; block++) {
    long before = *bytes;
    i = elements(type->blocks[block].type, type->blocks[block].count, bytes);
    sum += i;
    if (before == *bytes && type->blocks[block].type->size > 0) break;
  }
  return sum;
}

long cm_elements(const cm_type *type, long bytes) {
  long left = bytes;
  return elements(type, bytes + 1, &left);
}
