//! Buffered sends: the buffer that the program attaches for them.
//!
//! When a message leaves the buffer is up to the library, so only what can never fit is told: a message without an
//! attached buffer, or larger than all of it.

use crate::call::Call;
use crate::checks::codes;
use crate::checks::state::uses::BufferUse;
use crate::state::task::AttachedBuffer;
use chronos_base::diag::Diagnostic;
use chronos_functions::Mode;

/// `MPI_BSEND_OVERHEAD` of the header that programs are read with.
const OVERHEAD: u64 = 96;

pub fn check(call: &mut Call<'_>, uses: &[BufferUse]) {
    if call.function.mode != Some(Mode::Buffered) || call.function.is_persistent() {
        return;
    }
    let attached = call.mpi.task(call.task).attached;
    let finding = uses.first().and_then(|one| lacks_room(call, one, attached));
    finding.into_iter().for_each(|finding| call.mpi.tell(finding));
}

impl Call<'_> {
    /// A buffer is about to be attached.
    pub(crate) fn check_attach(&mut self) {
        if self.mpi.task(self.task).attached.is_some() {
            self.tell_buffer("a buffer is attached while another one is", "detach the first one before");
        }
    }

    /// The buffer is about to be detached.
    pub(crate) fn check_detach(&mut self) {
        if self.mpi.task(self.task).attached.is_none() {
            self.tell_buffer("a buffer is detached where none is attached", "attach one with MPI_Buffer_attach");
        }
    }

    fn tell_buffer(&mut self, message: &str, help: &str) {
        if self.mpi.checks.is_some() {
            let finding = told(self, message.into(), help);
            self.mpi.tell(finding);
        }
    }
}

fn told(call: &Call<'_>, message: String, help: &str) -> Diagnostic {
    Diagnostic::error(&codes::BUFFERED, message).label(call.span, "this call").help(help)
}

fn lacks_room(call: &Call<'_>, one: &BufferUse, attached: Option<AttachedBuffer>) -> Option<Diagnostic> {
    let need = one.bytes().saturating_add(OVERHEAD);
    let help =
        "attach a buffer with MPI_Buffer_attach: MPI_Pack_size and MPI_BSEND_OVERHEAD for each message under way";
    let room = match attached {
        None => return Some(told(call, format!("{} is called and no buffer is attached", call.name()), help)),
        Some(AttachedBuffer { size, .. }) => u64::try_from(size.as_int()?).unwrap_or(0),
    };
    let message = || format!("{} needs {need} bytes of the attached buffer, which has {room}", call.name());
    (need > room).then(|| told(call, message(), help))
}
