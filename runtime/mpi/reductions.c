/* Predefined operations on predefined types, and the user's own on any. */
#include "internal.h"
#include <complex.h>
#include <stdbool.h>
#include <wchar.h>

typedef struct {
  MPI_User_function *function;
  int commutes;
} user_op;

static cm_table ops;
enum { FIRST_OP = 32 };

#define LOOP(T, EXPRESSION)                                \
  do {                                                     \
    const T *a = in;                                       \
    T *b = inout;                                          \
    long i;                                                \
    for (i = 0; i < count; i++) b[i] = (T)(EXPRESSION);    \
  } while (0);                                             \
  return 1

#define ARITHMETIC(T)                              \
  case MPI_SUM: LOOP(T, a[i] + b[i]);              \
  case MPI_PROD: LOOP(T, a[i] * b[i])
#define ORDERED(T)                                 \
  case MPI_MAX: LOOP(T, a[i] > b[i] ? a[i] : b[i]); \
  case MPI_MIN: LOOP(T, a[i] < b[i] ? a[i] : b[i])
#define LOGICAL(T)                                 \
  case MPI_LAND: LOOP(T, a[i] && b[i]);            \
  case MPI_LOR: LOOP(T, a[i] || b[i]);             \
  case MPI_LXOR: LOOP(T, !a[i] != !b[i])
#define BITS(T)                                    \
  case MPI_BAND: LOOP(T, a[i] & b[i]);             \
  case MPI_BOR: LOOP(T, a[i] | b[i]);              \
  case MPI_BXOR: LOOP(T, a[i] ^ b[i])

/* Each gives 0 where the operation is not defined for the type. */
#define FUNCTION(name, T, CASES)                                                   \
  static int name(MPI_Op op, const void *in, void *inout, long count) {            \
    switch (op) {                                                                  \
      CASES                                                                        \
      default: return 0;                                                           \
    }                                                                              \
  }
#define INTEGER(name, T) FUNCTION(name, T, ARITHMETIC(T); ORDERED(T); LOGICAL(T); BITS(T);)
#define REAL(name, T) FUNCTION(name, T, ARITHMETIC(T); ORDERED(T); LOGICAL(T);)
#define COMPLEX(name, T) FUNCTION(name, T, ARITHMETIC(T);)

INTEGER(chars, char)
INTEGER(signed_chars, signed char)
INTEGER(unsigned_chars, unsigned char)
INTEGER(wide_chars, wchar_t)
INTEGER(shorts, short)
INTEGER(unsigned_shorts, unsigned short)
INTEGER(ints, int)
INTEGER(unsigneds, unsigned)
INTEGER(longs, long)
INTEGER(unsigned_longs, unsigned long)
INTEGER(long_longs, long long)
INTEGER(unsigned_long_longs, unsigned long long)
REAL(floats, float)
REAL(doubles, double)
REAL(long_doubles, long double)
COMPLEX(complexes, float _Complex)
COMPLEX(double_complexes, double _Complex)
FUNCTION(bools, bool, LOGICAL(bool); BITS(bool);)

/* The better value wins, of equal ones the lower place. */
#define PLACES(name, V)                                                                                  \
  static int name(MPI_Op op, const void *in, void *inout, long count) {                                  \
    typedef struct { V value; int place; } both;                                                         \
    const both *a = in;                                                                                  \
    both *b = inout;                                                                                     \
    long i;                                                                                              \
    if (op != MPI_MAXLOC && op != MPI_MINLOC) return 0;                                                  \
    for (i = 0; i < count; i++) {                                                                        \
      const int better = op == MPI_MAXLOC ? a[i].value > b[i].value : a[i].value < b[i].value;           \
      if (better || (a[i].value == b[i].value && a[i].place < b[i].place)) b[i] = a[i];                  \
    }                                                                                                    \
    return 1;                                                                                            \
  }
PLACES(float_places, float)
PLACES(double_places, double)
PLACES(long_places, long)
PLACES(int_places, int)
PLACES(short_places, short)
PLACES(long_double_places, long double)

typedef int apply(MPI_Op, const void *, void *, long);

