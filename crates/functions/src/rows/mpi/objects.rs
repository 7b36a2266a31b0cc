//! What goes with the objects of MPI: attributes, error handlers, infos, handles of Fortran, information for tools.

use super::{COMM, FILE, FINT, HANDLER, INFO, RESULT, TYPE, WIN, frees, handle, local, makes, mpi};
use crate::params::{FUNCTION, IN, INT, OUT, Object, Param, Role, TEXT, TEXT_OUT, Type, UNWRITTEN, UPDATED};
use crate::row::Function;

const ATTRIBUTE: Param = UNWRITTEN.role(Role::SetsAttribute);
const ATTRIBUTE_OUT: Param = OUT.role(Role::GetsAttribute);

const fn from_fortran(name: &'static str, object: Object) -> Function {
    Function { result: Type::Handle(object), ..local(name, &[FINT]) }
}

const fn to_fortran(name: &'static str, params: &'static [Param]) -> Function {
    Function { result: Type::Mpi("Fint"), ..local(name, params) }
}

pub(super) const ROWS: &[Function] = &[
    local("MPI_Type_create_keyval", &[FUNCTION, FUNCTION, makes(Object::Key), UNWRITTEN]),
    local("MPI_Type_free_keyval", &[frees(Object::Key)]),
    local("MPI_Type_set_attr", &[TYPE, INT, ATTRIBUTE]),
    local("MPI_Type_get_attr", &[TYPE, INT, ATTRIBUTE_OUT, RESULT]),
    local("MPI_Type_delete_attr", &[TYPE, INT]),
    local("MPI_Keyval_create", &[FUNCTION, FUNCTION, makes(Object::Key), UNWRITTEN]),
    local("MPI_Keyval_free", &[frees(Object::Key)]),
    local("MPI_Attr_put", &[COMM, INT, ATTRIBUTE]),
    local("MPI_Attr_get", &[COMM, INT, ATTRIBUTE_OUT, RESULT]),
    local("MPI_Attr_delete", &[COMM, INT]),
    local("MPI_Comm_create_keyval", &[FUNCTION, FUNCTION, makes(Object::Key), UNWRITTEN]),
    local("MPI_Comm_free_keyval", &[frees(Object::Key)]),
    local("MPI_Comm_set_attr", &[COMM, INT, ATTRIBUTE]),
    local("MPI_Comm_get_attr", &[COMM, INT, ATTRIBUTE_OUT, RESULT]),
    local("MPI_Comm_delete_attr", &[COMM, INT]),
    local("MPI_Errhandler_create", &[FUNCTION, makes(Object::ErrorHandler)]),
    local("MPI_Errhandler_set", &[COMM, HANDLER]),
    local("MPI_Errhandler_get", &[COMM, OUT]),
    local("MPI_Errhandler_free", &[frees(Object::ErrorHandler)]),
    local("MPI_Comm_create_errhandler", &[FUNCTION, makes(Object::ErrorHandler)]),
    local("MPI_Comm_set_errhandler", &[COMM, HANDLER]),
    local("MPI_Comm_get_errhandler", &[COMM, OUT]),
    mpi("MPI_Comm_call_errhandler", &[COMM, INT]).unmodelled(),
    local("MPI_Info_create", &[makes(Object::Info)]).anytime(),
    local("MPI_Info_dup", &[INFO, makes(Object::Info)]).anytime(),
    local("MPI_Info_free", &[frees(Object::Info)]).anytime(),
    local("MPI_Info_set", &[INFO, TEXT, TEXT]).anytime(),
    local("MPI_Info_get", &[INFO, TEXT, INT, TEXT_OUT, RESULT]).anytime(),
    local("MPI_Info_get_string", &[INFO, TEXT, UPDATED, TEXT_OUT, RESULT]).anytime(),
    local("MPI_Info_get_valuelen", &[INFO, TEXT, RESULT, RESULT]).anytime(),
    local("MPI_Info_get_nkeys", &[INFO, RESULT]).anytime(),
    local("MPI_Info_get_nthkey", &[INFO, INT, TEXT_OUT]).anytime(),
    local("MPI_Info_delete", &[INFO, TEXT]).anytime(),
    local("MPI_Status_f2c", &[IN, OUT]).unmodelled(),
    local("MPI_Status_c2f", &[IN, OUT]).unmodelled(),
    local("MPI_T_init_thread", &[INT, RESULT]).unmodelled(),
    local("MPI_T_finalize", &[]).unmodelled(),
    local("MPI_T_cvar_get_num", &[RESULT]).unmodelled(),
    local("MPI_T_pvar_get_num", &[RESULT]).unmodelled(),
    local("MPI_Win_create_errhandler", &[FUNCTION, makes(Object::ErrorHandler)]),
    local("MPI_Win_set_errhandler", &[WIN, HANDLER]),
    local("MPI_Win_get_errhandler", &[WIN, OUT]).unmodelled(),
    mpi("MPI_Win_call_errhandler", &[WIN, INT]).unmodelled(),
    local("MPI_Win_create_keyval", &[FUNCTION, FUNCTION, makes(Object::Key), UNWRITTEN]),
    mpi("MPI_Win_free_keyval", &[frees(Object::Key)]),
    local("MPI_Win_set_attr", &[WIN, INT, ATTRIBUTE]),
    local("MPI_Win_get_attr", &[WIN, INT, ATTRIBUTE_OUT, RESULT]),
    mpi("MPI_Win_delete_attr", &[WIN, INT]),
    local("MPI_File_create_errhandler", &[FUNCTION, makes(Object::ErrorHandler)]).anytime(),
    local("MPI_File_set_errhandler", &[FILE, HANDLER]).anytime(),
    local("MPI_File_get_errhandler", &[FILE, OUT]).unmodelled(),
    mpi("MPI_File_call_errhandler", &[FILE, INT]).unmodelled(),
    from_fortran("MPI_Comm_f2c", Object::Communicator).anytime(),
    to_fortran("MPI_Comm_c2f", &[handle(Object::Communicator)]).anytime(),
    from_fortran("MPI_Group_f2c", Object::Group).anytime(),
    to_fortran("MPI_Group_c2f", &[handle(Object::Group)]).anytime(),
    from_fortran("MPI_Type_f2c", Object::Datatype).anytime(),
    to_fortran("MPI_Type_c2f", &[handle(Object::Datatype)]).anytime(),
    from_fortran("MPI_Op_f2c", Object::Operation).anytime(),
    to_fortran("MPI_Op_c2f", &[handle(Object::Operation)]).anytime(),
    from_fortran("MPI_Request_f2c", Object::Request).anytime(),
    to_fortran("MPI_Request_c2f", &[handle(Object::Request)]).anytime(),
    from_fortran("MPI_Message_f2c", Object::Message).unmodelled(),
    to_fortran("MPI_Message_c2f", &[handle(Object::Message)]).unmodelled(),
    from_fortran("MPI_Info_f2c", Object::Info).anytime(),
    to_fortran("MPI_Info_c2f", &[handle(Object::Info)]).anytime(),
    from_fortran("MPI_Errhandler_f2c", Object::ErrorHandler).unmodelled(),
    to_fortran("MPI_Errhandler_c2f", &[handle(Object::ErrorHandler)]).unmodelled(),
    from_fortran("MPI_Win_f2c", Object::Window).anytime(),
    to_fortran("MPI_Win_c2f", &[handle(Object::Window)]).anytime(),
    from_fortran("MPI_File_f2c", Object::File).anytime(),
    to_fortran("MPI_File_c2f", &[handle(Object::File)]).anytime(),
];
