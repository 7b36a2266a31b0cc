//! Structs whose members lie in the byte order of another machine (`scalar_storage_order` of GCC): they are laid out in
//! that of the machine, so that what looks at their bytes finds others. Nobody follows where such bytes go, so all counts
//! are a doubt.

use super::{Certainty, Doubt, Doubts, Subject};
use chronos_ir::Program;

/// How the front end spells the attribute and the pragma among what it does not model.
const NAME: &str = "scalar_storage_order";

/// A doubt for each place that asks for the other byte order.
pub fn add(program: &Program, doubts: &mut Doubts) {
    let foreign = |text: &str| text.starts_with(NAME) && text.contains("big-endian");
    for (_, span) in program.pragmas.iter().filter(|(text, _)| foreign(text)) {
        let text = "a struct has the byte order of another machine, and that of this one is taken";
        let help =
            Some("swap the bytes explicitly, or count it in a run: `chronos trace`, and its folder as --trace".into());
        let doubt = Doubt { span: *span, certainty: Certainty::Unknown, text: text.into(), help };
        for (function, _) in program.functions.iter() {
            doubts.add(doubt.clone(), Subject::Function(function));
        }
    }
}
