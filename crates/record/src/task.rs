//! The file of one task; `runtime/chronos_record.c` has its grammar.

use chronos_trace::task::{Asked, asked};
use std::collections::BTreeMap;

/// The first word of a file.
pub const SCHEMA: &str = "chronos-record/1";

/// What a task did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskRecord {
    /// Rank of the task in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Number of tasks of the run.
    pub tasks: u32,
    /// World ranks of the members of each communicator, by its number on this task.
    pub groups: BTreeMap<u32, Vec<u32>>,
    /// What calls asked for, by number.
    pub asked: BTreeMap<u32, Asked>,
    /// Where calls stand, by number.
    pub places: BTreeMap<u32, CodePlace>,
    /// Its calls in their order.
    pub calls: Vec<RecordedCall>,
    /// From the last call to the end; `None` where the file ends before the program did.
    pub end: Option<Stretch>,
    /// The function behind the last call, of which no record has the calls.
    pub unrecorded: Option<String>,
    /// Other threads called MPI as well.
    pub has_threads: bool,
}

/// Where a call stands, as the recorder sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePlace {
    /// The MPI function that is called.
    pub function: String,
    /// The address behind the call, within the file.
    pub offset: u64,
    /// The executable or library; empty where it is not known.
    pub module: String,
}

/// What passed between two calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// Processor time of the thread.
    pub cpu_ns: u64,
    /// Its part in the program, by the system's coarser account.
    pub user_ns: u64,
    /// Its part in the system.
    pub system_ns: u64,
    /// Time that passed.
    pub wall_ns: u64,
}

/// An MPI call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedCall {
    /// Number of its place.
    pub place: u32,
    /// What passed before it.
    pub before: Stretch,
    /// Processor time inside.
    pub inside_cpu_ns: u64,
    /// Time that passed inside.
    pub inside_wall_ns: u64,
    /// How often the thread lost its processor before the call although it could have gone on.
    pub switches: u64,
    /// What it asked for, and what wildcards got.
    pub items: Vec<CallItem>,
}

/// A part of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallItem {
    /// The number of what it asked for.
    Asked(u32),
    /// What a receive or probe of any source or tag got.
    Got {
        /// The request of the receive; `None`: the item before.
        request: Option<u32>,
        /// Rank of the sender in `MPI_COMM_WORLD`.
        source: u32,
        /// Tag of the message.
        tag: i32,
    },
}

impl TaskRecord {
    /// Reads as far as the text is whole.
    ///
    /// # Errors
    /// A text for people, where not even the first line is.
    pub fn parse(text: &str) -> Result<Self, String> {
        // A task that was ended left zeros behind its last line.
        let text = text.split('\0').next().unwrap_or_default();
        if text.is_empty() {
            return Err("it is empty".to_owned());
        }
        let mut lines = text.split_inclusive('\n').map_while(|line| line.strip_suffix('\n'));
        let mut record = lines.next().and_then(Self::header).ok_or("its first line is not that of a record")?;
        for line in lines {
            if record.end.is_some() || record.line(line).is_none() {
                break;
            }
        }
        Ok(record)
    }

    fn header(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split(' ').collect();
        let [SCHEMA, "task", rank, "of", tasks] = fields[..] else { return None };
        let (rank, tasks): (u32, u32) = (rank.parse().ok()?, tasks.parse().ok()?);
        (rank < tasks).then(|| Self {
            rank,
            tasks,
            groups: BTreeMap::new(),
            asked: BTreeMap::new(),
            places: BTreeMap::new(),
            calls: Vec::new(),
            end: None,
            unrecorded: None,
            has_threads: false,
        })
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let mut fields = rest.split(' ');
        match word {
            "C" => self.calls.push(self.call(&mut fields)?),
            "E" => {
                let id = fields.next()?.parse().ok()?;
                self.asked.insert(id, asked(fields)??);
            }
            "P" => {
                let mut fields = rest.splitn(4, ' ');
                let id = fields.next()?.parse().ok()?;
                let (function, offset) = (fields.next()?.to_owned(), fields.next()?.parse().ok()?);
                self.places.insert(id, CodePlace { function, offset, module: fields.next()?.to_owned() });
            }
            "G" => {
                let id = fields.next()?.parse().ok()?;
                let member = |field: &str| field.parse().ok().filter(|&rank: &u32| rank < self.tasks);
                let members = fields.map(member).collect::<Option<_>>()?;
                self.groups.insert(id, members);
            }
            "U" => self.unrecorded = Some(fields.next()?.to_owned()),
            "T" => self.has_threads = true,
            "END" => {
                let _status: i32 = fields.next()?.parse().ok()?;
                self.end = Some(stretch(&mut fields)?);
            }
            _ => return None,
        }
        Some(())
    }

    fn call<'a>(&self, fields: &mut impl Iterator<Item = &'a str>) -> Option<RecordedCall> {
        let place = fields.next()?.parse().ok().filter(|place| self.places.contains_key(place))?;
        let before = stretch(fields)?;
        let (inside_cpu_ns, inside_wall_ns, switches) = (number(fields)?, number(fields)?, number(fields)?);
        let items = fields.map(|field| self.item(field)).collect::<Option<_>>()?;
        Some(RecordedCall { place, before, inside_cpu_ns, inside_wall_ns, switches, items })
    }

    fn item(&self, field: &str) -> Option<CallItem> {
        if let Some(id) = field.strip_prefix('e') {
            let id = id.parse().ok().filter(|id| self.asked.contains_key(id))?;
            return Some(CallItem::Asked(id));
        }
        let mut parts = field.strip_prefix('m')?.split(':');
        let request: i64 = parts.next()?.parse().ok()?;
        let source = parts.next()?.parse().ok().filter(|&source: &u32| source < self.tasks)?;
        let tag = parts.next()?.parse().ok()?;
        Some(CallItem::Got { request: u32::try_from(request).ok(), source, tag })
    }
}

fn number<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<u64> {
    fields.next()?.parse().ok()
}

fn stretch<'a>(fields: &mut impl Iterator<Item = &'a str>) -> Option<Stretch> {
    let (cpu_ns, user_ns) = (number(fields)?, number(fields)?);
    Some(Stretch { cpu_ns, user_ns, system_ns: number(fields)?, wall_ns: number(fields)? })
}
