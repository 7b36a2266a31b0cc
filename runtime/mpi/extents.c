/* Questions to datatypes; packing by hand; addresses. */
#include "internal.h"

API(MPI_Type_size_x)
int MPI_Type_size_x(MPI_Datatype handle, MPI_Count *size) {
  ENTER();
  CHECK_TYPE(0, type, handle);
  *size = type->size;
  return MPI_SUCCESS;
}

API(MPI_Type_size)
int MPI_Type_size(MPI_Datatype handle, int *size) {
  MPI_Count count = 0;
  int code = PMPI_Type_size_x(handle, &count);
  *size = count > 0x7fffffff ? MPI_UNDEFINED : (int)count;
  return code;
}

API(MPI_Type_get_extent)
int MPI_Type_get_extent(MPI_Datatype handle, MPI_Aint *lb, MPI_Aint *extent) {
  ENTER();
  CHECK_TYPE(0, type, handle);
  *lb = type->lb;
  *extent = cm_extent(type);
  return MPI_SUCCESS;
}
API(MPI_Type_get_extent_x)
int MPI_Type_get_extent_x(MPI_Datatype handle, MPI_Count *lb, MPI_Count *extent) {
  return PMPI_Type_get_extent(handle, lb, extent);
}
API(MPI_Type_get_true_extent)
int MPI_Type_get_true_extent(MPI_Datatype handle, MPI_Aint *lb, MPI_Aint *extent) {
  ENTER();
  CHECK_TYPE(0, type, handle);
  *lb = type->true_lb;
  *extent = type->true_ub - type->true_lb;
  return MPI_SUCCESS;
}
API(MPI_Type_get_true_extent_x)
int MPI_Type_get_true_extent_x(MPI_Datatype handle, MPI_Count *lb, MPI_Count *extent) {
  return PMPI_Type_get_true_extent(handle, lb, extent);
}
API(MPI_Type_extent)
int MPI_Type_extent(MPI_Datatype handle, MPI_Aint *extent) {
  MPI_Aint lb;
  return PMPI_Type_get_extent(handle, &lb, extent);
}
API(MPI_Type_lb)
int MPI_Type_lb(MPI_Datatype handle, MPI_Aint *lb) {
  MPI_Aint extent;
  return PMPI_Type_get_extent(handle, lb, &extent);
}
API(MPI_Type_ub)
int MPI_Type_ub(MPI_Datatype handle, MPI_Aint *ub) {
  MPI_Aint lb, extent;
  int code = PMPI_Type_get_extent(handle, &lb, &extent);
  *ub = lb + extent;
  return code;
}

API(MPI_Type_get_envelope)
int MPI_Type_get_envelope(MPI_Datatype handle, int *ints, int *aints, int *types, int *combiner) {
  ENTER();
  CHECK_TYPE(0, type, handle);
  *ints = type->int_count;
  *aints = type->aint_count;
  *types = type->type_count;
  *combiner = type->combiner;
  return MPI_SUCCESS;
}

API(MPI_Type_get_contents)
int MPI_Type_get_contents(MPI_Datatype handle, int max_ints, int max_aints, int max_types, int ints[],
                          MPI_Aint aints[], MPI_Datatype types[]) {
  int i;
  ENTER();
  CHECK_TYPE(0, type, handle);
  if (type->basic || max_ints < type->int_count || max_aints < type->aint_count || max_types < type->type_count)
    return cm_error(0, MPI_ERR_ARG, "%s has no such contents, or there is no room for them", type->name);
  for (i = 0; i < type->int_count; i++) ints[i] = type->ints[i];
  for (i = 0; i < type->aint_count; i++) aints[i] = type->aints[i];
  for (i = 0; i < type->type_count; i++) {
    cm_type *part = type->types[i];
    if (part->basic) types[i] = part->handle;
    else types[i] = cm_type_publish(cm_type_keep(part), part->combiner); /* which the caller is to free */
  }
  return MPI_SUCCESS;
}

API(MPI_Type_get_name)
int MPI_Type_get_name(MPI_Datatype handle, char *name, int *length) {
  ENTER();
  CHECK_TYPE(0, type, handle);
  strcpy(name, type->name);
  *length = (int)strlen(name);
  return MPI_SUCCESS;
}
API(MPI_Type_set_name)
int MPI_Type_set_name(MPI_Datatype handle, const char *name) {
  ENTER();
  CHECK_TYPE(0, type, handle);
  snprintf(type->name, sizeof type->name, "%s", name);
  return MPI_SUCCESS;
}

