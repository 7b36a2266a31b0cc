//! Which known name was probably meant by one that is unknown.

/// The known name closest to `name`, where it is close enough to be a misspelling; case is ignored.
pub fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let (edits, near) = known.map(|known| (distance(name, known), known)).min()?;
    (edits <= 2 + near.len() / 4).then_some(near)
}

/// Levenshtein distance in bytes, case ignored.
fn distance(a: &str, b: &str) -> usize {
    let bytes = |text: &str| text.to_ascii_lowercase().into_bytes();
    strsim::generic_levenshtein(&bytes(a), &bytes(b))
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn only_close_names_are_meant() {
        let known = ["iterations", "SIZE"];
        assert_eq!(nearest("itertions", known.into_iter()), Some("iterations"));
        assert_eq!(nearest("size", known.into_iter()), Some("SIZE"));
        assert_eq!(nearest("completely", known.into_iter()), None);
    }
}
