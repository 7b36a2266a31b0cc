//! Names that glibc's headers and the compiler put in the place of standard ones.

use super::{Call, Model};
use crate::execute::machine::Flow;
use chronos_values::Value;

/// Prefixes that change nothing else.
const PREFIXES: [&str; 5] = ["__isoc99_", "__isoc23_", "__builtin_", "_IO_", "__"];

pub fn lookup(name: &str) -> Option<Model> {
    checked(name.strip_prefix("__builtin_").unwrap_or(name)).or_else(|| {
        let plain = PREFIXES.iter().find_map(|prefix| super::named(name.strip_prefix(prefix)?));
        plain.or_else(|| super::named(name.strip_suffix("_unlocked")?))
    })
}

// Forms that check the size of the buffer have more arguments: those are left out.
models! {
    fn checked(name: &str) -> Option<Model> {
        "__printf_chk" | "__vprintf_chk" => |c| without(c, &[0], "printf"),
        "__fprintf_chk" | "__vfprintf_chk" => |c| without(c, &[1], "fprintf"),
        "__sprintf_chk" => |c| without(c, &[1, 2], "sprintf"),
        "__snprintf_chk" => |c| without(c, &[2, 3], "snprintf"),
        "__vsprintf_chk" => |c| without(c, &[1, 2], "vsprintf"),
        "__vsnprintf_chk" => |c| without(c, &[2, 3], "vsnprintf"),
        "__memcpy_chk" | "__memmove_chk" => |c| without(c, &[3], "memcpy"),
        "__memset_chk" => |c| without(c, &[3], "memset"),
        "__strcpy_chk" => |c| without(c, &[2], "strcpy"),
        "__stpcpy_chk" => |c| without(c, &[2], "stpcpy"),
        "__strcat_chk" => |c| without(c, &[2], "strcat"),
        "__strncpy_chk" => |c| without(c, &[3], "strncpy"),
        "__strncat_chk" => |c| without(c, &[3], "strncat"),
        "__fgets_chk" => |c| without(c, &[1], "fgets"),
        "__fread_chk" => |c| without(c, &[1], "fread"),
    }
}

fn without(call: &mut Call, left_out: &[usize], name: &str) -> Flow<Value> {
    let kept = call.args.iter().enumerate().filter(|(i, _)| !left_out.contains(i));
    let args: Vec<Value> = kept.map(|(_, &value)| value).collect();
    let Some(model) = super::named(name) else { return Ok(call.unknown()) };
    model(&mut Call { machine: &mut *call.machine, args: &args, call: call.call, dst: call.dst })
}
