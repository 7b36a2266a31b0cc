//! How people name branches and loops: by line, and by column where a line holds several.
//!
//! - `LINE` names the one `if` or `switch` that begins on the line, or the one loop; where neither is there but one
//!   `&&`, `||` or `?:`, it names that.
//! - `LINE:COLUMN` names what begins there. Of several that begin at one place, as in `a && b && c`, the innermost; an
//!   outer one is named by a column that it alone holds, such as that of its operator.
//! - What a macro puts into one place cannot be told apart and is named together.

use super::{Block, BlockId, BlockKind, BranchKind, Program};
use chronos_base::span::{FileId, Span};

/// What is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Branches are named.
    Branch,
    /// Loops are named.
    Loop,
}

/// What a place names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// No such branch or loop stands there.
    Nothing,
    /// More than one only where they stand at the same place.
    These(Vec<BlockId>),
    /// These, but it does not say which.
    Several(Vec<BlockId>),
}

impl Decision {
    /// What users call a block of this kind; `None` for blocks that decide nothing.
    pub fn of(block: &Block) -> Option<Self> {
        match block.kind {
            BlockKind::Branch(_) => Some(Self::Branch),
            BlockKind::Loop(_) => Some(Self::Loop),
            BlockKind::Straight(_) | BlockKind::Call(_) => None,
        }
    }
}

impl Program {
    /// What a line, or a place on it, names in the files that fit.
    pub fn named(&self, decision: Decision, file: impl Fn(FileId) -> bool, line: u32, column: Option<u32>) -> Named {
        let on_line = self.on_line(decision, file, line);
        match column {
            Some(column) => self.at_column(&on_line, column),
            None => self.alone(on_line),
        }
    }

    /// The shortest name of a branch or loop: `FILE:LINE` or `FILE:LINE:COLUMN`.
    pub fn place_of(&self, id: BlockId) -> String {
        let block = &self.blocks[id];
        let line = self.files.locate(block.span);
        let Some(decision) = Decision::of(block) else { return line };
        let on_line = self.on_line(decision, |file| file == block.span.file, block.span.line_start);
        if self.alone(on_line.clone()) == Named::These(vec![id]) {
            return line;
        }
        let names_it = |column: &u32| match self.at_column(&on_line, *column) {
            Named::These(all) => all.contains(&id),
            _ => false,
        };
        let begin = block.span.column_start;
        let end = if block.span.line_end == block.span.line_start { block.span.column_end } else { begin };
        let column = (begin..=end).find(names_it).unwrap_or(begin);
        format!("{line}:{column}")
    }

    fn on_line(&self, decision: Decision, file: impl Fn(FileId) -> bool, line: u32) -> Vec<BlockId> {
        let fits = |block: &Block| {
            block.span.line_start == line && Decision::of(block) == Some(decision) && file(block.span.file)
        };
        self.blocks.iter().filter(|(_, block)| fits(block)).map(|(id, _)| id).collect()
    }

    fn alone(&self, on_line: Vec<BlockId>) -> Named {
        let statements: Vec<BlockId> = on_line.iter().copied().filter(|&id| self.is_statement(id)).collect();
        let mut of_interest = if statements.is_empty() { on_line } else { statements };
        of_interest.dedup_by_key(|id| self.blocks[*id].span);
        match of_interest.len() {
            0 => Named::Nothing,
            1 => Named::These(of_interest),
            _ => Named::Several(of_interest),
        }
    }

    fn is_statement(&self, id: BlockId) -> bool {
        match &self.blocks[id].kind {
            BlockKind::Branch(branch) => matches!(branch.kind, BranchKind::If | BranchKind::Switch),
            _ => true,
        }
    }

    fn at_column(&self, on_line: &[BlockId], column: u32) -> Named {
        let span = |id: &BlockId| self.blocks[*id].span;
        let begins: Vec<BlockId> = on_line.iter().copied().filter(|id| span(id).column_start == column).collect();
        let holds = |id: &BlockId| {
            let span = span(id);
            span.line_end == span.line_start && (span.column_start..=span.column_end).contains(&column)
        };
        let found = if begins.is_empty() { on_line.iter().copied().filter(holds).collect() } else { begins };
        let length = |span: Span| (span.line_end, span.column_end, std::cmp::Reverse(span.column_start));
        let Some(innermost) = found.iter().map(span).min_by_key(|span| length(*span)) else { return Named::Nothing };
        Named::These(found.into_iter().filter(|id| span(id) == innermost).collect())
    }
}
