//! Calls that read a clock as calls to be answered: where the time decides about what a program does, whoever follows it must
//! come to each reading as to a call of MPI.

use crate::{BlockKind, Callee, Program};
use chronos_base::ids::Id;
use chronos_functions as functions;

impl Program {
    /// The same program whose readings of clocks are answered one by one. Its blocks are the same.
    #[must_use]
    pub fn with_followed_clocks(&self) -> Self {
        let mut followed = Self { follows_clocks: true, ..self.clone() };
        for (function, reads) in followed.functions.iter_mut().zip(self.readers_of_clocks()) {
            function.1.effects.reaches_mpi |= reads;
        }
        followed
    }

    /// Whether a call reads a clock and is answered with the time.
    pub fn answers(&self, callee: &Callee) -> bool {
        self.follows_clocks
            && matches!(callee, Callee::Mpi(name) | Callee::Library(name) if functions::reads_clock(name))
    }

    /// By function, whether a call of it may read a clock of the C library.
    fn readers_of_clocks(&self) -> Vec<bool> {
        let mut readers = vec![false; self.functions.len()];
        let taken: Vec<usize> =
            self.functions.iter().filter(|(_, f)| f.effects.address_taken).map(|(id, _)| id.index()).collect();
        loop {
            let before = readers.iter().filter(|&&reads| reads).count();
            for block in self.blocks.values() {
                let BlockKind::Call(call) = &block.kind else { continue };
                let reads = match &call.callee {
                    Callee::Library(name) => functions::reads_clock(name),
                    Callee::Function(callee) => readers[callee.index()],
                    Callee::Indirect(_) => taken.iter().any(|&callee| readers[callee]),
                    Callee::Mpi(_) => false,
                };
                readers[block.function.index()] |= reads;
            }
            if readers.iter().filter(|&&reads| reads).count() == before {
                return readers;
            }
        }
    }
}
