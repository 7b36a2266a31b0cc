//! The simulation: cycle by cycle, until the times of iterations repeat.

use super::describe::Core;
use super::loads::Passing;
use super::lower::{LoweredInstruction, LoweredLoop, Operation, OperationKind, Step};
use crate::instruction::{Register, RegisterClass};
use chronos_base::hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::collections::VecDeque;

/// What is left out, to see what it costs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Relaxed {
    /// Operations wait for nothing.
    pub dependences: bool,
    /// Ports are never taken.
    pub ports: bool,
    /// Operations are delivered and renamed at once.
    pub front_end: bool,
    /// Buffers and schedulers have room.
    pub buffers: bool,
}

/// How a loop ran.
#[derive(Clone, Debug, Default)]
pub struct Run {
    /// Cycles of `iterations` together.
    pub cycles: u64,
    /// The iterations of the period, or those that were averaged.
    pub iterations: u64,
    /// Iterations repeat exactly.
    pub periodic: bool,
    /// Quarters of cycles that each port was taken in those iterations.
    pub(crate) port_quarters: Vec<u64>,
    /// For each instruction the cycles by which it retired later than the one before, in those iterations.
    pub(crate) retired_later: Vec<u64>,
}

/// Not known yet.
const LATER: u64 = u64::MAX;
/// No cycle of a loop body that ends is longer.
const MOST_CYCLES: u64 = 400_000;
/// Periods that are looked for.
const LONGEST_PERIOD: usize = 48;

/// Simulates iterations until they repeat.
pub fn run(core: &Core, body: &LoweredLoop, relaxed: Relaxed) -> Run {
    repeated(Machine::new(core, body, relaxed, true))
}

fn repeated(mut machine: Machine<'_>) -> Run {
    let (core, body) = (machine.core, machine.body);
    let slots: u32 = body.instructions.iter().map(|instruction| instruction.slots).sum();
    // The reorder buffer must have filled some times: until then nothing that it limits can show.
    let warm = u64::from(3 * core.reorder_buffer / slots.max(1)) + 2 * LONGEST_PERIOD as u64;
    let mut wanted = warm + 3 * LONGEST_PERIOD as u64;
    loop {
        while (machine.ends.len() as u64) < wanted && machine.cycle < MOST_CYCLES {
            machine.step();
        }
        if let Some(period) = period(&machine.ends) {
            return machine.result(period, true);
        }
        if machine.cycle >= MOST_CYCLES || wanted > warm * 4 {
            let half = (machine.ends.len() / 2).max(1);
            return machine.result(half, false);
        }
        wanted += warm;
    }
}

/// Cycles of whose operations a scheduler may wake some later.
const SAVED_CYCLES: u32 = 4;

/// Instructions of a body whose iterations are simulated until they repeat exactly; longer ones are averaged.
const SHORT: usize = 96;

/// Cycles per iteration, with parts of the core left out.
pub(crate) fn cycles(core: &Core, body: &LoweredLoop, relaxed: Relaxed) -> f64 {
    let length = body.instructions.len();
    if length <= SHORT {
        let run = repeated(Machine::new(core, body, relaxed, false));
        return run.cycles as f64 / run.iterations.max(1) as f64;
    }
    let slots: u32 = body.instructions.iter().map(|instruction| instruction.slots).sum();
    let warm = 2 + 2 * core.reorder_buffer as usize / slots.max(1) as usize;
    let counted = 3 + 600 / length;
    let mut machine = Machine::new(core, body, relaxed, false);
    while machine.ends.len() <= warm + counted && machine.cycle < 10 * MOST_CYCLES {
        machine.step();
    }
    let run = machine.result(counted, false);
    run.cycles as f64 / run.iterations.max(1) as f64
}

/// The shortest number of iterations after which their times repeat: four times at least, and over 24 iterations.
fn period(ends: &[u64]) -> Option<usize> {
    let times: Vec<u64> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    (1..=LONGEST_PERIOD).find(|&period| {
        let span = (4 * period).max(24);
        span + period <= times.len() && {
            let last = &times[times.len() - span - period..];
            (period..last.len()).all(|at| last[at] == last[at - period])
        }
    })
}

/// Operations that another one waits for, with cycles to add to their begin: few, so that they need no memory of their own.
type Dependences = SmallVec<[(usize, u64); 4]>;

/// The place of an operation in a scheduler: what is looked at in every cycle, and moves when others begin.
#[derive(Clone, Copy)]
struct Queued {
    /// From when its operands are there; `LATER` as long as one of them has not begun.
    ready: u64,
    /// Its position in [`Machine::operations`].
    at: u32,
}

