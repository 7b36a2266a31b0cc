//! All units of a program, several at a time: preprocessed, then parsed.
//!
//! What gives files their ids runs unit by unit in the order given, so that the result does not
//! depend on the number of threads.

use crate::dialect::{self, Dialect};
use crate::parsing::parse::UnparsedUnit;
use crate::parsing::{parse, pragmas};
use crate::preprocessing::preprocessor::Preprocessor;
use crate::preprocessing::{free_macros, macros, preprocessor};
use crate::source_text::file_text::decode_name;
use crate::{Failure, FreeName, LineTable, MacroDefinition, Setting, SourceOptions, Sources, Unit, codes};
use chronos_base::diag::Diagnostic;
use chronos_base::hash::FxHashSet;
use chronos_base::span::{FileId, SourceFiles, Span};
use chronos_ir::openmp::RuntimeSchedule;
use chronos_ir::{CLibrary, Departure};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use std::path::{Path, PathBuf};

/// Preprocessed text of all files, or what is wrong with them.
#[derive(Debug)]
pub struct Preprocessed {
    preprocessor: Preprocessor,
    files: SourceFiles,
    preprocessed_sources: Vec<PreprocessedSource>,
    settings: Vec<Setting>,
    free: Vec<FreeName>,
    c_library: CLibrary,
    threads: Option<u32>,
    omp_schedule: Option<RuntimeSchedule>,
    diagnostics: Vec<Diagnostic>,
}

#[derive(Debug)]
struct PreprocessedSource {
    file: FileId,
    path: PathBuf,
    text: Result<String, Vec<Diagnostic>>,
}

impl Preprocessed {
    pub(super) fn new(options: &SourceOptions, preprocessor: Preprocessor, free: Vec<FreeName>) -> Self {
        let setting =
            |(name, value): &(String, String)| Setting { name: name.clone(), value: value.clone(), is_macro: false };
        let mut preprocessed = Self {
            preprocessor,
            files: SourceFiles::default(),
            preprocessed_sources: Vec::new(),
            settings: options.settings.iter().map(setting).collect(),
            free,
            c_library: options.c_library,
            threads: options.threads,
            omp_schedule: options.omp_schedule,
            diagnostics: Vec::new(),
        };
        let entered = preprocessed.enter_files(options);
        preprocessed.run_all(entered);
        preprocessed
    }

    /// Gives the command line's files their ids before any header gets one.
    fn enter_files(&mut self, options: &SourceOptions) -> Vec<(FileId, PathBuf)> {
        let mut entered = Vec::new();
        for path in &options.files {
            match preprocessor::read_source(path) {
                Ok(text) => {
                    let file = self.files.intern(&decode_name(path), || Some(text));
                    entered.push((file, path.clone()));
                }
                Err(diagnostic) => self.diagnostics.push(*diagnostic),
            }
        }
        if options.files.is_empty() {
            let nothing = Diagnostic::error(&codes::UNREADABLE, "no source file is given");
            self.diagnostics.push(nothing.help("name at least one C file"));
        }
        entered
    }

    fn run_all(&mut self, entered: Vec<(FileId, PathBuf)>) {
        let outputs: Vec<_> = entered.par_iter().map(|(_, path)| self.preprocessor.execute(path)).collect();
        for ((file, path), output) in entered.into_iter().zip(outputs) {
            let text = self.preprocessor.text(&path, output, &mut self.files);
            let text = text.map_err(|found| self.explained(found));
            let text = text.and_then(|text| self.with_settings(&path, text));
            self.preprocessed_sources.push(PreprocessedSource { file, path, text });
        }
        collapse_missing_headers(&mut self.preprocessed_sources);
    }

    /// The text of one file, its macros overridden as the settings say.
    fn with_settings(&mut self, path: &Path, text: String) -> Result<String, Vec<Diagnostic>> {
        if self.settings.is_empty() && self.free.is_empty() {
            return Ok(text);
        }
        let lines = LineTable::new(&text, &mut self.files, self.preprocessor.names());
        let mut overrides = macros::Overrides { settings: &mut self.settings, free: &mut self.free };
        let overridden = self.preprocessor.override_macros(&lines, &self.files, &mut overrides)?;
        self.find_directives(&lines);
        let text = if overridden { self.preprocess_again(path)? } else { text };
        Ok(free_macros::strings_without_markers(text))
    }

    fn preprocess_again(&mut self, path: &Path) -> Result<String, Vec<Diagnostic>> {
        self.preprocessor.run(path, &mut self.files).map_err(|found| self.explained(found))
    }

    fn explained(&self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let free: Vec<&str> = self.free.iter().filter(|free| free.is_macro).map(|free| free.name.as_str()).collect();
        free_macros::explain_pasting(diagnostics, &free)
    }

    fn find_directives(&mut self, lines: &LineTable) {
        if self.free.iter().any(|free| free.is_macro) {
            let mut macros = Vec::new();
            macros::collect(lines, &self.files, &mut FxHashSet::default(), &mut macros);
            free_macros::find_directives(lines, &self.files, &macros, &mut self.free);
        }
    }

    /// The text of each file that could be preprocessed, in their order.
    pub(super) fn preprocessed_sources(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.preprocessed_sources.iter().filter_map(|text| Some((text.path.as_path(), text.text.as_deref().ok()?)))
    }

    /// What files are called in places.
    pub(super) fn names(&self) -> &crate::source_text::file_names::FileNames {
        self.preprocessor.names()
    }

    /// Whether the compiler of a file is told of OpenMP.
    fn has_openmp(&self, path: &Path) -> bool {
        dialect::has_openmp(self.preprocessor.flags_of(path))
    }

