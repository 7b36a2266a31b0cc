//! Random numbers of the C library: known ones, where the library is glibc and the seed is known.
//!
//! The state lies in variables of the program (`chronos_ir::generators`): what the generator was seeded with, and how many
//! numbers were drawn since. It is unknown where one of them is. Here stands what the numbers are.

pub(crate) mod additive;
mod linear;

use super::{Call, Model};
use crate::codes;
use crate::execute::machine::Flow;
use crate::state::random_numbers::{Followed, TAKEN_SEED};
use additive::Additive;
use chronos_base::diag::Diagnostic;
use chronos_functions::Generator;
use chronos_ir::{CLibrary, GeneratorState, ScalarType};
use chronos_values::storage::Fill;
use chronos_values::{Pointer, Value};
use linear::Parameters;

models! {
    pub fn lookup(name: &str) -> Option<Model> {
        "rand" | "random" => |c| draw(c, Drawn::Additive),
        "drand48" => |c| draw(c, Drawn::Real),
        "lrand48" => |c| draw(c, Drawn::Natural),
        "mrand48" => |c| draw(c, Drawn::Signed),
        "arc4random" => |c| Ok(c.random("a random number")),
        "srand" | "srandom" => |c| {
            let seed = c.arg(0);
            Ok(seed_with(c, Generator::Additive, seed, 0))
        },
        "srand48" => srand48,
        "seed48" => seed48,
        "lcong48" => lcong48,
        "initstate" | "setstate" => other_state,
        "rand_r" => rand_r,
        "erand48" => |c| own_state(c, |state| Value::Float(linear::real(state))),
        "nrand48" => |c| own_state(c, |state| Value::Int(linear::natural(state))),
        "jrand48" => |c| own_state(c, |state| Value::Int(linear::signed(state))),
    }
}

/// A number of one of the generators that the whole program shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    /// `rand` and `random`.
    Additive,
    /// `drand48`.
    Real,
    /// `lrand48`.
    Natural,
    /// `mrand48`.
    Signed,
}

impl Drawn {
    pub(crate) const ALL: [Self; 4] = [Self::Additive, Self::Real, Self::Natural, Self::Signed];

    /// What a library function draws.
    pub(crate) fn by(name: &str) -> Option<Self> {
        match name {
            "rand" | "random" => Some(Self::Additive),
            "drand48" => Some(Self::Real),
            "lrand48" => Some(Self::Natural),
            "mrand48" => Some(Self::Signed),
            _ => None,
        }
    }

    pub(crate) fn generator(self) -> Generator {
        if self == Self::Additive { Generator::Additive } else { Generator::Linear }
    }

    /// The next number, by the generator's seed, what was drawn before, and the packed parameters of a linear one. The generator
    /// where it was last used is kept.
    pub(crate) fn number(self, kept: &mut Option<Additive>, seed: i64, draws: u64, parameters: i64) -> Value {
        let state = || Parameters::unpacked(parameters).after(seed as u64, draws + 1);
        match self {
            Self::Additive => {
                let seed = seed as u32;
                let generator = kept.get_or_insert_with(|| Additive::at(seed, draws));
                Value::Int(i64::from(generator.number(seed, draws)))
            }
            Self::Real => Value::Float(linear::real(state())),
            Self::Natural => Value::Int(linear::natural(state())),
            Self::Signed => Value::Int(linear::signed(state())),
        }
    }
}

/// Operations of the budget that go on one number of all tasks: what is done with a number takes about ten.
const OPERATIONS_OF_A_NUMBER: u64 = 10;

/// Numbers that all tasks together may draw, of a budget.
pub(crate) fn most_numbers(budget: u64) -> u64 {
    budget / OPERATIONS_OF_A_NUMBER
}