/// An operation that waits for its operands.
struct Waiting {
    /// Operations it depends on, with cycles to add to their begin.
    depends: Dependences,
    /// A load that is blocked: the store's instruction.
    blocked_by: Option<usize>,
    operation: Operation,
    /// The port that was chosen when it was renamed.
    bound: Option<usize>,
    /// When it was renamed.
    entered: u64,
    /// The scheduler that limits how many operations begin in a cycle which have waited for operands, as this one does.
    woken_by: Option<usize>,
    id: usize,
}

/// A load that reads a store back.
struct Forwarded {
    /// The operation that hands over the data.
    id: usize,
    /// Cycles from its begin to that of the load.
    add: u64,
    /// Cycles of the load.
    latency: u32,
}

/// Where a register's value comes from.
#[derive(Clone, Copy)]
struct Producer {
    id: usize,
    latency: u64,
    to_same: Option<(&'static str, u64)>,
}

struct Machine<'a> {
    core: &'a Core,
    body: &'a LoweredLoop,
    relaxed: Relaxed,
    /// Whether it is kept what each iteration did, not when it ended alone.
    detailed: bool,
    cycle: u64,
    /// When each operation begins.
    begins: Vec<u64>,
    /// When each operation is done.
    done: Vec<u64>,
    waiting: Vec<Vec<Queued>>,
    /// Operations that wait, and places in between that others may take.
    operations: Vec<Waiting>,
    free: Vec<u32>,
    producers: FxHashMap<Register, Producer>,
    /// First and last operation of each instruction in the reorder buffer, with its position.
    reorder: VecDeque<(usize, usize, usize)>,
    reorder_slots: u32,
    /// Instructions that were renamed.
    renamed: usize,
    /// Instructions that were delivered.
    delivered: usize,
    queue_slots: u32,
    /// When the next line can be delivered, in parts of cycles.
    fetch_parts: u64,
    port_free: Vec<u64>,
    bound: Vec<u32>,
    /// Those of them that were renamed in this cycle.
    bound_now: Vec<u32>,
    /// The scheduler that operations of integers wait in.
    integers: Option<usize>,
    /// Half as many operations may each scheduler wake now. What it does not use it has later: which operations share a way
    /// out of the scheduler is not known, and those that the loop waits for are seldom always the last.
    woken_left: Vec<u32>,
    loads: u32,
    stores: u32,
    /// Stores that retired and are not in the cache yet, by bytes.
    committing: VecDeque<u16>,
    /// When the store of an instruction was in the cache, by number of the instruction.
    committed: FxHashMap<usize, u64>,
    commit_order: VecDeque<usize>,
    /// The operation that hands over the data of a store, by number of the instruction.
    data_of: FxHashMap<usize, usize>,
    retired: usize,
    last_retirement: u64,
    ends: Vec<u64>,
    port_use: Vec<Vec<u64>>,
    later: Vec<Vec<u64>>,
    later_now: Vec<u64>,
    ports_now: Vec<u64>,
}

impl<'a> Machine<'a> {
    fn new(core: &'a Core, body: &'a LoweredLoop, relaxed: Relaxed, detailed: bool) -> Self {
        Self {
            core,
            body,
            relaxed,
            detailed,
            cycle: 0,
            begins: Vec::new(),
            done: Vec::new(),
            // The last list is of operations that need no port.
            waiting: (0..=core.schedulers.len()).map(|_| Vec::new()).collect(),
            operations: Vec::new(),
            free: Vec::new(),
            producers: FxHashMap::default(),
            reorder: VecDeque::new(),
            reorder_slots: 0,
            renamed: 0,
            delivered: 0,
            queue_slots: 0,
            fetch_parts: 0,
            port_free: vec![0; core.ports.len()],
            bound: vec![0; core.ports.len()],
            bound_now: vec![0; core.ports.len()],
            integers: core.family("int", 0).and_then(|family| {
                let ports = family.operations.first()?.ports.0;
                core.schedulers.iter().position(|scheduler| scheduler.ports.0 & ports != 0)
            }),
            woken_left: vec![0; core.schedulers.len()],
            loads: 0,
            stores: 0,
            committing: VecDeque::new(),
            committed: FxHashMap::default(),
            commit_order: VecDeque::new(),
            data_of: FxHashMap::default(),
            retired: 0,
            last_retirement: 0,
            ends: Vec::new(),
            port_use: Vec::new(),
            later: Vec::new(),
            later_now: vec![0; body.instructions.len()],
            ports_now: vec![0; core.ports.len()],
        }
    }

