//! Which operations of a task may begin, as others begin and end.
//!
//! A task is looked at section by section (`sections`), and what is kept grows with the operations that may be under
//! way, not with the length of the task: mostly they are few. This module must not know what the operations do.

mod list;
mod window;

pub use super::sections::{Sections, TaskView};
pub use list::ListFrontier;
pub use window::{FrontierPause, WindowFrontier};

/// How far a task is.
#[derive(Debug)]
pub enum Frontier {
    /// For tasks whose operations under way lie close together: bits of a window that moves along.
    Window(WindowFrontier),
    /// For tasks in which they do not: a list of all dependences.
    List(Box<ListFrontier>),
}

impl Frontier {
    /// Tells of each operation that may begin at once.
    pub fn new(place: TaskView<'_>, mut free: impl FnMut(u32)) -> Self {
        let mut few = WindowFrontier::default();
        few.enter(place, &mut free);
        let mut frontier = Self::Window(few);
        frontier.make_room(place, free);
        frontier
    }

    fn make_room(&mut self, place: TaskView<'_>, free: impl FnMut(u32)) {
        if let Self::Window(few) = self
            && few.is_full()
        {
            *self = Self::List(Box::new(ListFrontier::behind(few, place, free)));
        }
    }

    /// The first operation that has not ended, or the length of the task.
    pub fn base(&self) -> u32 {
        match self {
            Self::Window(few) => few.base(),
            Self::List(many) => many.base(),
        }
    }

    /// Prefetches what will be needed when one of them ends.
    #[inline]
    pub fn prefetch(&self, place: TaskView<'_>) {
        if let Self::Window(few) = self {
            few.prefetch(place);
        }
    }

    /// Tells of each operation that nothing holds up any more, now that this one has begun.
    #[inline]
    pub fn began(&mut self, place: TaskView<'_>, operation: u32, mut free: impl FnMut(u32)) {
        match self {
            Self::Window(few) => {
                few.began(place, operation, &mut free);
                self.make_room(place, free);
            }
            Self::List(many) => many.began(operation, free),
        }
    }

    /// The same, now that it has ended.
    #[inline]
    pub fn ended(&mut self, place: TaskView<'_>, operation: u32, mut free: impl FnMut(u32)) {
        match self {
            Self::Window(few) => {
                few.ended(place, operation, &mut free);
                self.make_room(place, free);
            }
            Self::List(many) => many.ended(place, operation, free),
        }
    }
}

#[cfg(test)]
mod tests;
