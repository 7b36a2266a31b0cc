//! No files of different folders import each other in a ring: a folder is a part that can be read by itself. Between crates
//! the compiler sees to it; within a crate this test does. What a file imports is followed through `pub use` to the file that
//! defines it, so that the face of a folder (`mod.rs`) ties nobody to all that is behind it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A path of modules and, at its end, perhaps of an item.
type Names = Vec<String>;

#[test]
fn no_files_of_different_folders_import_each_other_in_a_ring() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let crates = fs::read_dir(root.join("crates")).expect("a folder").map(|entry| entry.expect("an entry").path());
    let rings: Vec<String> =
        crates.chain([root.to_owned()]).flat_map(|of| Package::read(&of.join("src")).rings()).collect();
    assert!(rings.is_empty(), "files of several folders import each other:\n{}", rings.join("\n"));
}

#[test]
fn rings_across_folders_are_found_and_faces_of_folders_make_none() {
    let check = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(path, text)| (PathBuf::from(path), (*text).to_owned()));
        Package::new(files.collect()).rings()
    };
    let lib = ("lib.rs", "mod a;\nmod b;");
    let face = ("a/mod.rs", "mod x;\npub use x::X;");
    let back = ("b/mod.rs", "use crate::a::{self, X};\npub struct B;");
    let ring = check(&[lib, face, ("a/x.rs", "use crate::b::B;\npub struct X(B);"), back]);
    assert_eq!(ring, ["a/x.rs -> b/mod.rs (B), b/mod.rs -> a/x.rs (X)"]);
    let within = check(&[
        lib,
        face,
        ("a/x.rs", "use super::y::Y; pub struct X;"),
        ("a/y.rs", "use super::X;\npub struct Y;"),
        back,
    ]);
    assert!(within.is_empty(), "{within:?}");
    let inline = check(&[lib, ("a/mod.rs", "fn f() { crate::b::g() }"), ("b/mod.rs", "fn g() { crate::a::f() }")]);
    assert_eq!(inline.len(), 1, "{inline:?}");
}

/// The sources of a crate, without their tests.
struct Package {
    files: Vec<Source>,
    modules: BTreeMap<Names, usize>,
}

struct Source {
    path: PathBuf,
    module: Names,
    text: String,
    /// Under which name it knows what.
    imports: BTreeMap<String, Names>,
    globs: Vec<Names>,
}

impl Package {
    fn read(src: &Path) -> Self {
        let mut files = Vec::new();
        collect(src, src, &mut files);
        Self::new(files)
    }

    fn new(files: Vec<(PathBuf, String)>) -> Self {
        let mut files: Vec<Source> = files.into_iter().map(|(path, text)| Source::new(path, &text)).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let modules: BTreeMap<Names, usize> =
            (0..).zip(&files).map(|(index, file)| (file.module.clone(), index)).collect();
        for file in &mut files {
            file.read_imports(&modules);
        }
        Self { files, modules }
    }

    /// Files in a ring that lie in more than one folder, with the imports that tie them.
    fn rings(&self) -> Vec<String> {
        let edges: Vec<BTreeMap<usize, String>> = (0..self.files.len()).map(|index| self.edges(index)).collect();
        let reached: Vec<BTreeSet<usize>> = (0..edges.len()).map(|from| reach(&edges, from)).collect();
        let mut rings: BTreeSet<BTreeSet<usize>> = BTreeSet::new();
        for from in 0..edges.len() {
            rings.insert(reached[from].iter().copied().filter(|&to| reached[to].contains(&from)).collect());
        }
        let folder = |index: &usize| self.folder(*index);
        rings.retain(|ring| ring.iter().map(folder).collect::<BTreeSet<_>>().len() > 1);
        rings.iter().map(|ring| self.told(ring, &edges)).collect()
    }

    /// Where a file belongs: `x.rs` beside `x/` is the face of that folder.
    fn folder(&self, index: usize) -> PathBuf {
        let path = &self.files[index].path;
        let own = path.with_extension("");
        let is_face = self.files.iter().any(|file| file.path.parent() == Some(&own));
        if is_face { own } else { path.parent().map(Path::to_owned).unwrap_or_default() }
    }

    fn told(&self, ring: &BTreeSet<usize>, edges: &[BTreeMap<usize, String>]) -> String {
        let name = |index: usize| self.files[index].path.display();
        let within = ring.iter().flat_map(|&from| edges[from].iter().map(move |(&to, item)| (from, to, item)));
        let within = within.filter(|(_, to, _)| ring.contains(to));
        let lines: Vec<String> =
            within.map(|(from, to, item)| format!("{} -> {} ({item})", name(from), name(to))).collect();
        lines.join(", ")
    }

    /// The files that define what a file names, with one such name each.
    fn edges(&self, from: usize) -> BTreeMap<usize, String> {
        let file = &self.files[from];
        let mentioned = mentions(&file.text).into_iter().filter_map(|path| file.absolute(&path, &self.modules));
        let named = file.imports.values().cloned().chain(mentioned);
        let found = named.filter_map(|path| Some((self.definition(&path, 0)?, path.last()?.clone())));
        found.filter(|(to, _)| *to != from).collect()
    }

