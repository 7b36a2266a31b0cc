//! The files that instrumentation makes: sources, the runtime, and what the trace says of its points.

use super::Instrumented;
use super::spawned;
use chronos_base::hash::FxHashSet;
use chronos_trace::identity::Identity;
use chronos_trace::live;
use chronos_trace::map::TraceMap;
use std::fmt::Write as _;
use std::path::Path;

/// What every instrumented source includes.
pub(crate) const HEADER: (&str, &str) = ("chronos_trace.h", include_str!("../runtime/chronos_trace.h"));

/// What every instrumented program is compiled with.
pub const RUNTIME: [(&str, &str); 2] = [HEADER, ("chronos_trace.c", include_str!("../runtime/chronos_trace.c"))];

/// What those that call MPI are compiled with besides; the further ones where they exchange blocks with neighbours,
/// access memory of other tasks or files.
pub(crate) const CALLS: [(&str, &str); 3] = [
    ("chronos_calls.h", include_str!("../runtime/chronos_calls.h")),
    ("chronos_messages.c", include_str!("../runtime/chronos_messages.c")),
    ("chronos_collectives.c", include_str!("../runtime/chronos_collectives.c")),
];
/// What programs that run in virtual time are compiled with in place of [`RUNTIME`], and besides.
const LIVE: [(&str, &str); 4] = [
    HEADER,
    ("chronos_live.h", include_str!("../runtime/chronos_live.h")),
    ("chronos_live.c", include_str!("../runtime/chronos_live.c")),
    ("chronos_live_messages.c", include_str!("../runtime/chronos_live_messages.c")),
];
/// Where the program starts tasks, those have it besides.
const SPAWN: (&str, &str) = ("chronos_live_spawn.c", include_str!("../runtime/chronos_live_spawn.c"));
pub(crate) const NEIGHBOURS: (&str, &str) = ("chronos_neighbours.c", include_str!("../runtime/chronos_neighbours.c"));
pub(crate) const WINDOWS: (&str, &str) = ("chronos_windows.c", include_str!("../runtime/chronos_windows.c"));
pub(crate) const FILES: (&str, &str) = ("chronos_files.c", include_str!("../runtime/chronos_files.c"));

/// Names and texts of files for one folder.
#[derive(Debug)]
pub struct Output {
    /// Names and texts of all files.
    pub files: Vec<(String, String)>,
    /// Those of them to compile.
    pub sources: Vec<String>,
    /// What the trace takes along.
    pub map: TraceMap,
    /// What the linker has to be told.
    pub link_flags: Option<&'static str>,
}

impl Output {
    /// The files of an instrumented program, for counts that were asked for with so many tasks.
    pub fn new(instrumented: &Instrumented, identity: &Identity, tasks: usize) -> Self {
        let map = map(instrumented, identity, tasks);
        if !instrumented.records() {
            return Self::with_users(vec![named(HEADER.0, HEADER.1)], Vec::new(), map, instrumented);
        }
        Self::with_runtime(&RUNTIME, map, instrumented)
    }

    /// Those of a program that runs in virtual time, on the bundled MPI.
    pub fn live(instrumented: &Instrumented, identity: &Identity, tasks: usize) -> Self {
        let map = map(instrumented, identity, tasks);
        let mut runtime = LIVE.to_vec();
        let list = spawned::list(&instrumented.programs);
        if !instrumented.programs.is_empty() {
            runtime.extend([SPAWN, (spawned::FILE, &list)]);
        }
        let link_flags = Some(spawned::LINK).filter(|_| !instrumented.programs.is_empty());
        Self { link_flags, ..Self::with_runtime(&runtime, map, instrumented) }.with_bundled_mpi()
    }

