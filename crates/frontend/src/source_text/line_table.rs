//! Where preprocessed text came from: a table of `# line "file"` markers, searched by bisection,
//! and the way back to columns of the user's own line.

use super::alignment;
use super::alignment::{Alignment, to_column};
use super::file_names::{BUNDLED, FileNames};
use super::markers::Marker;
use chronos_base::hash::{FxHashMap, FxHashSet};
use chronos_base::span::{FileId, SourceFiles, Span};
use std::sync::{Arc, Mutex, PoisonError};

/// Maps offsets of one preprocessed unit to places. Columns count bytes, from 1.
#[derive(Debug)]
pub struct LineTable {
    text: Arc<str>,
    /// Offset of each line of the preprocessed text.
    starts: Vec<u32>,
    /// For each [`BUCKET`] of the text, the line that holds its first byte.
    buckets: Vec<u32>,
    /// What is known of each line's columns.
    columns: Vec<Columns>,
    /// What the markers say, ascending by `first`; never empty.
    segments: Vec<Segment>,
    /// Files of the user, in order of appearance.
    user: Vec<FileId>,
    own: FxHashSet<FileId>,
    user_texts: FxHashMap<FileId, UserText>,
    /// Alignments of lines that macros changed, by their first preprocessed line.
    aligned: Mutex<FxHashMap<usize, Arc<Alignment>>>,
}

/// Bytes of text for each entry of the index of lines.
const BUCKET: usize = 64;

/// How the columns of a preprocessed line are found.
#[derive(Clone, Copy, Debug)]
enum Columns {
    /// The user's line is not there: it is named as a whole.
    Unknown,
    /// The preprocessor left the line as it was; this many columns further right the user has it.
    Same(i32),
    /// Macros changed the line: by its tokens.
    Aligned,
}

/// Lines of preprocessed text that follow a marker.
#[derive(Clone, Copy, Debug)]
struct Segment {
    /// Index of the first preprocessed line behind the marker.
    first: usize,
    file: FileId,
    line: u32,
}

#[derive(Debug)]
struct UserText {
    text: Arc<str>,
    starts: Vec<u32>,
}

impl UserText {
    fn new(text: Arc<str>) -> Self {
        let starts = line_starts(&text);
        Self { text, starts }
    }

    /// The line, from 1, without its end; `None` beyond the last.
    fn line(&self, line: u32) -> Option<&str> {
        let index = (line as usize).checked_sub(1)?;
        let start = *self.starts.get(index)? as usize;
        let end = self.starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        Some(self.text.get(start..end)?.trim_end_matches(['\n', '\r']))
    }
}

impl LineTable {
    /// Reads the markers of `text` and enters their files into `files`, the user's with their text.
    pub(crate) fn new(text: &str, files: &mut SourceFiles, names: &FileNames) -> Self {
        let starts = line_starts(text);
        let mut builder =
            Builder { files, names, known_files: FxHashMap::default(), user: Vec::new(), seen: FxHashSet::default() };
        let segments = builder.segments(text, &starts);
        let user = builder.user;
        let with_text = |id: &FileId| Some((*id, UserText::new(files.get(*id).text.clone()?)));
        let user_texts = user.iter().filter_map(with_text).collect();
        let buckets = buckets(&starts, text.len());
        let aligned = Mutex::default();
        let own = user.iter().copied().collect();
        let columns = Vec::new();
        let mut table = Self { text: text.into(), starts, buckets, columns, segments, user, own, user_texts, aligned };
        table.columns = table.compare_lines();
        table
    }

    /// Compares every line with the user's.
    fn compare_lines(&self) -> Vec<Columns> {
        let mut columns = Vec::with_capacity(self.starts.len());
        let mut bounds = self.segments.iter().map(|segment| segment.first).skip(1).chain([self.starts.len()]);
        for segment in &self.segments {
            let end = bounds.next().unwrap_or_default();
            let user = self.user_texts.get(&segment.file);
            // In front of the first marker, and on markers, nothing stands that a span could name.
            columns.resize(columns.len().max(segment.first), Columns::Unknown);
            for index in columns.len()..end {
                let line = Self::location(index, segment).1;
                columns.push(
                    user.and_then(|text| text.line(line))
                        .map_or(Columns::Unknown, |user| unchanged(user, self.line_text(index))),
                );
            }
        }
        columns
    }

    /// Files of this unit that the user wrote: no system header, nothing built in.
    pub(crate) fn user_files(&self) -> &[FileId] {
        &self.user
    }

