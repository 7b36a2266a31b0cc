//! Long units are parsed in pieces, side by side: the parser's tables grow with its text, and it
//! slows down as they outgrow the caches.
//!
//! All that a piece must know of those before it is which names are types. So the first piece
//! reaches up to the last `typedef` of file scope, and the others begin by declaring its names.

use super::parser::{on_threads, parse_text};
use crate::Piece;
use crate::source_text::tokens::{next_structural, token_end};
use lang_c::ast::{
    Declaration, DeclarationSpecifier, Declarator, DeclaratorKind, ExternalDeclaration, StorageClassSpecifier,
    TranslationUnit,
};
use std::ops::Range;

/// Bytes of a piece, at least.
const PIECE_BYTES: usize = 32 << 10;

/// Parses in pieces on as many threads. `None` where the text is too short for it or where a piece is not understood.
pub(crate) fn parse(text: &str, threads: usize) -> Option<Vec<Piece>> {
    let ranges = split(text);
    let (head, rest) = ranges.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let first = parse_text(text[head.clone()].to_owned()).ok()?;
    let prefix = typedefs(&first);
    let parse_range = |range: &Range<usize>| {
        let mut ast = parse_text(format!("{prefix}{}", &text[range.clone()])).ok()?;
        // The names of types are declared where they stand.
        ast.0.remove(0);
        Some(Piece { ast, shift: range.start.wrapping_sub(prefix.len()) })
    };
    let others = match threads {
        0 | 1 => rest.iter().map(parse_range).collect::<Option<Vec<_>>>()?,
        _ => all(rest.len(), on_threads(rest.len(), threads.min(rest.len()), &|index| parse_range(&rest[index])))?,
    };
    Some(std::iter::once(Piece { ast: first, shift: 0 }).chain(others).collect())
}

/// In their order, where each is there.
fn all(count: usize, mut parsed: Vec<(usize, Option<Piece>)>) -> Option<Vec<Piece>> {
    parsed.sort_by_key(|(index, _)| *index);
    (parsed.len() == count).then(|| parsed.into_iter().map(|(_, piece)| piece).collect::<Option<_>>())?
}

/// One declaration of all names that a piece makes types.
fn typedefs(ast: &TranslationUnit) -> String {
    let declarations = ast.0.iter().filter_map(|node| match &node.node {
        ExternalDeclaration::Declaration(declaration) if is_typedef(&declaration.node) => Some(&declaration.node),
        _ => None,
    });
    let declarators = declarations.flat_map(|declaration| &declaration.declarators);
    let names: Vec<&str> = declarators.filter_map(|d| name_of(&d.node.declarator.node)).collect();
    format!("typedef int {};\n", names.join(","))
}

fn is_typedef(declaration: &Declaration) -> bool {
    let is_typedef = |class: &StorageClassSpecifier| *class == StorageClassSpecifier::Typedef;
    let mut specifiers = declaration.specifiers.iter();
    specifiers.any(|s| matches!(&s.node, DeclarationSpecifier::StorageClass(class) if is_typedef(&class.node)))
}

fn name_of(declarator: &Declarator) -> Option<&str> {
    match &declarator.kind.node {
        DeclaratorKind::Abstract => None,
        DeclaratorKind::Identifier(name) => Some(&name.node.name),
        DeclaratorKind::Declarator(inner) => name_of(&inner.node),
    }
}

/// Ranges that end behind a function's body, one after the other.
pub(crate) fn split(text: &str) -> Vec<Range<usize>> {
    let mut scanner = Scanner { bytes: text.as_bytes(), at: 0, depth: 0, last: b';', in_body: false };
    let mut ranges = Vec::new();
    let mut start = 0;
    while let Some(found) = scanner.next() {
        match found {
            // All up to here is the first piece.
            Found::Typedef => {
                ranges.clear();
                start = 0;
            }
            Found::Body(end) if end - start >= PIECE_BYTES => {
                ranges.push(start..end);
                start = end;
            }
            Found::Body(_) => {}
        }
    }
    match ranges.last_mut() {
        Some(last) if text.len() - start < PIECE_BYTES => last.end = text.len(),
        _ => ranges.push(start..text.len()),
    }
    ranges
}

enum Found {
    /// The word, at file scope.
    Typedef,
    /// The end of a function's body.
    Body(usize),
}

/// Finds what matters to [`split`] without understanding declarations.
struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Open brackets of any kind.
    depth: usize,
    /// The last byte that is not blank.
    last: u8,
    /// The outermost bracket that is open follows a parenthesis.
    in_body: bool,
}

impl Scanner<'_> {
    fn next(&mut self) -> Option<Found> {
        loop {
            // What is inside of brackets matters up to the one that closes them.
            let start = if self.depth > 0 { next_structural(self.bytes, self.at) } else { self.at };
            let &byte = self.bytes.get(start)?;
            self.at = token_end(self.bytes, start);
            let found = self.token(start, byte);
            if !byte.is_ascii_whitespace() && byte != b'#' {
                self.last = byte;
            }
            if found.is_some() {
                return found;
            }
        }
    }

    fn token(&mut self, start: usize, byte: u8) -> Option<Found> {
        match byte {
            b'(' | b'[' | b'{' => {
                if self.depth == 0 {
                    self.in_body = byte == b'{' && self.last == b')';
                }
                self.depth += 1;
            }
            b')' | b']' | b'}' => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 && self.in_body && byte == b'}' && self.declaration_follows() {
                    return Some(Found::Body(self.at));
                }
            }
            b't' if self.depth == 0 && &self.bytes[start..self.at] == b"typedef" => return Some(Found::Typedef),
            _ => {}
        }
        None
    }

    /// A compound literal is followed by punctuation.
    fn declaration_follows(&self) -> bool {
        let rest = self.bytes[self.at..].trim_ascii_start();
        rest.first().is_none_or(|&byte| byte == b'#' || byte == b'_' || byte.is_ascii_alphabetic())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generated() -> String {
        let mut text = "typedef int known;\n# 1 \"x.c\"\nint x[] = { (1), '{' };\n".to_owned();
        for k in 0..3000 {
            text.push_str(&format!("known f{k}(known *a) {{ known b = (known)*a; return b + {k}; }}\n"));
        }
        text
    }

    #[test]
    fn pieces_are_the_whole_in_order() {
        let text = generated();
        let pieces = parse(&text, 2).expect("the text is long enough");
        let whole = parse_text(text.clone()).expect("the text is valid");
        assert!(pieces.len() > 3, "{}", pieces.len());
        let range = |span: lang_c::span::Span| (span.start, span.end);
        let nodes = pieces.iter().flat_map(|piece| piece.ast.0.iter().map(|node| range(piece.range(node.span))));
        let expected = whole.0.iter().map(|node| range(node.span));
        assert_eq!(nodes.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_late_typedef_keeps_what_stands_before_it_together() {
        let text = generated() + "typedef int late; late g(void) { return 1; }";
        assert_eq!(split(&text).len(), 1);
        assert!(parse("int f(void) { return 1; }", 2).is_none());
    }
}
