//! What threads of OpenMP cost.

use crate::output::{Measurements, quantile, rounded};
use chronos_base::units::Nanoseconds;
use chronos_machine::ThreadCosts;

/// A region that takes longer waited for a processor that others had, so that nothing is told of threads.
const LONGEST_REGION_NS: f64 = 100_000.0;

/// The costs, where two threads ran beside each other.
pub fn costs(results: &Measurements) -> Option<ThreadCosts> {
    let of = |name: &str| {
        let rounds = results.0.get(name)?.rounds_ns.iter().copied();
        // Other load only adds time; a timing that it made too long leaves a slope of nothing.
        let found: Vec<f64> = rounds.filter(|&ns| ns > 0.0 && ns <= LONGEST_REGION_NS).collect();
        (!found.is_empty()).then(|| Nanoseconds(rounded(quantile(found, 0.25))))
    };
    Some(ThreadCosts {
        region_ns: of("threads.region")?,
        barrier_ns: of("threads.barrier")?,
        lock_ns: of("threads.lock")?,
        dispatch_ns: of("threads.dispatch")?,
    })
}

#[cfg(test)]
mod tests {
    use super::costs;
    use crate::output::{Measurements, parse};

    fn measured(rounds: &[&str]) -> Measurements {
        let mut all = Measurements::default();
        rounds.iter().for_each(|round| all.merge(parse("threads", round).expect("well-formed")));
        all
    }

    #[test]
    fn rounds_that_waited_for_a_processor_count_for_nothing() {
        let disturbed = "region 12000000 12000000 10 region\nbarrier 0 0 10 barrier\nlock 30 40 10 lock\ndispatch 20 20 10 dispatch";
        let quiet =
            "region 800 900 10 region\nbarrier 260 300 10 barrier\nlock 31 40 10 lock\ndispatch 22 20 10 dispatch";
        assert_eq!(costs(&measured(&[disturbed])), None);
        let found = costs(&measured(&[disturbed, quiet, disturbed])).expect("one round was quiet");
        assert_eq!((found.region_ns.0, found.barrier_ns.0), (800.0, 260.0));
        assert_eq!((found.lock_ns.0, found.dispatch_ns.0), (30.0, 20.0));
        assert_eq!(costs(&Measurements::default()), None);
    }
}
