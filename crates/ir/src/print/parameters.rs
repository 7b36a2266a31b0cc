//! Parameters in the textual form.

use super::scalar_name;
use crate::{Parameter, ParameterKind, Program, SymbolicInitial};

/// A line for each parameter, with its place, and for each initial value that depends on parameters.
pub(super) fn lines(program: &Program) -> Vec<String> {
    let parameters = program.parameters.iter().map(|(id, parameter)| {
        let place = parameter.span.map_or(String::new(), |span| format!("  ; {}", program.files.locate(span)));
        format!("parameter {id} {}: {}{place}", parameter.name, kind(parameter))
    });
    let initials = program.symbolic_initials.iter().map(|initial| symbolic_initial(program, initial));
    parameters.chain(initials).collect()
}

fn kind(parameter: &Parameter) -> String {
    let default = parameter.default().map_or(String::new(), |default| format!(", by default {default}"));
    match parameter.kind {
        ParameterKind::Macro { variable, .. } => format!("constant {variable}{default}"),
        ParameterKind::Variable { variable, .. } => format!("initial value of {variable}{default}"),
        ParameterKind::Argument { index } => format!("argument {index}"),
    }
}

fn symbolic_initial(program: &Program, initial: &SymbolicInitial) -> String {
    let name = program.variables.get(initial.variable).map_or("?", |variable| &*variable.name);
    let terms = initial.terms.iter().map(|(parameter, factor)| format!("{factor}*{parameter}"));
    let constant = (initial.constant != 0 || initial.terms.is_empty()).then(|| initial.constant.to_string());
    let sum: Vec<String> = constant.into_iter().chain(terms).collect();
    let (variable, offset, ty) = (initial.variable, initial.offset, scalar_name(initial.ty));
    format!("initially {variable}:{name}+{offset}: {ty} = {}", sum.join(" + "))
}
