#ifndef MPI_INCLUDED
#endif
