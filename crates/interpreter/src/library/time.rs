//! Clocks: readings that the replay gives a time.

use super::{Call, Model};
use crate::execute::machine::Flow;
use chronos_activity::{Operation, Site};
use chronos_ir::ScalarType;
use chronos_values::{Pointer, Value};

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "clock" => |c| read(c, None),
        "time" => |c| read(c, Some(Fields { index: 0, second: None })),
        "gettimeofday" => |c| read(c, Some(Fields { index: 0, second: Some(8) })),
        "clock_gettime" | "timespec_get" => |c| read(c, Some(Fields { index: 1, second: Some(8) })),
        "omp_get_wtime" => |c| read(c, None),
        "omp_get_wtick" => |c| Ok(c.random("the resolution of the clock")),
        "clock_getres" => resolution,
        "localtime" | "gmtime" | "ctime" | "asctime" => |c| Ok(c.random("the date")),
        "mktime" | "timegm" | "strftime" => date,
        "difftime" => difftime,
        "getrusage" => |c| used(c, 1),
        "times" => |c| used(c, 0),
    }
}

/// Where the reading goes: the argument, and the offset of its second field.
struct Fields {
    index: usize,
    second: Option<i64>,
}

fn read(call: &mut Call, fields: Option<Fields>) -> Flow<Value> {
    let slot = call.call.block;
    let reading = Value::Clock { slot };
    let mut result = reading;
    if let Some(fields) = fields {
        if let Value::Pointer(to) = call.arg(fields.index) {
            call.machine.store_at(to, ScalarType::I64, reading, "memory")?;
            if let Some(second) = fields.second {
                let at = Pointer { object: to.object, offset: to.offset + second };
                call.machine.store_at(at, ScalarType::I64, reading, "memory")?;
            }
        }
        if fields.second.is_some() {
            result = Value::Int(0);
        }
    }
    let site = Site { context: call.machine.context(), block: slot };
    match call.dst {
        Some((dst, _)) => Err(call.machine.own_event(Operation::ReadClock { slot }, site, dst, result)),
        None => Err(call.machine.clock_event(slot, site)),
    }
}

/// The processor time that was used, in a struct.
fn used(call: &mut Call, index: usize) -> Flow<Value> {
    let time = call.random("the time");
    call.forget_value(index, time);
    Ok(if index == 0 { time } else { Value::Int(0) })
}

fn resolution(call: &mut Call) -> Flow<Value> {
    let resolution = call.random("the resolution of the clock");
    call.forget_value(1, resolution);
    Ok(Value::Int(0))
}

/// The first argument is written: a date that is brought into its ranges, or a text.
fn date(call: &mut Call) -> Flow<Value> {
    let date = call.random("the date");
    call.forget_value(0, date);
    Ok(date)
}

fn difftime(call: &mut Call) -> Flow<Value> {
    if let (Value::Clock { slot: to }, Value::Clock { slot: from }) = (call.arg(0), call.arg(1)) {
        let unknown = call.random("the time");
        let site = Site { context: call.machine.context(), block: call.call.block };
        if let Some((dst, _)) = call.dst {
            return Err(call.machine.own_event(Operation::Elapsed { from, to }, site, dst, unknown));
        }
    }
    Ok(call.random("the time"))
}
