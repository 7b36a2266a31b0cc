//! The file of one task.
//!
//! ```text
//! chronos-trace/1 NUMBERING counts|order POINTS task RANK of TASKS
//! S ID POINT:COUNT ...        a segment: what ran between two MPI calls
//! G ID RANK ...               a communicator other than the world: its members
//! E ID SITE KIND NUMBER ...   an MPI call: its block, and what it asked for
//! R ID ITEM ...               a rule: items in their order, of earlier rules only
//! T ITEM ...                  what the task did next
//! P ITEM ...                  the same for the time being: the next T or P holds it again
//! END 0                       the program ended
//! CUT SIGNAL                  it ended early (0: MPI_Abort)
//! ```
//! KIND and its numbers are told with ranks of the world, bytes, communicators (0 is the world) and requests of the
//! task; -1 stands where there is none or the program asked for any:
//!
//! - `send`, `ssend`, `bsend`, `rsend`, `recv`, `probe` TASK TAG COMM BYTES REQUEST (`bytes` of `recv`: its room);
//! - `wait` REQUEST ... for all of those;
//! - `barrier`, `bcast`, `reduce`, `allreduce`, `gather`, `scatter`, `allgather`, `alltoall`, `reduce_scatter`, `scan`,
//!   `exscan`, `agreement` COMM ROOT REQUEST COMMUTES BYTES;
//! - `gatherv`, `scatterv`, `allgatherv`, `alltoallv` the same with own bytes, then those of each member;
//! - `access` TASK SENT RETURNED REQUEST (memory of another task), `lock` COMM TASK EXCLUSIVE, `unlock` COMM TASK;
//! - `storage` BYTES WRITE REQUEST (files);
//! - `none` for a call that moved nothing; `-` for one of which nothing is recorded.
//!
//! A call that does several of these is several events of one block. Older traces have POSITION=VALUE in place of KIND;
//! they tell counts alone.
//!
//! An item is `p3` (a point), `s3`, `e3` or `r3`, with `*N` where it follows itself N times. Each line ends with
//! ` #` and a checksum; one that begins with `+` goes on from the line before.

use super::lines::{lines, signed};
use super::map::SCHEMA;
use std::collections::BTreeMap;

/// What a number in an item names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Symbol {
    /// A trace point (`p`).
    Point(u32),
    /// A segment (`s`).
    Segment(u32),
    /// An MPI call (`e`).
    Event(u32),
    /// A rule (`r`).
    Rule(u32),
}

/// A symbol and how often it follows itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// What is executed.
    pub symbol: Symbol,
    /// How often in a row; at least once.
    pub times: u64,
}

/// An MPI call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedCall {
    /// Its block.
    pub site: u32,
    /// What it asked for; `None` where nothing is recorded.
    pub asked: Option<Asked>,
}

/// What an MPI call asked for: see the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The name of the kind, such as `send`.
    pub kind: String,
    /// Its numbers in the order of the grammar; -1 where there is none or any is meant.
    pub numbers: Vec<i64>,
}

/// What a trace records between two MPI calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// How often each point is executed between two MPI calls.
    Counts,
    /// Each execution of a point, in order.
    Order,
}

/// How a task's file ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The program ended.
    Complete,
    /// A signal, or `MPI_Abort` (0).
    Cut(u32),
    /// The file ends within what the task did.
    Torn,
}

/// What a task did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskTrace {
    /// The numbering of blocks, as in [`super::identity::Identity`].
    pub numbering: String,
    /// What it records.
    pub mode: Mode,
    /// Number of trace points of the program.
    pub points: u32,
    /// Rank of the task in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Number of tasks of the run.
    pub tasks: u32,
    /// By number: executions of points.
    pub segments: BTreeMap<u32, Vec<(u32, u64)>>,
    /// MPI calls by number.
    pub events: BTreeMap<u32, TracedCall>,
    /// World ranks of the members of each communicator, by its number on this task.
    pub groups: BTreeMap<u32, Vec<u32>>,
    /// Repetitions by number: items, of earlier rules only.
    pub rules: BTreeMap<u32, Vec<Item>>,
    /// What the task did, in its order.
    pub items: Vec<Item>,
    /// How the file ends.
    pub ending: Ending,
}