static apply *function_for(int type) {
  switch (type) {
    case MPI_CHAR: return chars;
    case MPI_SIGNED_CHAR: case MPI_INT8_T: return signed_chars;
    case MPI_UNSIGNED_CHAR: case MPI_UINT8_T: case MPI_BYTE: return unsigned_chars;
    case MPI_WCHAR: return wide_chars;
    case MPI_SHORT: case MPI_INT16_T: return shorts;
    case MPI_UNSIGNED_SHORT: case MPI_UINT16_T: return unsigned_shorts;
    case MPI_INT: case MPI_INT32_T: case MPI_INTEGER: return ints;
    case MPI_UNSIGNED: case MPI_UINT32_T: return unsigneds;
    case MPI_LONG: case MPI_INT64_T: case MPI_AINT: case MPI_OFFSET: case MPI_COUNT: return longs;
    case MPI_UNSIGNED_LONG: case MPI_UINT64_T: return unsigned_longs;
    case MPI_LONG_LONG_INT: return long_longs;
    case MPI_UNSIGNED_LONG_LONG: return unsigned_long_longs;
    case MPI_FLOAT: case MPI_REAL: return floats;
    case MPI_DOUBLE: case MPI_DOUBLE_PRECISION: return doubles;
    case MPI_LONG_DOUBLE: return long_doubles;
    case MPI_C_BOOL: return bools;
    case MPI_C_COMPLEX: return complexes;
    case MPI_C_DOUBLE_COMPLEX: return double_complexes;
    case MPI_FLOAT_INT: return float_places;
    case MPI_DOUBLE_INT: return double_places;
    case MPI_LONG_INT: return long_places;
    case MPI_2INT: return int_places;
    case MPI_SHORT_INT: return short_places;
    case MPI_LONG_DOUBLE_INT: return long_double_places;
    default: return 0;
  }
}

/* The predefined type that a type is of alone (windows and contiguous types may be of many), or 0. */
static const cm_type *single(const cm_type *type) {
  while (!type->basic && type->dense && type->block_count == 1) type = type->blocks[0].type;
  return type;
}

int cm_op_check(MPI_Op op, const cm_type *type) {
  apply *function = function_for(single(type)->basic);
  if (cm_table_get(&ops, op) || op == MPI_REPLACE || op == MPI_NO_OP) return MPI_SUCCESS;
  if (op <= MPI_OP_NULL || op > MPI_NO_OP) return cm_error(0, MPI_ERR_OP, "%d is no operation", op);
  if (!function || !function(op, 0, 0, 0))
    return cm_error(0, MPI_ERR_OP, "the operation is not defined for %s", type->basic ? type->name : "this type");
  return MPI_SUCCESS;
}

void cm_reduce(MPI_Op op, const void *in, void *inout, long count, cm_type *type) {
  const user_op *own = cm_table_get(&ops, op);
  const cm_type *element = single(type);
  if (op == MPI_NO_OP || count == 0) return;
  if (op == MPI_REPLACE) {
    if (cm_extent(type) * count > 0) memmove(inout, in, (size_t)(cm_extent(type) * count));
  } else if (own) {
    int length = (int)count;
    MPI_Datatype handle = type->handle;
    own->function((void *)in, inout, &length, &handle);
  } else {
    function_for(element->basic)(op, in, inout, element->size > 0 ? count * type->size / element->size : 0);
  }
}

API(MPI_Op_create)
int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op) {
  user_op *own = cm_allocate(sizeof *own);
  ENTER();
  own->function = function;
  own->commutes = commutes;
  *op = cm_table_add(&ops, FIRST_OP, own);
  return MPI_SUCCESS;
}

API(MPI_Op_free)
int MPI_Op_free(MPI_Op *op) {
  user_op *own = cm_table_get(&ops, *op);
  ENTER();
  if (!own) return cm_error(0, MPI_ERR_OP, "%d is no operation of the program", *op);
  cm_table_remove(&ops, *op);
  free(own);
  *op = MPI_OP_NULL;
  return MPI_SUCCESS;
}

API(MPI_Op_commutative)
int MPI_Op_commutative(MPI_Op op, int *commutes) {
  const user_op *own = cm_table_get(&ops, op);
  *commutes = own ? own->commutes : op != MPI_REPLACE && op != MPI_NO_OP;
  return MPI_SUCCESS;
}

API(MPI_Reduce_local)
int MPI_Reduce_local(const void *in, void *inout, int count, MPI_Datatype handle, MPI_Op op) {
  ENTER();
  CHECK_TYPE(0, type, handle);
  CHECK_COUNT(0, count);
  if (cm_op_check(op, type)) return MPI_ERR_OP;
  cm_reduce(op, in, inout, count, type);
  return MPI_SUCCESS;
}
