//! Waiting for requests and testing them.

use crate::call::{Call, Called, DONE, Refusal};
use crate::codes;
use crate::state::pending::{Goal, Pending, Wait};
use crate::state::requests::RequestKind;
use crate::state::status::Status;
use chronos_activity::{Arrival, Operation, Outcome, RequestId};
use chronos_base::ids::Id;
use chronos_ir::ScalarType;
use chronos_mpi::handles;
use chronos_values::{Pointer, Value};
use std::sync::Arc;

/// Whether a request needs the message layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readiness {
    Inactive,
    AtOnce,
    Live,
}

impl Wait {
    fn positions(&self, call: &mut Call<'_>, readiness: Readiness) -> Vec<usize> {
        let found = |&position: &usize| self.readiness(call, position) == readiness;
        (0..self.requests.len()).filter(found).filter(|position| !self.done.contains(position)).collect()
    }

    fn readiness(&self, call: &mut Call<'_>, position: usize) -> Readiness {
        let request = self.requests[position].and_then(|id| call.request(id));
        match request.map(|request| &request.work) {
            None | Some(RequestKind::Inactive) => Readiness::Inactive,
            Some(RequestKind::AtOnce(_)) => Readiness::AtOnce,
            Some(_) => Readiness::Live,
        }
    }

    /// The requests of the message layer behind those at these positions.
    fn ids(&self, call: &mut Call<'_>, positions: &[usize]) -> Arc<[RequestId]> {
        let requests = positions.iter().filter_map(|&position| self.requests[position]);
        let behind = requests.flat_map(|id| match call.request(id).map(|request| &request.work) {
            Some(RequestKind::Neighbours(exchange)) => exchange.requests().collect(),
            _ => vec![id],
        });
        behind.collect()
    }

    fn has_neighbours(&self, call: &mut Call<'_>) -> bool {
        let mut requests = self.requests.iter().flatten();
        requests.any(|&id| call.request(id).is_some_and(|request| matches!(request.work, RequestKind::Neighbours(_))))
    }
}

