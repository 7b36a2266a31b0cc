//! `chronos explain`.

use super::args::ExplainArgs;
use super::codes;
use super::exit::Exit;
use super::output::Terminal;
use chronos_base::diag::{Code, Diagnostic};
use chronos_base::span::SourceFiles;
use chronos_base::spelling::nearest;

pub fn run(options: &ExplainArgs, terminal: &Terminal) -> Exit {
    let Some(wanted) = &options.code else {
        let lines: Vec<String> = all().map(|code| format!("{}  {}\n", code.id, code.title)).collect();
        return terminal.print(&lines.concat());
    };
    match all().find(|code| is_named(code, wanted)) {
        Some(code) => {
            let width = terminal.width().map_or(WIDTH, |width| width.min(WIDTH));
            let text = format!("{}: {}\n\n{}\n", code.id, code.title, code.explanation);
            terminal.print(&paragraph(&text, width))
        }
        None => terminal.report(&[unknown(wanted)], &SourceFiles::default()),
    }
}

/// Columns that prose takes at most.
const WIDTH: usize = 100;

/// Folded, without indenting what goes on.
fn paragraph(text: &str, width: usize) -> String {
    chronos_report::fold::fold(text, Some(width)).replace("\n  ", "\n")
}

/// `C0307`, `c0307` and `307` are the same.
fn is_named(code: &Code, wanted: &str) -> bool {
    let digits = |text: &str| text.trim_start_matches(['C', 'c', '0']).to_owned();
    let plain = wanted.strip_prefix(['C', 'c']).unwrap_or(wanted).bytes().all(|byte| byte.is_ascii_digit());
    plain && !wanted.is_empty() && digits(code.id) == digits(wanted)
}

fn unknown(wanted: &str) -> Diagnostic {
    let near = nearest(wanted, all().map(|code| code.id)).filter(|_| wanted.len() > 2);
    let near = near.map_or_else(String::new, |near| format!("did you mean `{near}`? "));
    Diagnostic::error(&codes::UNKNOWN_CODE, format!("no diagnostic has the code `{wanted}`"))
        .help(format!("{near}`chronos explain` lists all codes"))
}

/// All codes, ascending.
pub fn all() -> impl Iterator<Item = &'static Code> {
    let mut codes: Vec<&'static Code> = TABLES.iter().flat_map(|table| table.iter().copied()).collect();
    codes.sort_by_key(|code| code.id);
    codes.into_iter()
}

/// Every module that reports has its codes here.
static TABLES: &[&[&Code]] = &[
    chronos_frontend::codes::ALL,
    chronos_frontend::lower::codes::ALL,
    chronos_interpreter::codes::ALL,
    chronos_slicing::doubts::codes::ALL,
    chronos_base::governor::ALL,
    chronos_slicing::annotations::CODES,
    chronos_mpi_calls::CODES,
    chronos_mpi_calls::CHECK_CODES,
    chronos_predict::correctness::codes::ALL,
    chronos_predict::teams::codes::ALL,
    chronos_predict::a_priori::codes::ALL,
    chronos_predict::library_costs::codes::ALL,
    chronos_machine::codes::ALL,
    chronos_machine::network::codes::ALL,
    chronos_cost::codes::ALL,
    chronos_calibrate::codes::ALL,
    chronos_compiled::codes::ALL,
    chronos_predict::profile::orders::ALL,
    chronos_predict::evaluation::spawning::ALL,
    chronos_predict::network_interval::ALL,
    chronos_replay::codes::ALL,
    chronos_tool_formats::codes::ALL,
    chronos_predict::assumptions::codes::ALL,
    chronos_pipeline::CODES,
    chronos_validate::codes::ALL,
    chronos_instrument::codes::ALL,
    chronos_trace::codes::ALL,
    chronos_record::codes::ALL,
    chronos_direct_execution::codes::ALL,
    chronos_whatif::CODES,
    chronos_build::codes::ALL,
    codes::ALL,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_by_their_number() {
        let found = |wanted: &str| all().find(|code| is_named(code, wanted)).map(|code| code.id);
        assert_eq!(["C0307", "c0307", "307", "0307"].map(found), [Some("C0307"); 4]);
        assert_eq!(["", "C", "0", "31", "C0307x", "cc307"].map(found), [None; 6]);
    }

    /// A module whose table is not in the list would have codes that nobody can look up.
    #[test]
    fn every_code_of_the_source_is_listed() {
        let mut folders = vec![std::path::PathBuf::from("src"), std::path::PathBuf::from("crates")];
        let mut missing = Vec::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else if let Ok(text) = std::fs::read_to_string(&path) {
                    let ids = text.split("    id: \"C").skip(1).map(|rest| format!("C{}", &rest[..4]));
                    missing.extend(ids.filter(|id| all().all(|code| code.id != id)));
                }
            }
        }
        assert_eq!(missing, Vec::<String>::new());
    }

    #[test]
    fn codes_are_unique_and_explained() {
        let codes: Vec<_> = all().collect();
        assert!(codes.windows(2).all(|pair| pair[0].id != pair[1].id));
        assert!(codes.iter().all(|code| code.id.len() == 5 && code.explanation.len() > 40));
    }
}
