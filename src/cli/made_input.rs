//! Files for input that was not given: where they are written, and the options that give them.

use chronos_base::diag::Diagnostic;
use chronos_interpreter::{InputTemplates, STANDARD_INPUT};
use chronos_pipeline as pipeline;
use std::io::Write;
use std::path::Path;

/// What was written.
#[derive(Debug, Default)]
pub struct MadeInput {
    /// Options that give the files.
    pub options: Vec<String>,
    /// What the page says of them.
    pub list: String,
}

/// Writes all that was made.
///
/// # Errors
/// Files that cannot be written, or are there.
pub fn write(folder: &Path, templates: &InputTemplates) -> Result<MadeInput, Diagnostic> {
    let texts = templates.texts();
    let mut made = MadeInput::default();
    for (name, text) in &texts {
        let line = if text.is_empty() {
            format!("{name}: not made, for the program reads it as bytes or looks only whether it is there")
        } else {
            let [option, value] = write_file(folder, name, text)?;
            let line = format!("{option} {value}");
            made.options.extend([option, value]);
            line
        };
        made.list += &format!("  {line}\n");
    }
    let title =
        if texts.is_empty() { "No input is missing" } else { "Input with placeholders, to be replaced by your own" };
    made.list = format!("\n{title}\n{}", made.list);
    Ok(made)
}

/// The option that gives the file, and its value.
fn write_file(folder: &Path, name: &str, text: &[u8]) -> Result<[String; 2], Diagnostic> {
    let is_standard = name == STANDARD_INPUT;
    let file = if is_standard { "stdin.txt".to_owned() } else { name.trim_start_matches(['.', '/']).replace('/', "_") };
    let path = folder.join(file);
    let new = || {
        std::fs::create_dir_all(folder)?;
        std::fs::OpenOptions::new().write(true).create_new(true).open(&path)?.write_all(text)
    };
    new().map_err(|error| pipeline::not_written(&path, &error))?;
    let shown = path.display();
    Ok(if is_standard {
        ["--stdin".to_owned(), shown.to_string()]
    } else {
        ["--input-file".to_owned(), format!("{name}={shown}")]
    })
}
