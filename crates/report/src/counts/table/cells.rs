//! The columns beside the source: one for each group of tasks where there are few, else a range.

use crate::counts::model::{Amount, LineCounts, LineTaskCounts};
use chronos_activity::{Count, CountSource, CountValue};
use std::collections::BTreeMap;

/// More groups than this are shown as a range.
const MOST_GROUPS: usize = 4;

/// Longer expressions stand in a legend below the source.
const LONGEST: usize = 28;

/// Columns may take so much of the width, as its reciprocal.
const SHARE: usize = 2;

/// How cells are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    pub colour: bool,
}

/// Tasks that count alike on every line, and the width of their cells.
pub struct Columns {
    /// The first task of each group with the group's name; empty where ranges are shown.
    groups: Vec<(u32, String)>,
    widths: Vec<usize>,
    legend: Legend,
    /// A cell holds more than one expression.
    several: bool,
}

/// Long expressions, numbered from 1.
#[derive(Clone, Default)]
pub(crate) struct Legend(Vec<String>);

impl Legend {
    fn new(lines: &[&LineCounts]) -> Self {
        let mut legend = Self::default();
        let all = lines.iter().flat_map(|line| &line.counts).flat_map(|group| &group.amount.shown);
        for text in all.filter(|text| text.chars().count() > LONGEST) {
            if !legend.0.contains(text) {
                legend.0.push(text.clone());
            }
        }
        legend
    }

    /// The expression, or its number.
    fn short(&self, text: &str) -> String {
        let position = self.0.iter().position(|known| known == text);
        position.map_or_else(|| text.to_owned(), |index| format!("[{}]", index + 1))
    }
}

impl Columns {
    pub fn new<'a>(lines: impl Iterator<Item = &'a LineCounts>, tasks: usize, width: Option<usize>) -> Self {
        let lines: Vec<&LineCounts> = lines.collect();
        let groups = partition(&lines, tasks);
        let legend = Legend::new(&lines);
        let several = lines.iter().flat_map(|line| &line.counts).any(|group| group.amount.shown.len() > 1);
        let with = |groups| Self { groups, widths: Vec::new(), legend: legend.clone(), several }.measured(&lines);
        let columns = with(groups);
        let fits = width.is_none_or(|width| columns.width() * SHARE <= width);
        match columns.groups.len() {
            2..=MOST_GROUPS if fits => columns,
            1 => with(vec![(0, String::new())]),
            _ => with(Vec::new()),
        }
    }

    fn measured(mut self, lines: &[&LineCounts]) -> Self {
        let mut widths: Vec<usize> = match self.groups.is_empty() {
            true => vec![9],
            false => self.groups.iter().map(|(_, name)| name.chars().count().max(9)).collect(),
        };
        for line in lines {
            for (width, (text, _)) in widths.iter_mut().zip(self.texts(Some(line))) {
                *width = text.chars().count().max(*width);
            }
        }
        self.widths = widths;
        self
    }

    /// Of all cells together.
    pub fn width(&self) -> usize {
        self.widths.iter().sum::<usize>() + self.widths.len().saturating_sub(1) * 2
    }

    /// The expressions that are too long for their cells.
    pub(crate) fn legend(&self) -> String {
        let numbered = (1..).zip(&self.legend.0).map(|(number, text)| format!("[{number}] {text}\n"));
        let several = self.several.then(|| "Of several on a line, joined by `or`, the largest counts\n".to_owned());
        numbered.chain(several).collect()
    }

    /// Which tasks the columns stand for, where there are several.
    pub fn header(&self) -> Option<String> {
        let names: Vec<String> =
            self.groups.iter().zip(&self.widths).map(|((_, name), width)| format!("{name:>width$}")).collect();
        (self.groups.len() > 1).then(|| format!("{}\n", names.join("  ")))
    }

    /// The cells of a line; `None` where it holds no code.
    pub fn cells(&self, line: Option<&LineCounts>, style: Style) -> String {
        let cells = self.texts(line).into_iter().zip(&self.widths);
        let drawn = cells.map(|((text, look), width)| look.draw(&format!("{text:>width$}"), style));
        drawn.collect::<Vec<_>>().join("  ")
    }

    fn texts(&self, line: Option<&LineCounts>) -> Vec<(String, Look)> {
        let Some(line) = line else { return vec![("-".to_owned(), Look::Plain); self.groups.len().max(1)] };
        if self.groups.is_empty() {
            return vec![range(line, &self.legend)];
        }
        let of = |task: u32| line.counts.iter().find(|group| group.tasks.binary_search(&task).is_ok());
        let shown = |task: u32| of(task).map_or((String::new(), Look::Plain), |group| cell(group, &self.legend));
        self.groups.iter().map(|&(task, _)| shown(task)).collect()
    }
}

