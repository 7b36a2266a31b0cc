//! Sizes of messages that nobody knows.
//!
//! Where the number of elements of a message follows from data that is not followed, the message itself is as sure as
//! any other: its sender, receiver and tag are known. It is matched and passed on with the mean of the sizes that the
//! same call had before; its content, and what the receiver hears of its size, are unknown. Which size was taken is
//! told. Where there was none before, it counts as empty, which is told as an error. Must not know time.

use crate::call::{Call, Refusal};
use crate::codes;
use crate::state::size_history::SizesSeen;
use chronos_base::diag::Diagnostic;
use chronos_values::{ReasonId, Value};

/// A number of elements, and why it is assumed, where it is.
pub(crate) type Elements = (u64, Option<ReasonId>);

impl Call<'_> {
    /// A count or length that may be unknown.
    pub(crate) fn elements_or_mean(&mut self, argument: usize) -> Result<Elements, Refusal> {
        let place = (self.site.block, argument);
        let seen = self.mpi.sizes.0.get(&place).copied();
        if let (Value::Unknown(reason), Some(seen)) = (self.env.argument(argument), seen) {
            self.env.unsettle();
            self.tell_size(argument, seen, reason);
            return Ok((seen.mean(), Some(reason)));
        }
        let outer = self.vague.take();
        let elements = self.count(argument);
        let vague = std::mem::replace(&mut self.vague, outer);
        let elements = elements?;
        if vague.is_some() {
            self.vague = self.vague.or(vague);
            self.env.unsettle();
            return Ok((elements, vague));
        }
        let seen = self.mpi.sizes.0.entry(place).or_default();
        *seen = SizesSeen { calls: seen.calls + 1, elements: seen.elements + u128::from(elements) };
        Ok((elements, None))
    }

    fn tell_size(&mut self, argument: usize, seen: SizesSeen, reason: ReasonId) {
        let (name, mean) = (self.name(), seen.mean());
        let message = format!(
            "the size of a message is unknown: {mean} elements are assumed, the mean of {} earlier ones",
            seen.calls
        );
        let mut diagnostic = Diagnostic::warning(&codes::SIZE, message)
            .label(self.span, format!("argument {} of {name}", argument + 1))
            .help("raise --budget, or give the input that decides about it (--set, --stdin, --input-file, program arguments)");
        diagnostic.labels.extend(self.env.origins(reason));
        self.mpi.reports.push(diagnostic);
    }
}