impl Call<'_> {
    /// The call with `count` handles in an array.
    fn wait(&mut self, goal: Goal, blocking: bool, count: usize, array: usize) -> Result<Wait, Refusal> {
        let mut requests = Vec::new();
        for index in 0..count {
            let handle = self.element(array, index)?;
            requests.push(self.request_of(array, handle)?);
        }
        let handles = if count == 0 { Pointer { object: Id::new(0), offset: 0 } } else { self.array(array)? };
        let none = (None, None, None, None);
        let (flag, index, indices, statuses) = none;
        let (asked, done) = (Vec::new(), Vec::new());
        Ok(Wait { goal, blocking, keeps: false, handles, requests, asked, done, flag, index, indices, statuses })
    }

    fn start_wait(&mut self, mut wait: Wait) -> Called {
        let live = wait.positions(self, Readiness::Live);
        self.check_distinct(&wait, &live)?;
        if wait.goal != Goal::All && wait.has_neighbours(self) {
            let message =
                format!("{} is given a request of a neighbourhood collective, which is not modelled", self.name());
            let help = "wait for it with MPI_Wait, MPI_Waitall, MPI_Test or MPI_Testall";
            return Err(self.wrong(&codes::UNSUPPORTED, message, help));
        }
        match wait.goal {
            Goal::All if live.is_empty() => self.all_complete(&wait, &[]),
            Goal::All => self.ask(wait, live),
            Goal::Any => match wait.positions(self, Readiness::AtOnce).first() {
                Some(&position) => self.one_complete(&wait, position, None),
                None if live.is_empty() => self.none_active(&wait),
                None => self.ask(wait, live),
            },
            Goal::Some => {
                let ready = wait.positions(self, Readiness::AtOnce);
                if ready.is_empty() && live.is_empty() {
                    self.put_int(wait.index, handles::UNDEFINED);
                    return DONE;
                }
                for position in ready {
                    self.some_complete(&mut wait, position, None)?;
                }
                self.ask_for_more(wait)
            }
        }
    }

    /// A request under way completes once, so it stands at one position (its handle is nulled there).
    fn check_distinct(&self, wait: &Wait, live: &[usize]) -> Result<(), Refusal> {
        let request = |&position: &usize| wait.requests[position];
        // As programs mostly begin them.
        if live.is_sorted_by(|a, b| request(a) < request(b)) {
            return Ok(());
        }
        let mut ordered = live.to_vec();
        ordered.sort_by_key(request);
        let twice = ordered.windows(2).find(|pair| request(&pair[0]) == request(&pair[1]));
        twice.map_or(Ok(()), |pair| {
            let message = format!("{} is given one request twice, at positions {} and {}", self.name(), pair[0], pair[1]);
            let help = "keep the request of each call in an element of its own; a copy that is no longer needed is set to MPI_REQUEST_NULL";
            Err(self.wrong(&codes::HANDLE, message, help))
        })
    }

    fn ask(&mut self, mut wait: Wait, positions: Vec<usize>) -> Called {
        let requests = wait.ids(self, &positions);
        let blocking = wait.blocking && wait.done.is_empty();
        let operation = match (wait.goal, blocking) {
            (Goal::All, true) => Operation::WaitAll { requests },
            (Goal::All, false) => Operation::TestAll { requests },
            (_, true) => Operation::WaitAny { requests },
            (_, false) => Operation::TestAny { requests },
        };
        wait.asked = positions;
        self.then(vec![operation], Pending::Wait(Box::new(wait)))
    }

    /// Waitsome and Testsome take all that is there, one by one.
    fn ask_for_more(&mut self, wait: Wait) -> Called {
        let live = wait.positions(self, Readiness::Live);
        if live.is_empty() { self.some_end(&wait) } else { self.ask(wait, live) }
    }

    pub fn waited(&mut self, mut wait: Wait, outcome: Outcome) -> Called {
        match (wait.goal, outcome) {
            (Goal::All, Outcome::NotYet | Outcome::Spun { .. }) => {
                self.put_int(wait.flag, 0);
                DONE
            }
            (Goal::All, Outcome::Arrived(arrivals)) => self.all_complete(&wait, &arrivals),
            (Goal::All, Outcome::Any { arrival, .. }) => self.all_complete(&wait, arrival.as_slice()),
            (Goal::All, Outcome::None | Outcome::Time { .. }) => self.all_complete(&wait, &[]),
            (Goal::Any, Outcome::Any { index, arrival }) => match wait.asked.get(index).copied() {
                Some(position) => self.one_complete(&wait, position, arrival.as_ref()),
                None => self.none_active(&wait),
            },
            (Goal::Any, _) => {
                self.put_int(wait.flag, 0);
                self.put_int(wait.index, handles::UNDEFINED);
                DONE
            }
            (Goal::Some, Outcome::Any { index, arrival }) => {
                if let Some(position) = wait.asked.get(index).copied() {
                    self.some_complete(&mut wait, position, arrival.as_ref())?;
                }
                self.ask_for_more(wait)
            }
            (Goal::Some, _) => self.some_end(&wait),
        }
    }

    fn all_complete(&mut self, wait: &Wait, arrivals: &[Arrival]) -> Called {
        for position in 0..wait.requests.len() {
            let own = wait.requests[position];
            let arrival = arrivals.iter().find(|arrival| own.is_some() && arrival.request == own);
            let status = self.complete(wait, position, arrival, arrivals)?;
            self.put_status(wait.statuses, position, status);
        }
        self.put_int(wait.flag, 1);
        self.fold_due()
    }

    fn one_complete(&mut self, wait: &Wait, position: usize, arrival: Option<&Arrival>) -> Called {
        let status = self.complete(wait, position, arrival, &[])?;
        self.put_status(wait.statuses, 0, status);
        self.put_int(wait.index, i64::try_from(position).unwrap_or(handles::UNDEFINED));
        self.put_int(wait.flag, 1);
        self.fold_due()
    }

    fn none_active(&mut self, wait: &Wait) -> Called {
        self.put_status(wait.statuses, 0, Status::EMPTY);
        self.put_int(wait.index, handles::UNDEFINED);
        self.put_int(wait.flag, 1);
        DONE
    }

    fn some_complete(&mut self, wait: &mut Wait, position: usize, arrival: Option<&Arrival>) -> Result<(), Refusal> {
        let status = self.complete(wait, position, arrival, &[])?;
        let nth = wait.done.len();
        self.put_status(wait.statuses, nth, status);
        let place = wait.indices.map(|pointer| self.nth(pointer, nth, ScalarType::I32));
        self.put_int(place, i64::try_from(position).unwrap_or(handles::UNDEFINED));
        wait.done.push(position);
        Ok(())
    }

    fn some_end(&mut self, wait: &Wait) -> Called {
        self.put_int(wait.index, i64::try_from(wait.done.len()).unwrap_or(handles::UNDEFINED));
        self.fold_due()
    }

    /// What the request brought is written, and its handle nulled.
    fn complete(
        &mut self,
        wait: &Wait,
        position: usize,
        arrival: Option<&Arrival>,
        arrivals: &[Arrival],
    ) -> Result<Status, Refusal> {
        let Some(id) = wait.requests[position] else { return Ok(Status::EMPTY) };
        let work = self.request(id).map(|request| std::mem::replace(&mut request.work, RequestKind::Inactive));
        let active = !matches!(work, Some(RequestKind::Inactive) | None);
        self.check_completed(id, wait.keeps);
        let status = match work {
            Some(RequestKind::AtOnce(status) | RequestKind::Stored(status)) => status,
            Some(RequestKind::Receive { buffer, comm }) => self.deliver(&buffer, comm, arrival)?,
            Some(RequestKind::Collective(joined)) => {
                if joined.is_folded() {
                    self.mpi.task(self.task).folds.push(*joined);
                } else {
                    self.joined(*joined)?;
                }
                Status::EMPTY
            }
            Some(RequestKind::Neighbours(exchange)) => {
                self.take_blocks(*exchange, arrivals)?;
                Status::EMPTY
            }
            Some(RequestKind::Send | RequestKind::Inactive) | None => Status::EMPTY,
        };
        if wait.keeps {
            if active {
                self.keep(id, status);
            }
        } else if self.release(id) {
            let place = self.nth(wait.handles, position, ScalarType::I32);
            self.env.store(place, ScalarType::I32, Value::Int(handles::NULL));
        }
        Ok(status)
    }
}

