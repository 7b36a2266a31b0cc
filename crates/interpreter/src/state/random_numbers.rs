//! What is known of the random numbers that tasks draw, beside the state of their generators.

use crate::library::random::additive::Additive;

/// What a task remembers.
#[derive(Clone, Debug, Default)]
pub(crate) struct RandomNumbers {
    /// The generator where it was last used: the next number takes a step.
    pub additive: Option<Additive>,
    /// It was told whose numbers are used.
    pub told: bool,
    /// It has drawn a number that is followed.
    pub drew: bool,
}

/// Random numbers that all tasks have drawn and followed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DrawnNumbers {
    numbers: u64,
    /// Tasks that drew some.
    tasks: u64,
    /// The lowest and the highest rank among them: about as many tasks have begun, in either order.
    ranks: Option<(u64, u64)>,
    /// The tasks that told that there are too many: no number is followed any more.
    given_up: Option<u64>,
}

/// Tasks that stand for all: fewer of them may be a few that draw for the others.
const SAMPLE: u64 = 8;

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
    /// A task draws a number, its first one or another, where `most` are followed. With many tasks those that come first
    /// tell what all would draw, so that it is not followed to the limit only to be thrown away.
    pub(crate) fn draw(&mut self, first: bool, rank: u64, all_tasks: u64, most: u64) -> Followed {
        if let Some(tasks) = self.given_up {
            return Followed::WouldBeTooMany { tasks };
        }
        self.numbers += 1;
        if self.numbers > most {
            return Followed::TooMany;
        }
        if first {
            self.tasks += 1;
            let (lowest, highest) = self.ranks.unwrap_or((rank, rank));
            self.ranks = Some((lowest.min(rank), highest.max(rank)));
        }
        let begun = self.ranks.map_or(0, |(lowest, highest)| highest - lowest + 1);
        let stand_for_all = self.tasks >= SAMPLE && 2 * self.tasks >= begun;
        let all = u128::from(self.numbers) * u128::from(all_tasks);
        if stand_for_all && all > u128::from(most) * u128::from(self.tasks) {
            self.given_up = Some(self.tasks);
            return Followed::WouldBeTooMany { tasks: self.tasks };
        }
        Followed::Yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are followed, where these tasks draw so many each, one task after the other.
    fn check(drawing: impl Iterator<Item = u64>, each: u64, all_tasks: u64) -> (u64, Followed) {
        let mut drawn = DrawnNumbers::default();
        for rank in drawing {
            for number in 0..each {
                let followed = drawn.draw(number == 0, rank, all_tasks, 100_000);
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
        let mut draw = |rank, first| drawn.draw(first, rank, 1000, 100_000);
        (0..7).for_each(|rank| (0..1000).for_each(|number| assert_eq!(draw(rank, number == 0), Followed::Yes)));
        // Each that only begins to draw brings the mean of all down.
        (7..1000).for_each(|rank| assert_eq!(draw(rank, true), Followed::WouldBeTooMany { tasks: 8 }));
    }

    #[test]
    fn the_first_tasks_tell_what_all_would_draw() {
        assert_eq!(check(0..1000, 1000, 1000), (7001, Followed::WouldBeTooMany { tasks: 8 }));
        assert_eq!(check((0..1000).rev(), 1000, 1000), (7001, Followed::WouldBeTooMany { tasks: 8 }));
        assert_eq!(check(0..1000, 100, 1000), (100_000, Followed::Yes));
        assert_eq!(check(0..7, 10_000, 7), (70_000, Followed::Yes));
        assert_eq!(check(0..20, 10_000, 20), (70_001, Followed::WouldBeTooMany { tasks: 8 }));
        // One of each node draws.
        assert_eq!(check((0..1000).step_by(100), 9000, 1000), (90_000, Followed::Yes));
        assert_eq!(check(0..4, 30_000, 1000), (100_001, Followed::TooMany));
    }
}
