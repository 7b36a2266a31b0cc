//! A feed that talks with tasks made of scripted frames, in place of processes.

use crate::counted::Counters;
use crate::frames::{Channel, FrameKind};
use crate::listener::Connected;
use crate::{Ended, Evaluated, How, LiveFeed, Timing};
use chronos_activity::{Activity, Arrival, CommId, Event, Feed, MessageId, Operation, Outcome, Step, TaskId, Work};
use chronos_base::units::{Bytes, Picoseconds};
use chronos_ir::Program;
use chronos_trace::identity::Identity;
use chronos_trace::map::TraceMap;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;

/// The process of a task: what it sends is known from the beginning.
struct Process(UnixStream);

impl Process {
    fn frame(mut self, kind: u32, numbers: &[i64]) -> Self {
        self.0.write_all(&kind.to_ne_bytes()).expect("sent");
        self.0.write_all(&(numbers.len() as u32).to_ne_bytes()).expect("sent");
        numbers.iter().for_each(|number| self.0.write_all(&number.to_ne_bytes()).expect("sent"));
        self
    }

    /// A call without a site, `cpu` nanoseconds after the one before.
    fn call(self, cpu: i64, asks: bool, kind: &str, numbers: &[i64]) -> Self {
        let mut name = [0; 16];
        name[..kind.len()].copy_from_slice(kind.as_bytes());
        let word = |at: usize| i64::from_ne_bytes(name[at..at + 8].try_into().expect("8 bytes"));
        self.frame(2, &[&[-1, cpu, i64::from(asks), word(0), word(8)], numbers].concat())
    }

    /// The next answer: its kind and numbers.
    fn answer(&mut self) -> (u32, Vec<i64>) {
        let mut word = [0; 4];
        self.0.read_exact(&mut word).expect("an answer");
        let kind = u32::from_ne_bytes(word);
        self.0.read_exact(&mut word).expect("an answer");
        let number = |_| {
            let mut bytes = [0; 8];
            self.0.read_exact(&mut bytes).expect("a number");
            i64::from_ne_bytes(bytes)
        };
        (kind, (0..u32::from_ne_bytes(word)).map(number).collect())
    }
}

fn pair() -> (Channel, Process) {
    let (ours, theirs) = UnixStream::pair().expect("sockets");
    (Channel::new(ours).expect("a channel"), Process(theirs))
}

