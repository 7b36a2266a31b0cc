//! string.h and strings.h.

use super::Rows;
use crate::abstract_model::AbstractModel;
use crate::params::{
    Access, Extent, INT, OUT, Param, Role, SIZE, TEXT, TEXT_OUT, TEXT_UPDATED, Type, at_most, from, to,
};
use crate::row::{Class, Function, Purity, Returns};

/// Compares or measures what its arguments point to.
const fn compares(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::Text, result, params).purity(Purity::Memory).keeps_errno()
}

/// Gives a pointer into its first argument.
const fn finds(name: &'static str, params: &'static [Param]) -> Function {
    compares(name, Type::Pointer, params).returning(Returns::Argument(0))
}

/// Writes its first argument and gives it back.
const fn fills(name: &'static str, class: Class, params: &'static [Param]) -> Function {
    Function::new(name, class, Type::Pointer, params).returning(Returns::Itself(0)).keeps_errno()
}

/// At most as many bytes as an argument says are read.
const fn within(arguments: &'static [usize]) -> Param {
    Param::pointer(Access::Reads, Extent::AtMost(arguments))
}

const fn copies(name: &'static str) -> Function {
    Function::new(name, Class::Text, Type::Pointer, &[TEXT]).purity(Purity::Memory)
}

pub(super) const ROWS: &[Rows] = &[("string.h", STRING), ("strings.h", STRINGS)];

const STRING: &[Function] = &[
    fills("memcpy", Class::Bytes, &[to(&[2]), from(&[2]), SIZE]),
    fills("memmove", Class::Bytes, &[to(&[2]), from(&[2]), SIZE]),
    fills("memset", Class::Bytes, &[to(&[2]), INT, SIZE]),
    Function { class: Class::Bytes, ..compares("memcmp", Type::Int, &[from(&[2]), from(&[2]), SIZE]) },
    Function { class: Class::Bytes, ..finds("memchr", &[within(&[2]), INT, SIZE]) },
    compares("strlen", Type::Size, &[TEXT]).abstractly(AbstractModel::StringLength),
    compares("strnlen", Type::Size, &[within(&[1]), SIZE]),
    compares("strcmp", Type::Int, &[TEXT, TEXT]).abstractly(AbstractModel::StringComparison),
    compares("strncmp", Type::Int, &[TEXT, TEXT, SIZE])
        .priced_as("strcmp")
        .abstractly(AbstractModel::BoundedStringComparison),
    compares("strcoll", Type::Int, &[TEXT, TEXT]),
    compares("strspn", Type::Size, &[TEXT, TEXT]),
    compares("strcspn", Type::Size, &[TEXT, TEXT]),
    finds("strchr", &[TEXT, INT]),
    finds("strrchr", &[TEXT, INT]).priced_as("strchr"),
    finds("strstr", &[TEXT, TEXT]).priced_as("strchr"),
    finds("strpbrk", &[TEXT, TEXT]),
    fills("strcpy", Class::Text, &[TEXT_OUT, TEXT]),
    fills("stpcpy", Class::Text, &[TEXT_OUT, TEXT]).returning(Returns::Argument(0)),
    fills("strncpy", Class::Text, &[to(&[2]), within(&[2]), SIZE]).priced_as("strcpy"),
    fills("strcat", Class::Text, &[TEXT_UPDATED, TEXT]).priced_as("strcpy"),
    fills("strncat", Class::Text, &[TEXT_UPDATED, within(&[2]), SIZE]).priced_as("strcpy"),
    fills("strtok", Class::Text, &[TEXT_UPDATED, TEXT]).returning(Returns::Argument(0)),
    fills("strtok_r", Class::Text, &[TEXT_UPDATED, TEXT, OUT.role(Role::IntoFirst)]).returning(Returns::Argument(0)),
    copies("strdup"),
    Function { params: &[within(&[1]), SIZE], ..copies("strndup") },
    Function::new("strerror", Class::Text, Type::Pointer, &[INT]).keeps_errno(),
    Function::new("strerror_r", Class::Text, Type::Pointer, &[INT, at_most(&[2]), SIZE]).unmodelled(),
];

const STRINGS: &[Function] = &[
    compares("strcasecmp", Type::Int, &[TEXT, TEXT]).abstractly(AbstractModel::CaselessStringComparison),
    compares("strncasecmp", Type::Int, &[TEXT, TEXT, SIZE]),
    finds("index", &[TEXT, INT]).priced_as("strchr"),
    finds("rindex", &[TEXT, INT]).priced_as("strchr"),
    Function { class: Class::Bytes, ..compares("bcmp", Type::Int, &[from(&[2]), from(&[2]), SIZE]) },
    Function::new("bcopy", Class::Bytes, Type::Void, &[from(&[2]), to(&[2]), SIZE]).keeps_errno(),
    Function::new("bzero", Class::Bytes, Type::Void, &[to(&[1]), SIZE]).keeps_errno().priced_as("memset"),
    Function::new("ffs", Class::Arithmetic, Type::Int, &[INT]).purity(Purity::Arguments).keeps_errno(),
    Function::new("explicit_bzero", Class::Bytes, Type::Void, &[to(&[1]), SIZE]).keeps_errno().unmodelled(),
];

/// Forms that check the size of the destination have it as further arguments; a compiler puts them in the place of the plain
/// ones where `_FORTIFY_SOURCE` is set.
pub(super) const CHECKED: &[Function] = &[
    fills("__memcpy_chk", Class::Bytes, &[to(&[2]), from(&[2]), SIZE, SIZE]).priced_as("memcpy"),
    fills("__memmove_chk", Class::Bytes, &[to(&[2]), from(&[2]), SIZE, SIZE]).priced_as("memmove"),
    fills("__memset_chk", Class::Bytes, &[to(&[2]), INT, SIZE, SIZE]).priced_as("memset"),
    fills("__strcpy_chk", Class::Text, &[TEXT_OUT, TEXT, SIZE]).priced_as("strcpy"),
    fills("__stpcpy_chk", Class::Text, &[TEXT_OUT, TEXT, SIZE]).returning(Returns::Argument(0)).priced_as("strcpy"),
    fills("__strcat_chk", Class::Text, &[TEXT_UPDATED, TEXT, SIZE]).priced_as("strcpy"),
    fills("__strncpy_chk", Class::Text, &[to(&[2]), within(&[2]), SIZE, SIZE]).priced_as("strcpy"),
    fills("__strncat_chk", Class::Text, &[TEXT_UPDATED, within(&[2]), SIZE, SIZE]).priced_as("strcpy"),
];
