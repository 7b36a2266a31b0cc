/* Handles, memory, attributes of objects, and the hints of MPI_Info. */
#include "internal.h"

void *cm_allocate(size_t bytes) {
  void *memory = calloc(1, bytes ? bytes : 1);
  if (!memory) cm_fatal("there is no memory for %zu bytes", bytes);
  return memory;
}

/* --- tables --- */

void cm_table_put(cm_table *table, int handle, void *object) {
  if (handle >= table->size) {
    int size = handle + 64 + table->size;
    void **objects = realloc(table->objects, (size_t)size * sizeof *objects);
    if (!objects) cm_fatal("there is no memory for %d handles", size);
    memset(objects + table->size, 0, (size_t)(size - table->size) * sizeof *objects);
    table->objects = objects;
    table->size = size;
  }
  table->objects[handle] = object;
}

int cm_table_add(cm_table *table, int from, void *object) {
  int handle = table->first_free > from ? table->first_free : from;
  while (handle < table->size && table->objects[handle]) handle++;
  cm_table_put(table, handle, object);
  table->first_free = handle + 1;
  return handle;
}

void *cm_table_get(const cm_table *table, int handle) {
  return handle > 0 && handle < table->size ? table->objects[handle] : 0;
}

void cm_table_remove(cm_table *table, int handle) {
  if (handle <= 0 || handle >= table->size) return;
  table->objects[handle] = 0;
  if (handle < table->first_free) table->first_free = handle;
}

/* --- keys of attributes --- */

typedef struct {
  int kind, freed;
  MPI_Comm_copy_attr_function *copy;
  MPI_Comm_delete_attr_function *delete;
  void *extra;
} key;

static cm_table keys;
enum { FIRST_KEY = 2000 };

static int new_key(int kind, MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete, int *number,
                   void *extra) {
  key *made = cm_allocate(sizeof *made);
  made->kind = kind;
  made->copy = copy;
  made->delete = delete;
  made->extra = extra;
  *number = FIRST_KEY + cm_table_add(&keys, 1, made);
  return MPI_SUCCESS;
}

static key *key_of(int kind, int number) {
  key *known = cm_table_get(&keys, number - FIRST_KEY);
  return known && known->kind == kind ? known : 0;
}

