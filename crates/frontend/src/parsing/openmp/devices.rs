//! `target` and `teams` on a host without devices: the thread that comes to a region executes it, one team after the other, as
//! the runtime of GCC does (`GOMP_target_ext`, `GOMP_teams4` and `GOMP_teams_reg` of libgomp).

use super::clauses::Directive;
use super::copies::{Copies, copies};
use super::rewriter::{Frame, Rewriter};
use super::tasks::{counters, listed, own_copies};

/// Teams of a league on the host where the program says no number.
const HOST_TEAMS: &str = "3";

/// A region of a device; `whole` is the directive with what it is joined with.
pub(super) fn target(
    rewriter: &mut Rewriter<'_>,
    directive: &Directive,
    whole: &Directive,
    begin: usize,
    end: usize,
) -> Frame {
    let number = rewriter.number();
    let Copies { captured, outside, begin: copied, end: last, behind } =
        copies(rewriter, directive, begin, number, &[]);
    let defaults = directive.argument("defaultmap").unwrap_or_default();
    let mapped = ["tofrom", "from", "alloc"].iter().any(|way| defaults.trim_start().starts_with(way));
    // Scalars that no clause names are copied (OpenMP 4.5, 2.15.5); arrays and structures are mapped, which does nothing here.
    let counters = counters(rewriter.text, begin, whole.depth().unwrap_or(1));
    let mut named = listed(whole);
    named.extend(counters.iter().map(String::as_str));
    let own = if mapped { String::new() } else { own_copies(rewriter.text, begin, end, &named) };
    Frame {
        before: format!("{{ {captured}{outside}__chronos_omp_target(1); {{ {copied}{own}"),
        after: format!(" {last}}} __chronos_omp_target(0); {behind}}}"),
    }
}

/// A league of teams, one after the other.
pub(super) fn teams(rewriter: &mut Rewriter<'_>, directive: &Directive, begin: usize) -> Frame {
    let number = rewriter.number();
    let Copies { captured, outside, begin: copied, end, behind } = copies(rewriter, directive, begin, number, &[]);
    let on_device = rewriter.in_target > 0;
    // Of a range, the region of a device takes the lower number, the host the upper one.
    let range = directive.argument("num_teams").map(|text| text.split_once(':').unwrap_or((text, text)));
    let given = range.map(|(low, high)| if on_device { low } else { high });
    let teams = given.unwrap_or(if on_device { "1" } else { HOST_TEAMS });
    let limit = directive.argument("thread_limit").unwrap_or("0");
    let n = number;
    Frame {
        before: format!(
            "{{ {captured}int __omp_teams{n} = {teams}, __omp_limit{n} = {limit}; \
             for (int __omp_team{n} = 0; __omp_team{n} < __omp_teams{n}; __omp_team{n}++) {{ {outside}\
             __chronos_omp_team(__omp_team{n}, __omp_teams{n}, __omp_limit{n}); {{ {copied}"
        ),
        after: format!(" {end}}} {behind}}} __chronos_omp_team(0, 0, 0); }}"),
    }
}
