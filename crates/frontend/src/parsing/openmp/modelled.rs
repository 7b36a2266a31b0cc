//! Which directives are modelled, with which of their clauses.

use super::clauses::Directive;

/// Clauses without influence on what is executed, on a processor that shares its memory.
const HARMLESS: &[&str] = &[
    "shared",
    "default",
    "proc_bind",
    "safelen",
    "simdlen",
    "aligned",
    "linear",
    "untied",
    "mergeable",
    "priority",
    "affinity",
    "depend",
    "doacross",
    "final",
    "read",
    "write",
    "update",
    "capture",
    "compare",
    "weak",
    "fail",
    "seq_cst",
    "acq_rel",
    "release",
    "acquire",
    "relaxed",
    "hint",
    "allocate",
    "nontemporal",
    "order",
    "monotonic",
    "bind",
    "inbranch",
    "notinbranch",
    "uniform",
    "in_reduction",
    "threads",
    "simd",
];

const LOOP: &[&str] =
    &["schedule", "private", "firstprivate", "lastprivate", "reduction", "collapse", "nowait", "ordered"];
const PARALLEL: &[&str] = &["num_threads", "if", "private", "firstprivate", "reduction", "copyin"];
const PARALLEL_LOOP: &[&str] = &[
    "num_threads",
    "if",
    "schedule",
    "private",
    "firstprivate",
    "lastprivate",
    "reduction",
    "collapse",
    "ordered",
    "copyin",
    "dist_schedule",
];
const DISTRIBUTE: &[&str] = &["dist_schedule", "private", "firstprivate", "lastprivate", "reduction", "collapse"];
const TASKLOOP: &[&str] =
    &["if", "private", "firstprivate", "lastprivate", "reduction", "collapse", "grainsize", "num_tasks", "nogroup"];
/// Of a device: without one, the thread that comes to the construct executes it with the memory that there is.
const DEVICE: &[&str] = &[
    "map",
    "device",
    "if",
    "nowait",
    "is_device_ptr",
    "has_device_addr",
    "use_device_ptr",
    "use_device_addr",
    "defaultmap",
    "private",
    "firstprivate",
    "thread_limit",
    "to",
    "from",
    "link",
    "enter",
    "device_type",
    "indirect",
    "uses_allocators",
];

/// Directives with the clauses that they are modelled with, harmless ones apart.
const MODELLED: &[(&str, &[&str])] = &[
    ("parallel", PARALLEL),
    ("for", LOOP),
    ("for simd", LOOP),
    ("parallel for", PARALLEL_LOOP),
    ("parallel for simd", PARALLEL_LOOP),
    ("distribute", DISTRIBUTE),
    ("distribute simd", DISTRIBUTE),
    ("distribute parallel for", PARALLEL_LOOP),
    ("distribute parallel for simd", PARALLEL_LOOP),
    ("sections", &["private", "firstprivate", "lastprivate", "reduction", "nowait"]),
    ("parallel sections", &["num_threads", "if", "private", "firstprivate", "lastprivate", "reduction", "copyin"]),
    ("section", &[]),
    ("single", &["private", "firstprivate", "nowait", "copyprivate"]),
    ("scope", &["private", "firstprivate", "reduction", "nowait"]),
    ("master", &[]),
    ("masked", &[]),
    ("critical", &[]),
    ("atomic", &[]),
    ("barrier", &[]),
    ("task", &["if", "private", "firstprivate"]),
    ("taskloop", TASKLOOP),
    ("taskloop simd", TASKLOOP),
    ("taskwait", &["nowait"]),
    ("taskyield", &[]),
    ("taskgroup", &["task_reduction"]),
    ("simd", &["private", "lastprivate", "reduction", "collapse", "if"]),
    // How a compiler writes a loop out changes nothing of what the source says.
    ("unroll", &["full", "partial"]),
    ("declare simd", &[]),
    ("declare", &["reduction", "initializer"]),
    ("threadprivate", &[]),
    ("flush", &[]),
    ("ordered", &[]),
    ("scan", &["inclusive", "exclusive"]),
    ("target", DEVICE),
    ("target data", DEVICE),
    ("target enter data", DEVICE),
    ("target exit data", DEVICE),
    ("target update", DEVICE),
    ("declare target", DEVICE),
    ("begin declare target", DEVICE),
    ("end declare target", &[]),
    ("teams", &["num_teams", "thread_limit", "private", "firstprivate", "reduction"]),
    ("depobj", &["destroy"]),
    ("nothing", &[]),
    (
        "requires",
        &[
            "unified_address",
            "unified_shared_memory",
            "atomic_default_mem_order",
            "dynamic_allocators",
            "reverse_offload",
        ],
    ),
    // Without OMP_CANCELLATION=true they do nothing (OpenMP 4.5, 2.14.1).
    ("cancel", &["parallel", "for", "sections", "taskgroup", "if"]),
    ("cancellation point", &["parallel", "for", "sections", "taskgroup"]),
];

/// Directives that are statements themselves.
const ALONE: &[&str] = &[
    "barrier",
    "taskwait",
    "taskyield",
    "flush",
    "cancel",
    "cancellation point",
    "threadprivate",
    "declare simd",
    "declare",
    "declare target",
    "begin declare target",
    "end declare target",
    "target enter data",
    "target exit data",
    "target update",
    "scan",
    "depobj",
    "nothing",
    "requires",
];

impl Directive {
    /// Whether no statement belongs to the directive.
    pub fn stands_alone(&self) -> bool {
        let waits = self.name == "ordered" && (self.has("depend") || self.has("doacross"));
        waits || ALONE.contains(&self.name.as_str())
    }

    /// Whether all of it is modelled; one that consists of several is asked for each of them.
    pub fn is_modelled(&self) -> bool {
        if let Some((outer, inner)) = self.parts() {
            return outer.is_modelled() && inner.is_modelled();
        }
        let Some((_, known)) = MODELLED.iter().find(|(name, _)| *name == self.name) else { return false };
        let bare =
            matches!(&*self.name, "critical" | "threadprivate" | "flush" | "declare target" | "depobj" | "cancel");
        let fine = |name: &str| HARMLESS.contains(&name) || known.contains(&name) || bare && name.is_empty();
        self.clauses.iter().all(|(name, _)| fine(name)) && self.has_plain_arguments()
    }

    /// What of the arguments is beyond what is modelled: loops nested deeper, lists with parts of arrays.
    fn has_plain_arguments(&self) -> bool {
        let filtered = self.argument("filter").is_none();
        let lists = ["private", "firstprivate", "lastprivate", "copyprivate", "copyin"];
        let plain = |name: &str| name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let is_declaration = self.name == "declare";
        let reduced = is_declaration || self.reductions().is_some();
        let flat = self.name == "simd" || self.depth().is_some();
        filtered && flat && reduced && lists.iter().all(|list| self.names(list).iter().all(|name| plain(name)))
    }
}
