//! Clocks: readings that the replay gives a time.

use super::{Call, Model};
use crate::execute::machine::{Flow, Machine};
use crate::state::task::{AskedClock, Ticks};
use chronos_activity::{Operation, Site};
use chronos_base::units::Picoseconds;
use chronos_ir::{BinaryOp, ScalarType};
use chronos_values::arith::{self, Fault};
use chronos_values::{Pointer, Reading, Value};

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "clock" => |c| read(c, Clock { counts: Ticks::PerSecond(1e6), field: None, rest: None }),
        "time" => |c| read(c, Clock { counts: WHOLE, field: Some(0), rest: None }),
        "gettimeofday" => |c| read(c, Clock { counts: WHOLE, field: Some(0), rest: Some(1e6) }),
        "clock_gettime" => |c| read(c, Clock { counts: WHOLE, field: Some(1), rest: Some(1e9) }),
        "timespec_get" => |c| read(c, Clock { counts: WHOLE, field: Some(0), rest: Some(1e9) }),
        "omp_get_wtime" => |c| read(c, Clock { counts: Ticks::Seconds, field: None, rest: None }),
        "omp_get_wtick" => |c| Ok(c.random("the resolution of the clock")),
        "clock_getres" => resolution,
        "localtime" | "gmtime" | "ctime" | "asctime" => |c| Ok(c.random("the date")),
        "mktime" | "timegm" | "strftime" => date,
        "difftime" => difftime,
        "getrusage" => |c| used(c, 1),
        "times" => |c| used(c, 0),
        "sleep" | "usleep" => |c| sleep(c, c.integer(0)),
        "nanosleep" => nanosleep,
    }
}

/// Whole seconds.
const WHOLE: Ticks = Ticks::PerSecond(1.0);

/// How a function tells the time.
#[derive(Clone, Copy)]
struct Clock {
    counts: Ticks,
    /// The argument that points to where the reading goes.
    field: Option<usize>,
    /// In how many parts of a second the rest of one stands behind it; the result is then no time.
    rest: Option<f64>,
}

fn read(call: &mut Call, clock: Clock) -> Flow<Value> {
    let slot = call.call.block;
    let reading = Value::Clock(Reading::by(slot));
    let mut asked = AskedClock { call: slot, result: None, whole: None, rest: None };
    if let Some(Value::Pointer(to)) = clock.field.map(|field| call.arg(field)) {
        // `time_t` and what stands behind it are of type `long`.
        let long = call.machine.task.memory.model.long();
        call.machine.store_at(to, long, reading, "memory")?;
        asked.whole = Some((clock.counts, to));
        if let Some(parts) = clock.rest {
            let size = long.size(call.machine.task.memory.model) as i64;
            let at = Pointer { object: to.object, offset: to.offset + size };
            call.machine.store_at(at, long, reading, "memory")?;
            asked.rest = Some((Ticks::PerSecond(parts), at));
        }
    }
    let result = if clock.rest.is_some() { Value::Int(0) } else { reading };
    let site = Site { context: call.machine.context(), block: slot };
    let stop = match call.dst {
        Some((dst, _)) => {
            asked.result = clock.rest.is_none().then_some((clock.counts, dst));
            call.machine.own_event(Operation::ReadClock { slot }, site, dst, result)
        }
        None => call.machine.clock_event(slot, site),
    };
    call.machine.ask_clock(asked);
    Err(stop)
}

impl Machine<'_> {
    /// The event that was handed out last asks for the time. Threads of a region are followed before it is known.
    fn ask_clock(&mut self, asked: AskedClock) {
        let is_followed = self.code.program.follows_clocks && !self.in_team();
        if let Some(pending) = self.task.pending.as_mut().filter(|_| is_followed) {
            pending.clock = Some(asked);
        }
    }

    /// The task goes on behind a reading of the clock.
    pub(crate) fn answer_clock(&mut self, asked: AskedClock, at: Picoseconds) -> Flow<()> {
        let long = self.task.memory.model.long();
        let reading = |time: f64| Value::Clock(Reading::at(asked.call, time));
        let counted = |ticks| match ticks {
            Ticks::Seconds => at.as_seconds(),
            Ticks::PerSecond(ticks) => (at.0 as f64 * ticks / PER_SECOND).floor(),
        };
        if let Some((ticks, register)) = asked.result {
            self.set_register(register, reading(counted(ticks)));
        }
        if let Some((ticks, to)) = asked.whole {
            self.store_at(to, long, reading(counted(ticks)), "memory")?;
        }
        if let Some((Ticks::PerSecond(parts), to)) = asked.rest {
            let rest = (at.0 % PER_SECOND as u64) as f64;
            self.store_at(to, long, reading((rest * parts / PER_SECOND).floor()), "memory")?;
        }
        Ok(())
    }
}

/// Picoseconds of a second.
const PER_SECOND: f64 = 1e12;

/// The task waits for as many units of time as it says.
fn sleep(call: &mut Call, units: Option<i64>) -> Flow<Value> {
    // That it is unknown is told of every call.
    if let Some(units) = units {
        call.volume(u64::try_from(units).unwrap_or(0));
    }
    Ok(Value::Int(0))
}

fn nanosleep(call: &mut Call) -> Flow<Value> {
    let Some(request) = call.pointer(0)? else { return sleep(call, None) };
    let long = call.machine.task.memory.model.long();
    let size = long.size(call.machine.task.memory.model) as i64;
    let second = Pointer { object: request.object, offset: request.offset + size };
    let seconds = call.machine.load_at(request, long, "the time to sleep")?.as_int();
    let rest = call.machine.load_at(second, long, "the time to sleep")?.as_int();
    let whole = seconds.zip(rest).and_then(|(seconds, rest)| seconds.checked_mul(1_000_000_000)?.checked_add(rest));
    if whole.is_none() {
        call.approximate("how long `nanosleep` waits is unknown: it counts as no time".to_owned(), "");
    }
    sleep(call, whole)
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
    let unknown = call.random("the time");
    let difference = arith::binary(BinaryOp::Sub, ScalarType::F64, call.arg(0), call.arg(1));
    if let (Err(Fault::Clocks { from, to, elapsed }), Some((dst, _))) = (difference, call.dst) {
        let site = Site { context: call.machine.context(), block: call.call.block };
        let elapsed = elapsed.unwrap_or(unknown);
        return Err(call.machine.own_event(Operation::Elapsed { from, to }, site, dst, elapsed));
    }
    Ok(unknown)
}