API(MPI_Type_match_size)
int MPI_Type_match_size(int class, int size, MPI_Datatype *found) {
  static const struct {
    int class, size, type;
  } known[] = {{MPI_TYPECLASS_INTEGER, 1, MPI_INT8_T}, {MPI_TYPECLASS_INTEGER, 2, MPI_INT16_T},
               {MPI_TYPECLASS_INTEGER, 4, MPI_INT32_T}, {MPI_TYPECLASS_INTEGER, 8, MPI_INT64_T},
               {MPI_TYPECLASS_REAL, 4, MPI_FLOAT}, {MPI_TYPECLASS_REAL, 8, MPI_DOUBLE},
               {MPI_TYPECLASS_REAL, 16, MPI_LONG_DOUBLE}, {MPI_TYPECLASS_COMPLEX, 8, MPI_C_COMPLEX},
               {MPI_TYPECLASS_COMPLEX, 16, MPI_C_DOUBLE_COMPLEX}};
  size_t i;
  for (i = 0; i < sizeof known / sizeof *known; i++) {
    if (known[i].class != class || known[i].size != size) continue;
    *found = known[i].type;
    return MPI_SUCCESS;
  }
  return cm_error(0, MPI_ERR_ARG, "there is no type of %d bytes in this class", size);
}

API(MPI_Type_create_f90_integer)
int MPI_Type_create_f90_integer(int digits, MPI_Datatype *found) {
  *found = digits <= 2 ? MPI_INT8_T : digits <= 4 ? MPI_INT16_T : digits <= 9 ? MPI_INT32_T : MPI_INT64_T;
  return MPI_SUCCESS;
}
API(MPI_Type_create_f90_real)
int MPI_Type_create_f90_real(int digits, int range, MPI_Datatype *found) {
  *found = digits <= 6 && range <= 37 ? MPI_FLOAT : MPI_DOUBLE;
  return MPI_SUCCESS;
}
API(MPI_Type_create_f90_complex)
int MPI_Type_create_f90_complex(int digits, int range, MPI_Datatype *found) {
  *found = digits <= 6 && range <= 37 ? MPI_C_COMPLEX : MPI_C_DOUBLE_COMPLEX;
  return MPI_SUCCESS;
}

API(MPI_Get_address)
int MPI_Get_address(const void *place, MPI_Aint *address) {
  *address = (MPI_Aint)place;
  return MPI_SUCCESS;
}
API(MPI_Address)
int MPI_Address(void *place, MPI_Aint *address) { return PMPI_Get_address(place, address); }
API(MPI_Aint_add)
MPI_Aint MPI_Aint_add(MPI_Aint base, MPI_Aint more) { return (MPI_Aint)((char *)base + more); }
API(MPI_Aint_diff)
MPI_Aint MPI_Aint_diff(MPI_Aint a, MPI_Aint b) { return a - b; }

/* --- packing by hand --- */

API(MPI_Pack_external)
int MPI_Pack_external(const char format[], const void *in, int count, MPI_Datatype handle, void *out, MPI_Aint size,
                      MPI_Aint *position) {
  (void)format;
  ENTER();
  CHECK_TYPE(0, type, handle);
  CHECK_COUNT(0, count);
  if (*position + count * type->size > size)
    return cm_error(0, MPI_ERR_TRUNCATE, "%ld bytes do not fit into a buffer of %ld from %ld on", count * type->size,
                    size, *position);
  cm_pack(type, in, count, (char *)out + *position);
  *position += count * type->size;
  return MPI_SUCCESS;
}

API(MPI_Unpack_external)
int MPI_Unpack_external(const char format[], const void *in, MPI_Aint size, MPI_Aint *position, void *out, int count,
                        MPI_Datatype handle) {
  (void)format;
  ENTER();
  CHECK_TYPE(0, type, handle);
  CHECK_COUNT(0, count);
  if (*position + count * type->size > size)
    return cm_error(0, MPI_ERR_TRUNCATE, "%ld bytes are not in a buffer of %ld from %ld on", count * type->size, size,
                    *position);
  *position += cm_unpack(type, out, count, (const char *)in + *position, count * type->size);
  return MPI_SUCCESS;
}

API(MPI_Pack_external_size)
int MPI_Pack_external_size(const char format[], int count, MPI_Datatype handle, MPI_Aint *size) {
  (void)format;
  ENTER();
  CHECK_TYPE(0, type, handle);
  *size = count * type->size;
  return MPI_SUCCESS;
}

API(MPI_Pack)
int MPI_Pack(const void *in, int count, MPI_Datatype type, void *out, int size, int *position, MPI_Comm comm) {
  MPI_Aint at = *position;
  int code = PMPI_Pack_external("native", in, count, type, out, size, &at);
  (void)comm;
  *position = (int)at;
  return code;
}

API(MPI_Unpack)
int MPI_Unpack(const void *in, int size, int *position, void *out, int count, MPI_Datatype type, MPI_Comm comm) {
  MPI_Aint at = *position;
  int code = PMPI_Unpack_external("native", in, size, &at, out, count, type);
  (void)comm;
  *position = (int)at;
  return code;
}

API(MPI_Pack_size)
int MPI_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int *size) {
  MPI_Aint bytes = 0;
  int code = PMPI_Pack_external_size("native", count, type, &bytes);
  (void)comm;
  *size = (int)bytes;
  return code;
}
