//! What happened when, for a report: a second look at what was evaluated, of bounded size.

use crate::evaluation::Job;
use crate::pricing::Prices;
use crate::target::Target;
use crate::{Evaluated, report_sections, with_options};
use chronos_activity::executed::executed_steps;
use chronos_activity::{Segments, Site, TaskId};
use chronos_base::ids::Id as _;
use chronos_base::units::Picoseconds;
use chronos_replay::{self as replay, MessageTime, Part, ReplayResult, TimeSpan};
use chronos_report::replayed::{
    Coarse, Critical, FunctionShare, Imbalance, LinkShare, Matrix, Message, Messages, Pair, Place, Replayed, Span,
    TaskTimeline, Timeline,
};
use std::collections::BTreeMap;

/// Spans and messages that a report holds where nobody says otherwise.
pub const REPORT_ROOM: usize = 20_000;

/// Steps of all tasks beyond which it is left out what tasks did when, and which functions the critical path consists of: for these
/// every step is replayed, where all else counts iterations that repeat.
const MOST_STEPS: u64 = 1 << 25;

/// What stands in place of a function where a task is ready and others have the processor.
pub const WITHOUT_PROCESSOR: &str = "(waiting for a processor)";

/// Finds the call at a site.
pub(crate) type Naming<'a> = dyn Fn(Site) -> Option<Place> + 'a;

/// Replays what was evaluated and keeps up to `room` spans, messages and pairs of ranks. `shown`: the tasks of the
/// timeline, in ascending order; empty: the first ones.
pub fn replayed(job: &Job, target: Target<'_>, evaluated: &Evaluated, room: usize, shown: &[usize]) -> Replayed {
    let mut prices = Prices::new(job, target);
    let activity = &evaluated.activity;
    let target = Target { timeline: false, ..target };
    let timeline_tasks: Vec<TaskId> = shown.iter().copied().map(TaskId::new).collect();
    // The timeline from afar needs more spans than the report holds, whose first ones are those of the report.
    let of_tasks = if shown.is_empty() { activity.tasks.len() } else { shown.len() };
    let steps = activity.tasks.iter().map(|own| executed_steps(own)).fold(0, u64::saturating_add);
    if steps > MOST_STEPS {
        return without_timeline(job, target, evaluated, room, steps);
    }
    let more = replay::holds_timeline(super::TIMELINE_ROOM, room, of_tasks);
    let mut result = with_options(job, target, &mut prices, |mut options| {
        let spans = if more { super::TIMELINE_ROOM } else { room };
        (options.timeline, options.messages, options.timeline_tasks) = (spans, room, timeline_tasks.clone());
        replay::replay_activity(activity, options)
    });
    let all_spans = if more { replay::shorten_timeline(&mut result, room, of_tasks) } else { Vec::new() };
    // Without a path there is nothing to watch.
    let watched = match result.critical_path.is_empty() {
        true => ReplayResult::default(),
        false => with_options(job, target, &mut prices, |mut options| {
            options.windows = result.path_windows();
            options.critical_path = false;
            replay::replay_activity(activity, options)
        }),
    };
    let naming = |site| Some(report_sections::place(job, site));
    let functions = shares(job, &watched, &activity.segments, &prices, result.total);
    let mut kept = kept(&result, room, shown, &naming);
    // Where one task of each class is shown, the others are not missing.
    let missing = result.timeline.len() < result.tasks.len() && shown.is_empty();
    if missing || kept.timeline.complete_until_s < result.total.as_seconds() {
        let coarse = match more {
            true => super::coarse_timeline::coarse_timeline(&ReplayResult { timeline: all_spans, ..result }),
            false => with_options(job, target, &mut prices, |mut options| {
                (options.timeline, options.critical_path) = (super::TIMELINE_ROOM, false);
                options.timeline_tasks = timeline_tasks;
                super::coarse_timeline::coarse_timeline(&replay::replay_activity(activity, options))
            }),
        };
        kept.timeline.coarse = coarse.map(|coarse| Coarse { ranks: shown.to_vec(), ..coarse });
    }
    Replayed { critical: Critical { functions, ..kept.critical }, ..kept }
}

/// The rest of what is kept of a replay of so many steps.
fn without_timeline(job: &Job, target: Target<'_>, evaluated: &Evaluated, room: usize, steps: u64) -> Replayed {
    let mut prices = Prices::new(job, target);
    let result =
        with_options(job, target, &mut prices, |options| replay::replay_activity(&evaluated.activity, options));
    let cut =
        format!("left out: {steps} steps of tasks would be replayed one by one, which are more than {MOST_STEPS}");
    let mut kept = kept(&result, room, &[], &|site| Some(report_sections::place(job, site)));
    kept.timeline.cut = Some(cut.clone());
    kept.timeline.complete_until_s = 0.0;
    kept.critical.cut = Some(cut);
    kept
}