impl TaskTrace {
    /// Reads as far as the text is whole.
    ///
    /// # Errors
    /// A text for people, where not even the first line is.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (lines, _) = lines(text);
        let mut lines = lines.iter();
        let first = lines.next().ok_or("it is empty, or its first line is damaged")?;
        let mut trace = Self::header(&first.text).ok_or("its first line is not that of a trace")?;
        let mut provisional = Vec::new();
        for line in lines {
            if trace.line(&line.text, &mut provisional).is_none() || trace.ending != Ending::Torn {
                break;
            }
        }
        trace.items.append(&mut provisional);
        Ok(trace)
    }

    /// The first line of a task's file.
    pub fn first_line(numbering: &str, mode: Mode, points: u32, rank: usize, tasks: usize) -> String {
        let mode = match mode {
            Mode::Counts => "counts",
            Mode::Order => "order",
        };
        signed(&format!("{SCHEMA} {numbering} {mode} {points} task {rank} of {tasks}"))
    }

    fn header(line: &str) -> Option<Self> {
        let fields: Vec<&str> = line.split(' ').collect();
        let [SCHEMA, numbering, mode, points, "task", rank, "of", tasks] = fields[..] else { return None };
        Some(Self {
            numbering: numbering.to_owned(),
            mode: match mode {
                "counts" => Mode::Counts,
                "order" => Mode::Order,
                _ => return None,
            },
            points: points.parse().ok()?,
            rank: rank.parse().ok()?,
            tasks: tasks.parse().ok()?,
            segments: BTreeMap::new(),
            events: BTreeMap::new(),
            groups: BTreeMap::new(),
            rules: BTreeMap::new(),
            items: Vec::new(),
            ending: Ending::Torn,
        })
    }

    fn line(&mut self, line: &str, provisional: &mut Vec<Item>) -> Option<()> {
        let mut fields = line.split(' ');
        match fields.next()? {
            "S" => {
                let id = fields.next()?.parse().ok()?;
                let counts = fields.map(|field| self.count(field)).collect::<Option<_>>()?;
                self.segments.insert(id, counts);
            }
            "E" => {
                let (id, site) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
                self.events.insert(id, TracedCall { site, asked: asked(fields)? });
            }
            "G" => {
                let id = fields.next()?.parse().ok()?;
                let member = |field: &str| field.parse().ok().filter(|&rank: &u32| rank < self.tasks);
                let members = fields.map(member).collect::<Option<_>>()?;
                self.groups.insert(id, members);
            }
            "R" => {
                let id = fields.next()?.parse().ok()?;
                let body: Vec<Item> = self.items_of(fields)?;
                let earlier = |item: &Item| !matches!(item.symbol, Symbol::Rule(rule) if rule >= id);
                if !body.iter().all(earlier) {
                    return None;
                }
                self.rules.insert(id, body);
            }
            "T" => {
                let items = self.items_of(fields)?;
                self.items.extend(items);
                provisional.clear();
            }
            "P" => *provisional = self.items_of(fields)?,
            "END" => self.ending = Ending::Complete,
            "CUT" => self.ending = Ending::Cut(fields.next()?.parse().ok()?),
            _ => return None,
        }
        Some(())
    }

    fn count(&self, field: &str) -> Option<(u32, u64)> {
        let (point, count) = field.split_once(':')?;
        let point = point.parse().ok().filter(|&point: &u32| point < self.points)?;
        Some((point, count.parse().ok()?))
    }

    fn items_of<'a>(&self, fields: impl Iterator<Item = &'a str>) -> Option<Vec<Item>> {
        fields.map(|field| item(field).filter(|item| self.is_defined(item.symbol))).collect()
    }

    fn is_defined(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Point(point) => point < self.points,
            Symbol::Segment(id) => self.segments.contains_key(&id),
            Symbol::Event(id) => self.events.contains_key(&id),
            Symbol::Rule(id) => self.rules.contains_key(&id),
        }
    }

    /// Appends a segment with what is missing to these totals of points.
    pub(crate) fn add_rest(&mut self, totals: &[u64]) {
        let known = self.totals();
        let missing = |(point, (&total, &known)): (u32, (&u64, &u128))| {
            let rest = u128::from(total).saturating_sub(known);
            u64::try_from(rest).ok().filter(|&rest| rest > 0).map(|rest| (point, rest))
        };
        let counts: Vec<_> = (0..).zip(totals.iter().zip(&known)).filter_map(missing).collect();
        if counts.is_empty() {
            return;
        }
        let id = self.segments.last_key_value().map_or(0, |(id, _)| id.saturating_add(1));
        self.segments.insert(id, counts);
        self.items.push(Item { symbol: Symbol::Segment(id), times: 1 });
    }

    /// How often each point was executed.
    pub fn totals(&self) -> Vec<u128> {
        let mut uses: BTreeMap<u32, u128> = BTreeMap::new();
        let mut totals = vec![0; self.points as usize];
        self.add(&self.items, 1, &mut uses, &mut totals);
        // Rules name earlier rules alone, so later ones are complete first.
        while let Some((rule, times)) = uses.pop_last() {
            self.add(&self.rules[&rule], times, &mut uses, &mut totals);
        }
        totals
    }

    fn add(&self, items: &[Item], times: u128, uses: &mut BTreeMap<u32, u128>, totals: &mut [u128]) {
        for item in items {
            let times = times.saturating_mul(item.times.into());
            match item.symbol {
                Symbol::Point(point) => add_to(&mut totals[point as usize], times),
                Symbol::Segment(id) => {
                    for &(point, count) in &self.segments[&id] {
                        add_to(&mut totals[point as usize], times.saturating_mul(count.into()));
                    }
                }
                Symbol::Event(_) => {}
                Symbol::Rule(rule) => add_to(uses.entry(rule).or_insert(0), times),
            }
        }
    }
}

fn add_to(sum: &mut u128, more: u128) {
    *sum = sum.saturating_add(more);
}

/// What stands behind the block of a call; `None` where it is damaged.
pub fn asked<'a>(mut fields: impl Iterator<Item = &'a str>) -> Option<Option<Asked>> {
    let kind = match fields.next() {
        None | Some("-") => return Some(None),
        Some(old) if old.contains('=') => return Some(None),
        Some(kind) => kind.to_owned(),
    };
    let numbers = fields.map(|field| field.parse().ok()).collect::<Option<_>>()?;
    Some(Some(Asked { kind, numbers }))
}

fn item(field: &str) -> Option<Item> {
    let (name, times) = match field.split_once('*') {
        Some((name, times)) => (name, times.parse().ok()?),
        None => (field, 1),
    };
    let kind = name.as_bytes().first()?;
    let id = name.get(1..)?.parse().ok()?;
    let symbol = match kind {
        b'p' => Symbol::Point(id),
        b's' => Symbol::Segment(id),
        b'e' => Symbol::Event(id),
        b'r' => Symbol::Rule(id),
        _ => return None,
    };
    Some(Item { symbol, times })
}
