//! Calls and returns: functions of the program, the C library, MPI.

use crate::code::instructions::{CallArg, CallCode, CallTarget};
use crate::codes;
use crate::execute::machine::{Flow, Machine, Stop};
use crate::execute::remembered_calls::Remembered;
use chronos_activity::ContextId;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_ir::FuncId;
use chronos_values::Value;

const NO_CONTEXT: ContextId = ContextId(u32::MAX);

impl<'a> Machine<'a> {
    pub fn call(&mut self, call: &'a CallCode) -> Flow<()> {
        let context = self.context();
        self.shared.scratch.bump(context, call.counter);
        match &call.target {
            CallTarget::Function(function) => self.enter(call, *function),
            CallTarget::Library(name) => self.library_call(call, *name),
            CallTarget::Mpi(name) => self.mpi_call(call, name),
            CallTarget::Indirect(src) => match self.value(*src) {
                Value::Function(function) => self.enter(call, function),
                Value::Library(name) => self.library_call(call, name),
                Value::Unknown(reason) => Err(self.unknown_callee(call, reason)),
                _ => Err(self.null()),
            },
        }
    }

    fn unknown_callee(&mut self, call: &CallCode, reason: chronos_values::ReasonId) -> Stop {
        let mut diagnostic = Diagnostic::error(&codes::UNKNOWN_CALL, "the function that is called here is unknown")
            .label(call.span, "this call")
            .help("give the input that decides about it (--set, --stdin, --input-file, program arguments)");
        diagnostic.labels.extend(self.origins(reason));
        diagnostic.into()
    }

    /// Scalar arguments; a struct is given by its address.
    pub fn arguments(&mut self, call: &CallCode) -> Vec<Value> {
        let mut args = Vec::with_capacity(call.args.len());
        self.put_arguments(call, &mut args);
        args
    }

    fn put_arguments(&mut self, call: &CallCode, args: &mut Vec<Value>) {
        let base = self.base();
        let function = self.function();
        for arg in &call.args {
            args.push(match *arg {
                CallArg::Scalar(src) => self.get(src, base),
                CallArg::Object(place) => self.address_value(&function.places[place as usize], base),
            });
        }
    }

    fn enter(&mut self, call: &'a CallCode, function: FuncId) -> Flow<()> {
        if let Some(resource) = chronos_base::governor::exceeded() {
            return Err(self.out_of(resource, call.span, "at a call"));
        }
        let mut args = std::mem::take(&mut self.shared.arguments);
        args.clear();
        self.put_arguments(call, &mut args);
        let entered = self.enter_with(call, function, &args);
        self.shared.arguments = args;
        entered
    }

    fn enter_with(&mut self, call: &'a CallCode, function: FuncId, args: &[Value]) -> Flow<()> {
        let result_place = match call.result_place {
            Some(place) => match self.address_value(&self.function().places[place as usize], self.base()) {
                Value::Pointer(pointer) => Some(pointer),
                _ => None,
            },
            None => None,
        };
        let context = self.context_of(call, function);
        let followed = self.task.is_watched() && (self.task.linear.is_some() || self.passes_formulas(call));
        let remembered = if followed { Remembered::Unwatched } else { self.remembered(function, args, context) };
        if let Remembered::Done(result) = remembered {
            self.take_result(call.dst, result);
            return Ok(());
        }
        self.push_frame(function, args, context)?;
        if let Some(frame) = self.task.frames.last_mut() {
            frame.dst = call.dst;
            frame.result_place = result_place;
        }
        if let Remembered::New(key, purity, sums) = remembered {
            self.record(key, purity, sums);
        }
        Ok(())
    }

    pub(super) fn context_of(&mut self, call: &CallCode, function: FuncId) -> ContextId {
        let parent = self.context();
        if let Some(&(last_parent, last_function, context)) = self.shared.last_contexts.get(call.block.index())
            && (last_parent, last_function) == (parent, function)
        {
            return context;
        }
        let context = self.context_below(parent, call.block, function);
        let last = &mut self.shared.last_contexts;
        if last.len() <= call.block.index() {
            last.resize(call.block.index() + 1, (NO_CONTEXT, function, NO_CONTEXT));
        }
        last[call.block.index()] = (parent, function, context);
        context
    }
}
