//! Text for input that was not given: placeholders for what the program asks for, so that the user has only to put in numbers
//! of his own.
//!
//! The text grows while the program is followed: where a read finds nothing more, what it asks for is appended. So a loop
//! over a number that was read before has as many placeholders as that number says.

use chronos_base::hash::FxHashMap;
use chronos_base::span::Span;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The name of what a program reads without opening it.
pub const STANDARD_INPUT: &str = "standard input";

/// Reads of one place in the program that are answered, where the program looks whether there was anything: it reads to
/// the end.
const TO_THE_END: u32 = 16;

/// Reads of one place that are answered otherwise: the program says how many there are.
const COUNTED: u32 = 10_000;

/// A read of a program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reading {
    pub place: Span,
    /// Blanks in front of what is read are not looked at.
    pub skips_blanks: bool,
    /// The program looks at what the read returned.
    pub is_checked: bool,
}

#[derive(Debug, Default)]
struct Template {
    text: Arc<[u8]>,
    reads: FxHashMap<Span, u32>,
    /// The program asks whether the end has come.
    asks_for_end: bool,
}

/// Texts of all input that was not given, by the name that the program opens; all who follow the program share them.
#[derive(Clone, Debug, Default)]
pub struct InputTemplates {
    made: Arc<Mutex<BTreeMap<String, Template>>>,
}

impl InputTemplates {
    /// What was made until now, ascending by name; an empty text where nothing was read as text.
    pub fn texts(&self) -> Vec<(String, Vec<u8>)> {
        self.lock().iter().map(|(name, template)| (name.clone(), template.text.to_vec())).collect()
    }

    pub(crate) fn begun(&self, name: &str) -> Arc<[u8]> {
        self.lock().entry(name.to_owned()).or_default().text.clone()
    }

    pub(crate) fn asked_for_end(&self, name: &str) {
        self.lock().entry(name.to_owned()).or_default().asks_for_end = true;
    }

    /// The text, with more of it where nothing is left behind `at`: `more` is given what there is.
    pub(crate) fn extended(
        &self,
        name: &str,
        at: usize,
        reading: Reading,
        more: impl FnOnce(&[u8]) -> Vec<u8>,
    ) -> Arc<[u8]> {
        let mut made = self.lock();
        let template = made.entry(name.to_owned()).or_default();
        let rest = template.text.get(at..).unwrap_or_default();
        let left = rest.iter().any(|byte| !reading.skips_blanks || !byte.is_ascii_whitespace());
        let most = if reading.is_checked || template.asks_for_end { TO_THE_END } else { COUNTED };
        let reads = template.reads.entry(reading.place).or_default();
        if !left && *reads < most {
            *reads += 1;
            template.text = [&template.text[..], &more(&template.text)].concat().into();
        }
        template.text.clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Template>> {
        self.made.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{InputTemplates, Reading, TO_THE_END};
    use chronos_base::span::{FileId, Span};

    #[test]
    fn text_grows_where_nothing_is_left() {
        let templates = InputTemplates::default();
        let place = Span { file: FileId(0), line_start: 1, column_start: 1, line_end: 1, column_end: 1 };
        let read = |at, skips_blanks, is_checked| {
            let reading = Reading { place, skips_blanks, is_checked };
            let text = templates.extended("a", at, reading, |_| b"8\n".to_vec());
            String::from_utf8_lossy(&text).into_owned()
        };
        assert_eq!(read(0, true, false), "8\n");
        assert_eq!(read(0, true, false), "8\n", "what is there is read again");
        assert_eq!(read(1, false, false), "8\n", "a line may end here");
        assert_eq!(read(1, true, false), "8\n8\n");
        let mut at = 4;
        for _ in 0..2 * TO_THE_END {
            at = read(at, true, true).len();
        }
        assert_eq!(at, 2 * TO_THE_END as usize, "who reads to the end comes to it");
        assert_eq!(templates.texts().len(), 1);
    }
}
