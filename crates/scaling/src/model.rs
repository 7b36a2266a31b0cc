//! Closed models of the time on `N` processors, by their parameters.

use super::Tasks;
use chronos_base::units::Seconds;

/// A model with its parameters. Sections are those of Zuberek (2004).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Model {
    /// Section II: an iteration broadcasts, computes its share, and one task collects the results one by one.
    Flat {
        /// Time that does not depend on the number of tasks, such as the broadcast.
        begin: Seconds,
        /// Time of the whole work on one task.
        work: Seconds,
        /// Time to collect the result of one task.
        result: Seconds,
    },
    /// Section II: results are collected through groups, in `levels` levels (the paper has two).
    Hierarchical {
        /// Time that does not depend on the number of tasks, such as the broadcast.
        begin: Seconds,
        /// Time of the whole work on one task.
        work: Seconds,
        /// Time to collect one result, at any level.
        result: Seconds,
        /// Number of levels of groups.
        levels: u32,
    },
    /// Results are combined in a binary tree.
    Tree {
        /// Time that does not depend on the number of tasks.
        begin: Seconds,
        /// Time of the whole work on one task.
        work: Seconds,
        /// Time of one level of the tree, to combine two results.
        result: Seconds,
    },
    /// Section III: states are analysed at home and sent through one medium, behind the computation.
    StateSpace {
        /// Time to analyse all states on one task.
        analysis: Seconds,
        /// Time to send all states through the medium; a share of (N - 1)/N of them leaves its task.
        transfer: Seconds,
    },
    /// Section IV: independent units of work, sent out and reported.
    Massive {
        /// Time to send a unit of work out.
        send: Seconds,
        /// Time to work on one unit.
        unit: Seconds,
        /// Time to report the result of a unit.
        report: Seconds,
    },
    /// A part that only one task does (Amdahl 1967).
    Amdahl {
        /// Time of the part that only one task does.
        serial: Seconds,
        /// Time on one task of the part that all tasks share.
        parallel: Seconds,
    },
    /// Each task has as much work as one alone (Gustafson 1988); `growth` is what each further task adds.
    Scaled {
        /// Time of one task alone, with its own work.
        time: Seconds,
        /// Time that each further task adds.
        growth: Seconds,
    },
    /// Contention and coherency per task (Gunther 1993).
    Universal {
        /// Time of the whole work on one task.
        work: Seconds,
        /// Share of the work that is serialised (sigma), without a unit.
        contention: f64,
        /// Share of the work that each pair of tasks adds to agree (kappa), without a unit.
        coherency: f64,
    },
}