/* The key goes on for attributes that have it. */
static int free_key(int kind, int *number) {
  key *known = key_of(kind, *number);
  if (!known) return cm_error(0, MPI_ERR_KEYVAL, "%d is no key of attributes", *number);
  known->freed = 1;
  *number = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

static int delete_one(int kind, int handle, cm_attribute *attribute) {
  key *known = key_of(kind, attribute->key);
  if (!known || !known->delete) return MPI_SUCCESS;
  return known->delete(handle, attribute->key, attribute->value, known->extra);
}

static int set_attribute(int kind, int handle, cm_attribute **list, int number, void *value) {
  cm_attribute *attribute = *list;
  if (!key_of(kind, number)) return cm_error(0, MPI_ERR_KEYVAL, "%d is no key of such attributes", number);
  while (attribute && attribute->key != number) attribute = attribute->next;
  if (attribute) {
    int code = delete_one(kind, handle, attribute);
    if (code != MPI_SUCCESS) return code;
  } else {
    attribute = cm_allocate(sizeof *attribute);
    attribute->key = number;
    attribute->next = *list;
    *list = attribute;
  }
  attribute->value = value;
  return MPI_SUCCESS;
}

static int get_attribute(const cm_attribute *list, int number, void *value, int *found) {
  while (list && list->key != number) list = list->next;
  *found = list != 0;
  if (list) *(void **)value = list->value;
  return MPI_SUCCESS;
}

static int delete_attribute(int kind, int handle, cm_attribute **list, int number) {
  cm_attribute *attribute;
  int code;
  while (*list && (*list)->key != number) list = &(*list)->next;
  attribute = *list;
  if (!attribute) return cm_error(0, MPI_ERR_KEYVAL, "there is no attribute with key %d", number);
  code = delete_one(kind, handle, attribute);
  if (code != MPI_SUCCESS) return code;
  *list = attribute->next;
  free(attribute);
  return MPI_SUCCESS;
}

int cm_attributes_copy(int kind, int handle, const cm_attribute *from, cm_attribute **to) {
  for (; from; from = from->next) {
    key *known = key_of(kind, from->key);
    void *value = from->value;
    int wanted = 0, code = MPI_SUCCESS;
    if (!known || !known->copy) continue;
    if (known->copy == MPI_COMM_DUP_FN) wanted = 1;
    else code = known->copy(handle, from->key, known->extra, from->value, &value, &wanted);
    if (code != MPI_SUCCESS) return code;
    if (wanted) {
      cm_attribute *copy = cm_allocate(sizeof *copy);
      copy->key = from->key;
      copy->value = value;
      while (*to) to = &(*to)->next;
      *to = copy;
    }
  }
  return MPI_SUCCESS;
}

int cm_attributes_delete(int kind, int handle, cm_attribute **list) {
  while (*list) {
    int code = delete_attribute(kind, handle, list, (*list)->key);
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

/* --- attributes of communicators --- */

static int predefined(int number, void *value, int *found) {
  static int tag_limit = 0x3fffffff, no_host = MPI_PROC_NULL, any_io = MPI_ANY_SOURCE, is_global = 1;
  static int last_code = MPI_ERR_LASTCODE, application;
  int *known = 0;
  switch (number) {
    case MPI_TAG_UB: known = &tag_limit; break;
    case MPI_HOST: known = &no_host; break;
    case MPI_IO: known = &any_io; break;
    case MPI_WTIME_IS_GLOBAL: known = &is_global; break;
    case MPI_UNIVERSE_SIZE: known = &cm_tasks; break;
    case MPI_LASTUSEDCODE: known = &last_code; break;
    case MPI_APPNUM: known = &application; break;
    default: return 0;
  }
  *found = 1;
  *(int **)value = known;
  return 1;
}

API(MPI_Comm_create_keyval)
int MPI_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete, int *number,
                           void *extra) {
  return new_key(CM_OF_COMM, copy, delete, number, extra);
}

API(MPI_Comm_free_keyval)
int MPI_Comm_free_keyval(int *number) { return free_key(CM_OF_COMM, number); }

API(MPI_Comm_set_attr)
int MPI_Comm_set_attr(MPI_Comm handle, int number, void *value) {
  ENTER();
  CHECK_COMM(comm, handle);
  return set_attribute(CM_OF_COMM, handle, &comm->attributes, number, value);
}

API(MPI_Comm_get_attr)
int MPI_Comm_get_attr(MPI_Comm handle, int number, void *value, int *found) {
  ENTER();
  CHECK_COMM(comm, handle);
  if (predefined(number, value, found)) return MPI_SUCCESS;
  return get_attribute(comm->attributes, number, value, found);
}

API(MPI_Comm_delete_attr)
int MPI_Comm_delete_attr(MPI_Comm handle, int number) {
  ENTER();
  CHECK_COMM(comm, handle);
  return delete_attribute(CM_OF_COMM, handle, &comm->attributes, number);
}

API(MPI_Keyval_create)
int MPI_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *delete, int *number, void *extra) {
  return new_key(CM_OF_COMM, copy, delete, number, extra);
}
API(MPI_Keyval_free)
int MPI_Keyval_free(int *number) { return free_key(CM_OF_COMM, number); }
API(MPI_Attr_put)
int MPI_Attr_put(MPI_Comm comm, int number, void *value) { return PMPI_Comm_set_attr(comm, number, value); }
API(MPI_Attr_get)
int MPI_Attr_get(MPI_Comm comm, int number, void *value, int *found) {
  return PMPI_Comm_get_attr(comm, number, value, found);
}
API(MPI_Attr_delete)
int MPI_Attr_delete(MPI_Comm comm, int number) { return PMPI_Comm_delete_attr(comm, number); }

/* --- attributes of datatypes --- */

API(MPI_Type_create_keyval)
int MPI_Type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *delete, int *number,
                           void *extra) {
  return new_key(CM_OF_TYPE, copy, delete, number, extra);
}
API(MPI_Type_free_keyval)
int MPI_Type_free_keyval(int *number) { return free_key(CM_OF_TYPE, number); }
API(MPI_Type_set_attr)
int MPI_Type_set_attr(MPI_Datatype handle, int number, void *value) {
  ENTER();
  CHECK_TYPE(0, type, handle);
  return set_attribute(CM_OF_TYPE, handle, &type->attributes, number, value);
}
API(MPI_Type_get_attr)
int MPI_Type_get_attr(MPI_Datatype handle, int number, void *value, int *found) {
  ENTER();
  CHECK_TYPE(0, type, handle);
  return get_attribute(type->attributes, number, value, found);
}
API(MPI_Type_delete_attr)
int MPI_Type_delete_attr(MPI_Datatype handle, int number) {
  ENTER();
  CHECK_TYPE(0, type, handle);
  return delete_attribute(CM_OF_TYPE, handle, &type->attributes, number);
}

/* --- attributes of windows, beside those that windows.c knows --- */

cm_attribute **cm_window_attributes(MPI_Win handle);
int cm_window_predefined(MPI_Win handle, int number, void *value, int *found);

API(MPI_Win_create_keyval)
int MPI_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *delete, int *number,
                          void *extra) {
  return new_key(CM_OF_WIN, copy, delete, number, extra);
}
API(MPI_Win_free_keyval)
int MPI_Win_free_keyval(int *number) { return free_key(CM_OF_WIN, number); }
API(MPI_Win_set_attr)
int MPI_Win_set_attr(MPI_Win handle, int number, void *value) {
  ENTER();
  cm_attribute **list = cm_window_attributes(handle);
  return list ? set_attribute(CM_OF_WIN, handle, list, number, value) : MPI_ERR_WIN;
}
API(MPI_Win_get_attr)
int MPI_Win_get_attr(MPI_Win handle, int number, void *value, int *found) {
  ENTER();
  cm_attribute **list = cm_window_attributes(handle);
  if (!list) return MPI_ERR_WIN;
  if (cm_window_predefined(handle, number, value, found)) return MPI_SUCCESS;
  return get_attribute(*list, number, value, found);
}
API(MPI_Win_delete_attr)
int MPI_Win_delete_attr(MPI_Win handle, int number) {
  ENTER();
  cm_attribute **list = cm_window_attributes(handle);
  return list ? delete_attribute(CM_OF_WIN, handle, list, number) : MPI_ERR_WIN;
}
