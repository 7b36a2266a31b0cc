//! Which operations of a task may begin, as others begin and end.
//!
//! A task is looked at section by section (`sections`), and what is kept grows with the operations that may be under way, not
//! with the length of the task: mostly they are few. This module must not know what the operations do.

mod few;
mod many;

pub use super::sections::{Place, Sections};
pub use few::{Few, Pause};
pub use many::Many;

/// How far a task is.
#[derive(Debug)]
pub enum Frontier {
    Few(Few),
    Many(Box<Many>),
}

impl Frontier {
    /// Tells of each operation that may begin at once.
    pub fn new(place: Place<'_>, mut free: impl FnMut(u32)) -> Self {
        let mut few = Few::default();
        few.enter(place, &mut free);
        let mut frontier = Self::Few(few);
        frontier.make_room(place, free);
        frontier
    }

    fn make_room(&mut self, place: Place<'_>, free: impl FnMut(u32)) {
        if let Self::Few(few) = self
            && few.is_full()
        {
            *self = Self::Many(Box::new(Many::behind(few, place, free)));
        }
    }

    /// The first operation that has not ended, or the length of the task.
    pub fn base(&self) -> u32 {
        match self {
            Self::Few(few) => few.base(),
            Self::Many(many) => many.base(),
        }
    }

    /// Brings near what will be needed when one of them ends.
    #[inline]
    pub fn fetch(&self, place: Place<'_>) {
        if let Self::Few(few) = self {
            few.fetch(place);
        }
    }

    /// Tells of each operation that nothing holds up any more, now that this one has begun.
    #[inline]
    pub fn began(&mut self, place: Place<'_>, operation: u32, mut free: impl FnMut(u32)) {
        match self {
            Self::Few(few) => {
                few.began(place, operation, &mut free);
                self.make_room(place, free);
            }
            Self::Many(many) => many.began(operation, free),
        }
    }

    /// The same, now that it has ended.
    #[inline]
    pub fn ended(&mut self, place: Place<'_>, operation: u32, mut free: impl FnMut(u32)) {
        match self {
            Self::Few(few) => {
                few.ended(place, operation, &mut free);
                self.make_room(place, free);
            }
            Self::Many(many) => many.ended(place, operation, free),
        }
    }
}

#[cfg(test)]
mod tests;
