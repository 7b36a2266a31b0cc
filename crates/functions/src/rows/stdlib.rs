//! stdlib.h and inttypes.h.

use super::Rows;
use crate::abstract_model::AbstractModel;
use crate::params;
use crate::params::{
    ADDRESS, FUNCTION, IN, INT, LONG, LONG_LONG, OUT, Param, Role, SIZE, TEXT, Type, UNSIGNED, UPDATED, WRITTEN,
    callback, list, list_updated,
};
use crate::row::Generator::{Additive, Linear};
use crate::row::{Alignment, Class, Ending, Function, Generator, GeneratorUse, Purity, Returns};

const fn absolute(name: &'static str, ty: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::Arithmetic, ty, params)
        .purity(Purity::Arguments)
        .keeps_errno()
        .abstractly(AbstractModel::IntegerMagnitude)
}

/// Quotient and remainder as a struct.
const fn quotient(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::Arithmetic, Type::Struct, params).keeps_errno()
}

/// The whole text is a number.
const fn number(name: &'static str, result: Type) -> Function {
    Function { reads_number: true, ..Function::new(name, Class::Conversion, result, &[TEXT]) }
        .purity(Purity::Memory)
        .keeps_errno()
}

/// Where the number ends is stored.
const END: Param = OUT.role(Role::IntoFirst);

const fn integer(name: &'static str, result: Type) -> Function {
    Function { reads_number: true, ..Function::new(name, Class::Conversion, result, &[TEXT, END, INT]) }
}

const fn real(name: &'static str, result: Type) -> Function {
    Function::new(name, Class::Conversion, result, &[TEXT, END])
}

const fn allocator(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::Allocation, Type::Pointer, params)
}

/// A random number; the state lies in the library.
const fn random(name: &'static str, result: Type, generator: Generator) -> Function {
    Function::new(name, Class::Random, result, &[]).generating(Some(GeneratorUse::Draws(generator)))
}

/// As [`random`], of a state that the program holds.
const fn random_of(name: &'static str, result: Type, used: Option<GeneratorUse>) -> Function {
    Function::new(name, Class::Random, result, &[UPDATED]).generating(used)
}

const fn seeding(name: &'static str, params: &'static [Param], generator: Generator) -> Function {
    Function::new(name, Class::Random, Type::Void, params).generating(Some(GeneratorUse::Seeds(generator)))
}

/// Multiplier and addend of the family of `drand48` are those of the library.
const PARAMETERS: Option<GeneratorUse> = Some(GeneratorUse::Parameters(Linear));

const fn ending(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::System, Type::Void, params).ending(Ending::Exits).purity(Purity::Output).keeps_errno()
}

const fn registering(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::System, Type::Int, params).keeps_errno()
}

pub(super) const ROWS: &[Rows] = &[("stdlib.h", GENERAL), ("malloc.h", ALLOCATORS), ("inttypes.h", WIDEST)];

