//! Answers about an evaluated program, such as its what-if study, kept as finished predictions are.
//!
//! What an answer depends on is what the prediction of its point depends on, and its question: a text with all that was
//! asked, and the files that this names. What the answer says is the business of whoever asks.

use super::plan::SweepPlan;
use super::point::SweepPoint;
use chronos_base::diag::{Code, Diagnostic};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::PathBuf;

/// What is asked about a point.
pub struct Question<'q> {
    /// All of it, as a text.
    pub text: String,
    /// Files whose contents the answer depends on.
    pub files: Vec<PathBuf>,
    /// Finds the codes of diagnostics that only the asker's part of the library has.
    pub code: &'q dyn Fn(&str) -> Option<&'static Code>,
}

impl SweepPlan {
    /// The answer that was kept, with the diagnostics that belong to it; `None` without `RunOptions::resume`, too.
    pub fn kept_answer<T: DeserializeOwned>(
        &self,
        point: &SweepPoint,
        question: &Question<'_>,
    ) -> Option<(T, Vec<Diagnostic>)> {
        let cache = self.cache.as_ref()?;
        let (answer, diagnostics) =
            cache.read_answer(&self.answer_key(point, question), self.files(point), question.code)?;
        Some((serde_json::from_value(answer).ok()?, diagnostics))
    }

    /// Keeps an answer, where anything is kept; a warning where that fails.
    pub fn keep_answer(
        &self,
        point: &SweepPoint,
        question: &Question<'_>,
        answer: &impl Serialize,
        diagnostics: &[Diagnostic],
    ) -> Option<Diagnostic> {
        let cache = self.cache.as_ref().filter(|_| self.can_be_kept(point))?;
        let answer = serde_json::to_value(answer).ok()?;
        cache.write_answer(&self.answer_key(point, question), answer, diagnostics, self.files(point))
    }
}