    fn with_runtime(runtime: &[(&str, &str)], map: TraceMap, instrumented: &Instrumented) -> Self {
        let calls = CALLS.iter().filter(|_| instrumented.mpi);
        let windows = instrumented.windows.then_some(&WINDOWS).into_iter();
        let neighbours = instrumented.neighbours.then_some(&NEIGHBOURS);
        let calls = calls.chain(neighbours).chain(windows).chain(instrumented.files.then_some(&FILES));
        let mut files: Vec<(String, String)> =
            runtime.iter().chain(calls).map(|(name, text)| named(name, text)).collect();
        // In front of the user's files and of MPI: of two weak functions the linker takes the first.
        let mut sources: Vec<String> =
            files.iter().map(|(name, _)| name.clone()).filter(|name| name.ends_with(".c")).collect();
        files.push((POINTS.to_owned(), points(&map)));
        sources.push(POINTS.to_owned());
        Self::with_users(files, sources, map, instrumented)
    }

    /// The user's files behind ours.
    fn with_users(
        mut files: Vec<(String, String)>,
        mut sources: Vec<String>,
        map: TraceMap,
        instrumented: &Instrumented,
    ) -> Self {
        let mut taken: FxHashSet<String> = files.iter().map(|(name, _)| name.clone()).collect();
        for (path, text) in &instrumented.sources {
            let name = unused(path, &mut taken);
            sources.push(name.clone());
            files.push((name, text.clone()));
        }
        Self { files, sources, map, link_flags: None }
    }

    /// For a run with these arguments.
    #[must_use]
    pub fn with_arguments(mut self, arguments: &[String]) -> Self {
        self.map.arguments = Some(arguments.to_vec());
        let text = points(&self.map);
        self.files.iter_mut().filter(|(name, _)| name == POINTS).for_each(|file| file.1.clone_from(&text));
        self
    }

    /// With the bundled MPI in a folder of its own.
    #[must_use]
    pub fn with_bundled_mpi(mut self) -> Self {
        self.files.extend(super::bundled::files());
        self
    }
}

fn map(instrumented: &Instrumented, identity: &Identity, tasks: usize) -> TraceMap {
    let Instrumented { points, whole, formulas, volumes, .. } = instrumented;
    TraceMap::new(identity, *points, *whole, formulas, tasks).with_volumes(volumes)
}

fn named(name: &str, text: &str) -> (String, String) {
    (name.to_owned(), text.to_owned())
}

/// The file's own name, or with a number where another folder has the same.
fn unused(path: &Path, taken: &mut FxHashSet<String>) -> String {
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let names = std::iter::once(format!("{stem}.c")).chain((2..).map(|number| format!("{stem}-{number}.c")));
    let name = names.into_iter().find(|name| !taken.contains(name)).unwrap_or_default();
    taken.insert(name.clone());
    name
}

const POINTS: &str = "chronos_points.c";

/// C source of the counters and of the map that the trace takes along.
fn points(map: &TraceMap) -> String {
    let count = map.points;
    let mut out = String::from("/* Generated: the trace points of one program. */\n");
    let _ = writeln!(out, "const unsigned chronos_points = {count};");
    // They are mapped to a file while the program runs.
    let whole_pages = live::table(count as usize);
    let _ = writeln!(out, "unsigned long long chronos_sparse[{}];", 2 * count + 1);
    out.push_str("#ifdef __GNUC__\n");
    let _ = writeln!(out, "__attribute__((aligned(4096))) unsigned long long chronos_counts[{whole_pages}];");
    let _ = writeln!(out, "const unsigned long chronos_mapped = {whole_pages};");
    let _ = writeln!(out, "#else\nunsigned long long chronos_counts[{}];", count.max(1));
    out.push_str("const unsigned long chronos_mapped = 0;\n#endif\n");
    let _ = writeln!(out, "const char chronos_identity[] = \"{}\";", map.identity);
    out.push_str("const char *const chronos_map[] = {\n");
    for line in map.to_json().lines() {
        let _ = writeln!(out, "  \"{}\\n\",", line.replace('\\', "\\\\").replace('"', "\\\""));
    }
    out.push_str("  0};\n");
    out
}