const GENERAL: &[Function] = &[
    absolute("abs", Type::Int, &[INT]),
    absolute("labs", Type::Long, &[LONG]).priced_as("abs"),
    absolute("llabs", Type::LongLong, &[LONG_LONG]).priced_as("abs"),
    quotient("div", &[INT, INT]),
    quotient("ldiv", &[LONG, LONG]),
    quotient("lldiv", &[LONG_LONG, LONG_LONG]),
    number("atoi", Type::Int),
    number("atol", Type::Long).priced_as("atoi"),
    number("atoll", Type::LongLong).priced_as("atoi"),
    Function::new("atof", Class::Conversion, Type::Double, &[TEXT]).purity(Purity::Memory).keeps_errno(),
    integer("strtol", Type::Long),
    integer("strtoll", Type::LongLong).priced_as("strtol"),
    integer("strtoul", Type::UnsignedLong).priced_as("strtol"),
    integer("strtoull", Type::UnsignedLongLong).priced_as("strtol"),
    real("strtod", Type::Double),
    real("strtof", Type::Float).priced_as("strtod"),
    real("strtold", Type::LongDouble),
    allocator("malloc", &[SIZE]).allocating(&[0], Alignment::Any),
    Function { allocation: Some(CLEARED), ..allocator("calloc", &[SIZE, SIZE]) },
    allocator("realloc", &[ADDRESS, SIZE]).allocating(&[], Alignment::Any).returning(Returns::Reallocated),
    allocator("aligned_alloc", &[SIZE, SIZE]).allocating(&[1], Alignment::Argument(0)),
    Function::new("posix_memalign", Class::Allocation, Type::Int, &[OUT.role(Role::Fresh), SIZE, SIZE])
        .allocating(&[2], Alignment::Argument(1)),
    Function::new("free", Class::Allocation, Type::Void, &[ADDRESS]).keeps_errno(),
    random("rand", Type::Int, Additive),
    random("random", Type::Long, Additive),
    random("drand48", Type::Double, Linear),
    random("lrand48", Type::Long, Linear),
    random("mrand48", Type::Long, Linear).priced_as("lrand48"),
    Function::new("arc4random", Class::Random, Type::Unsigned, &[]).unknowable().keeps_errno(),
    random_of("rand_r", Type::Int, None),
    random_of("erand48", Type::Double, PARAMETERS).priced_as("drand48"),
    random_of("nrand48", Type::Long, PARAMETERS).priced_as("lrand48"),
    random_of("jrand48", Type::Long, PARAMETERS).priced_as("lrand48"),
    seeding("srand", &[UNSIGNED], Additive),
    seeding("srandom", &[UNSIGNED], Additive),
    seeding("srand48", &[LONG], Linear),
    seeding("lcong48", &[params::UNWRITTEN], Linear),
    Function { result: Type::Pointer, ..seeding("seed48", &[params::UNWRITTEN], Linear) },
    Function { result: Type::Pointer, ..seeding("initstate", &[UNSIGNED, WRITTEN, SIZE], Additive) },
    Function { result: Type::Pointer, ..seeding("setstate", &[UPDATED], Additive) },
    Function::new("qsort", Class::Sorting, Type::Void, &[list_updated(1), SIZE, SIZE, callback(2)]).keeps_errno(),
    Function::new("qsort_r", Class::Sorting, Type::Void, &[list_updated(1), SIZE, SIZE, callback(3), ADDRESS])
        .unmodelled(),
    Function::new("bsearch", Class::Sorting, Type::Pointer, &[IN, list(2), SIZE, SIZE, callback(2)])
        .returning(Returns::Argument(1))
        .keeps_errno(),
    ending("exit", &[INT]),
    ending("_Exit", &[INT]),
    ending("quick_exit", &[INT]),
    ending("abort", &[]).raises_signals(),
    registering("atexit", &[FUNCTION]),
    registering("at_quick_exit", &[FUNCTION]),
    registering("on_exit", &[FUNCTION, ADDRESS]),
    Function::new("getenv", Class::System, Type::Pointer, &[TEXT]).returning(Returns::Environment),
    Function::new("secure_getenv", Class::System, Type::Pointer, &[TEXT]).returning(Returns::Environment),
    Function::new("setenv", Class::System, Type::Int, &[TEXT, TEXT, INT]),
    Function::new("unsetenv", Class::System, Type::Int, &[TEXT]),
    Function::new("putenv", Class::System, Type::Int, &[params::UNWRITTEN]),
    Function::new("system", Class::System, Type::Int, &[TEXT]).unknowable(),
    Function::new("realpath", Class::System, Type::Pointer, &[TEXT, params::TEXT_OUT]).unknowable().unmodelled(),
    Function::new("mkstemp", Class::System, Type::Int, &[params::TEXT_UPDATED]).unknowable().unmodelled(),
];

const CLEARED: crate::Allocation =
    crate::Allocation { size: &[0, 1], alignment: Alignment::Any, zeroed: true, returned: true };

const ALLOCATORS: &[Function] = &[
    allocator("valloc", &[SIZE]).allocating(&[0], Alignment::Page),
    allocator("memalign", &[SIZE, SIZE]).allocating(&[1], Alignment::Argument(0)),
    Function::new("cfree", Class::Allocation, Type::Void, &[ADDRESS]).keeps_errno(),
];

const WIDEST: &[Function] = &[
    absolute("imaxabs", Type::Long, &[LONG]).priced_as("abs"),
    quotient("imaxdiv", &[LONG, LONG]),
    integer("strtoimax", Type::Long).priced_as("strtol"),
    integer("strtoumax", Type::UnsignedLong).priced_as("strtol"),
];