    /// One cycle, from the back of the pipeline to the front.
    fn step(&mut self) {
        self.commit();
        self.retire();
        self.begin_operations();
        self.rename();
        self.deliver();
        self.cycle += 1;
    }

    fn commit(&mut self) {
        let mut room = self.core.memory.commits_per_cycle;
        while room > 0 {
            let Some(bytes) = self.committing.pop_front() else { return };
            // A wide store takes all the ways to the cache of a cycle.
            let wide = bytes > self.core.memory.commit_bytes;
            if wide && room < self.core.memory.commits_per_cycle {
                self.committing.push_front(bytes);
                return;
            }
            room = if wide { 0 } else { room - 1 };
            self.stores -= 1;
            if let Some(number) = self.commit_order.pop_front() {
                self.committed.insert(number, self.cycle);
            }
        }
    }

    fn retire(&mut self) {
        let mut room = if self.relaxed.front_end { u32::MAX } else { self.core.retire_width };
        while let Some(&(first, end, position)) = self.reorder.front() {
            let instruction = &self.body.instructions[position];
            if instruction.slots > room && room < self.core.retire_width {
                return;
            }
            if (first..end).any(|id| self.done[id] > self.cycle) {
                return;
            }
            room = room.saturating_sub(instruction.slots);
            self.reorder.pop_front();
            self.reorder_slots -= instruction.slots;
            self.retire_one(instruction, position);
            if room == 0 {
                return;
            }
        }
    }

    fn retire_one(&mut self, instruction: &LoweredInstruction, position: usize) {
        self.later_now[position] = self.cycle - self.last_retirement;
        self.last_retirement = self.cycle;
        let number = self.retired;
        self.retired += 1;
        self.loads -= count(instruction, OperationKind::Load);
        if count(instruction, OperationKind::StoreData) > 0 {
            self.committing.push_back(instruction.stored_bytes);
            self.commit_order.push_back(number);
        }
        if position + 1 == self.body.instructions.len() {
            self.ends.push(self.cycle);
            if self.detailed {
                self.later.push(self.later_now.clone());
                self.port_use.push(std::mem::replace(&mut self.ports_now, vec![0; self.core.ports.len()]));
            }
        }
    }

    /// Until nothing more begins: forwarded values and renamed ones take no cycle to those that wait for them.
    fn begin_operations(&mut self) {
        for (left, scheduler) in self.woken_left.iter_mut().zip(&self.core.schedulers) {
            let halves = scheduler.woken_per_two_cycles.unwrap_or(0);
            *left = (*left + halves).min(SAVED_CYCLES * halves);
        }
        let mut left = usize::MAX;
        loop {
            self.begin_ready();
            let now = self.waiting.iter().map(Vec::len).sum();
            if now == left {
                return;
            }
            left = now;
        }
    }

    fn begin_ready(&mut self) {
        for list in 0..self.waiting.len() {
            let mut waiting = std::mem::take(&mut self.waiting[list]);
            // The oldest first.
            waiting.retain_mut(|queued| !self.begin(queued));
            self.waiting[list] = waiting;
        }
    }

    /// Whether the operation could begin.
    fn begin(&mut self, queued: &mut Queued) -> bool {
        if !self.relaxed.dependences {
            if queued.ready == LATER {
                queued.ready = self.operands(&self.operations[queued.at as usize].depends);
            }
            if queued.ready > self.cycle {
                return false;
            }
        }
        let waiting = &self.operations[queued.at as usize];
        if let Some(store) = waiting.blocked_by.filter(|_| !self.relaxed.dependences) {
            let blocked = u64::from(self.core.memory.blocked_cycles);
            // The load's own latency is part of it.
            let until = self
                .committed
                .get(&store)
                .map(|at| (at + blocked).saturating_sub(u64::from(waiting.operation.cost.latency)));
            if until.is_none_or(|until| until > self.cycle) {
                return false;
            }
        }
        let woken_by = waiting.woken_by.filter(|_| queued.ready > waiting.entered && !self.relaxed.ports);
        let (id, latency) = (waiting.id, u64::from(waiting.operation.cost.latency).max(1));
        if woken_by.is_some_and(|scheduler| self.woken_left[scheduler] < 2)
            || !self.take_port(waiting.operation, waiting.bound)
        {
            return false;
        }
        if let Some(scheduler) = woken_by {
            self.woken_left[scheduler] -= 2;
        }
        self.begins[id] = self.cycle;
        self.done[id] = self.cycle + latency;
        self.free.push(queued.at);
        true
    }

