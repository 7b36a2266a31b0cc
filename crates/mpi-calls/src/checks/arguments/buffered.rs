//! Buffered sends: the buffer that the program attaches for them.
//!
//! When a message leaves the buffer is up to the library, so only what can never fit is told: a message without an
//! attached buffer, or larger than all of it.

use crate::call::Call;
use crate::checks::codes;
use crate::checks::state::uses::BufferUse;
use chronos_base::diag::Diagnostic;
use chronos_values::Value;

/// `MPI_BSEND_OVERHEAD` of the header that programs are read with.
const OVERHEAD: u64 = 96;

pub fn check(call: &mut Call<'_>, uses: &[BufferUse]) {
    let attached = call.world.task(call.task).attached;
    let finding = match call.name {
        "MPI_Bsend" | "MPI_Ibsend" => uses.first().and_then(|one| lacks_room(call, one, attached)),
        "MPI_Buffer_attach" if attached.is_some() => {
            Some(told(call, "a buffer is attached while another one is".into(), "detach the first one before"))
        }
        "MPI_Buffer_detach" if attached.is_none() => {
            Some(told(call, "a buffer is detached where none is attached".into(), "attach one with MPI_Buffer_attach"))
        }
        _ => None,
    };
    if let Some(finding) = finding {
        call.world.tell(finding);
    }
}

fn told(call: &Call<'_>, message: String, help: &str) -> Diagnostic {
    Diagnostic::error(&codes::BUFFERED, message).label(call.span, "this call").help(help)
}

fn lacks_room(call: &Call<'_>, one: &BufferUse, attached: Option<(Value, Value)>) -> Option<Diagnostic> {
    let need = one.bytes().saturating_add(OVERHEAD);
    let help =
        "attach a buffer with MPI_Buffer_attach: MPI_Pack_size and MPI_BSEND_OVERHEAD for each message under way";
    let room = match attached {
        None => return Some(told(call, format!("{} is called and no buffer is attached", call.name), help)),
        Some((_, size)) => u64::try_from(size.as_int()?).unwrap_or(0),
    };
    let message = || format!("{} needs {need} bytes of the attached buffer, which has {room}", call.name);
    (need > room).then(|| told(call, message(), help))
}
