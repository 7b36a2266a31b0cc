//! `chronos schema`: the published formats as JSON schemas.

use super::args::SchemaArgs;
use super::codes;
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::Diagnostic;
use chronos_base::span::SourceFiles;
use chronos_base::spelling::nearest;
use serde_json::{Map, Value};

/// The committed schemas, which tests compare with the types that are read and written.
macro_rules! formats {
    ($($name:literal $version:literal: $what:literal,)*) => {
        const FORMATS: &[Format] = &[$(Format {
            name: $name,
            version: $version,
            what: $what,
            compressed: include_bytes!(concat!(env!("OUT_DIR"), "/chronos-", $name, "-", $version, ".deflate")),
        }),*];
    };
}

formats! {
    "assumptions" 1: "probabilities of branches and iterations of loops (--assume)",
    "code" 1: "what the compiler made of a function (explain-code --format json)",
    "compare" 1: "programs side by side (compare --format json)",
    "count" 1: "executions of blocks and lines (count --format json)",
    "count" 2: "the same of many tasks, with ranges of ranks",
    "count-sweep" 1: "the same for several values (count --format json with --sweep)",
    "count-sweep" 2: "the same of many tasks, with ranges of ranks",
    "library-costs" 1: "costs of library functions (--library-costs)",
    "machine" 1: "machine files (--machine)",
    "network" 1: "network files (--network)",
    "platform" 1: "platform files (--platform)",
    "report" 1: "predictions (predict --format json)",
    "report" 2: "the same of many tasks, with a row for each class of them",
    "scale" 1: "scalability (scale --format json)",
    "validation" 1: "measured beside predicted times (validate --format json)",
    "whatif" 1: "what changes would save (whatif --format json)",
}

/// A version of a format.
struct Format {
    name: &'static str,
    version: u32,
    what: &'static str,
    /// Its schema, as the build script has compressed it (DEFLATE).
    compressed: &'static [u8],
}

impl Format {
    /// Whether it is meant by a name such as `report`, `report/2` or `chronos-report-2.json`; without a number the first
    /// version is.
    fn is_named(&self, name: &str) -> bool {
        let name = name.strip_suffix(".json").unwrap_or(name);
        let name = name.strip_prefix("chronos-").unwrap_or(name);
        match name.strip_prefix(self.name) {
            Some("") => self.version == 1,
            Some(version) => version.trim_start_matches(['/', '-']).parse() == Ok(self.version),
            None => false,
        }
    }

    /// As the list has it.
    fn title(&self) -> String {
        if self.version == 1 { self.name.to_owned() } else { format!("{}/{}", self.name, self.version) }
    }

    /// With its name as `$id`, by which other schemas may refer to it.
    fn with_id(&self) -> String {
        let text = miniz_oxide::inflate::decompress_to_vec(self.compressed).expect("a test reads every schema");
        let schema: Map<String, Value> = serde_json::from_slice(&text).expect("a test reads every schema");
        let id = ("$id".to_owned(), Value::from(format!("urn:chronos:{}-{}", self.name, self.version)));
        let named: Map<String, Value> = std::iter::once(id).chain(schema).collect();
        serde_json::to_string_pretty(&named).expect("it was read from JSON") + "\n"
    }
}

pub fn run(options: &SchemaArgs, terminal: &Terminal) -> Exit {
    let Some(wanted) = &options.name else {
        let lines: Vec<String> =
            FORMATS.iter().map(|format| format!("{:<14} {}\n", format.title(), format.what)).collect();
        return terminal.print(&lines.concat());
    };
    match FORMATS.iter().find(|format| format.is_named(wanted)) {
        Some(format) => terminal.print(&format.with_id()),
        None => terminal.report(&[unknown(wanted)], &SourceFiles::default()),
    }
}

fn unknown(wanted: &str) -> Diagnostic {
    let near = nearest(wanted, FORMATS.iter().map(|format| format.name));
    let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    Diagnostic::error(&codes::UNKNOWN_SCHEMA, format!("no format is called `{wanted}`"))
        .help(format!("{near}`chronos schema` lists all formats"))
}

#[cfg(test)]
mod tests {
    use super::FORMATS;
    use std::collections::BTreeSet;

    #[test]
    fn every_committed_schema_is_printed_with_an_id_and_valid() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
        let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let committed: BTreeSet<String> = files.map(|name| name.to_string_lossy().into_owned()).collect();
        let known = FORMATS.iter().map(|format| format!("chronos-{}-{}.json", format.name, format.version)).collect();
        assert_eq!(committed, known);
        for format in FORMATS {
            let schema = serde_json::from_str(&format.with_id()).expect("JSON");
            assert!(jsonschema::meta::is_valid(&schema), "{}", format.name);
            assert_eq!(schema["$id"], format!("urn:chronos:{}-{}", format.name, format.version));
        }
    }

    #[test]
    fn formats_are_found_by_the_names_that_files_have() {
        for name in ["report", "chronos-report/1", "chronos-report-1", "chronos-report-1.json"] {
            assert_eq!(FORMATS.iter().filter(|format| format.is_named(name)).count(), 1, "{name}");
        }
        for name in ["report/2", "chronos-report-2.json"] {
            let found: Vec<u32> =
                FORMATS.iter().filter(|format| format.is_named(name)).map(|format| format.version).collect();
            assert_eq!(found, [2], "{name}");
        }
        assert!(!FORMATS.iter().any(|format| format.is_named("reports") || format.is_named("report/9")));
    }
}
