//! Objects (ELF) with their functions, relocations and lines (DWARF).

use crate::aarch64;
use crate::codes;
use crate::instruction::{Instruction, InstructionSet, Relocation, Symbols};
use crate::no_return;
use crate::x86;
use addr2line::Context;
use chronos_base::diag::Diagnostic;
use chronos_base::hash::{FxHashMap, FxHashSet};
use gimli::{EndianSlice, RunTimeEndian};
use object::{
    Architecture, Object as _, ObjectSection as _, ObjectSymbol as _, RelocationTarget, SectionIndex, SymbolKind,
};
use std::collections::BTreeMap;
use std::sync::Arc;

type Bytes<'a> = EndianSlice<'a, RunTimeEndian>;

/// Distance of sections: more than any has, and a multiple of pages, so that places within lines stay as they are.
const SECTION_SPACE: u64 = 1 << 32;

/// A place in a source file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourcePlace {
    /// The path as the debugging information has it, the folder of the compilation in front where it is relative.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 where it is not told.
    pub column: u32,
}

/// A function and the place in it that an instruction comes from; several for inlined calls.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Frame {
    /// The function's name in the source.
    pub function: Arc<str>,
    /// Where in it; `None` where the compiler does not tell.
    pub place: Option<SourcePlace>,
}

/// Where the linker puts a function, beside its place in the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Its section begins at some multiple of so many bytes.
    Multiple(u64),
    /// It lies so many bytes behind, modulo 2^64.
    Known(u64),
}

/// A function of the object code.
#[derive(Clone, Debug)]
pub struct MachineFunction {
    /// Its symbol; clones that the compiler made have a suffix (`f.part.0`).
    pub name: Arc<str>,
    /// All instructions in the order of addresses.
    pub instructions: Vec<Instruction>,
    /// For each instruction the inlined calls that it comes from: the outermost function first, the innermost last.
    pub frames: Vec<Arc<[Frame]>>,
    /// Where the linker puts it.
    pub placement: Placement,
}

impl MachineFunction {
    /// Where the `index`th instruction comes from, innermost.
    pub fn place(&self, index: usize) -> Option<&SourcePlace> {
        self.frames.get(index)?.last()?.place.as_ref()
    }

    /// With parts that the compiler split off a function and put back into it (partial inlining: R. Muth, S. Debray, 2000; gcc
    /// -fpartial-inlining) as code of the function itself. Debugging information has them as calls of itself, which only those
    /// functions can make that are `recursive`.
    #[must_use]
    pub fn with_parts_joined(&self, recursive: impl Fn(&str) -> bool) -> Self {
        let split = |outer: &Frame, inner: &Frame| outer.function == inner.function && !recursive(&inner.function);
        let joined = |frames: &Arc<[Frame]>| -> Arc<[Frame]> {
            if !frames.windows(2).any(|pair| split(&pair[0], &pair[1])) {
                return frames.clone();
            }
            let is_own = |at: &usize| frames.get(at + 1).is_none_or(|inner| !split(&frames[*at], inner));
            (0..frames.len()).filter(is_own).map(|at| frames[at].clone()).collect()
        };
        Self { frames: self.frames.iter().map(joined).collect(), ..self.clone() }
    }

    /// The function without the suffix of a clone.
    pub(crate) fn base_name(&self) -> &str {
        self.name.split('.').next().unwrap_or(&self.name)
    }
}

/// A word in data that holds an address of the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    /// The address; of a relative word, with the word's own place added.
    pub target: u64,
    /// It holds the distance from the begin of its table.
    pub relative: bool,
}

/// What one compilation made: a translation unit's functions.
#[derive(Clone, Debug, Default)]
pub struct CompiledUnit {
    /// The instruction set of its functions.
    pub set: InstructionSet,
    /// Its functions, by address.
    pub functions: Vec<MachineFunction>,
    /// Words that hold addresses, by their own: tables of jumps among them.
    pub words: BTreeMap<u64, Word>,
    /// Sections by name with their address, to resolve tables.
    pub sections: FxHashMap<String, u64>,
    /// What read-only data hold, by address: tables of distances without relocations among them.
    pub(crate) constants: BTreeMap<u64, Vec<u8>>,
}

impl CompiledUnit {
    /// The function of this name, or what the compiler left of it as a clone.
    pub fn function(&self, name: &str) -> Option<&MachineFunction> {
        self.position(name).map(|at| &self.functions[at])
    }

