//! Calls that stand for directives of OpenMP: which variables the threads of a region share.

use crate::lower::codes;
use crate::lower::context::body::TaskScope;
use crate::lower::context::lowerer::Lowerer;
use crate::lower::context::scopes::Entry;
use chronos_base::diag::Diagnostic;
use chronos_base::ids::Id;
use chronos_base::span::Span;
use chronos_ir::openmp::{FORK, JOIN};
use chronos_ir::types::Type;
use chronos_ir::{Base, Place, Storage, VarId};
use lang_c::ast::{self, Expression};
use lang_c::span::Node;

fn is_one(constant: &ast::Constant) -> bool {
    matches!(constant, ast::Constant::Integer(integer) if &*integer.number == "1")
}

impl<'a> Lowerer<'a> {
    /// Takes notice of where a parallel region begins and ends.
    pub(crate) fn note_parallel_region(&mut self, name: &str, span: Span) {
        match name {
            FORK => {
                self.program.parallel_region.get_or_insert(span);
                self.body.parallel += 1;
                let next = self.program.variables.next_id();
                self.body.threads_from.get_or_insert(next);
            }
            JOIN => {
                self.body.parallel = self.body.parallel.saturating_sub(1);
                if self.body.parallel == 0 {
                    self.body.threads_from = None;
                }
            }
            _ => {}
        }
    }

    /// A local variable from outside of a parallel region is used in it: threads reach the same object, so that it lives in
    /// memory and in no register.
    pub(crate) fn share_with_threads(&mut self, id: VarId) {
        let Some(first) = self.body.threads_from else { return };
        let variable = &mut self.program.variables[id];
        if id.index() < first.index() && matches!(variable.storage, Storage::Local | Storage::Parameter(_)) {
            variable.address_taken = true;
        }
    }

    /// Takes notice of a mark that is no call of the program; whether it is one.
    pub(crate) fn openmp_mark(&mut self, name: &str, node: &'a Node<ast::CallExpression>) -> bool {
        let argument = node.node.arguments.first();
        let named = match argument.map(|argument| &argument.node) {
            Some(Expression::Identifier(name)) => match self.lookup(&name.node.name) {
                Some(Entry::Variable(id)) => Some(id),
                _ => None,
            },
            _ => None,
        };
        match name {
            "__chronos_omp_scalar" => self.refuse_array(named, node.span),
            "__chronos_omp_own" => self.own_copy(named, argument, node.span),
            "__chronos_omp_target" => self.target_region(argument, node.span),
            "__chronos_omp_task_begin" => {
                let all = matches!(argument.map(|a| &a.node), Some(Expression::Constant(c)) if is_one(&c.node));
                let first = self.program.variables.next_id();
                self.body.tasks.push(TaskScope { first, all, shared: Vec::new(), target: false });
            }
            "__chronos_omp_shared" => {
                if let Some(task) = self.body.tasks.last_mut() {
                    task.shared.extend(named);
                }
            }
            "__chronos_omp_task_end" => drop(self.body.tasks.pop()),
            _ => return false,
        }
        true
    }

    fn refuse_array(&mut self, named: Option<VarId>, at: lang_c::span::Span) {
        let Some(id) = named else { return };
        if matches!(self.ty(self.program.variables[id].ty), Type::Array { .. }) {
            let message =
                format!("a copy of the array `{}` for each thread is not modelled", self.program.variables[id].name);
            let help = "`private` arrays are; combine or copy the elements by loops of the program's own";
            self.error(&crate::codes::OPENMP_UNSUPPORTED, at, message, help);
        }
    }

    /// The variables of the region of a device are copies as those of a task are, but of other variables.
    fn target_region(&mut self, argument: Option<&'a Node<Expression>>, at: lang_c::span::Span) {
        if !matches!(argument.map(|a| &a.node), Some(Expression::Constant(c)) if is_one(&c.node)) {
            self.body.tasks.pop();
            return;
        }
        let first = self.program.variables.next_id();
        self.body.tasks.push(TaskScope { first, all: true, shared: Vec::new(), target: true });
        let code = &crate::codes::OPENMP_TARGET;
        if !self.diagnostics.iter().any(|diagnostic| diagnostic.code.id == code.id) {
            let message = "the region of a device is executed on the host, by the thread that comes to it";
            let note = Diagnostic::note(code, message).label(self.span(at), "the first one");
            self.diagnostics.push(note.help("no device is modelled: run with OMP_TARGET_OFFLOAD=disabled to compare"));
        }
    }

    /// A task or the region of a device has a copy of a variable, where it changes it: from here on the name means the copy.
    fn own_copy(&mut self, named: Option<VarId>, argument: Option<&'a Node<Expression>>, at: lang_c::span::Span) {
        let (Some(id), Some(argument), Some(task)) = (named, argument, self.body.tasks.last()) else { return };
        let variable = &self.program.variables[id];
        let local = matches!(variable.storage, Storage::Local | Storage::Parameter(_));
        let private = self.body.threads_from.is_none_or(|first| id.index() >= first.index());
        let outside = id.index() < task.first.index();
        let copied = match task.target {
            true => outside,
            false => outside && local && private && !task.all && !task.shared.contains(&id),
        };
        let ty = variable.ty;
        let aggregate = matches!(self.ty(ty), Type::Struct(_));
        let fits = self.scalar(ty).is_some() || aggregate && !self.body.tasks.last().is_some_and(|task| task.target);
        let Expression::Identifier(name) = &argument.node else { return };
        if !copied || !fits {
            return;
        }
        let span = self.span(at);
        let value = self.expression(argument);
        let own = self.new_local(&name.node.name, ty, span);
        let to = self.variable_place(own);
        self.assign(to, value, span);
        self.scopes.insert(&name.node.name, Entry::Variable(own));
    }

    /// A task that changes a variable of which it has a copy: here it would change the original.
    pub(crate) fn note_task_write(&mut self, to: &Place, span: Span) {
        let (Some(task), Base::Variable(id)) = (self.body.tasks.last(), &to.base) else { return };
        let variable = &self.program.variables[*id];
        let local = matches!(variable.storage, Storage::Local | Storage::Parameter(_));
        let private = self.body.threads_from.is_none_or(|first| id.index() >= first.index());
        if local && private && id.index() < task.first.index() && !task.all && !task.shared.contains(id) {
            let message = format!("`{}` is changed in a task, which has a copy of it", variable.name);
            let diagnostic = Diagnostic::error(&crate::codes::OPENMP_UNSUPPORTED, message).label(span, "changed here");
            self.diagnostics
                .push(diagnostic.help("name the variable in `firstprivate` or `shared` of the task's directive"));
        }
    }

    /// Finds the variables that `threadprivate` directives of the unit name.
    pub(crate) fn threadprivate(&mut self) {
        for name in self.unit.threadprivate {
            let found = self.statics.get(name.as_str()).or_else(|| self.linkage.variables.get(name.as_str()));
            match found {
                Some(&id) if !self.program.threadprivate.contains(&id) => self.program.threadprivate.push(id),
                Some(_) => {}
                None => {
                    let message = format!("`{name}`, which is threadprivate, is no variable of the file");
                    let help = "variables of a function cannot be threadprivate here: declare it outside";
                    self.diagnostics.push(Diagnostic::error(&codes::UNDECLARED, message).help(help));
                }
            }
        }
    }
}