impl Call<'_> {
    /// A request that has completed waits to be waited for, without any event.
    fn keep(&mut self, id: RequestId, status: Status) {
        if let Some(request) = self.request(id) {
            request.work = RequestKind::AtOnce(status);
        }
    }
}

/// `MPI_Request_get_status(request, flag, status)`: as a test, but the request stays.
pub(crate) fn get_status(call: &mut Call<'_>) -> Called {
    let handle = call.int(0)?;
    let requests = vec![call.request_of(0, handle)?];
    let wait = call.wait(Goal::All, false, 0, 0)?;
    let (flag, statuses) = (call.output(1), call.output(2));
    call.start_wait(Wait { requests, keeps: true, flag, statuses, ..wait })
}

/// `MPI_Wait(request, status)`.
pub(crate) fn wait(call: &mut Call<'_>) -> Called {
    let wait = call.wait(Goal::All, true, 1, 0)?;
    let statuses = call.output(1);
    call.start_wait(Wait { statuses, ..wait })
}

/// `MPI_Waitall(count, requests, statuses)`.
pub(crate) fn waitall(call: &mut Call<'_>) -> Called {
    let count = call.length(0)?;
    let wait = call.wait(Goal::All, true, count, 1)?;
    let statuses = call.output(2);
    call.start_wait(Wait { statuses, ..wait })
}

/// `MPI_Waitany(count, requests, index, status)`.
pub(crate) fn waitany(call: &mut Call<'_>) -> Called {
    let count = call.length(0)?;
    let wait = call.wait(Goal::Any, true, count, 1)?;
    let (index, statuses) = (call.output(2), call.output(3));
    call.start_wait(Wait { index, statuses, ..wait })
}

/// `MPI_Waitsome(incount, requests, outcount, indices, statuses)`.
pub(crate) fn waitsome(call: &mut Call<'_>) -> Called {
    some(call, true)
}

/// `MPI_Testsome(incount, requests, outcount, indices, statuses)`.
pub(crate) fn testsome(call: &mut Call<'_>) -> Called {
    some(call, false)
}

fn some(call: &mut Call<'_>, blocking: bool) -> Called {
    let count = call.length(0)?;
    let wait = call.wait(Goal::Some, blocking, count, 1)?;
    let (index, indices, statuses) = (call.output(2), call.output(3), call.output(4));
    call.start_wait(Wait { index, indices, statuses, ..wait })
}

/// `MPI_Test(request, flag, status)`.
pub(crate) fn test(call: &mut Call<'_>) -> Called {
    let wait = call.wait(Goal::All, false, 1, 0)?;
    let (flag, statuses) = (call.output(1), call.output(2));
    call.start_wait(Wait { flag, statuses, ..wait })
}

/// `MPI_Testall(count, requests, flag, statuses)`.
pub(crate) fn testall(call: &mut Call<'_>) -> Called {
    let count = call.length(0)?;
    let wait = call.wait(Goal::All, false, count, 1)?;
    let (flag, statuses) = (call.output(2), call.output(3));
    call.start_wait(Wait { flag, statuses, ..wait })
}

/// `MPI_Testany(count, requests, index, flag, status)`.
pub(crate) fn testany(call: &mut Call<'_>) -> Called {
    let count = call.length(0)?;
    let wait = call.wait(Goal::Any, false, count, 1)?;
    let (index, flag, statuses) = (call.output(2), call.output(3), call.output(4));
    call.start_wait(Wait { flag, index, statuses, ..wait })
}
