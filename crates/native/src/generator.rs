//! The code generator, which keeps the memory that code stands in.

use crate::code::{Body, Slot};
use crate::flow::Flow;
use crate::kinds::{Kinds, Refused};
use crate::lower;
use crate::run::{Compiled, Frame, Reach, held, kind};
use chronos_values::Value;
use cranelift_codegen::Context;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{Module, default_libcall_names};
use std::sync::Arc;

/// Makes code of this processor. Code stays valid for as long as the process runs.
pub struct Generator {
    /// Never dropped: what it frees is memory that code may still stand in.
    module: std::mem::ManuallyDrop<JITModule>,
    context: Context,
    builder: FunctionBuilderContext,
}

impl std::fmt::Debug for Generator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Generator").finish_non_exhaustive()
    }
}

impl Generator {
    /// `None` where cranelift knows no code of this processor.
    pub fn new() -> Option<Self> {
        let builder = JITBuilder::with_flags(&[("opt_level", "speed")], default_libcall_names()).ok()?;
        let module = JITModule::new(builder);
        let context = module.make_context();
        let module = std::mem::ManuallyDrop::new(module);
        Some(Self { module, context, builder: FunctionBuilderContext::new() })
    }

    /// Compiles a body for registers that hold values of such kinds.
    ///
    /// # Errors
    /// Why it is not compiled.
    pub fn compile(&mut self, body: Arc<Body>, registers: &[Value], globals: &[Value]) -> Result<Compiled, Refused> {
        let flow = Flow::of(&body);
        let held_kind = |slot: Slot| held(&body, slot, registers, globals).and_then(kind);
        let kinds = Kinds::of(&body, &flow, &held_kind)?;
        let entry = flow.read_at_first().filter_map(|slot| Some((body.slots[slot.0 as usize].home, kinds.slot(slot)?)));
        let entry = entry.collect();
        let code = self.generate(&body, &flow, &kinds)?;
        Ok(Compiled { code, entry, reach: Reach::of(&body), body })
    }

    fn generate(
        &mut self,
        body: &Body,
        flow: &Flow,
        kinds: &Kinds,
    ) -> Result<extern "C" fn(*mut Frame<'_>) -> u32, Refused> {
        let generator = |_| Refused::Generator;
        let config = self.module.target_config();
        let signature = lower::signature(config.default_call_conv);
        let id = self.module.declare_anonymous_function(&signature).map_err(generator)?;
        self.context.func.signature = signature;
        let builder = FunctionBuilder::new(&mut self.context.func, &mut self.builder);
        lower::lower(builder, body, flow, kinds, config);
        let defined = self.module.define_function(id, &mut self.context);
        self.module.clear_context(&mut self.context);
        defined.map_err(generator)?;
        self.module.finalize_definitions().map_err(generator)?;
        let code = self.module.get_finalized_function(id);
        // SAFETY: the function was made with this signature, and the module is never dropped.
        Ok(unsafe { std::mem::transmute::<*const u8, extern "C" fn(*mut Frame<'_>) -> u32>(code) })
    }
}
