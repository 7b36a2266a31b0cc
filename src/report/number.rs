//! Numbers as people read them.

use crate::activity::{Count, CountValue};

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
    use crate::activity::CountSource;

    #[test]
    fn seconds_take_the_unit_that_suits_them() {
        let all: Vec<_> =
            [0.0, 1.5e-9, 12.34e-9, 3.14159e-6, 0.0421, 0.9996, 5.0, 12345.6].into_iter().map(seconds).collect();
        assert_eq!(all, ["0", "1.500 ns", "12.34 ns", "3.142 us", "42.10 ms", "999.6 ms", "5.000 s", "12346 s"]);
    }

    #[test]
    fn counts_show_what_they_are() {
        assert_eq!(count(Count::exact(12)), "12");
        assert_eq!(count(Count::expected(2.5, CountSource::Assumed)), "2.5");
        assert_eq!(count(Count::UNKNOWN), "?");
    }
}
