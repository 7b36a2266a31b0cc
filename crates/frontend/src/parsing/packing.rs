//! `#pragma pack`: the greatest alignment that members of the structs behind it get.
//!
//! The pragma is not part of the syntax tree. So the text for the parser gets an attribute of our own, [`ATTRIBUTE`],
//! behind the brace of each struct and union that it applies to. GCC lays a struct out when its brace closes: what is in
//! force there counts (GCC manual, "Structure-Layout Pragmas").

/// Attribute whose argument is the greatest alignment in bytes.
pub const ATTRIBUTE: &str = "chronos_pack";

/// What is in force, and what `push` has put aside.
#[derive(Debug, Default)]
pub(crate) struct Packing {
    most: Option<u64>,
    /// `FileNames` that `push` gave, and what was in force then.
    pushed: Vec<(Option<String>, Option<u64>)>,
    seen: bool,
}

impl Packing {
    /// Takes notice of a line of preprocessed text that begins with `#`.
    pub(crate) fn directive(&mut self, line: &str) {
        if let Some(arguments) = arguments(line) {
            self.seen = true;
            self.apply(&arguments);
        }
    }

    /// Whether there was such a pragma before: structs that end here may be packed.
    pub(crate) fn is_used(&self) -> bool {
        self.seen
    }

    /// The attribute of a struct that ends here; empty where the ABI's own alignments hold.
    pub(crate) fn attribute(&self) -> String {
        self.most.map_or(String::new(), |most| format!(" __attribute__(({ATTRIBUTE}({most}))) "))
    }

    fn apply(&mut self, arguments: &[&str]) {
        let (action, rest) = match arguments.split_first() {
            Some((&("push" | "pop"), rest)) => (Some(arguments[0]), rest),
            _ => (None, arguments),
        };
        let name = rest.iter().find(|word| word.parse::<u64>().is_err()).map(|word| (*word).to_owned());
        let number = rest.iter().find_map(|word| word.parse::<u64>().ok());
        match action {
            Some("push") => self.pushed.push((name, self.most)),
            Some(_) => self.pop(name.as_deref()),
            // `pack()` goes back to what the ABI says.
            None => self.most = None,
        }
        if let Some(number) = number {
            self.most = Some(number).filter(|&number| number > 0);
        }
    }

    /// A name that nobody pushed has no effect, as with GCC.
    fn pop(&mut self, name: Option<&str>) {
        let found = match name {
            Some(name) => self.pushed.iter().rposition(|(pushed, _)| pushed.as_deref() == Some(name)),
            None => self.pushed.len().checked_sub(1),
        };
        if let Some(at) = found {
            self.most = self.pushed[at].1;
            self.pushed.truncate(at);
        }
    }
}

/// The words between the brackets of `#pragma pack(...)`; `None` for other lines.
pub(crate) fn arguments(line: &str) -> Option<Vec<&str>> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("pragma")?;
    let rest = rest.trim_start().strip_prefix("pack")?.trim_start().strip_prefix('(')?;
    let inside = rest.split(')').next()?;
    Some(inside.split(',').map(str::trim).filter(|word| !word.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(lines: &[&str]) -> Option<u64> {
        let mut packing = Packing::default();
        lines.iter().for_each(|line| packing.directive(line));
        packing.most
    }

    #[test]
    fn pushes_and_pops_nest() {
        assert_eq!(after(&["#pragma pack(push,1)"]), Some(1));
        assert_eq!(
            after(&["#pragma pack(2)", "#pragma pack(push)", "#pragma pack(8)", "# pragma pack ( pop )"]),
            Some(2)
        );
        assert_eq!(after(&["#pragma pack(push, a, 4)", "#pragma pack(push, 2)", "#pragma pack(pop, a)"]), None);
        assert_eq!(after(&["#pragma pack(4)", "#pragma pack(pop)", "#pragma pack(pop, b)"]), Some(4));
        assert_eq!(after(&["#pragma pack(4)", "#pragma pack()"]), None);
        assert_eq!(after(&["#pragma omp parallel", "# 1 \"pack(3)\""]), None);
    }
}