    /// The file that defines what a path names; none for a module itself, which may be the face of many.
    fn definition(&self, path: &[String], depth: usize) -> Option<usize> {
        let modules = (0..=path.len()).rev().find(|&length| self.modules.contains_key(&path[..length]))?;
        let (&index, item) = (&self.modules[&path[..modules]], path.get(modules)?);
        let file = &self.files[index];
        if depth > 8 || file.defines(item) {
            return Some(index);
        }
        let follow = |target: &[String]| {
            let rest = target.iter().chain(&path[modules + 1..]).cloned();
            self.definition(&rest.collect::<Names>(), depth + 1)
        };
        if let Some(target) = file.imports.get(item) {
            return follow(target);
        }
        let through = |glob: &Names| follow(&[glob.as_slice(), std::slice::from_ref(item)].concat());
        let behind = file.globs.iter().filter(|glob| **glob != file.module).filter_map(through);
        behind.into_iter().find(|&to| self.files[to].defines(item)).or(Some(index))
    }
}

impl Source {
    fn new(path: PathBuf, text: &str) -> Self {
        let mut module: Names =
            path.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if module.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
            module.pop();
        }
        Self { path, module, text: without_comments_and_tests(text), imports: BTreeMap::new(), globs: Vec::new() }
    }

    fn read_imports(&mut self, modules: &BTreeMap<Names, usize>) {
        let mut rest = self.text.as_str();
        let (mut imports, mut globs) = (BTreeMap::new(), Vec::new());
        while let Some((tree, after)) = next_use(rest) {
            rest = after;
            for (path, name) in expanded(tree, &[]) {
                let Some(path) = self.absolute(&path, modules) else { continue };
                if name == "*" {
                    globs.push(path);
                } else {
                    imports.insert(name, path);
                }
            }
        }
        (self.imports, self.globs) = (imports, globs);
    }

    /// From the root of the crate; none for what lies in another crate.
    fn absolute(&self, path: &[String], modules: &BTreeMap<Names, usize>) -> Option<Names> {
        let (first, mut rest) = path.split_first()?;
        let mut base = self.module.clone();
        match first.as_str() {
            "crate" => base.clear(),
            "self" => {}
            "super" => {
                base.pop()?;
                while let Some(("super", behind)) = rest.split_first().map(|(first, behind)| (first.as_str(), behind)) {
                    base.pop()?;
                    rest = behind;
                }
            }
            _ => {
                base.push(first.clone());
                if let Some(known) = self.imports.get(first) {
                    base.clone_from(known);
                }
                return modules.contains_key(&base).then(|| base.into_iter().chain(rest.iter().cloned()).collect());
            }
        }
        Some(base.into_iter().chain(rest.iter().cloned()).collect())
    }

    fn defines(&self, item: &str) -> bool {
        const KINDS: [&str; 8] = ["fn", "struct", "enum", "trait", "type", "const", "static", "macro_rules!"];
        let is_definition = |at: usize| {
            let before = self.text[..at].trim_end();
            let ends = !self.text[at + item.len()..].starts_with(is_of_name);
            ends && KINDS.iter().any(|kind| before.ends_with(kind))
        };
        self.text.match_indices(item).any(|(at, _)| is_definition(at))
    }
}

fn collect(folder: &Path, src: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "tests" {
            collect(&path, src, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") && name != "tests" {
            let text = fs::read_to_string(&path).expect("a text");
            files.push((path.strip_prefix(src).expect("inside").to_owned(), text));
        }
    }
}

fn reach(edges: &[BTreeMap<usize, String>], from: usize) -> BTreeSet<usize> {
    let (mut reached, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(edges[next].keys());
        }
    }
    reached
}

fn without_comments_and_tests(text: &str) -> String {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let lines = code.lines().map(|line| line.find("//").map_or(line, |at| &line[..at]));
    lines.collect::<Vec<_>>().join("\n")
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// The tree of the next `use`, and what stands behind it.
fn next_use(text: &str) -> Option<(&str, &str)> {
    let begins = |at: &usize| !text[..*at].ends_with(is_of_name);
    let at = text.match_indices("use ").map(|(at, _)| at).find(begins)?;
    text[at + 4..].split_once(';')
}

/// `a::{b, c as d}` as the paths `a::b`, under the name b, and `a::c`, under the name d.
fn expanded(tree: &str, before: &[String]) -> Vec<(Names, String)> {
    let tree = tree.trim();
    let open = tree.find('{').filter(|_| tree.ends_with('}'));
    let (path, list) = open.map_or((tree, None), |at| (&tree[..at], Some(&tree[at + 1..tree.len() - 1])));
    let (path, name) =
        path.split_once(" as ").map_or((path, None), |(path, name)| (path, Some(name.trim().to_owned())));
    let mut names: Names = before.to_vec();
    names.extend(path.split("::").map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned));
    match list {
        Some(list) => parts(list).into_iter().flat_map(|part| expanded(part, &names)).collect(),
        None => {
            let last = names.last().cloned().unwrap_or_default();
            if ["self", "*"].contains(&last.as_str()) {
                names.pop();
            }
            let own = if last == "self" { names.last().cloned().unwrap_or_default() } else { last };
            vec![(names, name.unwrap_or(own))]
        }
    }
}

/// What commas separate, outside of inner braces.
fn parts(list: &str) -> Vec<&str> {
    let (mut found, mut depth, mut begin) = (Vec::new(), 0, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&list[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
    }
    found.push(&list[begin..]);
    found.retain(|part| !part.trim().is_empty());
    found
}

/// All `a::b::c` outside of `use`.
fn mentions(text: &str) -> BTreeSet<Names> {
    let words = text.split(|letter: char| !is_of_name(letter) && letter != ':');
    let paths = words.filter(|word| word.contains("::") && !word.starts_with("::"));
    paths.map(|word| word.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect()).collect()
}