    /// From when the results of these operations are there; `LATER` where one of them has not begun.
    fn operands(&self, depends: &[(usize, u64)]) -> u64 {
        depends.iter().fold(0, |ready, &(id, add)| ready.max(self.begins[id].saturating_add(add)))
    }

    /// Whether one of the ports of an operation is free, or the one that it is bound to.
    fn take_port(&mut self, operation: Operation, bound: Option<usize>) -> bool {
        let ports = operation.cost.ports.0;
        if ports == 0 || self.relaxed.ports {
            return true;
        }
        let end = (self.cycle + 1) * 4;
        let free = |port: &usize| ports >> port & 1 == 1 && self.port_free[*port] < end;
        let port = match bound {
            Some(port) => Some(port).filter(free),
            // The one that fewest kinds of operations want would be best; the one that is free longest is near that.
            None => (0..self.core.ports.len()).filter(free).min_by_key(|&port| self.port_free[port]),
        };
        let Some(port) = port else { return false };
        let busy = u64::from(operation.cost.busy_quarters);
        self.port_free[port] = self.port_free[port].max(self.cycle * 4) + busy;
        self.ports_now[port] += busy;
        if bound.is_some() {
            self.bound[port] -= 1;
        }
        true
    }

    fn rename(&mut self) {
        self.bound_now.fill(0);
        let mut room = if self.relaxed.front_end { u32::MAX } else { self.core.front_end.width };
        // Without limits of the front end, some iterations ahead are enough.
        let most = self.retired + 64 * self.body.instructions.len();
        while self.renamed < self.delivered && room > 0 && self.renamed < most {
            let position = self.renamed % self.body.instructions.len();
            let instruction = &self.body.instructions[position];
            let whole = instruction.slots > self.core.front_end.width && room == self.core.front_end.width;
            if (instruction.slots > room && !whole) || !self.has_room(instruction) {
                return;
            }
            // A long instruction takes the width of several cycles; the rest of them is lost with it.
            room = room.saturating_sub(instruction.slots);
            self.queue_slots = self.queue_slots.saturating_sub(instruction.slots);
            self.enter(instruction, position);
        }
    }

    fn has_room(&self, instruction: &LoweredInstruction) -> bool {
        if self.relaxed.buffers {
            return true;
        }
        let memory = &self.core.memory;
        let stores = count(instruction, OperationKind::StoreData);
        let fits = self.reorder_slots + instruction.slots <= self.core.reorder_buffer
            && self.loads + count(instruction, OperationKind::Load) <= memory.load_queue
            && self.stores + stores <= memory.store_queue;
        let needed = |list: usize| {
            let own = instruction.operations.iter().filter(|operation| self.scheduler_of(operation) == list).count();
            own == 0 || self.waiting[list].len() + own <= self.core.schedulers[list].entries as usize
        };
        fits && (instruction.step != Step::Execute || (0..self.core.schedulers.len()).all(needed))
    }

    fn scheduler_of(&self, operation: &Operation) -> usize {
        let ports = operation.cost.ports.0;
        let found = self.core.schedulers.iter().position(|scheduler| scheduler.ports.0 & ports != 0);
        found.unwrap_or(self.core.schedulers.len())
    }

    /// The scheduler that limits how many operations it wakes in a cycle, this one among them.
    fn waker(&self, instruction: &LoweredInstruction, operation: &Operation) -> Option<usize> {
        let is_integer_data =
            operation.kind == OperationKind::StoreData && operation.cost.ports.0 == 0 && !instruction.vector_memory;
        let list = if is_integer_data { self.integers? } else { self.scheduler_of(operation) };
        self.core.schedulers.get(list)?.woken_per_two_cycles.map(|_| list)
    }

    /// Into the reorder buffer and the schedulers.
    fn enter(&mut self, instruction: &LoweredInstruction, position: usize) {
        if position == 0 && self.body.is_call {
            // The caller sets the registers for each call anew.
            self.producers.clear();
        }
        let first = self.begins.len();
        match instruction.step {
            Step::Execute => self.enter_operations(instruction),
            Step::Rename(from) => {
                let producer = self.producers.get(&from).copied();
                self.produce(instruction, producer);
            }
            Step::Zero => self.produce(instruction, None),
            Step::Fused => {}
        }
        self.reorder.push_back((first, self.begins.len(), position));
        self.reorder_slots += instruction.slots;
        self.loads += count(instruction, OperationKind::Load);
        self.stores += count(instruction, OperationKind::StoreData);
        self.renamed += 1;
    }

