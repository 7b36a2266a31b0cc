//! Summaries made so far, found by what they depend on.
//!
//! Execution is deterministic: its next question follows from the answers before. So what was asked
//! forms a tree, and a summary for the same answers is found by one walk down.

use crate::state::recorder::{Answer, Query, ask};
use crate::{Environment, Summary, Unsummarisable};
use chronos_base::hash::FxHashMap;

type Outcome = Result<Summary, Unsummarisable>;

/// Outcomes of one region in one context.
#[derive(Debug, Default)]
pub(crate) struct Memo {
    root: Option<Node>,
    leaves: usize,
}

#[derive(Debug)]
enum Node {
    Ask(Query, FxHashMap<Answer, Node>),
    Done(Box<Outcome>),
}

/// Beyond this many outcomes of one region old ones are dropped: its inputs hardly repeat.
const MAX_LEAVES: usize = 4096;

impl Memo {
    /// The outcome for the same answers, if it was made before.
    pub fn find(&self, environment: &dyn Environment) -> Option<&Outcome> {
        let mut node = self.root.as_ref()?;
        loop {
            match node {
                Node::Done(outcome) => return Some(outcome),
                Node::Ask(query, answers) => node = answers.get(&ask(environment, *query))?,
            }
        }
    }

    /// Keeps the outcome of an execution that asked `trail`, each question once.
    pub fn keep(&mut self, trail: &[(Query, Answer)], outcome: Outcome) {
        if self.leaves >= MAX_LEAVES {
            *self = Self::default();
        }
        self.leaves += 1;
        let Some(root) = &mut self.root else {
            self.root = Some(chain(trail, outcome));
            return;
        };
        graft(root, trail, outcome);
    }
}

fn chain(trail: &[(Query, Answer)], outcome: Outcome) -> Node {
    trail.iter().rev().fold(Node::Done(Box::new(outcome)), |node, (query, answer)| {
        Node::Ask(*query, FxHashMap::from_iter([(*answer, node)]))
    })
}

fn graft(node: &mut Node, trail: &[(Query, Answer)], outcome: Outcome) {
    let (Node::Ask(asked, answers), Some(((query, answer), rest))) = (&mut *node, trail.split_first()) else {
        *node = chain(trail, outcome);
        return;
    };
    if asked != query {
        *node = chain(trail, outcome);
        return;
    }
    match answers.get_mut(answer) {
        Some(next) => graft(next, rest, outcome),
        None => {
            answers.insert(*answer, chain(rest, outcome));
        }
    }
}
