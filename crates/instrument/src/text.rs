//! The instrumented source of a unit: the user's files as the preprocessor expanded them, with trace
//! points; system headers as the directives that brought them in.

use super::edits::Edit;
use chronos_base::hash::FxHashMap;
use chronos_frontend::offsets::{FileLines, OffsetUnit};
use std::fmt::Write as _;

const HEAD: &str = "/* Instrumented for a trace (chronos-trace/1): macros and own headers are expanded. */\n";

/// Whether a text was rendered here.
pub fn is_instrumented(text: &[u8]) -> bool {
    text.starts_with(HEAD.as_bytes())
}

/// Renders a unit with its edits, which are in order.
pub fn render(unit: &OffsetUnit, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(unit.text.len());
    out.push_str(HEAD);
    let mut files = UserFiles::default();
    feature_macros(unit, &mut files, &mut out);
    out.push_str("#include \"chronos_trace.h\"\n");
    if unit.file_lines.iter().any(|stretch| is_bundled(stretch, "mpi.h")) {
        out.push_str("#include <mpi.h>\n");
    }
    let mut edits = edits.iter().peekable();
    // The first of the system headers that were entered since the user's own text.
    let mut entered: Option<&FileLines> = None;
    for stretch in &unit.file_lines {
        if !stretch.user {
            entered = entered.or(Some(stretch).filter(|s| !is_built_in(s)));
            continue;
        }
        if let Some(header) = entered.take() {
            out.push_str(&files.directive(stretch, header));
        }
        copy(unit, stretch, &mut edits, &mut out);
    }
    out
}

/// `<built-in>` and what it brings in.
fn is_built_in(stretch: &FileLines) -> bool {
    (stretch.file.starts_with('<') && !stretch.file.contains('/')) || stretch.file.ends_with("/stdc-predef.h")
}

fn is_bundled(stretch: &FileLines, name: &str) -> bool {
    stretch.file.starts_with(chronos_frontend::headers::BUNDLED) && stretch.file.ends_with(name)
}

fn copy<'a>(
    unit: &OffsetUnit,
    stretch: &FileLines,
    edits: &mut std::iter::Peekable<impl Iterator<Item = &'a Edit>>,
    out: &mut String,
) {
    if stretch.range.is_empty() {
        return;
    }
    let quoted = stretch.file.replace('\\', "\\\\").replace('"', "\\\"");
    let _ = writeln!(out, "#line {} \"{quoted}\"", stretch.line.max(1));
    let mut at = stretch.range.start;
    while let Some(edit) = edits.next_if(|edit| edit.at <= stretch.range.end) {
        let until = edit.at.max(at);
        out.push_str(&unit.text[at..until]);
        out.push_str(&edit.text);
        at = until;
    }
    out.push_str(&unit.text[at..stretch.range.end]);
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Macros that system headers ask for, as the user's files define them.
fn feature_macros(unit: &OffsetUnit, files: &mut UserFiles, out: &mut String) {
    let mut seen = chronos_base::hash::FxHashSet::default();
    for stretch in unit.file_lines.iter().filter(|stretch| stretch.user) {
        if !seen.insert(&stretch.file) {
            continue;
        }
        for line in files.lines(&stretch.file) {
            if let Some((name, definition)) = feature_macro(line) {
                let _ = writeln!(out, "#ifndef {name}\n#define {definition}\n#endif");
            }
        }
    }
}

/// Name and whole definition.
fn feature_macro(line: &str) -> Option<(&str, &str)> {
    let definition = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim();
    let name = definition.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()?;
    let asked = name.ends_with("_SOURCE")
        || name.starts_with("__STDC_")
        || matches!(name, "_FILE_OFFSET_BITS" | "_TIME_BITS" | "_REENTRANT" | "_USE_MATH_DEFINES");
    (name.starts_with('_') && asked).then_some((name, definition))
}

/// Files of the user by name, as lines.
#[derive(Default)]
struct UserFiles {
    texts: FxHashMap<String, Vec<String>>,
}

impl UserFiles {
    fn lines(&mut self, name: &str) -> &[String] {
        self.texts.entry(name.to_owned()).or_insert_with(|| {
            // The source may name anything here, and reading a pipe does not end.
            let is_file = std::fs::metadata(name).is_ok_and(|found| found.is_file());
            let bytes = is_file.then(|| std::fs::read(name).ok()).flatten().unwrap_or_default();
            String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
        })
    }

    /// The directive before the line at which the text comes back to a file of the user.
    fn directive(&mut self, back: &FileLines, header: &FileLines) -> String {
        let line = (back.line as usize).saturating_sub(1);
        let lines = self.lines(&back.file);
        let directive =
            lines.get(..line.min(lines.len())).unwrap_or_default().iter().rev().take(4).find_map(|line| included(line));
        match directive {
            Some(name) if name.trim_matches(['<', '>', '"']) == "chronos.h" => String::new(),
            Some(name) => format!("#include {name}\n"),
            None if header.file.starts_with(chronos_frontend::headers::BUNDLED) => {
                let name = header.file.rsplit('/').next().unwrap_or_default();
                if name == "chronos.h" { String::new() } else { format!("#include <{name}>\n") }
            }
            None => format!("#include \"{}\"\n", header.file),
        }
    }
}

/// The header that a directive names, with its quotes.
fn included(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("include")?.trim_start();
    let close = match rest.as_bytes().first()? {
        b'<' => '>',
        b'"' => '"',
        _ => return None,
    };
    let end = rest[1..].find(close)? + 2;
    rest.get(..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_found_with_their_quotes() {
        assert_eq!(included("  # include <a/b.h> /* x */"), Some("<a/b.h>"));
        assert_eq!(included("#include \"b.h\" // \"c\""), Some("\"b.h\""));
        assert_eq!(included("#include NAME"), None);
        assert_eq!(
            feature_macro("# define _POSIX_C_SOURCE 200809L"),
            Some(("_POSIX_C_SOURCE", "_POSIX_C_SOURCE 200809L"))
        );
        assert_eq!(feature_macro("#define _NAME_H_"), None);
    }
}
