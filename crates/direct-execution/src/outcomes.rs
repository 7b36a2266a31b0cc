//! What came of a call, as numbers for its process.

use chronos_activity::{Arrival, Outcome};

/// Numbers by which the sender of a message counts it.
pub trait MessageNumbers {
    /// The number that the process of the sender gave the message.
    fn number(&self, arrival: &Arrival) -> i64;
}

/// Kind and numbers of an answer; see `runtime/chronos_live.h`.
pub fn answer(outcome: &Outcome, messages: &dyn MessageNumbers) -> (u32, Vec<i64>) {
    match outcome {
        Outcome::None | Outcome::Spun { .. } => (0, Vec::new()),
        Outcome::Arrived(arrivals) => (1, arrivals.iter().flat_map(|arrival| one(arrival, messages)).collect()),
        Outcome::Any { index, arrival } => {
            let message = arrival.iter().flat_map(|arrival| one(arrival, messages));
            (2, std::iter::once(*index as i64).chain(message).collect())
        }
        Outcome::NotYet => (3, Vec::new()),
        Outcome::Time { at } => (4, vec![i64::try_from(at.0).unwrap_or(i64::MAX)]),
    }
}

fn one(arrival: &Arrival, messages: &dyn MessageNumbers) -> [i64; 5] {
    let request = arrival.request.map_or(-1, |request| i64::from(request.0));
    let sender = i64::from(arrival.message.sender.0);
    [request, sender, messages.number(arrival), i64::from(arrival.tag), arrival.bytes.0 as i64]
}
