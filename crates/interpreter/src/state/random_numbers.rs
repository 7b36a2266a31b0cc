//! What is known of the random numbers that tasks draw, beside the state of their generators.

use crate::library::random::additive::Additive;
use crate::state::shared::Shared;
use chronos_ir::Program;
use chronos_slicing::doubts::{Certainty, Doubt, Subject};

/// The seed that is taken where it is unknown and the evaluation cannot go on without it: that of a generator which is not
/// seeded (C11, 7.22.2.2). All tasks have the same, as where they ask a clock for it when they begin, unless the program computes
/// it from their ranks: then each has one more than the task before it.
pub(crate) const TAKEN_SEED: i64 = 1;

/// Where a seed is taken, all counts rest on that.
pub(crate) fn doubt_seed(shared: &mut Shared, program: &Program) {
    let (Some(span), Some(main)) = (shared.options.assumptions.seed_taken, program.main) else { return };
    let seed = if shared.options.assumptions.seeds_by_rank { "srand(1 + rank)" } else { "srand(1)" };
    let text = format!(
        "random numbers decide, and their seed is unknown: they are taken to be those of `{seed}`, one run of many"
    );
    let help =
        Some("write another seed into the source to see another run, or let a run tell with `chronos trace`".into());
    let doubt = Doubt { span, certainty: Certainty::Approximate, text: text.into(), help };
    shared.doubts.add(doubt, Subject::Function(main));
}

/// What a task remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct RandomNumbers {
    /// The generator where it was last used: the next number takes a step.
    pub additive: Option<Additive>,
    /// It was told whose numbers are used.
    pub told: bool,
    /// Numbers that it drew and that were followed.
    pub drawn: u64,
}

/// Random numbers that all tasks have drawn and followed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DrawnNumbers {
    numbers: u64,
    /// Tasks that drew more than the part of one task, if all drew as many.
    heavy: u64,
    /// The lowest and the highest rank that drew: about as many tasks have begun, in either order.
    ranks: Option<(u64, u64)>,
    /// The tasks that told that there are too many: no number is followed any more.
    given_up: Option<u64>,
}

/// Tasks that stand for all: fewer of them may be a few that draw for the others.
const SAMPLE: u64 = 3;

/// Whether a number is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    Yes,
    TooMany,
    /// All tasks will come to too many, if they draw as these do.
    WouldBeTooMany {
        tasks: u64,
    },
}

impl DrawnNumbers {
    /// A task of `rank` draws its number `own`, counted from 1, where `most` are followed. With many tasks those that come
    /// first tell what all would draw, so that it is not followed to the limit only to be thrown away.
    pub(crate) fn draw(&mut self, own: u64, rank: u64, all_tasks: u64, most: u64) -> Followed {
        if let Some(tasks) = self.given_up {
            return Followed::WouldBeTooMany { tasks };
        }
        self.numbers += 1;
        if self.numbers > most {
            return Followed::TooMany;
        }
        let (lowest, highest) = self.ranks.unwrap_or((rank, rank));
        let (lowest, highest) = (lowest.min(rank), highest.max(rank));
        self.ranks = Some((lowest, highest));
        if own != most / all_tasks.max(1) + 1 {
            return Followed::Yes;
        }
        self.heavy += 1;
        if self.heavy >= SAMPLE && 2 * self.heavy > highest - lowest {
            self.given_up = Some(self.heavy);
            return Followed::WouldBeTooMany { tasks: self.heavy };
        }
        Followed::Yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are followed, where these tasks draw so many each, one task after the other.
    fn check(drawing: impl Iterator<Item = u64>, each: u64, all_tasks: u64) -> (u64, Followed) {
        check_uneven(drawing.map(|rank| (rank, each)), all_tasks)
    }

    fn check_uneven(drawing: impl Iterator<Item = (u64, u64)>, all_tasks: u64) -> (u64, Followed) {
        let mut drawn = DrawnNumbers::default();
        for (rank, each) in drawing {
            for own in 1..=each {
                let followed = drawn.draw(own, rank, all_tasks, 100_000);
                if followed != Followed::Yes {
                    return (drawn.numbers, followed);
                }
            }
        }
        (drawn.numbers, Followed::Yes)
    }

    #[test]
    fn numbers_that_are_given_up_stay_so() {
        let mut drawn = DrawnNumbers::default();
        let mut draw = |rank, own| drawn.draw(own, rank, 1000, 100_000);
        (0..2).for_each(|rank| (1..=1000).for_each(|own| assert_eq!(draw(rank, own), Followed::Yes)));
        (1..=100).for_each(|own| assert_eq!(draw(2, own), Followed::Yes));
        assert_eq!(draw(2, 101), Followed::WouldBeTooMany { tasks: 3 });
        (3..1000).for_each(|rank| assert_eq!(draw(rank, 1), Followed::WouldBeTooMany { tasks: 3 }));
    }

    #[test]
    fn the_first_tasks_tell_what_all_would_draw() {
        assert_eq!(check(0..1000, 1000, 1000), (2101, Followed::WouldBeTooMany { tasks: 3 }));
        assert_eq!(check((0..1000).rev(), 1000, 1000), (2101, Followed::WouldBeTooMany { tasks: 3 }));
        assert_eq!(check(0..1000, 100, 1000), (100_000, Followed::Yes));
        assert_eq!(check(0..7, 10_000, 7), (70_000, Followed::Yes));
        assert_eq!(check(0..20, 10_000, 20), (25_001, Followed::WouldBeTooMany { tasks: 3 }));
        // One of each node draws.
        assert_eq!(check((0..1000).step_by(100), 9000, 1000), (90_000, Followed::Yes));
        assert_eq!(check(0..2, 60_000, 1000), (100_001, Followed::TooMany));
        // One task draws for all.
        let master = (0..1000).map(|rank| (rank, if rank == 0 { 90_000 } else { 5 }));
        assert_eq!(check_uneven(master, 1000), (94_995, Followed::Yes));
    }
}