/// What a replay with room for so many spans and messages kept; without the shares of functions.
pub fn kept(result: &ReplayResult, room: usize, shown: &[usize], naming: &Naming<'_>) -> Replayed {
    Replayed {
        timeline: timeline(result, shown, naming),
        messages: messages(result, shown, naming),
        matrix: matrix(result, room),
        critical: Critical { functions: Vec::new(), links: links(result), cut: None },
        imbalance: imbalance(result),
    }
}

fn timeline(result: &ReplayResult, chosen: &[usize], naming: &Naming<'_>) -> Timeline {
    let rank = |row: usize| chosen.get(row).copied().unwrap_or(row);
    let ends = |row: usize| result.timeline[row].last().map_or(Picoseconds::ZERO, |span| span.end);
    let is_cut = |row: &usize| ends(*row) < result.tasks[rank(*row)].end;
    let shown = result.timeline.len().min(result.tasks.len());
    let complete = (0..shown).filter(is_cut).map(ends).min();
    let left_out = result.tasks.len() - shown;
    let mut parts = Vec::new();
    match chosen.is_empty() {
        true if left_out == 0 => {}
        true => parts.push(format!("{left_out} of {} tasks are left out", result.tasks.len())),
        false => parts.push(format!("one task of each of {shown} classes is shown, of {}", result.tasks.len())),
    }
    if let Some(at) = complete {
        let full = (0..shown).filter(is_cut).count();
        parts.push(format!("{full} tasks are cut short, the first after {:.6} s", at.as_seconds()));
    }
    let task = |row: usize| TaskTimeline {
        rank: rank(row),
        spans: result.timeline[row].iter().map(|span| one_span(span, naming)).collect(),
    };
    Timeline {
        tasks: (0..shown).map(task).collect(),
        complete_until_s: complete.unwrap_or(result.total).as_seconds(),
        cut: (!parts.is_empty()).then(|| parts.join("; ")),
        coarse: None,
    }
}

fn one_span(span: &TimeSpan, naming: &Naming<'_>) -> Span {
    let kind = match span.part {
        Part::Compute => "compute",
        Part::Send => "send",
        Part::Recv => "receive",
        Part::Collective => "collective",
        Part::Idle => "wait",
        Part::Ready => "ready",
    };
    Span {
        kind,
        begin_s: span.begin.as_seconds(),
        end_s: span.end.as_seconds(),
        place: span.site.and_then(naming),
        partner: span.peer.task.map(|task| task.index()),
        bytes: span.peer.bytes.map(|bytes| bytes.0),
        tag: span.peer.tag,
    }
}

fn messages(result: &ReplayResult, chosen: &[usize], naming: &Naming<'_>) -> Messages {
    let which = if chosen.is_empty() { "" } else { ", of those that the tasks of the timeline send or receive" };
    let count = result.matrix.values().map(|traffic| traffic.messages).sum();
    let listed = result.messages.len() as u64;
    let one = |message: &MessageTime| Message {
        from: message.from.index(),
        to: message.to.index(),
        tag: message.tag,
        bytes: message.bytes.0,
        sent_s: message.sent.as_seconds(),
        received_s: message.received.as_seconds(),
        send: message.send_site.and_then(naming),
        receive: message.recv_site.and_then(naming),
    };
    Messages {
        count,
        bytes: result.matrix.values().map(|traffic| traffic.bytes.0).sum(),
        list: result.messages.iter().map(one).collect(),
        cut: (listed < count).then(|| format!("the first {listed} of {count} messages are listed{which}")),
    }
}

/// The pairs with the most bytes where there are too many.
fn matrix(result: &ReplayResult, room: usize) -> Matrix {
    let most = |pair: &Pair| (std::cmp::Reverse(pair.bytes), pair.from, pair.to);
    let keep = |pairs: &mut Vec<Pair>| {
        pairs.sort_unstable_by_key(most);
        pairs.truncate(room);
    };
    let (mut pairs, mut limit) = (Vec::new(), None);
    for ((from, to), traffic) in result.matrix.unsorted() {
        let pair = Pair { from: from.index(), to: to.index(), messages: traffic.messages, bytes: traffic.bytes.0 };
        if limit.is_some_and(|limit| most(&pair) > limit) {
            continue;
        }
        pairs.push(pair);
        if pairs.len() > 2 * room {
            keep(&mut pairs);
            limit = pairs.last().map(most);
        }
    }
    let all = result.matrix.len();
    if all > room {
        keep(&mut pairs);
    }
    pairs.sort_unstable_by_key(|pair| (pair.from, pair.to));
    Matrix { pairs, cut: (all > room).then(|| format!("the {room} of {all} pairs with the most bytes are listed")) }
}

