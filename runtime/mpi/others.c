/* Fortran's handles, the tool interface without variables, and what the bundled MPI does not do: it says so. */
#include "internal.h"

#define HANDLES(Name)                                                \
  API(MPI_##Name##_f2c)                                              \
  MPI_Fint MPI_##Name##_f2c(MPI_Fint handle) { return handle; }      \
  API(MPI_##Name##_c2f)                                              \
  MPI_Fint MPI_##Name##_c2f(MPI_Fint handle) { return handle; }
HANDLES(Comm)
HANDLES(Group)
HANDLES(Type)
HANDLES(Op)
HANDLES(Request)
HANDLES(Message)
HANDLES(Info)
HANDLES(Win)
HANDLES(File)
HANDLES(Errhandler)

API(MPI_Status_f2c)
int MPI_Status_f2c(const MPI_Fint *from, MPI_Status *to) {
  memcpy(to, from, sizeof *to);
  return MPI_SUCCESS;
}
API(MPI_Status_c2f)
int MPI_Status_c2f(const MPI_Status *from, MPI_Fint *to) {
  memcpy(to, from, sizeof *from);
  return MPI_SUCCESS;
}

API(MPI_T_init_thread)
int MPI_T_init_thread(int required, int *provided) {
  *provided = required;
  return MPI_SUCCESS;
}
API(MPI_T_finalize)
int MPI_T_finalize(void) { return MPI_SUCCESS; }
API(MPI_T_cvar_get_num)
int MPI_T_cvar_get_num(int *count) {
  *count = 0;
  return MPI_SUCCESS;
}
API(MPI_T_pvar_get_num)
int MPI_T_pvar_get_num(int *count) {
  *count = 0;
  return MPI_SUCCESS;
}

#define MISSING(Name, ...)                                                                                          \
  API(Name)                                                                                                         \
  int Name(__VA_ARGS__) {                                                                                           \
    ENTER();                                                                                                        \
    cm_fatal("the bundled MPI joins no further programs; trace with an installed MPI (--mpicc, --mpirun)"); \
  }
#define MISSING_FORMAT(Name, ...)                                                                                   \
  API(Name)                                                                                                         \
  int Name(__VA_ARGS__) {                                                                                           \
    ENTER();                                                                                                        \
    cm_fatal("the bundled MPI knows native data alone; trace with an installed MPI (--mpicc, --mpirun)");           \
  }
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif
MISSING(MPI_Comm_join, int file, MPI_Comm *new)
MISSING(MPI_Comm_accept, const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *new)
MISSING(MPI_Comm_connect, const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *new)
MISSING(MPI_Open_port, MPI_Info info, char *port)
MISSING(MPI_Close_port, const char *port)
MISSING(MPI_Publish_name, const char *service, MPI_Info info, const char *port)
MISSING(MPI_Unpublish_name, const char *service, MPI_Info info, const char *port)
MISSING(MPI_Lookup_name, const char *service, MPI_Info info, char *port)
MISSING_FORMAT(MPI_Register_datarep, const char *name, MPI_Datarep_conversion_function *read,
               MPI_Datarep_conversion_function *write, MPI_Datarep_extent_function *extent, void *extra)
