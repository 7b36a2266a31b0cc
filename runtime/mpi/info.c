/* MPI_Info: pairs of texts. Nothing here takes a hint. */
#include "internal.h"

typedef struct pair {
  struct pair *next;
  char *key, *value;
} pair;

typedef struct {
  pair *first;
} info;

static cm_table infos;
enum { FIRST_INFO = 2 };

static info *info_of(MPI_Info handle) {
  static info environment;
  info *known = handle == MPI_INFO_ENV ? &environment : cm_table_get(&infos, handle);
  if (!known) cm_error(0, MPI_ERR_INFO, "%d is no info object", handle);
  return known;
}

static pair **find(info *known, const char *key) {
  pair **at = &known->first;
  while (*at && strcmp((*at)->key, key) != 0) at = &(*at)->next;
  return at;
}

static char *copied(const char *text) {
  return strcpy(cm_allocate(strlen(text) + 1), text);
}

static void set(info *known, const char *key, const char *value) {
  pair **at = find(known, key);
  if (!*at) {
    *at = cm_allocate(sizeof **at);
    (*at)->key = copied(key);
  }
  free((*at)->value);
  (*at)->value = copied(value);
}

API(MPI_Info_create)
int MPI_Info_create(MPI_Info *handle) {
  *handle = cm_table_add(&infos, FIRST_INFO, cm_allocate(sizeof(info)));
  return MPI_SUCCESS;
}

API(MPI_Info_dup)
int MPI_Info_dup(MPI_Info handle, MPI_Info *copy) {
  info *known = info_of(handle);
  const pair *at;
  if (!known) return MPI_ERR_INFO;
  PMPI_Info_create(copy);
  for (at = known->first; at; at = at->next) set(info_of(*copy), at->key, at->value);
  return MPI_SUCCESS;
}

static void free_pair(pair **at) {
  pair *gone = *at;
  *at = gone->next;
  free(gone->key);
  free(gone->value);
  free(gone);
}

API(MPI_Info_free)
int MPI_Info_free(MPI_Info *handle) {
  info *known = info_of(*handle);
  if (!known) return MPI_ERR_INFO;
  while (known->first) free_pair(&known->first);
  cm_table_remove(&infos, *handle);
  if (*handle != MPI_INFO_ENV) free(known);
  *handle = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

API(MPI_Info_set)
int MPI_Info_set(MPI_Info handle, const char *key, const char *value) {
  info *known = info_of(handle);
  if (!known) return MPI_ERR_INFO;
  if (strlen(key) > MPI_MAX_INFO_KEY) return cm_error(0, MPI_ERR_INFO_KEY, "the key is too long");
  if (strlen(value) > MPI_MAX_INFO_VAL) return cm_error(0, MPI_ERR_INFO_VALUE, "the value of %s is too long", key);
  set(known, key, value);
  return MPI_SUCCESS;
}

API(MPI_Info_get)
int MPI_Info_get(MPI_Info handle, const char *key, int length, char *value, int *found) {
  info *known = info_of(handle);
  const pair *at;
  if (!known) return MPI_ERR_INFO;
  at = *find(known, key);
  *found = at != 0;
  if (at) snprintf(value, (size_t)length + 1, "%s", at->value);
  return MPI_SUCCESS;
}

API(MPI_Info_get_string)
int MPI_Info_get_string(MPI_Info handle, const char *key, int *length, char *value, int *found) {
  info *known = info_of(handle);
  const pair *at;
  if (!known) return MPI_ERR_INFO;
  at = *find(known, key);
  *found = at != 0;
  if (!at) return MPI_SUCCESS;
  if (*length > 0) snprintf(value, (size_t)*length, "%s", at->value);
  *length = (int)strlen(at->value) + 1;
  return MPI_SUCCESS;
}

API(MPI_Info_get_valuelen)
int MPI_Info_get_valuelen(MPI_Info handle, const char *key, int *length, int *found) {
  info *known = info_of(handle);
  const pair *at;
  if (!known) return MPI_ERR_INFO;
  at = *find(known, key);
  *found = at != 0;
  if (at) *length = (int)strlen(at->value);
  return MPI_SUCCESS;
}

API(MPI_Info_get_nkeys)
int MPI_Info_get_nkeys(MPI_Info handle, int *count) {
  info *known = info_of(handle);
  const pair *at;
  if (!known) return MPI_ERR_INFO;
  *count = 0;
  for (at = known->first; at; at = at->next) ++*count;
  return MPI_SUCCESS;
}

API(MPI_Info_get_nthkey)
int MPI_Info_get_nthkey(MPI_Info handle, int n, char *key) {
  info *known = info_of(handle);
  const pair *at;
  if (!known) return MPI_ERR_INFO;
  for (at = known->first; at && n > 0; n--) at = at->next;
  if (!at || n < 0) return cm_error(0, MPI_ERR_ARG, "there is no key of this number");
  strcpy(key, at->key);
  return MPI_SUCCESS;
}

API(MPI_Info_delete)
int MPI_Info_delete(MPI_Info handle, const char *key) {
  info *known = info_of(handle);
  pair **at;
  if (!known) return MPI_ERR_INFO;
  at = find(known, key);
  if (!*at) return cm_error(0, MPI_ERR_INFO_NOKEY, "there is no key %s", key);
  free_pair(at);
  return MPI_SUCCESS;
}
