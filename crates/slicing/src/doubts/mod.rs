//! What the evaluation uses although a run of the program may have it otherwise: the one mechanism for all that is
//! approximated.
//!
//! What cannot be known at all is an unknown value with its [`chronos_values::Reason`], and spoils by itself what is made
//! from it. Some things are better used than forgotten: a variable of the environment is taken to be unset, a type is
//! computed in fewer bits, a function that a library may call at any time is not called. Whoever uses such a thing says
//! so here: [`Doubts::add`] with a [`Doubt`], which names the place, what was taken and the remedy, and its
//! [`Subject`], where the approximation enters the program. Nothing else is asked of him: the value goes on as if it
//! was right, without a mark that operations would have to carry.
//!
//! When the evaluation is over, [`follow`] goes forward from the subjects of each doubt along the dependences that
//! this crate knows (storage, values, messages, decisions; insensitive to flow and context, as in static
//! forward slicing: M. Weiser, Program slicing, TSE 1984). The blocks that it comes to are executed another number of
//! times if the doubt is right. Crate `chronos_predict` (`profile`) gives their counts the source `assumed`
//! ([`Certainty::Approximate`]) or `unknown` ([`Certainty::Unknown`]) with the doubt as their cause, so that `--strict`
//! objects; a warning (C0336) names the doubt in every command. A doubt that no count depends on is not told.

pub mod bounds;
pub mod byte_order;
pub mod codes;
pub mod compilation_time;
pub mod critical;
pub mod departures;
pub mod mutexes;
pub mod signed_overflow;
pub mod stack;
pub mod unsequenced;
pub mod waiting;

use crate::{Analysis, ClassId};
use chronos_base::diag::Diagnostic;
use chronos_base::span::Span;
use chronos_ir::{BlockId, FuncId, Program, ValueId, VarId};
use codes::APPROXIMATED;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Where an approximation enters the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// What a call returns and what it writes through its arguments; the block is the call's own.
    Call(BlockId),
    /// What an operation of a function computes.
    Value(FuncId, ValueId),
    /// What stands in a variable, or in storage that is not told apart from it.
    Variable(VarId),
    /// What stands in storage of a class.
    Storage(ClassId),
    /// How often the function is called, and so all that it does.
    Function(FuncId),
    /// How often a loop is repeated, if nothing that it stores depends on that.
    Loop(BlockId),
}

/// What becomes of the counts that depend on a doubt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Certainty {
    /// They are given, as assumed.
    Approximate,
    /// What was counted is a lower bound.
    Unknown,
}

/// Something that was used and may be otherwise.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Doubt {
    /// Where it happened.
    pub span: Span,
    /// What becomes of the counts that depend on it.
    pub certainty: Certainty,
    /// One sentence, without a full stop, that names what was taken.
    pub text: Arc<str>,
    /// What the user can do.
    pub help: Option<Arc<str>>,
}

/// All doubts of an evaluation, each once for all tasks.
#[derive(Clone, Debug, Default)]
pub struct Doubts {
    all: BTreeMap<Doubt, BTreeSet<Subject>>,
}

impl Doubts {
    /// Records an approximation and where it enters the program; the same one twice counts once.
    pub fn add(&mut self, doubt: Doubt, subject: Subject) {
        self.all.entry(doubt).or_default().insert(subject);
    }

    /// Records all of others.
    pub fn add_all(&mut self, others: &Self) {
        for (doubt, subjects) in &others.all {
            self.all.entry(doubt.clone()).or_default().extend(subjects);
        }
    }

    /// Whether nothing was approximated.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

/// A doubt with the blocks that are executed otherwise if it is right; there are some.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The approximation.
    pub doubt: Doubt,
    /// Blocks that are executed another number of times if the doubt is right.
    pub blocks: BTreeSet<BlockId>,
}

impl Followed {
    /// The warning C0336 about the doubt.
    pub fn diagnostic(&self) -> Diagnostic {
        let consequence = match self.doubt.certainty {
            Certainty::Approximate => "what depends on it counts as assumed",
            Certainty::Unknown => "how often what depends on it is executed is unknown",
        };
        let message = format!("{}: {consequence}", self.doubt.text);
        let diagnostic = Diagnostic::warning(&APPROXIMATED, message).label(self.doubt.span, "here");
        match &self.doubt.help {
            Some(help) => diagnostic.help(&**help),
            None => diagnostic,
        }
    }
}

/// What follows from the doubts of an evaluation, by place.
pub fn follow(program: &Program, analysis: &Analysis, doubts: &Doubts) -> Vec<Followed> {
    if doubts.is_empty() {
        return Vec::new();
    }
    let subjects: Vec<&BTreeSet<Subject>> = doubts.all.values().collect();
    let followed = doubts.all.iter().zip(analysis.followed(program, &subjects));
    let followed = followed.map(|((doubt, subjects), mut blocks)| {
        blocks.extend(subjects.iter().flat_map(|&subject| own_blocks(program, subject)));
        Followed { doubt: doubt.clone(), blocks }
    });
    followed.filter(|followed| !followed.blocks.is_empty()).collect()
}

/// The blocks of a function that is a subject: nothing calls `main`, so no dependence leads to them; and those of a loop.
fn own_blocks(program: &Program, subject: Subject) -> Vec<BlockId> {
    match subject {
        Subject::Function(function) => {
            let (first, end) = program.functions[function].blocks;
            (first.0..end.0).map(BlockId).collect()
        }
        Subject::Loop(at) => program.blocks.ids().filter(|&id| waiting::within(program, id, at)).collect(),
        _ => Vec::new(),
    }
}