    /// Whether the place lies in a file that the user wrote.
    pub fn is_user(&self, span: lang_c::span::Span) -> bool {
        !span.is_none() && self.is_user_file(self.location_of(self.line_of(span.start)).0)
    }

    /// Whether the user wrote the file.
    pub(crate) fn is_user_file(&self, file: FileId) -> bool {
        self.own.contains(&file)
    }

    /// The place in the user's own file. What a macro expanded to has the place of its use; an unknown span is
    /// the first line of the unit.
    pub fn span(&self, span: lang_c::span::Span) -> Span {
        if span.is_none() {
            return Span::line(self.segments[0].file, 1);
        }
        let last = self.last_byte(span.start, span.end);
        let index = self.line_of(span.start);
        if let Some(span) = self.within_line(index, span.start, last) {
            return span;
        }
        let start = self.columns_in(index, span.start);
        let end = self.columns(last);
        if start.file == end.file && start.line_start <= end.line_end { start.to(end) } else { start }
    }

    /// The place of the token at an offset.
    pub(crate) fn span_at(&self, offset: usize) -> Span {
        self.columns(offset)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Lines of the preprocessed text, markers included, with their offset.
    pub(crate) fn text_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (0..self.starts.len()).map(|index| (self.starts[index] as usize, self.line_text(index)))
    }

    fn line_of(&self, offset: usize) -> usize {
        let bucket = (offset / BUCKET).min(self.buckets.len() - 1);
        let first = self.buckets[bucket] as usize;
        let further = self.starts[first + 1..].iter().take_while(|&&start| start as usize <= offset).count();
        first + further
    }

    fn location_of(&self, index: usize) -> (FileId, u32) {
        let after = self.segments.partition_point(|segment| segment.first <= index).max(1);
        Self::location(index, &self.segments[after - 1])
    }

    fn location(index: usize, segment: &Segment) -> (FileId, u32) {
        let ahead = u32::try_from(index.saturating_sub(segment.first)).unwrap_or(u32::MAX);
        (segment.file, segment.line.saturating_add(ahead).max(1))
    }

    /// Offset of the last character of `start..end` that is neither blank nor part of a marker.
    fn last_byte(&self, start: usize, end: usize) -> usize {
        let mut end = end.min(self.text.len());
        while end > start {
            let line_start = self.starts[self.line_of(end - 1)] as usize;
            let from = line_start.max(start);
            let line = &self.text.as_bytes()[from..end];
            let marker = self.text.as_bytes().get(line_start) == Some(&b'#');
            if let Some(last) = line.iter().rposition(|b| !b.is_ascii_whitespace()).filter(|_| !marker) {
                return from + last;
            }
            end = from;
        }
        start
    }

    fn line_text(&self, index: usize) -> &str {
        let start = self.starts[index] as usize;
        let end = self.starts.get(index + 1).map_or(self.text.len(), |&next| next as usize);
        let bytes = &self.text.as_bytes()[start..end];
        let ends = bytes.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
        &self.text[start..end - ends]
    }

    /// From the token at `start` to that at `last`, where both stand on a line that the preprocessor left as it was: nearly all
    /// places are such.
    fn within_line(&self, index: usize, start: usize, last: usize) -> Option<Span> {
        let Columns::Same(shift) = self.columns[index] else { return None };
        let begin = self.starts[index] as usize;
        let text = self.line_text(index).as_bytes();
        let (column_start, first_end) = shifted(text, start - begin, shift)?;
        let (_, last_end) = shifted(text, last - begin, shift)?;
        let (file, line) = self.location_of(index);
        Some(Span { file, line_start: line, column_start, line_end: line, column_end: first_end.max(last_end) })
    }

    /// Place and columns of the token at an offset; the whole line where the token is not found again.
    fn columns(&self, offset: usize) -> Span {
        self.columns_in(self.line_of(offset), offset)
    }

    /// [`Self::columns`] of an offset in the line.
    fn columns_in(&self, index: usize, offset: usize) -> Span {
        let (file, line) = self.location_of(index);
        let columns = match self.columns[index] {
            Columns::Unknown => None,
            Columns::Same(shift) => {
                shifted(self.line_text(index).as_bytes(), offset - self.starts[index] as usize, shift)
            }
            Columns::Aligned => self
                .user_texts
                .get(&file)
                .and_then(|text| text.line(line))
                .map(|user| self.alignment(index, user).columns(offset, user)),
        };
        match columns {
            Some((first, last)) => {
                Span { file, line_start: line, column_start: first, line_end: line, column_end: last }
            }
            None => Span::line(file, line),
        }
    }