    /// Where among the functions that is.
    pub fn position(&self, name: &str) -> Option<usize> {
        let exact = self.functions.iter().position(|function| &*function.name == name);
        exact.or_else(|| self.functions.iter().position(|function| function.base_name() == name))
    }
}

/// A function's symbol.
struct FunctionSymbol {
    name: Arc<str>,
    address: u64,
    size: u64,
    section: SectionIndex,
}

/// An object laid out in an address space of its own: sections of relocatable files all begin at 0.
struct ObjectCode<'a> {
    file: object::File<'a>,
    set: InstructionSet,
    bases: FxHashMap<SectionIndex, u64>,
    relocations: BTreeMap<u64, Relocation>,
    starts: FxHashMap<u64, Arc<str>>,
    /// Words in data that hold addresses of this object.
    words: BTreeMap<u64, Word>,
}

impl Symbols for ObjectCode<'_> {
    fn relocation(&self, from: u64, to: u64) -> Option<Relocation> {
        self.relocations.range(from..to).next().map(|(_, relocation)| relocation.clone())
    }

    fn function_at(&self, address: u64) -> Option<String> {
        self.starts.get(&address).map(|name| name.to_string())
    }
}

/// Reads an object: all functions with instructions and lines.
///
/// # Errors
/// It is no object of an instruction set that is decoded, or has no line numbers.
pub fn read(bytes: &[u8], origin: &str) -> Result<(CompiledUnit, Vec<Diagnostic>), Diagnostic> {
    let file = object::File::parse(bytes).map_err(|error| unreadable(origin, &error.to_string()))?;
    let set = match file.architecture() {
        Architecture::X86_64 => InstructionSet::X86,
        Architecture::Aarch64 => InstructionSet::Aarch64,
        other => return Err(unreadable(origin, &format!("code for {other:?}, which is not decoded"))),
    };
    let code = ObjectCode::new(file, set);
    let sections = code.debug_sections(origin)?;
    let lines = Lines::new(&sections).map_err(|error| unreadable(origin, &error.to_string()))?;
    let mut unit =
        CompiledUnit { set, words: code.words.clone(), sections: code.section_names(), ..CompiledUnit::default() };
    unit.constants = code.constants();
    let mut diagnostics = Vec::new();
    for symbol in code.functions() {
        match code.function(&symbol, &lines) {
            Ok(function) => unit.functions.push(function),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    no_return::end_calls(&mut unit.functions, lines.without_return);
    Ok((unit, diagnostics))
}

impl<'a> ObjectCode<'a> {
    fn new(file: object::File<'a>, set: InstructionSet) -> Self {
        let bases = (1..).map(|n| n * SECTION_SPACE).zip(file.sections().filter(is_loaded));
        let bases = bases.map(|(base, section)| (section.index(), base + section.address())).collect();
        let mut code = Self {
            file,
            set,
            bases,
            relocations: BTreeMap::new(),
            starts: FxHashMap::default(),
            words: BTreeMap::new(),
        };
        code.find_relocations();
        code.starts = code.functions().into_iter().map(|symbol| (symbol.address, symbol.name)).collect();
        code
    }

    /// Symbols of functions; several names of one place are one function.
    fn functions(&self) -> Vec<FunctionSymbol> {
        let mut found: BTreeMap<u64, FunctionSymbol> = BTreeMap::new();
        for symbol in self.file.symbols() {
            let (Some(section), Ok(name)) = (symbol.section_index(), symbol.name()) else { continue };
            if symbol.kind() != SymbolKind::Text || symbol.size() == 0 {
                continue;
            }
            let Some(&base) = self.bases.get(&section) else { continue };
            let address = base + symbol.address();
            let entry = FunctionSymbol { name: name.into(), address, size: symbol.size(), section };
            // The global name is the one that sources call it by.
            if symbol.is_global() || !found.contains_key(&address) {
                found.insert(address, entry);
            }
        }
        found.into_values().collect()
    }

    fn section_names(&self) -> FxHashMap<String, u64> {
        let name = |section: &object::Section<'_, '_>| section.name().ok().map(str::to_owned);
        let loaded = self.file.sections().filter_map(|s| Some((name(&s)?, *self.bases.get(&s.index())?)));
        loaded.collect()
    }

    fn constants(&self) -> BTreeMap<u64, Vec<u8>> {
        let constant = |section: &object::Section<'_, '_>| section.kind() == object::SectionKind::ReadOnlyData;
        let found = self.file.sections().filter(|section| constant(section));
        found.filter_map(|section| Some((*self.bases.get(&section.index())?, section.data().ok()?.to_vec()))).collect()
    }

    fn find_relocations(&mut self) {
        let mut found = BTreeMap::new();
        let mut words = BTreeMap::new();
        for section in self.file.sections() {
            let Some(&base) = self.bases.get(&section.index()) else { continue };
            for (offset, relocation) in section.relocations() {
                let RelocationTarget::Symbol(index) = relocation.target() else { continue };
                let Ok(symbol) = self.file.symbol_by_index(index) else { continue };
                let at = base + offset;
                let home = symbol.section_index().and_then(|index| self.bases.get(&index).copied());
                let target = home.map(|home| (home + symbol.address()).wrapping_add_signed(relocation.addend()));
                let relative = relocation.kind() == object::RelocationKind::Relative
                    || relocation.kind() == object::RelocationKind::PltRelative;
                if section.kind() == object::SectionKind::Text {
                    let symbol = self.symbol_name(&symbol);
                    let kind = match relocation.flags() {
                        object::RelocationFlags::Elf { r_type } => r_type.0,
                        _ => 0,
                    };
                    let relative = relative && self.set == InstructionSet::X86;
                    found.insert(at, Relocation { at, symbol, addend: relocation.addend(), relative, kind });
                } else if let Some(target) = target {
                    // Tables of position-independent code hold distances from their own begin: PC-relative here.
                    words.insert(at, Word { target, relative });
                }
            }
        }
        self.relocations = found;
        self.words = words;
    }

    /// A section's symbol has no name of its own.
    fn symbol_name(&self, symbol: &object::Symbol<'_, '_>) -> String {
        let name = symbol.name().unwrap_or_default();
        if !name.is_empty() {
            return name.to_owned();
        }
        let section = symbol.section_index().and_then(|index| self.file.section_by_index(index).ok());
        section.and_then(|section| section.name().ok().map(str::to_owned)).unwrap_or_default()
    }

    fn function(&self, symbol: &FunctionSymbol, lines: &Lines<'_>) -> Result<MachineFunction, Box<Diagnostic>> {
        let name = &symbol.name;
        let not_decoded = |why: &str| {
            Box::new(Diagnostic::warning(&codes::NOT_DECODED, format!("the function `{name}` is not decoded: {why}")))
        };
        let section = self.file.section_by_index(symbol.section).map_err(|error| not_decoded(&error.to_string()))?;
        let base = self.bases.get(&symbol.section).copied().unwrap_or_default();
        let data = section.data().map_err(|error| not_decoded(&error.to_string()))?;
        let begin = usize::try_from(symbol.address - base).unwrap_or(usize::MAX);
        let size = usize::try_from(symbol.size).unwrap_or(usize::MAX);
        let bytes = begin.checked_add(size).and_then(|end| data.get(begin..end));
        let bytes = bytes.ok_or_else(|| not_decoded("its symbol reaches beyond its section"))?;
        let instructions = match self.set {
            InstructionSet::X86 => x86::decode(bytes, symbol.address, self).map_err(|at| {
                not_decoded(&format!("the bytes {:#x} behind its begin are no known instruction", at - symbol.address))
            })?,
            InstructionSet::Aarch64 => aarch64::decode(bytes, symbol.address, self),
        };
        let frames = instructions.iter().map(|instruction| lines.frames(instruction.address, name)).collect();
        let placement = Placement::Multiple(section.align().max(1));
        Ok(MachineFunction { name: name.clone(), instructions, frames, placement })
    }

    /// All sections of debugging information.
    fn debug_sections(&self, origin: &str) -> Result<FxHashMap<&'static str, Vec<u8>>, Diagnostic> {
        if self.file.section_by_name(".debug_line").is_none() {
            let message = format!("the object of `{origin}` has no line numbers");
            return Err(Diagnostic::error(&codes::NO_LINES, message).help("leave -s, -g0 and stripping out of --cc"));
        }
        let mut sections = FxHashMap::default();
        let mut load = |id: gimli::SectionId| -> Result<(), gimli::Error> {
            let data = self.file.section_by_name(id.name()).map_or_else(Vec::new, |section| self.relocated(&section));
            sections.insert(id.name(), data);
            Ok(())
        };
        gimli::DwarfSections::load(&mut load).map_err(|error| unreadable(origin, &error.to_string()))?;
        Ok(sections)
    }

    /// A section of debugging information with its relocations applied, as the linker would.
    fn relocated(&self, section: &object::Section<'_, '_>) -> Vec<u8> {
        let mut data = section.data().unwrap_or_default().to_vec();
        for (offset, relocation) in section.relocations() {
            let RelocationTarget::Symbol(index) = relocation.target() else { continue };
            let Ok(symbol) = self.file.symbol_by_index(index) else { continue };
            let home = symbol.section_index().and_then(|index| self.bases.get(&index).copied()).unwrap_or(0);
            let value = (home + symbol.address()).wrapping_add_signed(relocation.addend());
            let Ok(offset) = usize::try_from(offset) else { continue };
            let size = usize::from(relocation.size() / 8).min(8);
            if let Some(field) = data.get_mut(offset..offset + size) {
                field.copy_from_slice(&value.to_le_bytes()[..size]);
            }
        }
        data
    }
}

fn is_loaded(section: &object::Section<'_, '_>) -> bool {
    use object::SectionKind::{Data, ReadOnlyData, ReadOnlyDataWithRel, ReadOnlyString, Text, UninitializedData};
    matches!(section.kind(), Text | Data | ReadOnlyData | ReadOnlyDataWithRel | ReadOnlyString | UninitializedData)
}

fn unreadable(origin: &str, why: &str) -> Diagnostic {
    Diagnostic::error(&codes::UNREADABLE_OBJECT, format!("the object of `{origin}` cannot be read: {why}"))
        .help("name a compiler for x86-64 or aarch64 that writes ELF objects, such as --cc \"gcc -O2\"")
}

/// Lines and inlined calls by address.
struct Lines<'a> {
    context: Context<Bytes<'a>>,
    /// Functions that are declared not to come back.
    without_return: FxHashSet<Arc<str>>,
}

