//! The user guide: every command in it is run, and its output compared; pages that are made from the program are current.
//!
//! `TRYCMD=overwrite cargo test --test guide` writes what commands print now; `UPDATE_SCHEMAS=1` rewrites docs/codes.md.

use std::fmt::Write as _;

#[test]
fn commands_of_the_guide() {
    trycmd::TestCases::new().case("docs/*.md");
    // What the commands wrote is no part of the sources.
    for file in ["prefix.html", "prefix.txt", "lu.csv", "old.json", "new.json", "counts.csv"] {
        let _ = std::fs::remove_file(file);
    }
    let _ = std::fs::remove_dir_all("cells");
}

fn codes() -> String {
    let mut page = String::from(
        "# Diagnostic codes\n\nMade from the program's own tables (`UPDATE_SCHEMAS=1 cargo test --test guide`); \
         `chronos explain CODE` says the same.\n",
    );
    for code in chronos::cli::diagnostic_codes() {
        let _ = write!(page, "\n## {}: {}\n\n{}\n", code.id, code.title, code.explanation);
    }
    page
}

#[test]
fn the_page_of_codes_is_current() {
    let path = "docs/codes.md";
    if std::env::var_os("UPDATE_SCHEMAS").is_some() {
        std::fs::write(path, codes()).expect("written");
    }
    let written = std::fs::read_to_string(path).unwrap_or_default();
    assert!(written == codes(), "run the tests with UPDATE_SCHEMAS=1");
}

/// Pages that SUMMARY.md does not name cannot be found.
#[test]
fn every_page_is_in_the_summary() {
    let summary = std::fs::read_to_string("docs/SUMMARY.md").expect("a summary");
    for entry in std::fs::read_dir("docs").expect("a folder") {
        let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
        let is_page = name.ends_with(".md") && name != "SUMMARY.md";
        assert!(!is_page || summary.contains(&format!("({name})")), "{name}");
    }
    for line in summary.lines().filter_map(|line| line.split_once("](")?.1.split_once(')')) {
        assert!(std::path::Path::new("docs").join(line.0).exists(), "{}", line.0);
    }
}
