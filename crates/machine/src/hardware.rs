//! What a machine file says of the processor's pipeline and of memory.

use chronos_base::units::{Bytes, Cycles, Nanoseconds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a processor hides latencies, as far as the model `source` asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Pipeline {
    /// Operations that begin per cycle.
    pub width: f64,
    /// Operations in flight at once (reorder buffer).
    pub window: u32,
    /// From a floating-point store to a use behind the load that reads it back, in cycles.
    pub forward_fp_cycles: Cycles,
    /// The same of integers; 0 where the processor renames memory.
    pub forward_int_cycles: Cycles,
    /// A mispredicted branch, in cycles.
    pub mispredict_cycles: Cycles,
    /// The end of a loop with at most this number of iterations is predicted.
    pub predicted_trips: u32,
    /// Cycles that a floating-point sum waits longer for a result of another unit than for one of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bypass_cycles: Option<Cycles>,
    /// A conditional move, from the comparison's result to its own, in cycles; that of an integer sum where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub select_cycles: Option<Cycles>,
    /// What a taken branch loses of the front end's width, in cycles: it ends a group of operations early.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_branch_cycles: Option<Cycles>,
    /// A load that was executed before an earlier store to the same place and is executed again, in cycles.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reordered_load_cycles: Option<Cycles>,
    /// Operations that may wait for their operands at once (schedulers), where that is fewer than the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<u32>,
    /// `forward_fp_cycles` where store or load computes its address from an index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_indexed_fp_cycles: Option<Cycles>,
    /// `forward_int_cycles` where store or load computes its address from an index.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_indexed_int_cycles: Option<Cycles>,
    /// `forward_fp_cycles` from iteration to iteration of a loop, through an array or a pointer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_moving_fp_cycles: Option<Cycles>,
    /// `forward_int_cycles` from iteration to iteration of a loop, where the load is part of another operation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_folded_int_cycles: Option<Cycles>,
    /// `forward_int_cycles` of an integer that one operation reads, changes and writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forward_update_int_cycles: Option<Cycles>,
    /// Latency of the greater of two floating-point numbers; that of a sum where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fp_max_cycles: Option<Cycles>,
    /// What the end of a loop costs by its length; `mispredict_cycles` beyond `predicted_trips` where it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exits: Vec<ExitCost>,
    /// Iterations that the processor gets ahead of a sum that is kept in memory, with one load in each iteration, with
    /// two, and so on; as far as `window` and `waiting` allow where it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forward_ahead: Vec<f64>,
    /// What a load waits longer for an index that it scales and adds itself than for an address; the latency of the class
    /// `address` where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub indexed_load_cycles: Option<Cycles>,
    /// Latency of a fused product and sum; that of a product where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fused_cycles: Option<Cycles>,
    /// Cycles per store of many, where each goes to another line than the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_other_line_cycles: Option<Cycles>,
    /// Cycles per load of many that cross the border of two lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_split_cycles: Option<Cycles>,
    /// Cycles per store of many that cross the border of two lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_split_cycles: Option<Cycles>,
    /// Cycles per vector access of many that cross the border of two lines, by width in bits.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vector_split: BTreeMap<String, SplitCost>,
    /// Vectors whose elements lie in different lines and are loaded and stored one by one, by width in bits.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vector_elements: BTreeMap<String, ElementsCost>,
    /// The same by one instruction, where the processor has it.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub vector_gather: BTreeMap<String, ElementsCost>,
    /// Cycles per element of a floating-point sum in order over vectors that were just computed, by their width in bits.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ordered_sum_cycles: BTreeMap<String, Cycles>,
}

/// Vectors of elements of 64 bits that do not lie side by side, in cycles per vector of many.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ElementsCost {
    /// To load such a vector, from elements that lie apart.
    pub load_cycles: Cycles,
    /// Absent where no instruction stores them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_cycles: Option<Cycles>,
}

/// What the end of a loop costs on average, in cycles per entry.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExitCost {
    /// Mean number of iterations.
    pub iterations: f64,
    /// Whether each entry has an iteration more than the one before, or all have the same number.
    pub varying: bool,
    /// What the end costs on average, in cycles per entry of the loop.
    pub cycles: Cycles,
}

/// Vector accesses that cross the border of two lines, in cycles per access of many.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SplitCost {
    /// Per load of a vector.
    pub load_cycles: Cycles,
    /// Per store of a vector.
    pub store_cycles: Cycles,
}

