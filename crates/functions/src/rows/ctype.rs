//! ctype.h, with the tables behind its macros in glibc.

use super::Rows;
use crate::params::{INT, Param, Type};
use crate::row::{Class, Function, Purity};

const fn of_character(name: &'static str) -> Function {
    Function::new(name, Class::Character, Type::Int, &[INT]).purity(Purity::Arguments).keeps_errno()
}

const fn table(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::Character, result, params).keeps_errno()
}

pub(super) const ROWS: &[Rows] = &[("ctype.h", CHARACTERS)];

const CHARACTERS: &[Function] = &[
    of_character("isdigit"),
    of_character("isalpha").priced_as("isdigit"),
    of_character("isalnum").priced_as("isdigit"),
    of_character("isspace").priced_as("isdigit"),
    of_character("isupper").priced_as("isdigit"),
    of_character("islower").priced_as("isdigit"),
    of_character("isprint").priced_as("isdigit"),
    of_character("ispunct").priced_as("isdigit"),
    of_character("isxdigit").priced_as("isdigit"),
    of_character("isgraph").priced_as("isdigit"),
    of_character("iscntrl").priced_as("isdigit"),
    of_character("isblank").priced_as("isdigit"),
    of_character("toupper"),
    of_character("tolower").priced_as("toupper"),
    table("__ctype_b_loc", Type::Pointer, &[]),
    table("__ctype_tolower_loc", Type::Pointer, &[]),
    table("__ctype_toupper_loc", Type::Pointer, &[]),
    table("__ctype_get_mb_cur_max", Type::Size, &[]),
];