impl<'a> Lines<'a> {
    fn new(sections: &'a FxHashMap<&'static str, Vec<u8>>) -> Result<Self, gimli::Error> {
        let load = |id: gimli::SectionId| -> Result<Bytes<'a>, gimli::Error> {
            let data = sections.get(id.name()).map_or(&[][..], Vec::as_slice);
            Ok(EndianSlice::new(data, RunTimeEndian::Little))
        };
        let dwarf = gimli::Dwarf::load(load)?;
        let without_return = declared_without_return(&dwarf)?;
        Ok(Self { context: Context::from_dwarf(dwarf)?, without_return })
    }

    fn frames(&self, address: u64, function: &Arc<str>) -> Arc<[Frame]> {
        let mut frames = Vec::new();
        if let Ok(mut found) = self.context.find_frames(address).skip_all_loads() {
            while let Ok(Some(frame)) = found.next() {
                let name = frame.function.as_ref().and_then(|name| name.raw_name().ok());
                let name = name.map_or_else(|| function.clone(), |name| Arc::from(&*name));
                frames.push(Frame { function: name, place: frame.location.as_ref().and_then(place) });
            }
        }
        if frames.is_empty() {
            frames.push(Frame { function: function.clone(), place: None });
        }
        frames.reverse();
        frames.into()
    }
}

/// Functions that the sources declare not to come back (`_Noreturn`, `__attribute__((noreturn))`).
fn declared_without_return(dwarf: &gimli::Dwarf<Bytes<'_>>) -> Result<FxHashSet<Arc<str>>, gimli::Error> {
    let mut found = FxHashSet::default();
    let mut headers = dwarf.units();
    while let Some(header) = headers.next()? {
        let unit = dwarf.unit(header)?;
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            if entry.tag() != gimli::DW_TAG_subprogram || entry.attr_value(gimli::DW_AT_noreturn).is_none() {
                continue;
            }
            if let Some(name) = entry.attr_value(gimli::DW_AT_name) {
                found.insert(dwarf.attr_string(&unit, name)?.to_string_lossy().into());
            }
        }
    }
    Ok(found)
}

/// Line 0 is what compilers say of code that belongs to no line.
fn place(location: &addr2line::Location<'_>) -> Option<SourcePlace> {
    let line = location.line.filter(|&line| line > 0)?;
    Some(SourcePlace { file: location.file?.into(), line, column: location.column.unwrap_or(0) })
}
