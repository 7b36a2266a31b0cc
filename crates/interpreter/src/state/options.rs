//! What a program is run with.

use crate::state::files_at_hand::FilesAtHand;
use crate::state::templates::InputTemplates;
use chronos_base::hash::FxHashMap;
use chronos_mpi_calls::normalized_file_name;
use chronos_slicing::Assumptions;
use std::sync::Arc;

/// Input that the user gives to the program.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// What the program reads from its standard input; `None` where it was not given.
    pub stdin: Option<Arc<[u8]>>,
    /// By the name that the program opens.
    pub files: FxHashMap<String, Arc<[u8]>>,
    /// Where text is made for input that was not given; `None`: what is read is unknown.
    pub templates: Option<InputTemplates>,
    /// Files that are read where the program opens them, although they were not given; `None`: there are none.
    pub at_hand: Option<FilesAtHand>,
    /// What is assumed of files that were not given.
    pub missing: Missing,
}

impl Inputs {
    /// What was given of a file, by whatever name the program opens it.
    pub(crate) fn file(&self, name: &str) -> Option<Arc<[u8]>> {
        let same = || {
            let name = normalized_file_name(name);
            self.files.iter().find(|(given, _)| normalized_file_name(given) == name).map(|(_, content)| content)
        };
        self.files.get(name).or_else(same).cloned()
    }

    /// What stands in a file that was not given and lies where the program is started.
    pub(crate) fn file_at_hand(&self, name: &str, arguments: &[String]) -> Option<Arc<[u8]>> {
        self.at_hand.as_ref()?.content(name, arguments)
    }
}

/// What is assumed of a file that was not given, where the program could do with and without it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// It does not exist, and opening it fails.
    #[default]
    Absent,
    /// It could be opened; what stands in it is unknown.
    There,
}

/// What the program is run with.
#[derive(Clone, Debug, Default)]
pub struct EvaluatorOptions {
    /// Number of tasks, spawned ones included.
    pub tasks: u32,
    /// How many of them, the last ones, stand by until others spawn them.
    pub spawned: u32,
    /// `argv[1]` and on.
    pub arguments: Vec<String>,
    /// Standard input and files.
    pub inputs: Inputs,
    /// What `getenv` finds; other names are unset.
    pub environment: FxHashMap<String, String>,
    /// What the user says about branches, loops and library functions.
    pub assumptions: Assumptions,
    /// The one task that is followed, for all that do the same; `None`: each is followed by itself.
    pub representative: Option<u32>,
    /// It is not told how well branches are predicted, which depends on the order in which tasks are followed.
    pub ignores_prediction: bool,
    /// When loops become code of this processor.
    pub native: NativeCode,
}

/// When loops become code of this processor, which gives the same as interpreting them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NativeCode {
    /// Once so many of their operations were interpreted that compiling them takes less time.
    #[default]
    Hot,
    /// From their first iteration on.
    AtOnce,
    /// Never.
    Off,
}