fn with_feed(timing: Timing, channels: Vec<Channel>, check: impl FnOnce(&mut LiveFeed<'_>)) {
    with_standing_by(0, timing, channels, check);
}

fn with_standing_by(standing_by: usize, timing: Timing, channels: Vec<Channel>, check: impl FnOnce(&mut LiveFeed<'_>)) {
    let program = Program::default();
    let identity = Identity::of(&program);
    let map = TraceMap::new(&identity, 0, true, &BTreeMap::new(), channels.len());
    let (counters, activity, of_reductions) = (Counters { map }, Activity::default(), BTreeSet::new());
    let evaluated = Evaluated { activity: &activity, of_reductions: &of_reductions };
    check(&mut LiveFeed::new(&program, &counters, timing, evaluated, Connected(channels), standing_by));
}

const MEASURED: Timing = Timing::Measured { slower: 2.0 };

fn operation(step: &Step) -> &Operation {
    let Step::Event(event) = step else { panic!("no event: {step:?}") };
    let Event { operation, .. } = &**event;
    operation
}

#[test]
fn computing_stands_before_the_call_and_an_answer_goes_back_to_who_waits() {
    let (channel, process) = pair();
    let mut process = process
        .call(1000, false, "send", &[1, 7, 0, 80, -1])
        .call(500, true, "recv", &[-1, -1, 0, 800, -1])
        .frame(4, &[0, 250]);
    let (other, _kept) = pair();
    with_feed(MEASURED, vec![channel, other], |feed| {
        let task = TaskId(0);
        let mut next = |outcome| feed.next(task, outcome);
        assert_eq!(next(Outcome::None), Step::Work(Work::Time(Picoseconds(2_000_000))));
        assert!(matches!(
            operation(&next(Outcome::None)),
            Operation::Send { to: TaskId(1), tag: 7, request: None, .. }
        ));
        assert_eq!(next(Outcome::None), Step::Work(Work::Time(Picoseconds(1_000_000))));
        assert!(matches!(operation(&next(Outcome::None)), Operation::Recv { from: None, tag: None, .. }));
        let message = MessageId { sender: TaskId(1), sequence: 3 };
        let arrival = Arrival { message, tag: 9, bytes: Bytes(16), request: None };
        assert_eq!(next(Outcome::Arrived(vec![arrival])), Step::Work(Work::Time(Picoseconds(500_000))));
        assert_eq!([next(Outcome::None), next(Outcome::None)], [Step::End, Step::End]);
    });
    assert_eq!(process.answer(), (1, vec![-1, 1, 3, 9, 16]));
}

#[test]
fn outcomes_of_every_kind_are_told() {
    let (channel, process) = pair();
    let mut process = process
        .call(0, true, "testany", &[4, 5])
        .call(0, true, "waitany", &[4, 5])
        .call(0, true, "clock", &[])
        .frame(4, &[0, 0]);
    with_feed(MEASURED, vec![channel], |feed| {
        let mut next = |outcome| feed.next(TaskId(0), outcome);
        assert!(matches!(operation(&next(Outcome::None)), Operation::TestAny { requests } if requests.len() == 2));
        assert!(matches!(operation(&next(Outcome::NotYet)), Operation::WaitAny { .. }));
        assert!(matches!(operation(&next(Outcome::Any { index: 1, arrival: None })), Operation::ReadClock { .. }));
        assert_eq!(next(Outcome::Time { at: Picoseconds(42) }), Step::End);
    });
    assert_eq!([process.answer(), process.answer(), process.answer()], [(3, vec![]), (2, vec![1]), (4, vec![42])]);
}

#[test]
fn members_of_communicators_agree_on_their_numbers() {
    let (mut channels, mut processes) = (Vec::new(), Vec::new());
    // Task 0 has made one of its own before; number 2 of it is number 1 of task 1.
    for (own, shared) in [(Some(1), 2), (None, 1)] {
        let (channel, mut process) = pair();
        if let Some(own) = own {
            process = process.frame(3, &[own, 0]);
        }
        process = process.frame(3, &[shared, 0, 1]).call(0, false, "barrier", &[shared, -1, -1, 1, 0]);
        channels.push(channel);
        processes.push(process);
    }
    with_feed(MEASURED, channels, |feed| {
        let comms = [0, 1].map(|rank| match operation(&feed.next(TaskId(rank), Outcome::None)) {
            Operation::Collective(collective) => collective.comm,
            other => panic!("{other:?}"),
        });
        assert_eq!(comms[0], comms[1]);
        assert_eq!(*feed.group(comms[0]), [TaskId(0), TaskId(1)]);
        assert_eq!(*feed.group(CommId(0)), [TaskId(0), TaskId(1)]);
    });
}

#[test]
fn a_process_that_is_gone_or_talks_nonsense_is_told_once() {
    let (channel, process) = pair();
    drop(process.call(100, false, "barrier", &[0, -1, -1, 1, 0]));
    let (other, process) = pair();
    let _kept = process.frame(77, &[]);
    with_feed(MEASURED, vec![channel, other], |feed| {
        assert!(matches!(feed.next(TaskId(0), Outcome::None), Step::Work(_)));
        assert!(matches!(feed.next(TaskId(0), Outcome::None), Step::Event(_)));
        assert_eq!(feed.next(TaskId(0), Outcome::None), Step::Stuck);
        assert_eq!(feed.next(TaskId(1), Outcome::None), Step::Stuck);
        assert!(
            feed.diagnostics().is_empty() && feed.ended_early() == Some(Ended { task: TaskId(0), how: How::Unknown })
        );
    });
}

#[test]
fn a_task_that_leaves_without_finalize_is_stuck() {
    // Exit code, processor time, what it was done with: nothing, MPI_Init, both; the last one never began with MPI.
    let cases = [(0, 1, Step::Stuck), (3, 1, Step::Stuck), (3, 0, Step::End), (0, 2, Step::End), (3, 2, Step::End)];
    for (code, state, last) in cases {
        let (channel, process) = pair();
        let _kept = process.frame(4, &[code, 0, state]);
        with_feed(MEASURED, vec![channel], |feed| {
            assert_eq!(feed.next(TaskId(0), Outcome::None), last, "{code} {state}");
            let early = (last == Step::Stuck).then_some(Ended { task: TaskId(0), how: How::Exit(code) });
            assert_eq!(feed.ended_early(), early, "{code} {state}");
            assert_eq!(feed.diagnostics().len(), usize::from(code != 0 && state == 2), "{code} {state}");
        });
    }
}

#[test]
fn the_note_of_the_launcher_is_read() {
    let ended = |task, how| Some(Ended { task: TaskId(task), how });
    assert_eq!(Ended::parse("1 exit 0\n"), ended(1, How::Exit(0)));
    assert_eq!(Ended::parse("12 signal 11\n"), ended(12, How::Signal(11)));
    assert_eq!(Ended::parse("0 abort 3\n"), ended(0, How::Abort(3)));
    assert_eq!((Ended::parse("1 exit"), Ended::parse("x signal 1"), Ended::parse("1 went 1")), (None, None, None));
}

#[test]
fn a_frame_that_comes_in_pieces_is_one() {
    let (mut channel, mut process) = pair();
    let numbers: Vec<i64> = (0..20_000).collect();
    let sender = std::thread::spawn(move || {
        process = process.frame(1, &numbers);
        process.0.flush().expect("sent");
    });
    let frame = channel.next_frame().expect("no limit").expect("a frame");
    assert_eq!((frame.kind, frame.numbers.len(), frame.numbers[19_999]), (FrameKind::Segment, 20_000, 19_999));
    sender.join().expect("ended");
}

#[test]
fn a_task_that_is_started_takes_no_time_before_it_is_asked_for() {
    let (parent, process) = pair();
    let mut process = process.frame(5, &[1]).call(500, false, "request", &[1]).frame(4, &[0, 0]);
    let (child, started) = pair();
    let mut started = started.call(900, true, "standby", &[]).call(900, false, "start", &[]).frame(4, &[0, 250]);
    with_standing_by(1, MEASURED, vec![parent, child], |feed| {
        assert_eq!(feed.next(TaskId(0), Outcome::None), Step::Work(Work::Time(Picoseconds(1_000_000))));
        let request = feed.next(TaskId(0), Outcome::None);
        let Operation::Send { to: TaskId(1), comm, .. } = operation(&request) else { panic!("{request:?}") };
        let waiting = feed.next(TaskId(1), Outcome::None);
        assert!(matches!(operation(&waiting), Operation::Recv { from: None, comm: own, .. } if own == comm));
        assert_eq!((&*feed.group(*comm), &*feed.group(CommId(0))), (&[TaskId(1)][..], &[TaskId(0)][..]));
        let message = MessageId { sender: TaskId(0), sequence: 0 };
        let arrival = Arrival { message, tag: 0, bytes: Bytes(0), request: None };
        assert_eq!(operation(&feed.next(TaskId(1), Outcome::Arrived(vec![arrival]))), &Operation::Start);
        assert_eq!(feed.next(TaskId(1), Outcome::None), Step::Work(Work::Time(Picoseconds(500_000))));
        assert_eq!((feed.next(TaskId(1), Outcome::None), feed.wanted()), (Step::End, 1));
    });
    assert_eq!(process.answer(), (5, vec![1]));
    assert_eq!(started.answer(), (1, vec![-1, 0, 0, 0, 0]));
}

#[test]
fn a_run_ends_where_more_tasks_are_started_than_stand_by() {
    let (parent, process) = pair();
    let _kept = process.frame(5, &[2]);
    let (child, started) = pair();
    let _kept_too = started.call(0, true, "standby", &[]);
    with_standing_by(1, MEASURED, vec![parent, child], |feed| {
        assert!(matches!(operation(&feed.next(TaskId(1), Outcome::None)), Operation::Recv { .. }));
        assert_eq!(feed.next(TaskId(0), Outcome::None), Step::Stuck);
        assert_eq!((feed.next(TaskId(1), Outcome::None), feed.wanted()), (Step::Stuck, 2));
    });
}
