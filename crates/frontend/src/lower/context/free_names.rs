//! Names that the user leaves free (`--symbolic`): what they are, and where their own value is used.

use super::affine::Affine;
use crate::parameters::argument_index;
use crate::{FreeName, codes};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::span::Span;
use chronos_ir::raw::RawProgram;
use chronos_ir::types::{ScalarType, TypeId};
use chronos_ir::{Parameter, ParameterId, ParameterKind, SymbolicInitial, VarId};

/// Labels of a diagnostic that says where a default was used; more are only counted.
const SHOWN_PLACES: usize = 5;

/// What is known of the free names of all units.
pub struct Parameters<'a> {
    pub names: &'a [FreeName],
    /// By position of the name.
    pub found: Vec<Option<FoundName>>,
    /// Positions whose default was taken, in order: compared before and after a constant expression.
    pub taken: Vec<usize>,
    /// Where the default fixes what the program does.
    pub fixed: Vec<Vec<(Span, &'static str)>>,
    /// Scalars in static storage with what they hold at the start.
    pub initials: FxHashMap<(VarId, u64), (ScalarType, Affine)>,
    /// Types of arrays whose length was a default, and what the length is.
    pub lengths: FxHashMap<TypeId, (usize, Option<Affine>)>,
    /// Names of which something was reported.
    pub told: FxHashSet<usize>,
}

/// A free name that the program defines.
#[derive(Clone, Copy)]
pub struct FoundName {
    pub variable: VarId,
    pub is_constant: bool,
    pub default: i64,
    pub ty: ScalarType,
    /// Where it was met first.
    pub span: Span,
}

impl<'a> Parameters<'a> {
    pub fn new(names: &'a [FreeName]) -> Self {
        Self {
            names,
            found: vec![None; names.len()],
            taken: Vec::new(),
            fixed: vec![Vec::new(); names.len()],
            initials: FxHashMap::default(),
            lengths: FxHashMap::default(),
            told: FxHashSet::default(),
        }
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|free| free.name == name)
    }

    /// To compare with what is taken later.
    pub fn mark(&self) -> usize {
        self.taken.len()
    }

    /// Notes that the default of a parameter is taken.
    pub fn take(&mut self, position: usize) {
        self.taken.push(position);
    }

    /// The default of a parameter was taken since the mark.
    pub(crate) fn taken_since(&self, mark: usize) -> Option<usize> {
        self.taken.get(mark).copied()
    }

    /// The position of the name that a variable stands for at every use.
    pub(crate) fn constant_of(&self, variable: VarId) -> Option<usize> {
        let is = |found: &Option<FoundName>| found.is_some_and(|found| found.is_constant && found.variable == variable);
        self.found.iter().position(is)
    }

    /// Enters the parameters into the program and says where defaults were used.
    pub fn finish(self, program: &mut RawProgram, diagnostics: &mut Vec<Diagnostic>) {
        let mut ids = vec![None; self.names.len()];
        for (position, free) in self.names.iter().enumerate() {
            let parameter = match self.found[position] {
                Some(found) => Some(found.parameter(free, program)),
                None => argument_index(&free.name).filter(|_| takes_arguments(program)).map(|index| Parameter {
                    name: free.name.as_str().into(),
                    kind: ParameterKind::Argument { index },
                    span: None,
                }),
            };
            ids[position] = parameter.map(|parameter| program.parameters.push(parameter));
            diagnostics.extend(self.found[position].and_then(|found| self.default_used(position, found)));
        }
        let mut initials: Vec<_> = self.initials.into_iter().collect();
        initials.sort_by_key(|(place, _)| *place);
        let entered = initials
            .into_iter()
            .filter_map(|(place, (ty, value))| symbolic_initial(place.0, place.1, ty, &value, &ids));
        program.symbolic_initials.extend(entered);
    }

    fn default_used(&self, position: usize, found: FoundName) -> Option<Diagnostic> {
        let free = &self.names[position];
        let directives = free.directives.iter().map(|&span| (span, "#if"));
        let mut places: Vec<_> = directives.chain(self.fixed[position].iter().copied()).collect();
        places.dedup();
        let more = places.len().saturating_sub(SHOWN_PLACES);
        let (first, _) = places.first()?;
        let more = if more > 0 { format!(", {more} more such places") } else { String::new() };
        let message = format!("`{}` has its own value {} where C wants a constant{more}", free.name, found.default);
        let help = format!(
            "results hold for values of {0} that choose the same code here; for others, predict with --set {0}=VALUE",
            free.name
        );
        let warning = Diagnostic::warning(&codes::DEFAULT_USED, message).label(*first, places[0].1).help(help);
        Some(
            places[1..]
                .iter()
                .take(SHOWN_PLACES - 1)
                .fold(warning, |warning, (span, text)| warning.label(*span, *text)),
        )
    }
}

fn symbolic_initial(
    variable: VarId,
    offset: u64,
    ty: ScalarType,
    value: &Affine,
    ids: &[Option<ParameterId>],
) -> Option<SymbolicInitial> {
    let terms = value.terms.iter().map(|&(position, factor)| Some((ids[position]?, factor))).collect::<Option<_>>()?;
    Some(SymbolicInitial { variable, offset, ty, constant: value.constant, terms })
}

impl FoundName {
    fn parameter(&self, free: &FreeName, program: &mut RawProgram) -> Parameter {
        let (variable, default) = (self.variable, Some(self.default));
        let kind = match self.is_constant {
            true => ParameterKind::Macro { variable, default },
            false => ParameterKind::Variable { variable, default },
        };
        let defined = free.definition(self.default);
        if let Some(span) = defined {
            program.variables[variable].span = span;
        }
        let span = defined.or((!free.is_macro).then_some(self.span));
        Parameter { name: free.name.as_str().into(), kind, span }
    }
}

fn takes_arguments(program: &RawProgram) -> bool {
    program.main.is_some_and(|main| program.functions[main].params.len() >= 2)
}
