//! What advances with every period: clocks by its length, counters by what they gained in it.

use crate::collective::CollectiveFrame;
use crate::engine::Engine;
use crate::engine::period::PeriodStart;
use crate::matching::operation::Completion;
use crate::task::state::Task;
use chronos_activity::{CommId, Feed};
use chronos_base::hash::FxHashMap;
use chronos_base::units::Picoseconds;

impl<F: Feed> Engine<'_, '_, F> {
    /// Shows everything that is added up, always in the same order.
    pub fn count(&mut self, show: &mut dyn FnMut(&mut u64)) {
        show(&mut self.steps);
        self.tasks.values_mut().for_each(|task| count(task, show));
        for site in self.sites.values_mut() {
            show(&mut site.calls);
            show(&mut site.time.0);
            show(&mut site.idle.0);
        }
        self.sent_traffic.show(show);
    }

    /// Numbers of messages, receives and collective operations, of those under way too.
    pub(crate) fn renumber(&mut self, before: &PeriodStart, times: u64) {
        let receives = (self.receives - before.receives).wrapping_mul(times);
        self.receives = self.receives.wrapping_add(receives);
        let mut sent = Vec::with_capacity(self.tasks.len());
        for (task, before) in self.tasks.values_mut().zip(&before.sent) {
            sent.push((task.sent - before).wrapping_mul(times));
            task.sent = task.sent.wrapping_add((task.sent - before).wrapping_mul(times));
        }
        for message in self.messages.iter_mut() {
            let gained = sent.get(message.channel.from.0 as usize).copied().unwrap_or_default();
            message.sequence = message.sequence.wrapping_add(gained as u32);
        }
        for op in self.ops.iter_mut() {
            if let Some(open) = op.open() {
                op.set_number(open.number.wrapping_add(receives));
            }
            if op.is_matched() {
                let gained = sent.get(op.channel.from.0 as usize).copied().unwrap_or_default();
                op.set_sequence(op.sequence().wrapping_add(gained as u32));
            }
        }
        self.renumber_collectives(before, times as u32);
    }

    /// Members count the operations of a communicator; the numbers wrap around.
    fn renumber_collectives(&mut self, before: &PeriodStart, times: u32) {
        let mut gained: FxHashMap<(u32, CommId), u32> = FxHashMap::default();
        for (id, (task, before)) in self.tasks.values_mut().zip(&before.joined).enumerate() {
            for &(comm, earlier) in before {
                let count = task.extras_mut().collectives.entry(comm);
                let more = count.wrapping_sub(earlier).wrapping_mul(times);
                *count = count.wrapping_add(more);
                gained.insert((id as u32, comm), more);
            }
        }
        // All members have joined as many more.
        self.collectives
            .held
            .renumber(|comm| gained.iter().find(|(key, _)| key.1 == comm).map_or(0, |(_, more)| *more));
        let open = std::mem::take(&mut self.collectives.open).into_iter().map(|((comm, number), instance)| {
            let more = gained.get(&(instance.first.0, comm)).copied().unwrap_or_default();
            ((comm, number.wrapping_add(more)), instance)
        });
        self.collectives.open = open.collect();
    }

    /// What ended waits in the period ends as many in each of the next ones.
    pub(crate) fn repeat_dependences(&mut self, begin: usize, period: Picoseconds, times: u64) {
        let more = self.dependences.more(begin, times);
        if more > 0 && self.may_keep_dependences(more) {
            self.dependences.repeat(begin, period, times);
        }
    }

    /// Lets all clocks go on by so much.
    pub fn shift(&mut self, by: Picoseconds) {
        self.queue.shift(by);
        self.collectives.held.earliest += by;
        self.tasks.values_mut().filter(|task| !task.is_over()).for_each(|task| shift_task(task, by));
        self.sent_traffic.shift(by);
        self.messages.iter_mut().for_each(|message| message.shift(by));
        self.ops.iter_mut().for_each(|op| op.shift(by));
        self.collectives.frames.iter_mut().for_each(|frame| shift_frame(frame, by));
        let ports = self.ports.values_mut().flat_map(|port| [&mut port.out_free, &mut port.in_free]);
        if let Some(origins) = &mut self.origins {
            origins.shift(by);
        }
        let held_up = self.under_way.values_mut().chain(self.held_until.values_mut());
        ports.chain(held_up).for_each(|time| *time += by);
    }
}

fn count(task: &mut Task, show: &mut dyn FnMut(&mut u64)) {
    task.parts.iter_mut().for_each(|part| show(&mut part.0));
    let causes = &mut task.causes;
    [&mut causes.late_sender, &mut causes.late_receiver, &mut causes.collective]
        .into_iter()
        .for_each(|cause| show(&mut cause.0));
    if task.extras().is_some() {
        task.extras_mut().segments.values_mut().for_each(&mut *show);
    }
    for elapsed in task.elapsed_in_order() {
        show(&mut elapsed.times);
        show(&mut elapsed.total.0);
    }
}

fn shift_task(task: &mut Task, by: Picoseconds) {
    task.now += by;
    task.started += by;
}

fn shift_done(completion: &mut Completion, by: Picoseconds) {
    completion.at += by;
    completion.partner += by;
    completion.left += by;
}

fn shift_frame(frame: &mut CollectiveFrame, by: Picoseconds) {
    let (times, completions) = frame.moments();
    times.into_iter().for_each(|time| *time += by);
    completions.for_each(|completion| shift_done(completion, by));
}