    /// Of the machine or the compiler's flags.
    pub(super) fn model(&self) -> chronos_ir::DataModel {
        self.preprocessor.model()
    }

    /// Length of all texts together.
    pub fn bytes(&self) -> usize {
        self.preprocessed_sources.iter().filter_map(|text| text.text.as_ref().ok()).map(String::len).sum()
    }

    /// Parses all texts.
    ///
    /// # Errors
    /// Exactly where a diagnostic is an error.
    pub fn parse(&self) -> Result<(Sources, Vec<Diagnostic>), Box<Failure>> {
        let mut reader = Reader::new(self);
        let unparsed_units = reader.unparsed_units();
        let parsed = parse::parse_all(&unparsed_units);
        for ((input, unparsed), pieces) in unparsed_units.into_iter().zip(parsed) {
            reader.unit(input, unparsed, pieces);
        }
        reader.finish()
    }
}

/// A header that many files miss is told once, with the number of files.
fn collapse_missing_headers(texts: &mut [PreprocessedSource]) {
    // What is missing, how many more files miss it, and which one tells.
    let mut reported: Vec<(String, usize, &mut Diagnostic)> = Vec::new();
    for errors in texts.iter_mut().filter_map(|text| text.text.as_mut().err()) {
        let Some(message) = errors.first().map(|e| e.message.clone()).filter(|m| m.starts_with("the header `")) else {
            continue;
        };
        match reported.iter_mut().find(|(known, ..)| *known == message) {
            Some((_, more, _)) => {
                *more += 1;
                errors.remove(0);
            }
            None => reported.extend(errors.first_mut().map(|error| (message, 0, error))),
        }
    }
    for (_, more, error) in reported.into_iter().filter(|(_, more, _)| *more > 0) {
        error.message.push_str(&format!(", here and in {more} more file{}", if more == 1 { "" } else { "s" }));
    }
}

/// Collects units and diagnostics file by file.
struct Reader<'a> {
    input: &'a Preprocessed,
    files: SourceFiles,
    units: Vec<Unit>,
    pragmas: Vec<(String, Span)>,
    departures: Vec<Departure>,
    macros: Vec<MacroDefinition>,
    /// Directives of OpenMP hold in one of the units.
    has_openmp: bool,
    /// Files whose macros are known.
    searched: FxHashSet<FileId>,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Reader<'a> {
    fn new(input: &'a Preprocessed) -> Self {
        Self {
            input,
            files: input.files.clone(),
            units: Vec::new(),
            pragmas: Vec::new(),
            departures: Vec::new(),
            macros: Vec::new(),
            has_openmp: false,
            searched: FxHashSet::default(),
            diagnostics: input.diagnostics.clone(),
        }
    }

    /// All texts, made ready for the parser.
    fn unparsed_units(&mut self) -> Vec<(&'a PreprocessedSource, UnparsedUnit)> {
        let names = self.input.preprocessor.names();
        let mut unparsed_units = Vec::new();
        for input in &self.input.preprocessed_sources {
            match &input.text {
                Ok(text) => unparsed_units
                    .push((input, UnparsedUnit::new(text, self.input.has_openmp(&input.path), &mut self.files, names))),
                Err(diagnostics) => self.diagnostics.extend(diagnostics.iter().cloned()),
            }
        }
        unparsed_units
    }

    fn unit(&mut self, input: &PreprocessedSource, unparsed: UnparsedUnit, pieces: parse::Parsed) {
        let Ok(text) = &input.text else { return };
        let openmp = self.input.has_openmp(&input.path);
        let source = parse::Source { text, path: &input.path, preprocessor: &self.input.preprocessor, openmp };
        match parse::finish_parse(unparsed, pieces, &source, &mut self.files) {
            Ok(parse::ParsedUnit { pieces, lines, threadprivate, dropped }) => {
                self.diagnostics.extend(dropped);
                macros::collect(&lines, &self.files, &mut self.searched, &mut self.macros);
                self.has_openmp |= openmp;
                self.enter_pragmas(&lines, openmp);
                let weak = pragmas::weak(&lines);
                let flags = self.input.preprocessor.flags_of(&input.path);
                let found = dialect::departures(flags).into_iter();
                self.departures.extend(found.map(|departure| Departure { unit: input.file, ..departure }));
                let dialect = Dialect::of(flags);
                self.units.push(Unit { file: input.file, pieces, lines, weak, threadprivate, dialect });
            }
            Err(diagnostic) => self.diagnostics.push(*diagnostic),
        }
    }

    fn enter_pragmas(&mut self, lines: &LineTable, openmp: bool) {
        let mut pragmas = pragmas::collect(lines);
        if openmp {
            self.diagnostics.extend(pragmas::refuse_openmp(&mut pragmas));
        }
        let known = &mut self.pragmas;
        pragmas.into_iter().for_each(|pragma| {
            if !known.contains(&pragma) {
                known.push(pragma);
            }
        });
    }

    fn finish(self) -> Result<(Sources, Vec<Diagnostic>), Box<Failure>> {
        if self.diagnostics.iter().any(Diagnostic::is_error) {
            return Err(Box::new(Failure { files: self.files, diagnostics: self.diagnostics }));
        }
        let sources = Sources {
            files: self.files,
            units: self.units,
            pragmas: self.pragmas,
            departures: self.departures,
            settings: self.input.settings.clone(),
            free: self.input.free.clone(),
            macros: self.macros,
            model: self.input.preprocessor.model(),
            c_library: self.input.c_library,
            threads: self.has_openmp.then(|| self.input.threads.unwrap_or(1)),
            threads_given: self.input.threads.is_some(),
            omp_schedule: self.input.omp_schedule,
        };
        Ok((sources, self.diagnostics))
    }
}
