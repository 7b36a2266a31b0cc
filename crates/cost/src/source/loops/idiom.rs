//! Loops that a compiler replaces by a call of memset or memcpy (GCC: -ftree-loop-distribute-patterns; LLVM:
//! LoopIdiomRecognize).

use crate::source::dataflow::build::Setting;
use crate::source::dataflow::graph::{Access, Graph};

/// A loop that the compiler replaces by a call of the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idiom {
    /// It sets bytes to 0.
    Fill(u64),
    /// It copies so many bytes per iteration.
    Copy(u64),
}

impl Idiom {
    /// Bytes per iteration, and the function that is called.
    pub fn call(self) -> (u64, &'static str) {
        match self {
            Self::Fill(bytes) => (bytes, "memset"),
            Self::Copy(bytes) => (bytes, "memcpy"),
        }
    }

    /// Whether what is stored was loaded.
    pub fn loads(self) -> bool {
        matches!(self, Self::Copy(_))
    }
}

/// Whether compilers call the function in place of loops that fill or copy memory.
pub fn is_made_of_loops(function: &str) -> bool {
    matches!(function, "memset" | "memcpy" | "memmove")
}

/// One store per iteration, element after element, of zero or of what one load reads likewise; nothing else.
pub fn idiom(setting: Setting<'_>, graph: &Graph) -> Option<Idiom> {
    if graph.irregular || !setting.profile.recognises_fills || !graph.through_memory.is_empty() {
        return None;
    }
    // memset and memcpy know no gaps.
    let dense =
        |access: &Access| graph.stride(access).is_some_and(|stride| stride.unsigned_abs() == access.address.bytes);
    let store = graph.accesses.iter().find(|access| access.store).filter(|store| dense(store))?;
    let value = *graph.nodes[store.node].operands.first()?;
    let bytes = store.address.bytes;
    match graph.accesses.as_slice() {
        [_] if graph.nodes[value].opcode.is_zero() => Some(Idiom::Fill(bytes)),
        [a, b] => {
            // Source and target must be different objects, else it would be memmove.
            let load = if a.store { b } else { a };
            let copies = !load.store && load.node == value && dense(load) && load.address.root != store.address.root;
            copies.then_some(Idiom::Copy(bytes))
        }
        _ => None,
    }
}