fn draw(call: &mut Call, number: Drawn) -> Flow<Value> {
    let Some(state) = call.machine.code.program.generators.state(number.generator()) else {
        return Ok(call.random("a random number"));
    };
    let (seed, draws) = (call.machine.variable(state.seed), call.machine.variable(state.draws));
    Ok(match (seed, draws) {
        (Value::Int(seed), Value::Int(draws)) => {
            call.machine.set_variable(state.draws, Value::Int(draws.wrapping_add(1)));
            tell(call);
            count_number(call)?;
            let parameters = call.machine.variable(state.parameters).as_int();
            match parameters.or((number == Drawn::Additive).then_some(0)) {
                Some(parameters) => {
                    let kept = &mut call.machine.task.random_numbers.additive;
                    number.number(kept, seed, draws as u64, parameters)
                }
                None => call.undefined("a random number"),
            }
        }
        (unknown @ Value::Unknown(_), _) => unknown,
        // How often it was used is not known, so nothing is from here on.
        (_, unknown @ Value::Unknown(_)) => {
            call.machine.set_variable(state.seed, unknown);
            unknown
        }
        _ => call.undefined("a random number"),
    })
}

/// All tasks together follow so many numbers; whoever evaluates them begins anew without any.
fn count_number(call: &mut Call) -> Flow<()> {
    call.machine.task.random_numbers.drawn += 1;
    let own = call.machine.task.random_numbers.drawn;
    let rank = u64::from(call.machine.task.id.0);
    let shared = &mut *call.machine.shared;
    let most = most_numbers(shared.options.assumptions.budget);
    let message = match shared.random_numbers.draw(own, rank, shared.options.tasks.into(), most) {
        Followed::Yes => return Ok(()),
        Followed::TooMany => format!("more than {most} random numbers are drawn by all tasks together"),
        Followed::WouldBeTooMany { tasks } => {
            format!("more than {most} random numbers would be drawn by all tasks together, as {tasks} of them draw")
        }
    };
    Err(Diagnostic::error(&codes::MANY_RANDOM_NUMBERS, message).help("raise --budget to follow them").into())
}

/// Multiplier and addend of `drand48`; `None` where they are not known.
fn parameters(call: &Call) -> Option<Parameters> {
    let state = call.machine.code.program.generators.linear?;
    call.machine.variable(state.parameters).as_int().map(Parameters::unpacked)
}

fn seed_with(call: &mut Call, generator: Generator, seed: Value, parameters: i64) -> Value {
    if let Some(GeneratorState { seed: of, draws, parameters: with }) =
        call.machine.code.program.generators.state(generator)
    {
        let seed = seed_or_taken(call, seed);
        call.machine.set_variable(of, seed);
        call.machine.set_variable(draws, Value::Int(0));
        call.machine.set_variable(with, Value::Int(parameters));
    }
    Value::Int(0)
}

/// A seed that is unknown is taken to be 1 where the evaluation could not go on without it.
fn seed_or_taken(call: &Call, seed: Value) -> Value {
    let is_taken = seed.as_int().is_none() && call.machine.shared.options.assumptions.seed_taken.is_some();
    // Seeds of the program's tasks differ where it computes them from the ranks.
    let by_rank = call.machine.shared.options.assumptions.seeds_by_rank;
    let more = if by_rank { i64::from(call.machine.task.id.0) } else { 0 };
    if is_taken { Value::Int(TAKEN_SEED + more) } else { seed }
}

fn srand48(call: &mut Call) -> Flow<Value> {
    let seed = match call.arg(0) {
        Value::Int(seed) => Value::Int(linear::seeded(seed) as i64),
        unknown => unknown,
    };
    Ok(seed_with(call, Generator::Linear, seed, 0))
}

/// What was the state before is not followed: hardly a program restores it.
fn seed48(call: &mut Call) -> Flow<Value> {
    let seed = words::<3>(call)?.map_or_else(|unknown| unknown, |words| Value::Int(linear::joined(words) as i64));
    seed_with(call, Generator::Linear, seed, 0);
    let unknown = call.undefined("the state before `seed48`");
    Ok(call.machine.allocation(6, call.call, Fill::Value(unknown)))
}