/// Messages between the parts of the critical path.
fn links(result: &ReplayResult) -> Vec<LinkShare> {
    let total = result.total.as_seconds();
    let mut links: BTreeMap<(usize, usize), (u64, f64)> = BTreeMap::new();
    for pair in result.critical_path.windows(2) {
        let (from, to) = (pair[0].task.index(), pair[1].task.index());
        let link = links.entry((from, to)).or_default();
        link.0 += 1;
        link.1 += pair[1].message.as_seconds();
    }
    let share =
        |((from, to), (messages, seconds))| LinkShare { from, to, messages, seconds, share: of(seconds, total) };
    let mut links: Vec<LinkShare> = links.into_iter().map(share).collect();
    links.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then((a.from, a.to).cmp(&(b.from, b.to))));
    links
}

fn of(seconds: f64, total: f64) -> f64 {
    if total > 0.0 { seconds / total } else { 0.0 }
}

/// Computation that lies on the path, by function; of a segment that lies on it in part, each function has its share.
fn shares(
    job: &Job,
    watched: &ReplayResult,
    segments: &Segments,
    prices: &Prices<'_>,
    total: Picoseconds,
) -> Vec<FunctionShare> {
    let mut seconds: BTreeMap<String, f64> = BTreeMap::new();
    for (task, window) in watched.windows.iter().enumerate() {
        *seconds.entry(WITHOUT_PROCESSOR.to_owned()).or_default() += window.ready.as_seconds();
        for &(segment, time) in &window.segments {
            let Some(priced) = prices.parts(chronos_activity::TaskId::new(task), segment) else { continue };
            let whole = priced.total().0;
            for entry in &priced.entries {
                let function = segments.context(entry.context).function;
                let name = job.program.functions[function].name.to_string();
                *seconds.entry(name).or_default() += time.as_seconds() * of(entry.time.0, whole);
            }
        }
        for &(site, time) in &window.sites {
            *seconds.entry(report_sections::place(job, site).call).or_default() += time.as_seconds();
        }
    }
    let total = total.as_seconds();
    let share = |(function, seconds)| FunctionShare { function, seconds, share: of(seconds, total) };
    let mut all: Vec<FunctionShare> = seconds.into_iter().filter(|entry| entry.1 > 0.0).map(share).collect();
    all.sort_by(|a, b| b.seconds.total_cmp(&a.seconds).then_with(|| a.function.cmp(&b.function)));
    all
}

fn imbalance(result: &ReplayResult) -> Imbalance {
    let busy = |rank: usize| result.tasks[rank].compute;
    let ranks = 0..result.tasks.len();
    let busiest = ranks.clone().max_by_key(|&rank| (busy(rank), std::cmp::Reverse(rank))).unwrap_or(0);
    let busiest_s = result.tasks.get(busiest).map_or(0.0, |task| task.compute.as_seconds());
    let mean_s = ranks.map(|rank| busy(rank).as_seconds()).sum::<f64>() / result.tasks.len().max(1) as f64;
    Imbalance { busiest_rank: busiest, busiest_s, mean_s, share: of(busiest_s - mean_s, busiest_s) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_base::units::Picoseconds;
    use chronos_replay::TaskTime;

    /// Tasks that compute for 1, 4, 3 and 0 s: 2 s in the mean, so the busiest one, number 1, would save half of its 4
    /// s.
    #[test]
    fn imbalance_is_what_an_even_spread_would_save() {
        let task = |seconds: u64| TaskTime { compute: Picoseconds(seconds * 1_000_000_000_000), ..TaskTime::default() };
        let result = ReplayResult { tasks: [1, 4, 3, 0].map(task).to_vec(), ..ReplayResult::default() };
        let found = imbalance(&result);
        assert_eq!((found.busiest_rank, found.busiest_s, found.mean_s, found.share), (1, 4.0, 2.0, 0.5));
        let even = ReplayResult { tasks: [2, 2].map(task).to_vec(), ..ReplayResult::default() };
        assert_eq!(imbalance(&even).share, 0.0);
    }
}