/// Groups of tasks that count alike on all lines: by first task, with a name.
fn partition(lines: &[&LineCounts], tasks: usize) -> Vec<(u32, String)> {
    let mut group: Vec<usize> = vec![0; tasks];
    let mut groups = 1;
    for line in lines {
        let mut refined: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for (index, counts) in line.counts.iter().enumerate().filter(|_| line.counts.len() > 1) {
            for &task in &counts.tasks {
                let next = refined.len();
                group[task as usize] = *refined.entry((group[task as usize], index)).or_insert(next);
            }
        }
        groups = groups.max(refined.len());
        if groups > MOST_GROUPS {
            return Vec::new();
        }
    }
    let mut members: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    group.into_iter().zip(0..).for_each(|(group, task)| members.entry(group).or_default().push(task));
    let titled = |tasks: &[u32]| format!("task{} {}", if tasks.len() > 1 { "s" } else { "" }, name(tasks));
    let mut named: Vec<(u32, String)> = members.into_values().map(|tasks| (tasks[0], titled(&tasks))).collect();
    named.sort_unstable();
    named
}

/// `0`, `1-3`, `0,2,4-7`; shortened where it is long.
fn name(tasks: &[u32]) -> String {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &task in tasks {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == task => *last = task,
            _ => runs.push((task, task)),
        }
    }
    let show = |&(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    };
    let shown: Vec<String> = runs.iter().take(4).map(show).collect();
    format!("{}{}", shown.join(","), if runs.len() > 4 { ",..." } else { "" })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    Plain,
    Never,
    Expected,
    Unknown,
}

impl Look {
    fn draw(self, text: &str, style: Style) -> String {
        let code = match self {
            Self::Plain => return text.to_owned(),
            Self::Never => "31",
            Self::Expected => "33",
            Self::Unknown => "1;31",
        };
        if style.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// What a group of tasks shows on a line.
pub fn cell(counts: &LineTaskCounts, legend: &Legend) -> (String, Look) {
    let exact = counts.source <= CountSource::Trace;
    if !counts.amount.shown.is_empty() {
        let each: Vec<String> = counts.amount.shown.iter().map(|expression| legend.short(expression)).collect();
        let short = each.join(" or ");
        return if exact { (short, Look::Plain) } else { (format!("~{short}"), Look::Expected) };
    }
    if counts.amount.count.is_zero() {
        let never = if exact { "#####" } else { "~#####" };
        return (never.to_owned(), Look::Never);
    }
    number(&counts.amount, exact)
}

fn number(amount: &Amount, exact: bool) -> (String, Look) {
    match (amount.count.value, amount.at_least) {
        (CountValue::Unknown, Some(least)) => (format!(">={}", plain(least)), Look::Unknown),
        (CountValue::Unknown, None) => ("?".to_owned(), Look::Unknown),
        _ if exact => (plain(amount.count), Look::Plain),
        _ => (format!("~{}", plain(amount.count)), Look::Expected),
    }
}

fn plain(count: Count) -> String {
    match count.value {
        CountValue::Exact(n) => n.to_string(),
        CountValue::Expected(x) if x >= 1e15 => format!("{x:.4e}"),
        CountValue::Expected(x) if x != 0.0 && x < 0.1 => format!("{x:.2e}"),
        CountValue::Expected(x) => {
            let text = format!("{x:.2}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        CountValue::Unknown => "?".to_owned(),
    }
}

/// From the smallest to the largest over the groups.
fn range(line: &LineCounts, legend: &Legend) -> (String, Look) {
    if let [only] = &line.counts[..] {
        return cell(only, legend);
    }
    if line.counts.iter().any(|group| group.amount.expression.is_some()) {
        return (format!("({} kinds)", line.counts.len()), Look::Plain);
    }
    let exact = line.counts.iter().all(|group| group.source <= CountSource::Trace);
    let value = |group: &LineTaskCounts| group.amount.count.as_f64();
    let known = line.counts.iter().filter(|group| value(group).is_some());
    let ordered =
        |a: &&LineTaskCounts, b: &&LineTaskCounts| value(a).unwrap_or(0.0).total_cmp(&value(b).unwrap_or(0.0));
    let (Some(least), Some(most)) = (known.clone().min_by(ordered), known.clone().max_by(ordered)) else {
        return ("?".to_owned(), Look::Unknown);
    };
    if known.count() < line.counts.len() {
        return (format!("{}..?", plain(least.amount.count)), Look::Unknown);
    }
    let text = format!("{}..{}", plain(least.amount.count), plain(most.amount.count));
    if exact { (text, Look::Plain) } else { (format!("~{text}"), Look::Expected) }
}
