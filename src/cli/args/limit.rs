//! `--limit`: how much time and memory a command may take.

use std::time::Duration;

/// One part of `--limit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Time(Duration),
    /// Bytes.
    Memory(u64),
}

/// `90s`, `10min`, `4h`; `512MiB`, `8GiB`, `16GB`; either with `time=` or `memory=` before it.
///
/// # Errors
/// Another name, no number, a unit of something else, or nothing.
pub fn limit(text: &str) -> Result<Limit, String> {
    let (name, amount) = text.split_once('=').map_or((None, text), |(name, amount)| (Some(name), amount));
    let begin_of_unit = amount.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(amount.len());
    let (number, unit) = amount.split_at(begin_of_unit);
    let number: f64 = number.parse().map_err(|_| expected(text))?;
    let limit = match (name, seconds_of(unit), bytes_of(unit)) {
        (None | Some("time"), Some(seconds), _) => {
            Duration::try_from_secs_f64(number * seconds).ok().filter(|time| !time.is_zero()).map(Limit::Time)
        }
        (None | Some("memory"), _, Some(bytes)) => {
            Some((number * bytes) as u64).filter(|&bytes| bytes > 0).map(Limit::Memory)
        }
        _ => None,
    };
    limit.ok_or_else(|| expected(text))
}

fn expected(text: &str) -> String {
    format!("`{text}` is no time (90s, 10min, 4h) and no memory (512MiB, 8GiB)")
}

fn seconds_of(unit: &str) -> Option<f64> {
    Some(match unit.trim() {
        "ms" => 1e-3,
        "s" | "sec" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return None,
    })
}

fn bytes_of(unit: &str) -> Option<f64> {
    Some(match unit.trim() {
        "B" => 1.0,
        "KiB" | "K" => 1024.0,
        "MiB" | "M" => 1_048_576.0,
        "GiB" | "G" => 1_073_741_824.0,
        "TiB" | "T" => 1_099_511_627_776.0,
        "kB" | "KB" => 1e3,
        "MB" => 1e6,
        "GB" => 1e9,
        "TB" => 1e12,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_tell_time_from_memory() {
        assert_eq!(limit("10min"), Ok(Limit::Time(Duration::from_mins(10))));
        assert_eq!(limit("time=1.5h"), Ok(Limit::Time(Duration::from_mins(90))));
        assert_eq!(limit("8GiB"), Ok(Limit::Memory(8 << 30)));
        assert_eq!(limit("memory=512M"), Ok(Limit::Memory(512 << 20)));
        for wrong in [
            "",
            "8",
            "h",
            "0s",
            "time=8GiB",
            "memory=3s",
            "room=3s",
            "-1s",
            "1e999h",
            "99999999999999999999d",
            "4 parsecs",
        ] {
            assert!(limit(wrong).is_err(), "{wrong}");
        }
    }
}