    fn produce(&mut self, instruction: &LoweredInstruction, producer: Option<Producer>) {
        for &register in &instruction.writes {
            match producer {
                Some(producer) => self.producers.insert(register, producer),
                None => self.producers.remove(&register),
            };
        }
    }

    fn enter_operations(&mut self, instruction: &LoweredInstruction) {
        let data = self.dependences(instruction, &instruction.reads);
        let address = self.dependences(instruction, &instruction.address);
        let (mut loaded, mut executed) = (Dependences::new(), Dependences::new());
        let last = instruction.operations.iter().rposition(|operation| operation.kind == OperationKind::Execute);
        let (mut result, mut moved) = (None, None);
        for (at, operation) in instruction.operations.iter().enumerate() {
            let id = self.begins.len();
            let mut operation = *operation;
            let mut latency = u64::from(operation.cost.latency);
            let mut blocked_by = None;
            let depends = match operation.kind {
                OperationKind::Load => {
                    let (mut depends, passed) = (address.clone(), self.passed(instruction));
                    if let Some(forwarded) = passed.0 {
                        depends.push((forwarded.id, forwarded.add));
                        operation.cost.latency = forwarded.latency;
                        latency = u64::from(forwarded.latency);
                    }
                    blocked_by = passed.1;
                    loaded.push((id, latency));
                    result = Some((id, latency));
                    depends
                }
                OperationKind::StoreAddress => address.clone(),
                OperationKind::AddressUpdate => {
                    moved = Some(Producer { id, latency, to_same: None });
                    address.clone()
                }
                OperationKind::Execute => {
                    let mut depends: Dependences = data.iter().chain(&loaded).copied().collect();
                    if Some(at) == last {
                        depends.append(&mut executed);
                        result = Some((id, latency));
                    } else {
                        executed.push((id, latency));
                    }
                    depends
                }
                OperationKind::StoreData => {
                    self.data_of.insert(self.renamed, id);
                    // What was computed, or else the register that is stored.
                    result.map_or_else(|| data.clone(), |result| smallvec![result])
                }
            };
            let woken_by = self.waker(instruction, &operation);
            let entered = self.cycle;
            self.enter_one(Waiting { depends, blocked_by, operation, bound: None, entered, woken_by, id });
        }
        self.written(instruction, result);
        if let Some((register, producer)) = instruction.updates.zip(moved) {
            self.producers.insert(register, producer);
        }
    }

    fn written(&mut self, instruction: &LoweredInstruction, result: Option<(usize, u64)>) {
        let producer = result.map(|(id, latency)| Producer {
            id,
            latency,
            to_same: instruction.family.zip(instruction.to_same.map(u64::from)),
        });
        self.produce(instruction, producer);
    }

    /// The port that an operation of a scheduler waits for: with the fewest that wait for it (uiCA, section 4.1.4); where the
    /// scheduler has a queue for each port, first of all with the fewest that were renamed in this cycle. On a Zen 4, loops of
    /// a load and of 3 to 9 additions, of which some wait for others, take 1.0 to 2.6 cycles, up to half more than their
    /// ports need: so all 31 are within 7 %, and with ports that are chosen when operations begin 16.
    fn chosen_port(&self, ports: u64, step: Option<u32>) -> Option<usize> {
        let order = |&port: &usize| match step {
            Some(step) => (self.bound_now[port], self.bound[port] / step.max(1)),
            None => (self.bound[port], 0),
        };
        (0..self.core.ports.len()).filter(|port| ports >> port & 1 == 1).min_by_key(order)
    }

    fn enter_one(&mut self, mut waiting: Waiting) {
        self.begins.push(LATER);
        self.done.push(LATER);
        let ports = waiting.operation.cost.ports.0;
        let list = self.scheduler_of(&waiting.operation);
        let step = self.core.schedulers.get(list).and_then(|scheduler| scheduler.binding_step);
        if (self.core.binds_ports_early || step.is_some()) && ports != 0 {
            waiting.bound = self.chosen_port(ports, step).filter(|_| !self.relaxed.ports);
            if let Some(port) = waiting.bound {
                self.bound[port] += 1;
                self.bound_now[port] += 1;
            }
        }
        let at = self.keep(waiting);
        self.waiting[list].push(Queued { ready: LATER, at });
    }

