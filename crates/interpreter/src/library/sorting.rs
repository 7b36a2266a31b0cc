//! qsort and bsearch: library functions with loops that call the program's own comparison.
//!
//! Elements that are known are sorted as glibc does, by merging, so the comparisons are those that a
//! run makes. Else the mean number of comparisons for elements in random order is assumed.
//!
//! What the library does between comparisons grows with them, and with how many of them no processor foresees.

use super::Call;
use crate::code::instructions::CallTarget;
use crate::codes;
use crate::execute::machine::Flow;
use chronos_activity::{Count, CountSource};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashMap;
use chronos_functions::comparisons;
use chronos_slicing::heuristics::{Assumed, Spread};
use chronos_values::Origin;
use chronos_values::storage::Fill;
use chronos_values::{Pointer, ReasonKind, Value};

/// Elements that are sorted with the program's own comparison; more would cost too much.
const LARGEST_SORT: i64 = 1 << 16;

/// Elements that a comparison is given.
#[derive(Clone, Copy)]
struct Elements {
    base: Pointer,
    size: i64,
}

impl Elements {
    fn at(self, index: i64) -> Value {
        Value::Pointer(Pointer { object: self.base.object, offset: self.base.offset + index * self.size })
    }
}

/// Comparisons that were made, by whether they went the way of the one before.
#[derive(Clone, Copy, Default)]
struct Comparisons {
    all: u64,
    turns: u64,
    last: Option<bool>,
}

impl Comparisons {
    fn note(&mut self, first_is_less: bool) {
        self.all += 1;
        self.turns += u64::from(self.last.is_some_and(|last| last != first_is_less));
        self.last = Some(first_is_less);
    }

    /// What costs of the library per byte are for.
    fn bytes(self) -> u64 {
        comparisons::FORESEEN_BYTES * (self.all - self.turns) + comparisons::TURN_BYTES * self.turns
    }
}

/// The same of so many comparisons of elements in random order; nothing where their number is unknown, which is told.
fn random_bytes(mean: Option<f64>) -> u64 {
    // Not negative; elements that no memory holds stand for as many as fit.
    mean.map_or(0, |mean| (mean * comparisons::RANDOM_BYTES as f64) as u64)
}

pub fn qsort(call: &mut Call) -> Flow<Value> {
    let (base, count, size) = (call.pointer(0)?, call.integer(1), call.integer(2));
    let sorted = match (base, count, size) {
        (Some(base), Some(count), Some(size)) if count <= LARGEST_SORT => sort(call, base, count.max(0), size.max(0))?,
        _ => false,
    };
    if !sorted {
        let unknown = call.machine.unknown(ReasonKind::NotEvaluated);
        call.forget_value(0, unknown);
        let mean = count.map(|count| mean_merges(count.max(0) as u64, &mut FxHashMap::default()));
        call.volume(random_bytes(mean));
        let elements = call.arg(0);
        assume(call, 3, [elements, elements], mean)?;
    }
    Ok(Value::Int(0))
}

/// Sorts in place; false, and nothing counted, where a comparison is unknown.
fn sort(call: &mut Call, base: Pointer, count: i64, size: i64) -> Flow<bool> {
    let bytes = size as u64;
    let whole = bytes.saturating_mul(count as u64);
    call.machine.check(base, whole)?;
    let fill = Fill::Value(call.machine.shared.uninitialised);
    let scratch = call.machine.task.memory.allocate(whole, Origin::Environment, fill);
    let copy = Elements { base: Pointer { object: scratch, offset: 0 }, size };
    call.machine.task.memory.copy(copy.base, base, whole);
    let weight = call.machine.task.weight;
    let outside = call.machine.shared.scratch.begin_layer(weight);
    let mut comparisons = Comparisons::default();
    let order = merge_sort(call, copy, (0..count).collect(), &mut comparisons);
    let inside = call.machine.shared.scratch.end_layer(weight, outside);
    if !matches!(order, Ok(None)) {
        call.machine.shared.scratch.add_layer(&inside, Count::ONE);
    }
    let order = order?;
    if let Some(order) = &order {
        call.volume(comparisons.bytes());
        call.machine.task.note_object(base.object);
        for (to, &from) in order.iter().enumerate() {
            let from = Pointer { object: scratch, offset: from * size };
            let to = Pointer { object: base.object, offset: base.offset + to as i64 * size };
            call.machine.task.memory.copy(to, from, bytes);
        }
    }
    call.machine.task.memory.release(scratch);
    Ok(order.is_some())
}

/// The order of elements, by merging; `None` where a comparison is unknown.
fn merge_sort(
    call: &mut Call,
    elements: Elements,
    mut left: Vec<i64>,
    comparisons: &mut Comparisons,
) -> Flow<Option<Vec<i64>>> {
    if left.len() < 2 {
        return Ok(Some(left));
    }
    let right = left.split_off(left.len() / 2);
    let Some(left) = merge_sort(call, elements, left, comparisons)? else { return Ok(None) };
    let Some(right) = merge_sort(call, elements, right, comparisons)? else { return Ok(None) };
    let mut merged = Vec::with_capacity(left.len() + right.len());
    let (mut i, mut j) = (0, 0);
    while i < left.len() && j < right.len() {
        match compare(call, 3, [elements.at(left[i]), elements.at(right[j])])? {
            Value::Int(n) if n <= 0 => {
                comparisons.note(true);
                merged.push(left[i]);
                i += 1;
            }
            Value::Int(_) => {
                comparisons.note(false);
                merged.push(right[j]);
                j += 1;
            }
            _ => return Ok(None),
        }
    }
    merged.extend(&left[i..]);
    merged.extend(&right[j..]);
    Ok(Some(merged))
}

