//! Text in the width of a terminal: lines of prose are broken at blanks, and go on under where they began.
//!
//! textwrap would do so with its hyphens, broken words and rules of Unicode all switched off, and a further indent
//! found for each line; that leaves no more of it than these lines.

/// Nothing is folded to fewer columns than this.
pub(crate) const LEAST: usize = 20;

/// Breaks lines that are longer than `width`; what follows is indented by two more. Words are never cut, so that
/// commands and paths can be copied. `None`: as it is.
pub fn fold(text: &str, width: Option<usize>) -> String {
    let Some(width) = width.map(|width| width.max(LEAST)) else { return text.to_owned() };
    let mut folded = String::with_capacity(text.len() + text.len() / 16);
    for line in text.split_inclusive('\n') {
        match shown(line.trim_end_matches('\n')) > width {
            true => fold_line(line, width, &mut folded),
            false => folded.push_str(line),
        }
    }
    folded
}

fn fold_line(line: &str, width: usize, folded: &mut String) {
    let indent = line.chars().take_while(|&c| c == ' ').count();
    let mut column = 0;
    let mut first = true;
    for word in line.trim_end().split(' ') {
        let length = shown(word);
        if !first && column > indent && column + 1 + length > width {
            folded.push('\n');
            folded.extend(std::iter::repeat_n(' ', indent + 2));
            column = indent + 2;
        } else if !first {
            folded.push(' ');
            column += 1;
        }
        folded.push_str(word);
        column += length;
        first = false;
    }
    if line.ends_with('\n') {
        folded.push('\n');
    }
}

/// Columns that a text takes; colours take none.
pub fn shown(text: &str) -> usize {
    let mut columns = 0;
    let mut in_escape = false;
    for c in text.chars() {
        match (in_escape, c) {
            (false, '\u{1b}') => in_escape = true,
            (true, c) => in_escape = !c.is_ascii_alphabetic(),
            (false, _) => columns += 1,
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_broken_at_blanks_and_goes_on_indented() {
        let text = "  a line that is long enough to be broken\nshort\n";
        assert_eq!(fold(text, Some(24)), "  a line that is long\n    enough to be broken\nshort\n");
        assert_eq!(fold(text, None), text);
        assert_eq!(fold(&"x".repeat(60), Some(30)), "x".repeat(60));
    }

    #[test]
    fn colours_take_no_room() {
        assert_eq!(shown("\u{1b}[31mred\u{1b}[0m"), 3);
    }

    proptest::proptest! {
        #[test]
        fn nothing_but_blanks_changes(text in "[a-z ]{0,80}\n", width in 20_usize..60) {
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            let folded = fold(&text, Some(width));
            proptest::prop_assert_eq!(words(&folded), words(&text));
            let fits = |line: &str| line.chars().count() <= width || line.split_whitespace().any(|w| w.len() + 2 > width);
            let indented = text.chars().take_while(|&c| c == ' ').count() > 0;
            proptest::prop_assert!(indented || folded.lines().all(fits), "{:?}", folded);
        }
    }
}