fn lcong48(call: &mut Call) -> Flow<Value> {
    match words::<7>(call)? {
        Ok([x0, x1, x2, a0, a1, a2, c]) => {
            let packed = Parameters::packed(linear::joined([a0, a1, a2]), c);
            Ok(seed_with(call, Generator::Linear, Value::Int(linear::joined([x0, x1, x2]) as i64), packed))
        }
        Err(unknown) => Ok(seed_with(call, Generator::Linear, unknown, 0)),
    }
}

/// States of other lengths have other recurrences, and one may be taken up again.
fn other_state(call: &mut Call) -> Flow<Value> {
    let unknown = call.undefined("a generator with a state of the program's own");
    seed_with(call, Generator::Additive, unknown, 0);
    call.forget_value(usize::from(call.args.len() != 1), unknown);
    Ok(unknown)
}

/// Three numbers of a linear congruential generator make one, as glibc puts them together.
fn rand_r(call: &mut Call) -> Flow<Value> {
    let known = call.machine.code.program.generators.library == CLibrary::Glibc;
    let (Some(pointer), true) = (call.pointer(0)?, known) else { return Ok(unknown_number(call)) };
    let loaded = call.machine.load_at(pointer, ScalarType::U32, "the state of a generator")?;
    let mut state = match seed_or_taken(call, loaded) {
        Value::Int(state) => state as u32,
        unknown if unknown.is_unknown() => return Ok(unknown),
        // The time of a clock is no number that could be computed with.
        _ => return Ok(unknown_number(call)),
    };
    let mut step = |bits: u32| {
        state = state.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        (state >> 16) % (1 << bits)
    };
    let number = (step(11) << 10 ^ step(10)) << 10 ^ step(10);
    tell(call);
    count_number(call)?;
    call.machine.store_at(pointer, ScalarType::U32, Value::Int(i64::from(state)), "the state of a generator")?;
    Ok(Value::Int(i64::from(number)))
}

/// `erand48` and its kin: the state is what the argument points to.
fn own_state(call: &mut Call, number: fn(u64) -> Value) -> Flow<Value> {
    let Some(parameters) = parameters(call) else { return Ok(unknown_number(call)) };
    let state = match words::<3>(call)? {
        Ok(words) => parameters.next(linear::joined(words)),
        Err(unknown) => match seed_or_taken(call, unknown) {
            Value::Int(seed) => parameters.next(linear::seeded(seed)),
            unknown => return Ok(unknown),
        },
    };
    tell(call);
    count_number(call)?;
    if let Some(to) = call.pointer(0)? {
        for (word, at) in linear::parted(state).into_iter().zip(places(to)) {
            call.machine.store_at(at, ScalarType::U16, Value::Int(i64::from(word)), "the state of a generator")?;
        }
    }
    Ok(number(state))
}

/// A random number whose state is the caller's: the state has changed.
fn unknown_number(call: &mut Call) -> Value {
    let number = call.random("a random number");
    call.forget_value(0, number);
    number
}

/// Numbers of 16 bits that the first argument points to, or the first of them that is not known.
fn words<const N: usize>(call: &mut Call) -> Flow<Result<[u16; N], Value>> {
    let Some(from) = call.pointer(0)? else { return Ok(Err(call.unknown())) };
    let mut words = [0; N];
    for (word, at) in words.iter_mut().zip(places(from)) {
        match call.machine.load_at(at, ScalarType::U16, "the state of a generator")? {
            Value::Int(n) => *word = n as u16,
            unknown => return Ok(Err(unknown)),
        }
    }
    Ok(Ok(words))
}

fn places(from: Pointer) -> impl Iterator<Item = Pointer> {
    (0..).map(move |index| Pointer { offset: from.offset + 2 * index, ..from })
}

/// Tells once whose random numbers are used.
fn tell(call: &mut Call) {
    if !std::mem::replace(&mut call.machine.task.random_numbers.told, true) {
        let diagnostic =
            Diagnostic::note(&codes::RANDOM_NUMBERS, "random numbers are those of the GNU C library (glibc)")
                .help("if the program runs with another one, say `--c-library other`: then they are not known");
        call.machine.shared.reports.add(call.machine.task.id, diagnostic);
    }
}
