//! Numbers as people read them.

use chronos_activity::{Count, CountValue};

/// Seconds with three to four significant digits and the unit that suits them.
pub fn seconds(s: f64) -> String {
    let (value, unit) = match s.abs() {
        0.0 => return "0".to_owned(),
        x if x < 1e-6 => (s * 1e9, "ns"),
        x if x < 1e-3 => (s * 1e6, "us"),
        x if x < 1.0 => (s * 1e3, "ms"),
        _ => (s, "s"),
    };
    let digits = match value.abs() {
        x if x < 10.0 => 3,
        x if x < 100.0 => 2,
        x if x < 1000.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

/// One unit for all times of a table, so that they can be compared and added by eye.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// The unit of all numbers: `ns`, `us`, `ms` or `s`.
    pub unit: &'static str,
    factor: f64,
}

impl Scale {
    /// The unit in which the largest time has one to three digits before the point; seconds beyond.
    pub fn of(largest_s: f64) -> Self {
        let (unit, factor) = match largest_s.abs() {
            x if x < 999.5e-9 => ("ns", 1e9),
            x if x < 999.5e-6 => ("us", 1e6),
            x if x < 999.5e-3 => ("ms", 1e3),
            _ => ("s", 1.0),
        };
        Self { unit, factor }
    }

    /// The time of the last digit.
    pub fn step_s(self) -> f64 {
        0.001 / self.factor
    }

    /// The number alone, to three digits behind the point.
    pub fn show(self, seconds: f64) -> String {
        let value = seconds * self.factor;
        match value {
            0.0 => "0".to_owned(),
            x if x.abs() < 0.0005 => "<0.001".to_owned(),
            _ => format!("{value:.3}"),
        }
    }
}

/// A count; expected ones with a fraction, unknown ones as `?`.
pub fn count(count: Count) -> String {
    match count.value {
        CountValue::Exact(n) => n.to_string(),
        CountValue::Expected(x) if x >= 1e15 => format!("{x:.4e}"),
        CountValue::Expected(x) => format!("{x:.1}"),
        CountValue::Unknown => "?".to_owned(),
    }
}

/// Part of a whole in per cent; `-` of nothing.
pub fn share(part: f64, whole: f64) -> String {
    if whole > 0.0 { format!("{:.1} %", 100.0 * part / whole) } else { "-".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chronos_activity::CountSource;

    #[test]
    fn seconds_take_the_unit_that_suits_them() {
        let all: Vec<_> =
            [0.0, 1.5e-9, 12.34e-9, 3.14159e-6, 0.0421, 0.9996, 5.0, 12345.6].into_iter().map(seconds).collect();
        assert_eq!(all, ["0", "1.500 ns", "12.34 ns", "3.142 us", "42.10 ms", "999.6 ms", "5.000 s", "12346 s"]);
    }

    #[test]
    fn a_scale_suits_the_largest() {
        let scale = Scale::of(0.3157);
        let shown: Vec<_> = [0.3157, 80e-6, 4e-9, 0.0].into_iter().map(|s| scale.show(s)).collect();
        assert_eq!((scale.unit, shown.join(" ").as_str()), ("ms", "315.700 0.080 <0.001 0"));
        assert_eq!([0.0, 3e-9, 3e-4, 0.9999, 90.0].map(|s| Scale::of(s).unit).join(" "), "ns ns us s s");
    }

    #[test]
    fn counts_show_what_they_are() {
        assert_eq!(count(Count::exact(12)), "12");
        assert_eq!(count(Count::expected(2.5, CountSource::Assumed)), "2.5");
        assert_eq!(count(Count::UNKNOWN), "?");
    }
}