fn compare(call: &mut Call, comparator: usize, elements: [Value; 2]) -> Flow<Value> {
    let comparator = call.arg(comparator);
    call.machine.call_back(comparator, &elements, call.call)
}

/// Comparisons of a merge sort, in the mean over all orders of so many different elements.
fn mean_merges(count: u64, known: &mut FxHashMap<u64, f64>) -> f64 {
    if count < 2 {
        return 0.0;
    }
    if let Some(&mean) = known.get(&count) {
        return mean;
    }
    let (left, right) = (count / 2, count - count / 2);
    let rest = |a: u64, b: u64| a as f64 / (b as f64 + 1.0);
    let merging = count as f64 - rest(left, right) - rest(right, left);
    let mean = mean_merges(left, known) + mean_merges(right, known) + merging;
    known.insert(count, mean);
    mean
}

/// Comparisons of a binary search for each of so many elements, together.
fn all_searches(count: u64, known: &mut FxHashMap<u64, f64>) -> f64 {
    if count == 0 {
        return 0.0;
    }
    if let Some(&sum) = known.get(&count) {
        return sum;
    }
    let below = count / 2;
    let sum = count as f64 + all_searches(below, known) + all_searches(count - 1 - below, known);
    known.insert(count, sum);
    sum
}

/// Follows one comparison and counts it so many times.
fn assume(call: &mut Call, comparator: usize, elements: [Value; 2], times: Option<f64>) -> Flow<()> {
    tell(call, times);
    let times = times.map_or(Count::UNKNOWN, |times| Count::expected(times, CountSource::Assumed));
    if times.is_zero() {
        return Ok(());
    }
    let weight = call.machine.task.weight;
    call.machine.shared.scratch.settle(weight);
    call.machine.task.weight = weight.times(times);
    call.machine.task.begin_uncertain_log();
    let outcome = compare(call, comparator, elements);
    let now = call.machine.task.weight;
    call.machine.shared.scratch.settle(now);
    call.machine.task.weight = weight;
    let log = call.machine.task.logs.pop();
    if let Value::Unknown(reason) = call.machine.unknown(ReasonKind::NotEvaluated) {
        call.machine.forget_written(log, reason);
    }
    outcome.map(|_| ())
}

fn tell(call: &mut Call, times: Option<f64>) {
    let machine = &mut *call.machine;
    let block = call.call.block;
    let name = match &call.call.target {
        CallTarget::Library(name) => &*machine.code.library[*name as usize],
        _ => "the library",
    };
    let (code, what) = match times {
        Some(times) => (&codes::ASSUMED_CALLS, format!("is assumed to compare {times:.1} times: its data is unknown")),
        None => (&codes::UNKNOWN_CALLS, "compares elements of which the number is unknown".to_owned()),
    };
    let message = format!("`{name}` {what}");
    machine.shared.assumed.insert(
        block,
        Assumed::new(message.clone(), if times.is_some() { Spread::Comparisons } else { Spread::Unstated }),
    );
    let diagnostic =
        if times.is_some() { Diagnostic::warning(code, message) } else { Diagnostic::error(code, message) };
    let help = "give the input that the elements come from (--set, --stdin, --input-file, program arguments)";
    machine.shared.reports.add(machine.task.id, diagnostic.label(call.call.span, "this call").help(help));
}

pub fn bsearch(call: &mut Call) -> Flow<Value> {
    let (base, count, size) = (call.pointer(1)?, call.integer(2), call.integer(3));
    if let (Some(base), Some(count), Some(size)) = (base, count, size)
        && let Some(found) = search(call, Elements { base, size }, count)?
    {
        return Ok(found);
    }
    let unknown = call.machine.unknown(ReasonKind::NotEvaluated);
    let mean = count.map(|count| match count.max(0) as u64 {
        0 => 0.0,
        count => all_searches(count, &mut FxHashMap::default()) / count as f64,
    });
    call.volume(random_bytes(mean));
    let (key, elements) = (call.arg(0), call.arg(1));
    assume(call, 4, [key, elements], mean)?;
    Ok(unknown)
}

/// The element found, or a null pointer; `None`, and nothing counted, where a comparison is unknown.
fn search(call: &mut Call, elements: Elements, count: i64) -> Flow<Option<Value>> {
    let weight = call.machine.task.weight;
    let outside = call.machine.shared.scratch.begin_layer(weight);
    let mut comparisons = Comparisons::default();
    let found = bisect(call, elements, count, &mut comparisons);
    let inside = call.machine.shared.scratch.end_layer(weight, outside);
    if !matches!(found, Ok(None)) {
        call.machine.shared.scratch.add_layer(&inside, Count::ONE);
    }
    if matches!(found, Ok(Some(_))) {
        call.volume(comparisons.bytes());
    }
    found
}

fn bisect(call: &mut Call, elements: Elements, count: i64, comparisons: &mut Comparisons) -> Flow<Option<Value>> {
    let (mut low, mut high) = (0, count);
    while low < high {
        let middle = low + (high - low) / 2;
        let key = call.arg(0);
        match compare(call, 4, [key, elements.at(middle)])? {
            Value::Int(0) => return Ok(Some(elements.at(middle))),
            Value::Int(n) if n < 0 => {
                comparisons.note(true);
                high = middle;
            }
            Value::Int(_) => {
                comparisons.note(false);
                low = middle + 1;
            }
            _ => return Ok(None),
        }
    }
    Ok(Some(Value::NULL))
}