impl Default for Pipeline {
    /// In the range of published figures for current x86-64 and aarch64 cores.
    fn default() -> Self {
        Self {
            width: 4.0,
            window: 256,
            forward_fp_cycles: Cycles(6.0),
            forward_int_cycles: Cycles(4.0),
            mispredict_cycles: Cycles(16.0),
            predicted_trips: 32,
            bypass_cycles: None,
            select_cycles: None,
            taken_branch_cycles: None,
            reordered_load_cycles: None,
            waiting: None,
            forward_moving_fp_cycles: None,
            forward_folded_int_cycles: None,
            forward_update_int_cycles: None,
            fp_max_cycles: None,
            exits: Vec::new(),
            forward_ahead: Vec::new(),
            indexed_load_cycles: None,
            fused_cycles: None,
            forward_indexed_fp_cycles: None,
            forward_indexed_int_cycles: None,
            store_other_line_cycles: None,
            load_split_cycles: None,
            store_split_cycles: None,
            vector_split: BTreeMap::new(),
            vector_elements: BTreeMap::new(),
            vector_gather: BTreeMap::new(),
            ordered_sum_cycles: BTreeMap::new(),
        }
    }
}

/// Memory beyond the first cache level.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Memory {
    /// Cache levels and main memory, nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<MemoryLevel>,
    /// First touch of a page, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_fault_ns: Option<Nanoseconds>,
    /// The same by how much is touched at once, the least first; `page_fault_ns` where it is empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub page_faults: Vec<PageFault>,
    /// Where it finds pages; absent: that takes no time, or is part of the times of lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation: Option<Translation>,
}

/// First touch of a page where so much memory is touched for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PageFault {
    /// So much memory is touched for the first time at once, in bytes.
    pub bytes: Bytes,
    /// Of each page of 4 KiB.
    pub ns: Nanoseconds,
}

/// What a processor knows of where pages lie (its translation lookaside buffers).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Translation {
    /// Pages of 4 KiB that it knows.
    pub pages: u64,
    /// Finding another one, in nanoseconds.
    pub ns_per_miss: Nanoseconds,
}

/// A cache level, or main memory.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryLevel {
    /// `L1`, `L2`, `L3`, `memory`.
    pub name: String,
    /// Bytes it holds; absent for main memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<Bytes>,
    /// Bytes of a line.
    pub line_bytes: Bytes,
    /// Reading one line, lines in a row, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_per_line_read: Option<Nanoseconds>,
    /// Reading one line, lines in a row, beside 64 instructions that wait for nothing, in nanoseconds: what is less than both
    /// together is hidden.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_per_line_beside: Option<Nanoseconds>,
    /// Writing one line, lines in a row, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_per_line_write: Option<Nanoseconds>,
    /// Updating one line of 8-byte numbers from another one, number by number, in nanoseconds: what waits for loads shows
    /// beyond the first level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_per_line_update: Option<Nanoseconds>,
    /// Writing one line of 8-byte numbers, four loads for each of them, in nanoseconds: what loads wait for lines shows
    /// beyond the first level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_per_line_stencil: Option<Nanoseconds>,
    /// Reading one line with a stride of many lines, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_per_line_strided: Option<Nanoseconds>,
    /// Reading one line of those that begin pages: they share sets, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_per_line_crowded: Option<Nanoseconds>,
    /// Lines that share sets of the level before, by the bytes from one to the next.
    #[serde(default, alias = "crowded_stores", skip_serializing_if = "Vec::is_empty")]
    pub crowded_lines: Vec<CrowdedLines>,
    /// Reading one line of those in random order whose addresses are known beforehand, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_per_line_random: Option<Nanoseconds>,
    /// Reading one line whose address depends on the line before, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_latency: Option<Nanoseconds>,
    /// Cores that share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_by_cores: Option<u32>,
    /// The same while several tasks use the memory at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<SharedCost>,
}

/// What lines of one pitch take that the level before cannot hold together, because they share its sets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CrowdedLines {
    /// Bytes from one line to the next, a power of two.
    pub pitch_bytes: Bytes,
    /// Lines of the walk; 128 where it is absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<u32>,
    /// Storing to one line that nothing is read of, in nanoseconds.
    pub ns_write: Nanoseconds,
    /// Loading from one line and storing to it, in nanoseconds.
    pub ns_update: Nanoseconds,
    /// The same in a loop that does something else as well, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_update_slowly: Option<Nanoseconds>,
    /// Reading one line while nothing is stored, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_read: Option<Nanoseconds>,
    /// One line, loaded or stored to, where others of the same sets are loaded and stored to in turn, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_mixed: Option<Nanoseconds>,
    /// The same where so many instructions lie between that only a few lines are on their way at once, in nanoseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ns_mixed_slowly: Option<Nanoseconds>,
}

impl CrowdedLines {
    /// Lines of a walk of which nothing is said.
    const USUAL: u32 = 128;

    /// Lines of the walk that was measured.
    pub fn walk(&self) -> u32 {
        self.lines.unwrap_or(Self::USUAL)
    }