impl Model {
    /// As reports name it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Flat { .. } => "flat",
            Self::Hierarchical { .. } => "hierarchical",
            Self::Tree { .. } => "tree",
            Self::StateSpace { .. } => "state-space",
            Self::Massive { .. } => "massive",
            Self::Amdahl { .. } => "amdahl",
            Self::Scaled { .. } => "scaled",
            Self::Universal { .. } => "universal",
        }
    }

    /// `T(N)`: of the whole fixed work; of one unit for each task where the work grows with the tasks.
    pub fn time(&self, n: Tasks) -> Seconds {
        let Tasks(n) = n;
        Seconds(match *self {
            Self::Flat { begin, work, result } => begin.0 + work.0 / n + n * result.0,
            Self::Hierarchical { begin, work, result, levels } => {
                begin.0 + work.0 / n + collection(n, levels) * result.0
            }
            Self::Tree { begin, work, result } => begin.0 + work.0 / n + n.log2() * result.0,
            Self::StateSpace { analysis, transfer } => analysis.0.max((n - 1.0) * transfer.0) / n,
            Self::Massive { send, unit, report } => send.0 + unit.0 + report.0,
            Self::Amdahl { serial, parallel } => serial.0 + parallel.0 / n,
            Self::Scaled { time, growth } => time.0 + (n - 1.0) * growth.0,
            Self::Universal { work, contention, coherency } => {
                work.0 * (1.0 + contention * (n - 1.0) + coherency * n * (n - 1.0)) / n
            }
        })
    }

    /// `S(N)`: the work on one processor, without communication, over the time on `N`.
    pub fn speedup(&self, n: Tasks) -> f64 {
        match *self {
            Self::Massive { unit, .. } => n.0 * unit.0 / self.time(n).0,
            Self::Scaled { time, .. } => n.0 * time.0 / self.time(n).0,
            _ => self.work().0 / self.time(n).0,
        }
    }

    /// Time of the fixed work on one processor that has nobody to talk to.
    fn work(&self) -> Seconds {
        match *self {
            Self::Flat { work, .. }
            | Self::Hierarchical { work, .. }
            | Self::Tree { work, .. }
            | Self::Universal { work, .. } => work,
            Self::StateSpace { analysis, .. } => analysis,
            Self::Amdahl { serial, parallel } => Seconds(serial.0 + parallel.0),
            Self::Massive { unit, .. } => unit,
            Self::Scaled { time, .. } => time,
        }
    }

    /// Where the speedup is greatest: the zero of the derivative of `T(N)`; `None` where it only grows.
    /// Of the state space it is where the medium begins to limit: more processors gain nothing in proportion.
    pub fn best_tasks(&self) -> Option<Tasks> {
        let best = match *self {
            Self::Flat { work, result, .. } => (work.0 / result.0).sqrt(),
            Self::Hierarchical { work, result, levels, .. } => {
                let levels = f64::from(levels);
                (work.0 / result.0).powf(levels / (levels + 1.0))
            }
            Self::Tree { work, result, .. } => work.0 / result.0 * std::f64::consts::LN_2,
            Self::StateSpace { analysis, transfer } => analysis.0 / transfer.0 + 1.0,
            Self::Universal { contention, coherency, .. } => ((1.0 - contention) / coherency).max(1.0).sqrt(),
            Self::Massive { .. } | Self::Amdahl { .. } | Self::Scaled { .. } => return None,
        };
        (best.is_finite() && best > 0.0).then_some(Tasks(best.max(1.0)))
    }

    /// The ratio of computation to communication that the paper's figures are drawn over; `None` where the model has
    /// none.
    pub fn ratio(&self) -> Option<f64> {
        let ratio = match *self {
            Self::Flat { work, result, .. }
            | Self::Hierarchical { work, result, .. }
            | Self::Tree { work, result, .. } => work.0 / result.0,
            Self::StateSpace { analysis, transfer } => analysis.0 / transfer.0,
            Self::Massive { send, unit, report } => unit.0 / (send.0 + report.0),
            _ => return None,
        };
        (ratio.is_finite() && ratio > 0.0).then_some(ratio)
    }

    /// `T(N)` in words of its parameters.
    pub fn formula(&self) -> String {
        match self {
            Self::Flat { .. } => "Tb + Ts/N + N*Tr".to_owned(),
            Self::Hierarchical { levels: 2, .. } => "Tb + Ts/N + 2*sqrt(N)*Tr".to_owned(),
            Self::Hierarchical { levels, .. } => format!("Tb + Ts/N + {levels}*N^(1/{levels})*Tr"),
            Self::Tree { .. } => "Tb + Ts/N + log2(N)*Tr".to_owned(),
            Self::StateSpace { .. } => "max(Ta, (N-1)*Tc)/N".to_owned(),
            Self::Massive { .. } => "Td + Tu + Tr".to_owned(),
            Self::Amdahl { .. } => "s + p/N".to_owned(),
            Self::Scaled { .. } => "T1 + (N-1)*g".to_owned(),
            Self::Universal { .. } => "T1*(1 + a*(N-1) + b*N*(N-1))/N".to_owned(),
        }
    }

    /// Names and values of the parameters in the formula; times in seconds.
    pub fn parameters(&self) -> Vec<(&'static str, f64)> {
        match *self {
            Self::Flat { begin, work, result }
            | Self::Hierarchical { begin, work, result, .. }
            | Self::Tree { begin, work, result } => vec![("Tb", begin.0), ("Ts", work.0), ("Tr", result.0)],
            Self::StateSpace { analysis, transfer } => vec![("Ta", analysis.0), ("Tc", transfer.0)],
            Self::Massive { send, unit, report } => vec![("Td", send.0), ("Tu", unit.0), ("Tr", report.0)],
            Self::Amdahl { serial, parallel } => vec![("s", serial.0), ("p", parallel.0)],
            Self::Scaled { time, growth } => vec![("T1", time.0), ("g", growth.0)],
            Self::Universal { work, contention, coherency } => {
                vec![("T1", work.0), ("a", contention), ("b", coherency)]
            }
        }
    }
}

/// How many results are received one after the other where each of `levels` levels has groups of equal size: for two
/// levels `2*sqrt(N)`, which is the least that two levels can have (section II).
fn collection(n: f64, levels: u32) -> f64 {
    let levels = f64::from(levels);
    levels * n.powf(levels.recip())
}
