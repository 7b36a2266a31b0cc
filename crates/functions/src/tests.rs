//! The table against what others say of the same functions: the bundled mpi.h, the C library's headers, the symbols of the
//! compiled runtime.

use super::{
    AbstractModel, Access, DataFlow, Exchange, Extent, FileTransfer, Function, Lifecycle, Object, Param, Positioning,
    Role, Synchronism, Traced, Type, Variant, all, exact, lookup,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

const MPI: &str = include_str!("../../../runtime/mpi.h");

/// Declarations of MPI functions: result and parameters, as they stand in mpi.h.
fn prototypes() -> BTreeMap<String, (String, Vec<String>)> {
    let code: Vec<&str> = MPI.lines().filter(|line| !line.starts_with('#') && !line.starts_with("/*")).collect();
    let code = code.join(" ");
    let functions = code.split(';').filter_map(|text| {
        let (head, parameters) = text.trim().strip_suffix(')')?.split_once('(')?;
        let (result, name) = head.rsplit_once(' ')?;
        (name.starts_with("MPI_") && !result.contains("typedef")).then(|| {
            let parameters = parameters.split(", ").flat_map(|text| text.split(',')).map(|text| text.trim().to_owned());
            (name.to_owned(), (result.to_owned(), parameters.filter(|text| text != "void").collect()))
        })
    });
    functions.collect()
}

/// How mpi.h spells a type that is passed by value.
fn spelled(ty: Type) -> String {
    match ty {
        Type::Int => "int".to_owned(),
        Type::Double => "double".to_owned(),
        Type::Mpi(name) => format!("MPI_{name}"),
        Type::Handle(object) => {
            let name = match object {
                Object::Communicator => "Comm",
                Object::Group => "Group",
                Object::Datatype => "Datatype",
                Object::Operation => "Op",
                Object::Request => "Request",
                Object::Message => "Message",
                Object::Info => "Info",
                Object::Window => "Win",
                Object::File => "File",
                Object::ErrorHandler => "Errhandler",
                Object::Key => "Key",
            };
            format!("MPI_{name}")
        }
        other => format!("{other:?}"),
    }
}

/// What is wrong with a parameter, by its declaration.
fn objection(param: &Param, declared: &str) -> Option<String> {
    let is_pointer = declared.contains('*') || declared.contains('[');
    let constant = declared.starts_with("const ") && is_pointer;
    let (value, function) = (declared.trim_start_matches("const "), declared.contains("_function"));
    let fits = match (param.ty, param.role) {
        (Type::Pointer, Role::Function) => function,
        (Type::Pointer, Role::Unwritten | Role::Exposed | Role::SetsAttribute) => is_pointer && !constant,
        (Type::Pointer, role) => {
            let handle = match role {
                Role::Makes(Object::Key) | Role::Frees(Object::Key) => "int *".to_owned(),
                Role::Makes(object) | Role::Frees(object) => format!("{} *", spelled(Type::Handle(object))),
                Role::Status => "MPI_Status *".to_owned(),
                _ => declared.to_owned(),
            };
            is_pointer && !function && param.is_written() != constant && declared == handle
        }
        (ty, _) => !is_pointer && spelled(ty) == value,
    };
    (!fits).then(|| format!("{declared} is {param:?}"))
}

#[test]
fn mpi_rows_agree_with_the_header() {
    let prototypes = prototypes();
    let rows: BTreeMap<&str, &Function> =
        all().filter(|row| row.header == "mpi.h").map(|row| (row.name, row)).collect();
    let missing: Vec<&String> = prototypes.keys().filter(|name| !rows.contains_key(&***name)).collect();
    assert!(missing.is_empty(), "declared in runtime/mpi.h, without a row: {missing:?}");
    let mut wrong = Vec::new();
    for (name, row) in rows {
        let Some((result, declared)) = prototypes.get(name) else {
            wrong.push(format!("{name} is not declared in runtime/mpi.h"));
            continue;
        };
        let named = declared.len() - usize::from(declared.last().is_some_and(|last| last == "..."));
        if *result != spelled(row.result) || named != row.params.len() || (named < declared.len()) != row.more.is_some()
        {
            wrong.push(format!("{name}: {result} and {} parameters, not {:?}", declared.len(), row.params.len()));
            continue;
        }
        let objections = row.params.iter().zip(declared).filter_map(|(param, text)| objection(param, text));
        wrong.extend(objections.map(|text| format!("{name}: {text}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(prototypes.len() > 400, "{}", prototypes.len());
}

#[test]
fn positions_name_parameters_of_the_right_kind() {
    for row in all() {
        for param in row.params {
            let arguments: Vec<usize> = match param.extent {
                Extent::Bytes(arguments) | Extent::AtMost(arguments) => arguments.to_vec(),
                Extent::Array(argument) => vec![argument],
                Extent::Elements { count, datatype } => {
                    let ty = row.params[datatype];
                    let is_datatype =
                        ty.ty == Type::Handle(Object::Datatype) || ty.extent == Extent::PerTask || ty.is_read();
                    assert!(is_datatype, "{}: argument {datatype} is no datatype", row.name);
                    count.into_iter().collect()
                }
                Extent::None | Extent::One | Extent::Text | Extent::PerTask | Extent::Other => Vec::new(),
            };
            for argument in arguments {
                let size = row.params[argument];
                let counts = size.access == Access::Value && size.ty != Type::Double || size.is_read();
                assert!(counts, "{}: argument {argument} is no number", row.name);
            }
        }
        if let Some(allocation) = row.allocation {
            assert!(allocation.size.iter().all(|&at| row.params[at].ty == Type::Size), "{}", row.name);
        }
        assert!(row.priced_as.is_none_or(|name| exact(name).is_some()), "{}", row.name);
    }
}

/// The names of functions of MPI say what they do by rules of the standard, which the columns must agree with.
#[test]
fn columns_agree_with_the_words_in_names() {
    for row in all().filter(|row| row.header == "mpi.h") {
        let name = row.name.strip_prefix("MPI_").expect("a function of MPI");
        let sends = row.modelled && name.trim_end_matches("_init").to_ascii_lowercase().ends_with("send");
        assert_eq!(row.mode.is_some(), sends, "mode of {name}");
        assert_eq!(row.transfer.is_some(), row.exchange == Exchange::File, "transfer of {name}");
        assert_eq!(row.spawns, name.starts_with("Comm_spawn"), "{name}");
        assert_eq!(row.lifecycle == Lifecycle::Initializes, name == "Init" || name == "Init_thread", "{name}");
        let polls = row.has(Role::Requests) && name.starts_with("Test")
            || name.starts_with('I') && name.ends_with("probe")
            || ["Wtime", "Request_get_status"].contains(&name);
        assert_eq!(row.polls, polls, "{name}");
        let Some(transfer) = row.transfer else { continue };
        // MPI 4.0, table 14.1.
        let has = |word: &str| name.split('_').any(|part| part == word);
        let positioning = match () {
            () if has("at") => Positioning::Explicit,
            () if has("shared") || has("ordered") => Positioning::Shared,
            () => Positioning::Individual,
        };
        let synchronism = match () {
            () if has("begin") => Synchronism::SplitBegin,
            () if has("end") => Synchronism::SplitEnd,
            () if has("iread") || has("iwrite") => Synchronism::Nonblocking,
            () => Synchronism::Blocking,
        };
        let collective = has("all") || has("ordered");
        let expected = FileTransfer { writes: has("write") || has("iwrite"), positioning, synchronism, collective };
        assert_eq!(transfer, expected, "{name}");
    }
}

/// Collectives have a root where data goes from one member or to one, and nowhere else.
#[test]
fn data_flows_agree_with_parameters() {
    for row in all() {
        let Exchange::Collective(operation) = row.exchange else { continue };
        let comm = row.position(|param| param.ty == Type::Handle(Object::Communicator));
        let has_root = comm.is_some_and(|at| at > 0 && row.params[at - 1].ty == Type::Int);
        let rooted = matches!(operation.flow(), DataFlow::OneToAll | DataFlow::AllToOne);
        assert_eq!(has_root, rooted, "{}", row.name);
        let combines = row.params.iter().any(|param| param.ty == Type::Handle(Object::Operation));
        assert_eq!(row.reduces(), combines, "{}", row.name);
    }
}

#[test]
fn names_are_different() {
    let names: BTreeSet<&str> = all().map(|row| row.name).collect();
    assert_eq!(names.len(), all().count());
}

#[test]
fn variants_follow_from_their_row() {
    let types =
        |name: &str| exact(name).map(|row| (row.result, row.params.iter().map(|param| param.ty).collect::<Vec<_>>()));
    assert_eq!(types("ldexpf"), Some((Type::Float, vec![Type::Float, Type::Int])));
    assert_eq!(types("fmal"), Some((Type::LongDouble, vec![Type::LongDouble; 3])));
    let variant = |name: &str| exact(name).map(|row| (row.base, row.variant, row.params.len()));
    assert_eq!(variant("MPI_Irecv"), Some(("MPI_Recv", Variant::Immediate, 7)));
    assert_eq!(variant("MPI_Bcast_init"), Some(("MPI_Bcast", Variant::PersistentCollective, 7)));
    assert_eq!(variant("MPI_File_iread_at"), Some(("MPI_File_read_at", Variant::Immediate, 6)));
    assert_eq!(variant("MPI_Rget"), Some(("MPI_Get", Variant::WithRequest, 9)));
    assert_eq!(variant("cblas_isamax"), Some(("cblas_idamax", Variant::Float, 3)));
}

#[test]
fn names_of_headers_and_compilers_lead_to_the_row() {
    let found = |name: &str| lookup(name).map(|row| row.name);
    assert_eq!(found("__isoc99_sscanf"), Some("sscanf"));
    assert_eq!(found("__builtin_memcpy"), Some("memcpy"));
    assert_eq!(found("PMPI_Send"), Some("MPI_Send"));
    assert_eq!(found("putc_unlocked"), Some("putc"));
    assert_eq!(found("__signbitf"), Some("signbitf"));
    assert_eq!(found("no_such_function"), None);
}

/// Functions that the C library of this machine may lack or declares as macros, or that are declared by no header.
fn is_declared(row: &Function) -> bool {
    let absent = [
        "gets",
        "cfree",
        "sysv_signal",
        "bsd_signal",
        "isfinite",
        "signbit",
        "isnan",
        "isinf",
        "nan",
        "setjmp",
        "sigsetjmp",
    ];
    let own = matches!(row.header, "mpi.h" | "cblas.h" | "omp.h" | "" | "chronos.h");
    // glibc has no such names; compilers do.
    let suffixed =
        row.variant != Variant::None && matches!(row.base, "isnan" | "isinf" | "isfinite" | "signbit" | "finite");
    let internal = row.name.starts_with('_') && !matches!(row.name, "_exit" | "_Exit");
    !own && !suffixed && !internal && !absent.contains(&row.name)
}

/// An expression that only compiles where the function takes such arguments.
fn call(row: &Function) -> String {
    let arguments = row.params.iter().map(|param| match (param.ty, param.access) {
        (Type::Struct, _) => "(union sigval){0}",
        // A parameter that is not const takes no const pointer: what is read only must be const.
        (Type::Pointer, Access::Reads) if param.role != Role::Unwritten => "(const void *)0",
        _ => "0",
    });
    format!("{}({})", row.name, arguments.collect::<Vec<_>>().join(", "))
}

fn result(ty: Type) -> Option<&'static str> {
    Some(match ty {
        Type::Void => "void",
        Type::Int => "int",
        Type::Unsigned => "unsigned",
        Type::Long => "long",
        Type::LongLong => "long long",
        Type::UnsignedLong => "unsigned long",
        Type::UnsignedLongLong => "unsigned long long",
        Type::Double => "double",
        Type::Float => "float",
        Type::LongDouble => "long double",
        Type::Size | Type::Pointer | Type::Struct | Type::Mpi(_) | Type::Handle(_) => return None,
    })
}

#[test]
fn rows_of_the_c_library_agree_with_its_headers() {
    let rows: Vec<&Function> = all().filter(|row| is_declared(row)).collect();
    let headers: BTreeSet<&str> = rows.iter().map(|row| row.header).collect();
    let mut text = "#define _GNU_SOURCE\n".to_owned();
    text.extend(headers.iter().map(|header| format!("#include <{header}>\n")));
    // A macro of the same name is not the function.
    text.extend(rows.iter().map(|row| format!("#undef {}\n", row.name)));
    for row in &rows {
        let call = call(row);
        text += &match result(row.result) {
            Some(ty) => {
                format!("_Static_assert(__builtin_types_compatible_p(__typeof__({call}), {ty}), \"{}\");\n", row.name)
            }
            None => format!("_Static_assert(sizeof(__typeof__({call})) >= 8, \"{}\");\n", row.name),
        };
    }
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rows.c");
    std::fs::write(&file, text).expect("written");
    let flags = [
        "-std=gnu11",
        "-fno-builtin",
        "-O0",
        "-U_FORTIFY_SOURCE",
        "-fsyntax-only",
        "-Wno-deprecated-declarations",
        "-Wno-nonnull",
    ];
    let strict = ["-Werror=discarded-qualifiers", "-Werror=implicit-function-declaration", "-fmax-errors=0"];
    let run = Command::new("gcc").args(flags).args(strict).arg(&file).output().expect("gcc runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert!(rows.len() > 300, "{}", rows.len());
}

const TRACED: [&str; 5] = ["messages", "collectives", "neighbours", "windows", "files"];
const RECORDED: [&str; 2] = ["record", "record_messages"];

/// The functions of MPI that objects of the runtime define.
fn defined_by_runtime(folder: &Path, objects: &[&str], flags: &[&str]) -> BTreeSet<String> {
    let runtime = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("runtime");
    let mut found = BTreeSet::new();
    for name in objects {
        let object = folder.join(name).with_extension("o");
        let source = runtime.join(format!("chronos_{name}.c"));
        let mut compile = Command::new("cc");
        compile
            .args(["-c", "-w", "-DCHRONOS_WITH_MPI"])
            .args(flags)
            .arg("-I")
            .arg(&runtime)
            .arg(source)
            .arg("-o")
            .arg(&object);
        assert!(compile.status().expect("cc runs").success(), "{name}");
        let symbols = Command::new("nm").args(["-P", "-g"]).arg(&object).output().expect("nm runs");
        let symbols = String::from_utf8(symbols.stdout).expect("text");
        let defined = symbols.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            let (name, kind) = (words.next()?, words.next()?);
            (name.starts_with("MPI_") && matches!(kind, "T" | "W")).then(|| name.to_owned())
        });
        found.extend(defined);
    }
    found
}

#[test]
fn what_the_trace_runtime_records_is_marked_so() {
    let folder = tempfile::tempdir().expect("a folder");
    let defined = defined_by_runtime(folder.path(), &TRACED, &[]);
    let marked: BTreeSet<String> =
        all().filter(|row| row.traced == Traced::Recorded).map(|row| row.name.to_owned()).collect();
    let unmarked: Vec<_> = defined.difference(&marked).collect();
    let unrecorded: Vec<_> = marked.difference(&defined).collect();
    assert!(unmarked.is_empty() && unrecorded.is_empty(), "not marked: {unmarked:?}, not recorded: {unrecorded:?}");
    assert!(defined.len() > 150, "{}", defined.len());
}

#[test]
fn what_takes_the_time_of_an_operation_is_recorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let defined = defined_by_runtime(folder.path(), &[&TRACED[..], &RECORDED].concat(), &["-DCHRONOS_RECORD"]);
    let charged: BTreeSet<String> =
        all().filter(|row| row.modelled && row.is_operation()).map(|row| row.name.to_owned()).collect();
    let missing: Vec<_> = charged.difference(&defined).collect();
    assert!(missing.is_empty(), "not recorded: {missing:?}");
    assert!(charged.len() > 90, "{}", charged.len());
}

#[test]
fn mpi_writes_where_the_standard_says() {
    let cases: [(&str, &[usize]); 14] = [
        ("MPI_Send", &[]),
        ("MPI_Isend", &[6]),
        ("MPI_Recv", &[0, 6]),
        ("MPI_Irecv", &[0, 6]),
        ("MPI_Bcast", &[0]),
        ("MPI_Sendrecv", &[5, 11]),
        ("MPI_Reduce", &[1]),
        ("MPI_Mrecv", &[0, 3, 4]),
        ("MPI_Improbe", &[3, 4, 5]),
        ("MPI_Barrier_init", &[2]),
        ("MPI_Ssend_init", &[6]),
        ("MPI_Type_create_indexed_block", &[4]),
        ("MPI_File_read_all_end", &[1, 2]),
        ("MPI_Win_set_info", &[]),
    ];
    for (name, positions) in cases {
        let parameters = exact(name).expect("it has a row").params.len();
        assert_eq!(super::written_arguments(name, parameters), positions, "{name}");
    }
    assert_eq!(super::written_arguments("MPI_Unknown", 2), [0, 1]);
}

#[test]
fn sizes_stand_between_buffers_and_datatypes() {
    let sizes = |name| (0..12).filter(|&argument| super::is_size(name, argument)).collect::<Vec<_>>();
    assert_eq!(sizes("MPI_Isend"), [1]);
    assert_eq!(sizes("MPI_Allreduce"), [2]);
    assert_eq!(sizes("MPI_Allreduce_init"), [2]);
    assert_eq!(sizes("MPI_Alltoallv"), [1, 2, 5, 6]);
    assert!(sizes("MPI_Barrier").is_empty());
}

#[test]
fn collectives_exchange_with_their_own_kind() {
    use super::exchange;
    assert_eq!(exchange("MPI_Isend"), exchange("MPI_Recv_init"));
    assert_eq!(exchange("MPI_Sendrecv"), exchange("MPI_Imrecv"));
    assert_eq!(exchange("MPI_Iallreduce"), exchange("MPI_Allreduce"));
    assert_eq!(exchange("MPI_Gather"), exchange("MPI_Igatherv"));
    assert_ne!(exchange("MPI_Allreduce"), exchange("MPI_Reduce"));
    assert_ne!(exchange("MPI_Reduce_scatter"), exchange("MPI_Reduce"));
    assert_ne!(exchange("MPI_Bcast"), exchange("MPI_Recv"));
}

/// The names of rows, variants left out.
fn names(wanted: impl Fn(&Function) -> bool) -> BTreeSet<&'static str> {
    all().filter(|row| row.variant == Variant::None && wanted(row)).map(|row| row.name).collect()
}

#[test]
fn every_model_of_abstract_execution_has_a_row() {
    let of_rows: BTreeSet<AbstractModel> = all().filter_map(|row| row.abstract_model).collect();
    assert_eq!(of_rows, BTreeSet::from(AbstractModel::ALL), "models and rows");
    // What abstract execution computes must be what a run computes, which has a model of its own.
    let unmodelled = names(|row| row.abstract_model.is_some() && !row.modelled);
    assert!(unmodelled.is_empty(), "without a model for runs: {unmodelled:?}");
    let variants: Vec<_> = all().filter(|row| row.abstract_model.is_some() && row.variant != Variant::None).collect();
    assert!(variants.is_empty(), "a model of `double`: {variants:?}");
    let magnitudes = names(|row| row.abstract_model == Some(AbstractModel::IntegerMagnitude));
    assert_eq!(magnitudes, BTreeSet::from(["abs", "labs", "llabs", "imaxabs"]));
}

#[test]
fn messages_come_out_of_receives_probes_and_completions() {
    let expected = [
        "MPI_Mprobe",
        "MPI_Mrecv",
        "MPI_Improbe",
        "MPI_Iprobe",
        "MPI_Precv_init",
        "MPI_Probe",
        "MPI_Recv",
        "MPI_Sendrecv",
        "MPI_Sendrecv_replace",
        "MPI_Test",
        "MPI_Testall",
        "MPI_Testany",
        "MPI_Testsome",
        "MPI_Wait",
        "MPI_Waitall",
        "MPI_Waitany",
        "MPI_Waitsome",
    ];
    assert_eq!(names(Function::brings_message), BTreeSet::from(expected));
    assert!(exact("MPI_Irecv").is_some_and(Function::brings_message));
    assert!(!exact("MPI_File_iread").is_some_and(Function::brings_message));
    assert_eq!(names(Function::makes_operation), BTreeSet::from(["MPI_Op_create"]));
}

#[test]
fn what_has_no_row_may_do_anything() {
    let effects = super::effects("unknown_function");
    assert!(effects.writes.contains(0) && effects.writes.contains(7) && !effects.writes.is_empty());
    assert!(super::may_set_errno("unknown_function") && !super::is_mathematical("unknown_function"));
    assert!(super::effects("strlen").writes.is_empty());
}
