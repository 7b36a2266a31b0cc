//! Probing for messages.

use crate::call::{Call, Called, DONE, Peer};
use crate::state::pending::{Pending, Probed};
use crate::state::status::{Output, Status};
use chronos_activity::{Operation, Outcome};
use chronos_mpi::handles;

impl Call<'_> {
    pub fn probed(&mut self, probed: Probed, outcome: Outcome) -> Called {
        let arrival = match &outcome {
            Outcome::Arrived(arrivals) => arrivals.first(),
            Outcome::Any { arrival, .. } => arrival.as_ref(),
            _ => None,
        };
        self.put_int(probed.flag, i64::from(arrival.is_some()));
        if let Some(arrival) = arrival {
            let status = self.status_of(arrival, probed.comm);
            self.put_status(probed.status, 0, status);
            self.match_message(probed.message, arrival, probed.comm);
        }
        DONE
    }

    pub(crate) fn start_probe(&mut self, blocking: bool, flag: Output, message: Output, status: Output) -> Called {
        let comm = self.comm(2)?;
        let tag = self.tag(1, true)?;
        let from = match self.peer(0, comm, true)? {
            Peer::Null => {
                self.put_int(flag, 1);
                self.put_int(message, handles::MESSAGE_NO_PROC);
                self.put_status(status, 0, Status::NULL_PEER);
                return DONE;
            }
            Peer::Any => None,
            Peer::Task(task) => Some(task),
        };
        let operation = Operation::Probe { from, tag, comm, blocking };
        self.then(vec![operation], Pending::Probe(Probed { comm, flag, message, status }))
    }
}

/// `MPI_Probe(source, tag, comm, status)`.
pub(crate) fn probe(call: &mut Call<'_>) -> Called {
    let status = call.output(3);
    call.start_probe(true, None, None, status)
}

/// `MPI_Iprobe(source, tag, comm, flag, status)`.
pub(crate) fn iprobe(call: &mut Call<'_>) -> Called {
    let (flag, status) = (call.output(3), call.output(4));
    call.start_probe(false, flag, None, status)
}
