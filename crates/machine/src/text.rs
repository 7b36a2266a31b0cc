//! The text of machine files: JSON whose short objects and arrays stand on one line each.

/// Columns of a line at most.
const COLUMNS: usize = 116;

/// Folds what fits one line. `pretty` is JSON as `serde_json` indents it: an opening bracket ends its line, and the
/// bracket that closes it begins the next line of the same indentation.
pub fn folded(pretty: &str) -> String {
    let lines: Vec<&str> = pretty.lines().collect();
    let mut out = String::new();
    let mut at = 0;
    while at < lines.len() {
        let line = lines[at];
        let short = line.ends_with(['{', '[']).then(|| one_line(&lines[at..])).flatten();
        let (text, taken) = short.unwrap_or_else(|| (line.to_owned(), 1));
        out.push_str(&text);
        at += taken;
        if at < lines.len() {
            out.push('\n');
        }
    }
    out
}

/// What begins at the first line, on one line, and how many lines that takes; `None` where it is too long.
fn one_line(lines: &[&str]) -> Option<(String, usize)> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut text = lines.first()?.to_string();
    for (number, line) in lines.iter().enumerate().skip(1) {
        let closes = indent(line) == indent(lines[0]);
        let apart = !line.trim_start().starts_with(['}', ']']) && !text.ends_with(['[', '{']);
        text.push_str(if apart { " " } else { "" });
        text.push_str(line.trim_start());
        if text.len() > COLUMNS {
            return None;
        }
        if closes {
            return Some((text, number + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::folded;

    #[test]
    fn short_parts_stand_on_one_line_and_mean_the_same() {
        let value = serde_json::json!({"a": [1, 2, {"b": "{ ["}], "c": {"d": vec![123_456_789; 12]}, "e": {}});
        let text = folded(&serde_json::to_string_pretty(&value).expect("JSON"));
        insta::assert_snapshot!(text, @r#"
        {
          "a": [1, 2, {"b": "{ ["}],
          "c": {
            "d": [
              123456789,
              123456789,
              123456789,
              123456789,
              123456789,
              123456789,
              123456789,
              123456789,
              123456789,
              123456789,
              123456789,
              123456789
            ]
          },
          "e": {}
        }
        "#);
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).expect("JSON"), value);
    }
}
