//! Roles of tasks: what they do, however long they wait.

use crate::model::Prediction;
use chronos_activity::{Count, CountValue};
use chronos_base::hash::FxHashMap;

/// What tells the roles apart, from the finest to the coarsest.
#[derive(Clone, Copy)]
enum Role {
    /// Machine, how often each function is called, and how long the task computes and sends: neither depends on when others
    /// come, so tasks at the ends of a grid are told from those inside it.
    Work,
    /// Machine, and how often each function is called.
    Calls,
    /// Machine, and which functions are called.
    Functions,
    Machine,
}

/// Tasks of the same role, in ascending order: by the finest roles of which there are no more than `most`. `work`: how
/// long each task computes, and sends.
pub fn groups(p: &Prediction, work: [&[f64]; 2], most: usize) -> Vec<Vec<u32>> {
    let finest = [Role::Work, Role::Calls, Role::Functions].into_iter().find_map(|role| by_role(p, work, role, most));
    finest.or_else(|| by_role(p, work, Role::Machine, usize::MAX)).unwrap_or_default()
}

/// `None` where there are more than `most`.
fn by_role(p: &Prediction, work: [&[f64]; 2], role: Role, most: usize) -> Option<Vec<Vec<u32>>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut positions: FxHashMap<(&str, Vec<Amount>), usize> = FxHashMap::default();
    for (row, task) in p.tasks.iter().enumerate() {
        let position = *positions.entry((&task.machine, amounts(p, work, role, row))).or_insert(groups.len());
        if position == most {
            return None;
        }
        if position == groups.len() {
            groups.push(Vec::new());
        }
        groups[position].push(row as u32);
    }
    Some(groups)
}

/// A count that can be told from others: its bits.
type Amount = Option<u128>;

fn amounts(p: &Prediction, work: [&[f64]; 2], role: Role, row: usize) -> Vec<Amount> {
    let calls = p.functions.iter().filter_map(|function| function.per_task.calls.get(row));
    let times = work.map(|column| Some(u128::from(column[row].to_bits())));
    match role {
        Role::Work => times.into_iter().chain(calls.map(|count| amount(*count))).collect(),
        Role::Calls => calls.map(|count| amount(*count)).collect(),
        Role::Functions => calls.map(|count| Some(u128::from(!count.is_zero()))).collect(),
        Role::Machine => Vec::new(),
    }
}

fn amount(count: Count) -> Amount {
    match count.value {
        CountValue::Exact(n) => Some(n),
        CountValue::Expected(x) => Some(u128::from(x.to_bits())),
        CountValue::Unknown => None,
    }
}
