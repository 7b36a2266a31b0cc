//! What classes have to agree on: followed one by one, they do not see what they would see of each other.

use super::Member;
use super::course::Course;
use crate::state::by_rank::Signatures;
use chronos_activity::{Collective, Operation, Step, Volume};
use chronos_base::hash::FxHashSet;
use chronos_base::units::Bytes;
use chronos_ir::BlockId;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Collective operations of a task that are compared.
const MOST: usize = 1 << 20;

/// # Errors
/// What they do not agree on.
pub(super) fn check<'c>(
    courses: impl Iterator<Item = &'c Course> + Clone,
    members: &[Member],
) -> Result<(), &'static str> {
    let mut all = Signatures::default();
    for course in courses.clone() {
        for (&tag, types) in &course.signatures.messages {
            all.messages.entry(tag).or_default().extend(types);
        }
        for (&call, types) in &course.signatures.calls {
            all.calls.entry(call).or_default().extend(types);
        }
    }
    if all.messages.values().chain(all.calls.values()).any(|types| types.len() > 1) {
        return Err("data may have several types");
    }
    let mut rest = courses.clone();
    let Some(first) = rest.next() else { return Ok(()) };
    rest.try_for_each(|course| same_collectives(first, course, &all))?;
    same_blocks(courses, members)
}

/// Where members have blocks of their own size, each has the size that the others take it to have.
fn same_blocks<'c>(courses: impl Iterator<Item = &'c Course> + Clone, members: &[Member]) -> Result<(), &'static str> {
    let has_blocks = |one: &Collective| own_block(&one.volume).is_some();
    if !courses.clone().any(|course| has(&course.steps, &has_blocks)) {
        return Ok(());
    }
    let mut courses: Vec<Collectives<'_>> = courses.map(|course| Collectives::new(&course.steps)).collect();
    let mut known = FxHashSet::default();
    for _ in 0..MOST {
        let volumes: Vec<&Volume> = courses.iter_mut().filter_map(Iterator::next).map(|(one, _)| &one.volume).collect();
        if volumes.is_empty() {
            return Ok(());
        }
        let own: Option<Vec<Bytes>> = volumes.iter().map(|volume| own_block(volume)).collect();
        let (Some(own), true) = (own, volumes.len() == courses.len()) else { continue };
        let given = |volume: &&Volume| match volume {
            Volume::Blocks { blocks, .. } if !blocks.is_empty() => Some(Arc::clone(blocks)),
            _ => None,
        };
        let blocks: Vec<Arc<[Bytes]>> = volumes.iter().filter_map(given).collect();
        let Some(first) = blocks.first() else { return Err("nobody says how long blocks are") };
        // In every round of a loop these are the same again.
        if blocks.iter().all(|other| Arc::ptr_eq(first, other)) && !known.insert((Arc::as_ptr(first), own.clone())) {
            continue;
        }
        let is_own = |(block, member): (&Bytes, &Member)| *block == own[member.class as usize];
        let fits = first.len() == members.len() && first.iter().zip(members).all(is_own);
        if !fits || blocks.iter().any(|other| other != first) {
            return Err("blocks have other sizes than those that are expected");
        }
    }
    Err("there are too many collective operations")
}

/// The size of a member's own block, where members have different ones.
fn own_block(volume: &Volume) -> Option<Bytes> {
    match volume {
        Volume::Each(_) => None,
        Volume::Blocks { own, .. } => Some(*own),
    }
}

fn same_collectives(first: &Course, other: &Course, types: &Signatures) -> Result<(), &'static str> {
    let (mut a, mut b) = (Collectives::new(&first.steps), Collectives::new(&other.steps));
    for _ in 0..MOST {
        match (a.next(), b.next()) {
            (None, None) => return Ok(()),
            (Some(a), Some(b)) if is_same(a, b, types) => {}
            _ => return Err("tasks call different collective operations"),
        }
    }
    Err("there are too many collective operations")
}

fn is_same(a: (&Collective, BlockId), b: (&Collective, BlockId), types: &Signatures) -> bool {
    let no_types = BTreeSet::new();
    let of = |call: BlockId| types.calls.get(&call).unwrap_or(&no_types);
    let volume = |one: &Collective| match &one.volume {
        Volume::Each(bytes) => Some(*bytes),
        Volume::Blocks { .. } => None,
    };
    let shape = |one: &Collective| (one.kind, one.comm, one.root, one.commutative, volume(one));
    shape(a.0) == shape(b.0) && (a.1 == b.1 || of(a.1) == of(b.1))
}

/// The collective operations of steps, one after the other.
struct Collectives<'s> {
    /// Steps, the position in them, and how often they are still to come.
    open: Vec<(&'s [Step], usize, u64)>,
}

impl<'s> Collectives<'s> {
    fn new(steps: &'s [Step]) -> Self {
        Self { open: vec![(steps, 0, 1)] }
    }
}

impl<'s> Iterator for Collectives<'s> {
    type Item = (&'s Collective, BlockId);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (steps, at, times) = self.open.last_mut()?;
            let Some(step) = steps.get(*at) else {
                (*at, *times) = (0, *times - 1);
                if *times == 0 {
                    self.open.pop();
                }
                continue;
            };
            *at += 1;
            match step {
                Step::Repeat(repeat) if repeat.times > 0 && has(&repeat.steps, &|_| true) => {
                    self.open.push((&repeat.steps, 0, repeat.times));
                }
                Step::Event(event) => {
                    if let (Operation::Collective(collective), Some(site)) = (&event.operation, event.site) {
                        return Some((collective, site.block));
                    }
                }
                _ => {}
            }
        }
    }
}

/// Whether there is a collective operation of which this holds.
fn has(steps: &[Step], holds: &dyn Fn(&Collective) -> bool) -> bool {
    steps.iter().any(|step| match step {
        Step::Event(event) => matches!(&event.operation, Operation::Collective(one) if holds(one)),
        Step::Repeat(repeat) => has(&repeat.steps, holds),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::{CollectiveKind, CommId, ContextId, Event, Repeat, Site};
    use chronos_base::units::Bytes;
    use std::sync::Arc;

    fn collective(bytes: u64) -> Step {
        let collective = Collective {
            kind: CollectiveKind::Bcast,
            comm: CommId(0),
            root: None,
            volume: Volume::Each(Bytes(bytes)),
            commutative: true,
            request: None,
        };
        let site = Some(Site { context: ContextId(0), block: BlockId(1) });
        Step::Event(Arc::new(Event { operation: Operation::Collective(collective), site }))
    }

    fn sizes(steps: &[Step]) -> Vec<Volume> {
        Collectives::new(steps).map(|(collective, _)| collective.volume.clone()).collect()
    }

    #[test]
    fn operations_in_repeats_come_as_often_as_they_are_repeated() {
        let repeat = |steps, times| Step::Repeat(Arc::new(Repeat { steps, times }));
        let inner = repeat(vec![collective(2)], 2);
        let idle = repeat(vec![Step::LoopEnter], u64::MAX);
        let folded = [collective(1), repeat(vec![inner, idle, collective(3)], 2), Step::End];
        let unrolled: Vec<Step> = [1, 2, 2, 3, 2, 2, 3].into_iter().map(collective).collect();
        assert_eq!(sizes(&folded), sizes(&unrolled));
    }
}
