//! Where calls stand in the sources, by the debugging information of executables and libraries.
//!
//! This module must not know what is done with a place. What is not known of one is said to be so: its function is then that
//! of the symbol table or `(unknown function)`, its file the executable.

use crate::folder::NamedPlace;
use crate::task::CodePlace;
use addr2line::Context;
use gimli::{EndianSlice, RunTimeEndian};
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// A place in the sources.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourcePlace {
    /// The function that calls.
    pub function: String,
    /// Its file; the executable where it is not known.
    pub file: String,
    /// The line of the call; 0 where it is not known.
    pub line: u32,
}

/// Of a call of which only the executable is known.
pub fn unknown(place: &CodePlace) -> SourcePlace {
    let file =
        Path::new(&place.module).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    SourcePlace { function: "(unknown function)".to_owned(), file, line: 0 }
}

/// The places in the sources; `here` is the folder that names of files begin with where they are below it.
pub fn named(places: &[&CodePlace], here: &Path) -> Vec<NamedPlace> {
    let mut modules: BTreeMap<&str, Vec<&CodePlace>> = BTreeMap::new();
    places.iter().for_each(|place| modules.entry(&place.module).or_default().push(place));
    let mut found = Vec::new();
    for (module, places) in modules {
        let bytes = std::fs::read(module).unwrap_or_default();
        let file = object::File::parse(&*bytes).ok();
        let debug = file.as_ref().map(sections).unwrap_or_default();
        let lines = lines(&debug);
        for place in places {
            let source = lines
                .as_ref()
                .and_then(|lines| by_line(lines, place))
                .or_else(|| by_symbol(file.as_ref()?, place))
                .unwrap_or_else(|| unknown(place));
            let source = SourcePlace { file: shortened(&source.file, here), ..source };
            found.push(NamedPlace { module: module.to_owned(), offset: place.offset, source });
        }
    }
    found.dedup();
    found
}

fn shortened(file: &str, here: &Path) -> String {
    Path::new(file).strip_prefix(here).map_or_else(|_| file.to_owned(), |short| short.to_string_lossy().into_owned())
}

type Sections = BTreeMap<&'static str, Vec<u8>>;
type Lines<'a> = Context<EndianSlice<'a, RunTimeEndian>>;

const DEBUG: [gimli::SectionId; 12] = [
    gimli::SectionId::DebugAbbrev,
    gimli::SectionId::DebugAddr,
    gimli::SectionId::DebugAranges,
    gimli::SectionId::DebugInfo,
    gimli::SectionId::DebugLine,
    gimli::SectionId::DebugLineStr,
    gimli::SectionId::DebugStr,
    gimli::SectionId::DebugStrOffsets,
    gimli::SectionId::DebugTypes,
    gimli::SectionId::DebugRanges,
    gimli::SectionId::DebugRngLists,
    gimli::SectionId::DebugLocLists,
];

fn sections(file: &object::File<'_>) -> Sections {
    let data = |id: gimli::SectionId| {
        let section = file.section_by_name(id.name())?;
        Some((id.name(), section.uncompressed_data().ok()?.into_owned()))
    };
    DEBUG.into_iter().filter_map(data).collect()
}

fn lines(sections: &Sections) -> Option<Lines<'_>> {
    let load = |id: gimli::SectionId| -> Result<_, gimli::Error> {
        let data = sections.get(id.name()).map_or(&[][..], Vec::as_slice);
        Ok(EndianSlice::new(data, RunTimeEndian::default()))
    };
    Context::from_dwarf(gimli::Dwarf::load(load).ok()?).ok()
}

/// The address is that behind the call.
fn within_call(place: &CodePlace) -> u64 {
    place.offset.saturating_sub(1)
}

fn by_line(lines: &Lines<'_>, place: &CodePlace) -> Option<SourcePlace> {
    let mut frames = lines.find_frames(within_call(place)).skip_all_loads().ok()?;
    let frame = frames.next().ok()??;
    let location = frame.location?;
    let function = frame.function.and_then(|name| Some(name.raw_name().ok()?.into_owned()))?;
    Some(SourcePlace { function, file: location.file?.to_owned(), line: location.line? })
}

fn by_symbol(file: &object::File<'_>, place: &CodePlace) -> Option<SourcePlace> {
    let address = within_call(place);
    let holds = |from: u64, size: u64| (from..from.saturating_add(size)).contains(&address);
    let symbol = file.symbols().find(|symbol| holds(symbol.address(), symbol.size()))?;
    Some(SourcePlace { function: symbol.name().ok()?.to_owned(), ..unknown(place) })
}