    fn alignment(&self, index: usize, user: &str) -> Arc<Alignment> {
        let group = self.group(index);
        let mut aligned = self.aligned.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = aligned.entry(group[0]);
        Arc::clone(entry.or_insert_with(|| {
            let pieces = group.iter().map(|&line| (self.starts[line] as usize, self.line_text(line)));
            Arc::new(Alignment::new(pieces, user))
        }))
    }

    /// The preprocessed lines around `index` that came from the same line of the user: the compiler
    /// breaks a line where a macro of a system header expands. Never empty.
    fn group(&self, index: usize) -> Vec<usize> {
        let place = self.location_of(index);
        let same = |line: &usize| self.is_marker(*line) || self.location_of(*line) == place;
        let before = (0..index).rev().take_while(same);
        let after = (index + 1..self.starts.len()).take_while(same);
        let mut group: Vec<usize> = before.chain([index]).chain(after).filter(|&line| !self.is_marker(line)).collect();
        group.sort_unstable();
        if group.is_empty() { vec![index] } else { group }
    }

    fn is_marker(&self, line: usize) -> bool {
        self.line_text(line).starts_with('#')
    }
}

/// Columns of the token at an offset of a line that the preprocessor left as it was.
fn shifted(line: &[u8], here: usize, shift: i32) -> Option<(u32, u32)> {
    let column = i32::try_from(here).ok()?.checked_add(shift)?.max(0);
    let rest = line.get(here..)?;
    let first = u32::try_from(column).ok()? + 1;
    Some((first, first.saturating_add(to_column(alignment::token_length(rest))).saturating_sub(1)))
}

fn unchanged(user: &str, line: &str) -> Columns {
    if user.trim() != line.trim() {
        return Columns::Aligned;
    }
    let indent = |text: &str| i32::try_from(text.len() - text.trim_start().len()).unwrap_or(0);
    Columns::Same(indent(user) - indent(line))
}

fn line_starts(text: &str) -> Vec<u32> {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    let starts = std::iter::once(0).chain(ends).filter(|&at| at < text.len() || at == 0);
    starts.map(|at| u32::try_from(at).unwrap_or(u32::MAX)).collect()
}

/// Never empty.
fn buckets(starts: &[u32], length: usize) -> Vec<u32> {
    let mut line = 0;
    let mut line_at = |offset: usize| {
        while starts.get(line + 1).is_some_and(|&start| start as usize <= offset) {
            line += 1;
        }
        u32::try_from(line).unwrap_or(u32::MAX)
    };
    (0..=length / BUCKET).map(|bucket| line_at(bucket * BUCKET)).collect()
}

/// Enters files as markers name them.
struct Builder<'a> {
    files: &'a mut SourceFiles,
    names: &'a FileNames,
    known_files: FxHashMap<String, FileId>,
    user: Vec<FileId>,
    seen: FxHashSet<FileId>,
}

impl Builder<'_> {
    fn segments(&mut self, text: &str, starts: &[u32]) -> Vec<Segment> {
        let mut segments = Vec::new();
        for (index, &start) in starts.iter().enumerate() {
            if text.as_bytes()[start as usize..].first() != Some(&b'#') {
                continue;
            }
            let line = text[start as usize..].lines().next().unwrap_or_default();
            if let Some(marker) = Marker::parse(line) {
                let file = self.enter(&marker);
                segments.push(Segment { first: index + 1, file, line: marker.line });
            }
        }
        if segments.is_empty() {
            let file = self.files.intern(BUNDLED, || None);
            segments.push(Segment { first: 0, file, line: 1 });
        }
        segments
    }

    /// A file is a system header if it is one where it first appears: later markers flag the user's
    /// own lines too, where macros of system headers expand in them.
    fn enter(&mut self, marker: &Marker) -> FileId {
        if let Some(&file) = self.known_files.get(&marker.file) {
            return file;
        }
        let name = self.names.shown(&marker.file);
        let foreign = marker.system || name.starts_with('<');
        let file = self.files.intern(&name, || if foreign { None } else { self.names.quoted(&marker.file) });
        self.known_files.insert(marker.file.clone(), file);
        if self.seen.insert(file) && !foreign {
            self.user.push(file);
        }
        file
    }
}
