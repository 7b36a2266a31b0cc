//! How processes end, and signals: atexit and its relatives, signal, sigaction, raise.

use super::{Call, Model};
use crate::execute::machine::Flow;
use crate::state::process::{AtExit, ExitManner, SignalHandler};
use chronos_ir::ScalarType;
use chronos_values::{Pointer, ReasonKind, Value};

/// Of Linux on all processors but Alpha, MIPS, PA-RISC and SPARC.
const SIGABRT: i64 = 6;
const SA_SIGINFO: i64 = 4;
const SA_RESETHAND: i64 = 0x8000_0000;
/// Where glibc has the flags in `struct sigaction` on 64-bit machines; the handler stands first.
const FLAGS: i64 = 136;
/// The highest signal.
const SIGNALS: i64 = 64;
const SIG_ERR: i64 = -1;
/// What is unknown of a process's own number.
pub(crate) const OWN_ID: &str = "the process id";

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "atexit" => |c| register(c, false, false),
        "on_exit" => |c| register(c, false, true),
        "at_quick_exit" => |c| register(c, true, false),
        "_exit" | "_Exit" => |c| ended(c, ExitManner::AtOnce),
        "quick_exit" => |c| ended(c, ExitManner::QuickExit),
        "abort" => abort,
        "signal" | "bsd_signal" | "ssignal" => |c| signal(c, false),
        "sysv_signal" | "__sysv_signal" => |c| signal(c, true),
        "sigaction" => sigaction,
        "raise" | "gsignal" => |c| raise(c, 0),
        "kill" | "pthread_kill" => kill,
        "alarm" | "ualarm" | "setitimer" | "timer_create" | "timer_settime" => timer,
        "pause" | "sigsuspend" => |c| {
            c.may_call_any("by a signal");
            Ok(Value::Int(-1))
        },
        "sigprocmask" | "pthread_sigmask" => masked,
        // Mutexes and their kin are known by where they lie; what is set of threads decides nothing that is followed.
        "pthread_attr_init" | "pthread_attr_destroy" | "pthread_attr_setdetachstate" | "pthread_attr_setscope"
            | "pthread_attr_setstacksize" | "pthread_mutex_init" | "pthread_mutex_destroy" | "pthread_mutexattr_init"
            | "pthread_mutexattr_destroy" | "pthread_mutexattr_settype" | "pthread_cond_init" | "pthread_cond_destroy"
            | "pthread_condattr_init" | "pthread_condattr_destroy" | "pthread_barrier_destroy" | "pthread_rwlock_init"
            | "pthread_rwlock_destroy" | "pthread_spin_init" | "pthread_spin_destroy" | "pthread_detach"
            | "pthread_setconcurrency" | "pthread_setaffinity_np" | "sem_destroy" => |_| Ok(Value::Int(0)),
        "sigemptyset" | "sigfillset" | "sigaddset" | "sigdelset" => |c| {
            c.forget(0);
            Ok(Value::Int(0))
        },
    }
}

fn register(call: &mut Call, quick: bool, with_argument: bool) -> Flow<Value> {
    let function = call.arg(0);
    if let Value::Unknown(_) = function {
        call.may_call_any("at the end of the program");
        return Ok(Value::Int(0));
    }
    let argument = with_argument.then(|| call.arg(1));
    let registered = AtExit { function, argument, context: call.machine.context(), call: call.call.block };
    let process = &mut call.machine.task.process;
    let list = if quick { &mut process.at_quick_exit } else { &mut process.at_exit };
    list.push(registered);
    call.machine.task.epoch += 1;
    Ok(Value::Int(0))
}

fn ended(call: &mut Call, manner: ExitManner) -> Flow<Value> {
    let status = call.arg(0);
    call.machine.task.process.end(manner, status);
    Err(call.exit(status))
}

fn abort(call: &mut Call) -> Flow<Value> {
    let installed = call.machine.task.process.handlers.contains_key(&SIGABRT);
    if installed {
        call.machine.deliver(SIGABRT, call.call)?;
    }
    let status = Value::Int(128 + SIGABRT);
    call.machine.task.process.end(ExitManner::AtOnce, status);
    Err(call.exit(status))
}

/// Sets what a signal leads to; gives what it led to.
fn install(call: &mut Call, number: i64, handler: SignalHandler) -> Value {
    call.machine.task.epoch += 1;
    let before = call.machine.task.process.handlers.insert(number, handler);
    before.map_or(Value::NULL, |before| before.action)
}

fn signal(call: &mut Call, once: bool) -> Flow<Value> {
    let Some(number) = call.integer(0) else {
        call.may_call_any("by a signal");
        return Ok(call.unknown());
    };
    if !(1..=SIGNALS).contains(&number) {
        return Ok(Value::Int(SIG_ERR));
    }
    let action = call.arg(1);
    Ok(install(call, number, SignalHandler { action, once, informed: false }))
}

fn sigaction(call: &mut Call) -> Flow<Value> {
    let Some(number) = call.integer(0) else {
        call.may_call_any("by a signal");
        return Ok(call.unknown());
    };
    let before = call.machine.task.process.handlers.get(&number).copied();
    if let Value::Pointer(to) = call.arg(2) {
        let action = before.map_or(Value::NULL, |before| before.action);
        call.machine.store_at(to, ScalarType::Pointer, action, "memory")?;
    }
    if let Value::Pointer(from) = call.arg(1) {
        let action = call.machine.load_at(from, ScalarType::Pointer, "memory")?;
        let at = Pointer { object: from.object, offset: from.offset + FLAGS };
        let flags = call.machine.load_at(at, ScalarType::I32, "memory")?.as_int().unwrap_or(0);
        let handler = SignalHandler { action, once: flags & SA_RESETHAND != 0, informed: flags & SA_SIGINFO != 0 };
        install(call, number, handler);
    }
    Ok(Value::Int(0))
}

/// A signal comes at some time: that of an interval timer, of an alarm.
fn timer(call: &mut Call) -> Flow<Value> {
    call.may_call_any("by the signal of a timer");
    let left = call.random("the time that is left of a timer");
    (0..call.args.len()).for_each(|index| call.forget_value(index, left));
    Ok(left)
}

/// What is blocked is delivered later or never, and here it is delivered at once.
fn masked(call: &mut Call) -> Flow<Value> {
    call.may_call_any("by a signal that was blocked");
    let mask = call.random("the signals that are blocked");
    call.forget_value(2, mask);
    Ok(Value::Int(0))
}

fn raise(call: &mut Call, index: usize) -> Flow<Value> {
    let Some(number) = call.integer(index) else {
        call.may_call_any("by a signal");
        return Ok(call.unknown());
    };
    if number == 0 {
        return Ok(Value::Int(0));
    }
    call.machine.deliver(number, call.call)?;
    Ok(Value::Int(0))
}

/// To itself it is delivered at once; nobody else is known here.
fn kill(call: &mut Call) -> Flow<Value> {
    if let Value::Unknown(reason) = call.arg(0)
        && let ReasonKind::Nondeterministic(what) = &call.machine.shared.reasons.get(reason).kind
        && &**what == OWN_ID
    {
        return raise(call, 1);
    }
    call.may_call_any("by a signal");
    Ok(call.unknown())
}