    /// Where an operation that waits is kept.
    fn keep(&mut self, waiting: Waiting) -> u32 {
        if let Some(at) = self.free.pop() {
            self.operations[at as usize] = waiting;
            return at;
        }
        self.operations.push(waiting);
        // No scheduler holds as many.
        u32::try_from(self.operations.len() - 1).unwrap_or(u32::MAX)
    }

    fn dependences(&self, instruction: &LoweredInstruction, registers: &[Register]) -> Dependences {
        let depends = registers.iter().filter_map(|register| {
            let producer = self.producers.get(register)?;
            let same = producer.to_same.filter(|(family, _)| Some(*family) == instruction.family);
            let latency = same.map_or(producer.latency, |(_, cycles)| cycles);
            let flags = matches!(register.class, RegisterClass::Flags | RegisterClass::Carry);
            Some((producer.id, latency + if flags { u64::from(instruction.flags_extra) } else { 0 }))
        });
        depends.collect()
    }

    /// What a load waits for beside its address: the data of the store that it reads back, or that store's end.
    fn passed(&self, instruction: &LoweredInstruction) -> (Option<Forwarded>, Option<usize>) {
        let Some(met) = instruction.met else { return (None, None) };
        let length = self.body.instructions.len();
        let back = met.distance as usize * length + instruction.position - met.store;
        // In the first iterations there is no such store yet.
        let Some(store) = self.renamed.checked_sub(back).filter(|store| store % length == met.store) else {
            return (None, None);
        };
        match (met.passing, self.data_of.get(&store)) {
            (Passing::Blocked, Some(_)) => (None, Some(store)),
            (Passing::Forwarded, Some(&id)) => {
                let memory = &self.core.memory;
                let (forward, load) = match instruction.vector_memory {
                    true => (memory.forward_vector_cycles, memory.load_vector_cycles),
                    false => (instruction.read_back_cycles, memory.load_cycles),
                };
                // The load's latency is a part of the forwarding; where forwarding is faster than the cache, the value is
                // renamed and the cache is not waited for.
                let latency = forward.min(load);
                (Some(Forwarded { id, add: u64::from(forward - latency), latency }), None)
            }
            (_, None) => (None, None),
        }
    }

    fn deliver(&mut self) {
        if self.relaxed.front_end {
            self.delivered = self.renamed + 64 * self.body.instructions.len();
            return;
        }
        let parts = u64::from(self.body.parts);
        while self.fetch_parts < (self.cycle + 1) * parts && self.queue_slots < self.core.front_end.queue {
            let begin = self.fetch_parts.max(self.cycle * parts);
            let first = &self.body.instructions[self.delivered % self.body.instructions.len()];
            let mut next = begin + u64::from(first.line_parts);
            let ends = self.deliver_line();
            if ends {
                // One taken jump per cycle.
                next = next.div_ceil(parts) * parts;
            }
            self.fetch_parts = next;
        }
    }

    /// Whether the line ended with a taken jump.
    fn deliver_line(&mut self) -> bool {
        loop {
            let instruction = &self.body.instructions[self.delivered % self.body.instructions.len()];
            self.queue_slots += instruction.slots;
            self.delivered += 1;
            let next = &self.body.instructions[self.delivered % self.body.instructions.len()];
            if instruction.ends_line || next.line_parts > 0 {
                return instruction.ends_line;
            }
        }
    }

    fn result(self, iterations: usize, periodic: bool) -> Run {
        let Some(before) = self.ends.len().checked_sub(iterations + 1) else { return Run::default() };
        let sum = |lists: &[Vec<u64>], length: usize| {
            lists.iter().rev().take(iterations).fold(vec![0; length], |mut sum, list| {
                sum.iter_mut().zip(list).for_each(|(sum, own)| *sum += own);
                sum
            })
        };
        Run {
            cycles: self.ends[self.ends.len() - 1] - self.ends[before],
            iterations: iterations as u64,
            periodic,
            port_quarters: sum(&self.port_use, self.core.ports.len()),
            retired_later: sum(&self.later, self.body.instructions.len()),
        }
    }
}

fn count(instruction: &LoweredInstruction, kind: OperationKind) -> u32 {
    if instruction.step != Step::Execute {
        return 0;
    }
    u32::try_from(instruction.operations.iter().filter(|operation| operation.kind == kind).count()).unwrap_or(0)
}
