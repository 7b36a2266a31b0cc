//! stdio.h.

use super::Rows;
use crate::params;
use crate::params::{
    ADDRESS, FORMAT, INT, LONG, OUT, PRINTED, Param, SIZE, STREAM, TEXT, TEXT_OUT, Type, UPDATED, WRITTEN, at_most,
    from, to,
};
use crate::row::{Class, Function, Purity, Returns};

/// Prints; that output fails is not followed, so `errno` is kept.
pub(super) const fn prints(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::Stream, Type::Int, params).keeps_errno()
}

/// As [`prints`], with whatever the format asks for.
const fn formats(name: &'static str, params: &'static [Param]) -> Function {
    prints(name, params).more(ANY)
}

/// An argument that the format says.
const ANY: Param = Param::value(Type::Void);

/// Prints into memory.
const fn writes(name: &'static str, params: &'static [Param]) -> Function {
    prints(name, params)
}

/// Reads what the format says into what the further arguments point to.
const fn scans(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::Stream, Type::Int, params).more(OUT)
}

const fn reads(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::Stream, result, params)
}

const fn handles(name: &'static str, result: Type, params: &'static [Param]) -> Function {
    Function::new(name, Class::Stream, result, params)
}

/// Changes the file system.
const fn changes(name: &'static str, params: &'static [Param]) -> Function {
    Function::new(name, Class::System, Type::Int, params)
}

pub(super) const ROWS: &[Rows] = &[("stdio.h", STREAMS)];

const STREAMS: &[Function] = &[
    formats("printf", &[FORMAT]).purity(Purity::Output).priced_as("fprintf"),
    formats("fprintf", &[STREAM, FORMAT]),
    formats("dprintf", &[INT, FORMAT]),
    formats("sprintf", &[TEXT_OUT, FORMAT]),
    formats("snprintf", &[at_most(&[1]), SIZE, FORMAT]).priced_as("sprintf"),
    prints("vprintf", &[FORMAT, ADDRESS]).priced_as("fprintf"),
    prints("vfprintf", &[STREAM, FORMAT, ADDRESS]).priced_as("fprintf"),
    prints("vdprintf", &[INT, FORMAT, ADDRESS]),
    writes("vsprintf", &[TEXT_OUT, FORMAT, ADDRESS]).priced_as("sprintf"),
    writes("vsnprintf", &[at_most(&[1]), SIZE, FORMAT, ADDRESS]).priced_as("sprintf"),
    prints("puts", &[PRINTED]).purity(Purity::Output).priced_as("fputs"),
    prints("fputs", &[PRINTED, STREAM]),
    prints("putchar", &[INT]).purity(Purity::Output).priced_as("fputc"),
    prints("fputc", &[INT, STREAM]),
    prints("putc", &[INT, STREAM]).priced_as("fputc"),
    Function { result: Type::Void, ..prints("perror", &[TEXT]).priced_as("fputs") },
    Function { result: Type::Size, ..prints("fwrite", &[from(&[1, 2]), SIZE, SIZE, STREAM]) },
    prints("fflush", &[STREAM]),
    scans("scanf", &[TEXT]).priced_as("sscanf"),
    scans("fscanf", &[STREAM, TEXT]).priced_as("sscanf"),
    scans("sscanf", &[TEXT, TEXT]),
    reads("vscanf", Type::Int, &[TEXT, ADDRESS]).unknowable(),
    reads("vfscanf", Type::Int, &[STREAM, TEXT, ADDRESS]).unknowable(),
    reads("vsscanf", Type::Int, &[TEXT, TEXT, ADDRESS]).unknowable(),
    reads("fgets", Type::Pointer, &[at_most(&[1]), INT, STREAM]).returning(Returns::Argument(0)).priced_as("fwrite"),
    reads("gets", Type::Pointer, &[WRITTEN]).returning(Returns::Argument(0)).unmodelled(),
    reads("fgetc", Type::Int, &[STREAM]).priced_as("fputc"),
    reads("getc", Type::Int, &[STREAM]).priced_as("fputc"),
    reads("getchar", Type::Int, &[]).priced_as("fputc"),
    reads("ungetc", Type::Int, &[INT, STREAM]).priced_as("fputc"),
    reads("fread", Type::Size, &[to(&[1, 2]), SIZE, SIZE, STREAM]).priced_as("fwrite"),
    reads("getline", Type::Size, &[UPDATED, UPDATED, STREAM]),
    handles("fopen", Type::Pointer, &[TEXT, TEXT]),
    handles("fdopen", Type::Pointer, &[INT, TEXT]).unmodelled(),
    handles("freopen", Type::Pointer, &[TEXT, TEXT, STREAM]),
    handles("tmpfile", Type::Pointer, &[]).unmodelled(),
    handles("popen", Type::Pointer, &[TEXT, TEXT]).unknowable().unmodelled(),
    handles("pclose", Type::Int, &[STREAM]).unknowable().unmodelled(),
    handles("fclose", Type::Int, &[STREAM]),
    handles("feof", Type::Int, &[STREAM]),
    handles("ferror", Type::Int, &[STREAM]),
    handles("clearerr", Type::Void, &[STREAM]).unmodelled(),
    handles("rewind", Type::Void, &[STREAM]),
    handles("fseek", Type::Int, &[STREAM, LONG, INT]),
    handles("ftell", Type::Long, &[STREAM]),
    handles("setbuf", Type::Void, &[STREAM, ADDRESS]),
    handles("setvbuf", Type::Int, &[STREAM, ADDRESS, INT, SIZE]),
    handles("setlinebuf", Type::Void, &[STREAM]),
    handles("fileno", Type::Int, &[STREAM]),
    changes("remove", &[TEXT]),
    changes("rename", &[TEXT, TEXT]),
];

/// Forms that check the size of the destination.
pub(super) const CHECKED: &[Function] = &[
    formats("__fprintf_chk", &[STREAM, INT, FORMAT]).priced_as("fprintf"),
    prints("__vfprintf_chk", &[STREAM, INT, FORMAT, ADDRESS]).priced_as("fprintf"),
    formats("__sprintf_chk", &[TEXT_OUT, INT, SIZE, FORMAT]).priced_as("sprintf"),
    formats("__snprintf_chk", &[at_most(&[1]), SIZE, INT, SIZE, FORMAT]).priced_as("sprintf"),
    writes("__vsprintf_chk", &[TEXT_OUT, INT, SIZE, FORMAT, ADDRESS]).priced_as("sprintf"),
    writes("__vsnprintf_chk", &[at_most(&[1]), SIZE, INT, SIZE, FORMAT, ADDRESS]).priced_as("sprintf"),
    formats("__printf_chk", &[INT, FORMAT]).priced_as("fprintf"),
    prints("__vprintf_chk", &[INT, FORMAT, ADDRESS]).priced_as("fprintf"),
    Function {
        returns: Returns::Argument(0),
        result: Type::Pointer,
        ..reads("__fgets_chk", Type::Pointer, &[at_most(&[2]), SIZE, INT, params::STREAM])
    }
    .priced_as("fgets"),
    reads("__fread_chk", Type::Size, &[to(&[2, 3]), SIZE, SIZE, SIZE, STREAM]).priced_as("fread"),
];
