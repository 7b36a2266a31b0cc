//! The program as tasks run it: compiled once for each data model that machines have.
//!
//! On clusters of 32- and 64-bit machines, the same sources are lowered once for each size of `long` and pointers. All
//! of these programs have the same functions, blocks and counters by the same numbers (`chronos_ir::same`), so counts,
//! contexts and assumptions are shared by all tasks; what follows from sizes of types is not.

use crate::code::program::Code;
use crate::compile::functions;
use crate::execute::machine::Known;
use crate::library;
use crate::state::options::{EvaluatorOptions, NativeCode};
use chronos_abstract_execution::Summariser;
use chronos_ir::Program;
use std::sync::Arc;

/// One program of an evaluation, with its closed forms of loops.
pub struct TaskProgram {
    /// The program.
    pub program: Arc<Program>,
    /// What sums its loops up.
    pub summariser: Box<dyn Summariser>,
}

/// What the tasks of one data model run.
pub(crate) struct Compiled {
    pub code: Arc<Code>,
    pub summariser: Box<dyn Summariser>,
    pub known: Known,
}

/// Which task runs which program.
pub(crate) struct Programs {
    all: Vec<Compiled>,
    /// Position of each task's program; empty where there is one.
    of_task: Vec<u32>,
}

impl Programs {
    pub fn new(programs: Vec<TaskProgram>, of_task: Vec<u32>, options: &EvaluatorOptions) -> Self {
        Self { all: programs.into_iter().map(|program| Compiled::new(program, options)).collect(), of_task }
    }

    fn position(&self, task: usize) -> usize {
        self.of_task.get(task).map_or(0, |&position| position as usize)
    }

    pub fn of(&self, task: usize) -> &Compiled {
        &self.all[self.position(task)]
    }

    pub(crate) fn of_mut(&mut self, task: usize) -> &mut Compiled {
        let position = self.position(task);
        &mut self.all[position]
    }

    /// The code whose blocks and places speak for all.
    pub fn first(&self) -> &Arc<Code> {
        &self.all[0].code
    }

    #[cfg(test)]
    pub(crate) fn first_known(&mut self) -> &mut Known {
        &mut self.all[0].known
    }
}

impl Compiled {
    fn new(program: TaskProgram, options: &EvaluatorOptions) -> Self {
        let mut code = functions::compile(program.program);
        code.heed(&options.assumptions);
        let models = code.library.iter().map(|name| library::lookup(name)).collect();
        let mut known = Known::new(models, code.program.blocks.len());
        if options.ignores_prediction {
            known.predictor.rest();
        }
        known.native.off = options.native == NativeCode::Off;
        known.native.at_once = options.native == NativeCode::AtOnce;
        Self { code: Arc::new(code), summariser: program.summariser, known }
    }
}