    /// What lines take between two walks, `share` of the way from this one to a longer one. Where one of them knows nothing, it
    /// is as in the other one.
    #[must_use]
    pub fn toward(&self, longer: &Self, share: f64) -> Self {
        let mean = |own: Nanoseconds, other: Nanoseconds| Nanoseconds(own.0 + (other.0 - own.0) * share);
        let each = |own: Option<Nanoseconds>, other: Option<Nanoseconds>| match (own, other) {
            (Some(own), Some(other)) => Some(mean(own, other)),
            _ => own.or(other),
        };
        Self {
            pitch_bytes: self.pitch_bytes,
            lines: None,
            ns_write: mean(self.ns_write, longer.ns_write),
            ns_update: mean(self.ns_update, longer.ns_update),
            ns_update_slowly: each(self.ns_update_slowly, longer.ns_update_slowly),
            ns_read: each(self.ns_read, longer.ns_read),
            ns_mixed: each(self.ns_mixed, longer.ns_mixed),
            ns_mixed_slowly: each(self.ns_mixed_slowly, longer.ns_mixed_slowly),
        }
    }
}

impl Memory {
    /// As one of so many tasks sees it that use it at once, each on a core of its own.
    #[must_use]
    pub fn shared_by(&self, tasks: u32) -> Self {
        Self { levels: self.levels.iter().map(|level| level.shared_by(tasks)).collect(), ..self.clone() }
    }
}

impl MemoryLevel {
    /// A part of what cores share, and the times that were measured with so many tasks, or with the most below that.
    fn shared_by(&self, tasks: u32) -> Self {
        let sharers = self.shared_by_cores.unwrap_or(1).min(tasks).max(1);
        let mut level = self.clone();
        level.size_bytes = self.size_bytes.map(|size| Bytes(size.0 / u64::from(sharers)));
        if let Some(cost) = self.shared.iter().filter(|cost| cost.tasks <= tasks).max_by_key(|cost| cost.tasks) {
            level.ns_per_line_read = Some(cost.ns_per_line_read);
            level.ns_per_line_write = Some(cost.ns_per_line_write);
            level.ns_per_line_strided = Some(cost.ns_per_line_strided);
        }
        level
    }

    /// A level of which nothing but name, size and line is known.
    pub fn untimed(name: &str, size_bytes: Option<Bytes>, line_bytes: Bytes) -> Self {
        Self {
            name: name.to_owned(),
            size_bytes,
            line_bytes,
            ns_per_line_read: None,
            ns_per_line_write: None,
            ns_per_line_strided: None,
            ns_per_line_beside: None,
            ns_per_line_update: None,
            ns_per_line_stencil: None,
            ns_per_line_crowded: None,
            crowded_lines: Vec::new(),
            ns_per_line_random: None,
            ns_latency: None,
            shared_by_cores: None,
            shared: Vec::new(),
        }
    }
}

/// What threads of OpenMP cost beside their work, each on a core of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThreadCosts {
    /// Begin and end of a parallel region with two threads, in nanoseconds.
    pub region_ns: Nanoseconds,
    /// A barrier of two threads, in nanoseconds. More threads take longer, as the logarithm of their number to base two.
    pub barrier_ns: Nanoseconds,
    /// Handing a lock from one thread to another (`critical`, `atomic`), in nanoseconds.
    pub lock_ns: Nanoseconds,
    /// Handing out a chunk of a dynamic schedule, or a task, in nanoseconds.
    pub dispatch_ns: Nanoseconds,
}

impl Default for ThreadCosts {
    /// Rounded from two threads of GCC 12's runtime on a server of x86-64, where an empty region took 660 to 800 ns, a barrier
    /// 220 to 260, and a chunk of a dynamic loop 23; what a lock takes that another thread had is not measured.
    fn default() -> Self {
        Self {
            region_ns: Nanoseconds(600.0),
            barrier_ns: Nanoseconds(250.0),
            lock_ns: Nanoseconds(80.0),
            dispatch_ns: Nanoseconds(60.0),
        }
    }
}

impl ThreadCosts {
    /// Levels of a tree of so many threads.
    fn levels(threads: u32) -> f64 {
        f64::from(threads.max(1)).log2()
    }

    /// Begin and end of a region.
    pub fn region(&self, threads: u32) -> Nanoseconds {
        Nanoseconds(self.region_ns.0 * Self::levels(threads))
    }

    /// A barrier.
    pub fn barrier(&self, threads: u32) -> Nanoseconds {
        Nanoseconds(self.barrier_ns.0 * Self::levels(threads))
    }
}

/// Nanoseconds per line that each of several tasks sees while all of them use a level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedCost {
    /// Tasks at once, each on a core of its own.
    pub tasks: u32,
    /// Reading lines one after the other.
    pub ns_per_line_read: Nanoseconds,
    /// Writing lines one after the other.
    pub ns_per_line_write: Nanoseconds,
    /// Reading lines with a stride of many lines.
    pub ns_per_line_strided: Nanoseconds,
}
