//! The total by the percent by which a part takes less time.
//!
//! The total is the longest of the paths through the program, and each path is linear in the time of a part, so that the
//! total is convex and piecewise linear. Three totals on one line therefore have all totals between them on it, and so have
//! the begin with its slope (what the critical path holds of the part) and one total on the line from there. Such totals
//! are not replayed. Where the path has one kink, it is where the lines of both sides meet, so that a few replays tell
//! everything.

use std::collections::BTreeMap;

/// Percents are whole numbers up to here.
const WHOLE: u32 = 100;

/// Totals that differ by less are the same: every step of a replay is rounded to a picosecond.
const SAME: f64 = 1e-9;

/// Totals in seconds, replayed where they are not known.
pub struct Curve<'r> {
    replay: Box<dyn Fn(u32) -> Option<f64> + 'r>,
    /// By percent; those without a total do not end.
    known: BTreeMap<u32, f64>,
    /// Where it is not, as for programs that depend on the order of arrival, every total is replayed.
    convex: bool,
    /// What the first percent saves, where that is known.
    slope: Option<f64>,
    /// Totals that were replayed.
    pub replays: usize,
}

impl<'r> Curve<'r> {
    /// From the total as it is; `slope`: what one percent less saves at first.
    pub fn new(total: f64, convex: bool, slope: Option<f64>, replay: impl Fn(u32) -> Option<f64> + 'r) -> Self {
        Self { replay: Box::new(replay), known: [(0, total)].into(), convex, slope, replays: 0 }
    }

    /// The total with so many percent less; `None` where it does not end.
    pub fn at(&mut self, percent: u32) -> Option<f64> {
        if let Some(&known) = self.known.get(&percent) {
            return Some(known);
        }
        let total = match self.on_line(percent) {
            Some(total) => total,
            None => {
                self.replays += 1;
                (self.replay)(percent)?
            }
        };
        self.known.insert(percent, total);
        Some(total)
    }

    /// Totals at these percents, with as few replays as it takes.
    pub fn all(&mut self, percents: &[u32]) -> Option<BTreeMap<u32, f64>> {
        self.at(WHOLE)?;
        self.at(WHOLE / 2)?;
        // Without a slope, the first percent tells it.
        let begin = u32::from(self.slope.is_none() && self.convex);
        self.at(begin)?;
        if let Some((below, above)) = self.kink(begin, WHOLE / 2).filter(|_| self.convex) {
            self.at(below)?;
            // Where one line does not come so far there are more kinks than this one.
            if self.continues(begin, below) {
                self.at(above)?;
            }
        }
        percents.iter().rev().map(|&percent| Some((percent, self.at(percent)?))).collect()
    }

    /// The least percent from which one percent more saves less than a tenth of what the first one saves; `None` where
    /// there is none. Because the total is convex, there is one place at which that begins.
    pub fn knee(&mut self, first: f64) -> Option<u32> {
        if !self.is_flat(WHOLE - 1, first)? {
            return None;
        }
        let (mut steep, mut flat) = self.narrowed(first);
        // One of the three always halves what is left; the others need few totals where there is one kink or a smooth curve.
        let mut ways = [Self::at_kink, Self::evenly, |_: &Self, _: u32, _: u32, _: f64| None].into_iter().cycle();
        while steep < flat {
            let middle = u32::midpoint(steep, flat);
            let is_known = self.known.contains_key(&middle) || self.on_line(middle).is_some();
            let way = if is_known || !self.convex { None } else { ways.next() };
            let told = way.and_then(|way| way(self, steep, flat, first / 10.0));
            let place = told.filter(|told| (steep..flat).contains(told)).unwrap_or(middle);
            match self.is_flat(place, first)? {
                true => flat = place,
                false => steep = place + 1,
            }
        }
        Some(flat)
    }

    /// Percents between which the knee is, by what is known already.
    fn narrowed(&self, first: f64) -> (u32, u32) {
        let known = self.known.keys().filter_map(|&percent| Some((percent, self.bounds(percent)?)));
        let (mut steep, mut flat) = (0, WHOLE - 1);
        for (percent, (fewest, most)) in known.filter(|_| self.convex) {
            if fewest >= first / 10.0 {
                steep = steep.max(percent + 1);
            } else if most < first / 10.0 {
                flat = flat.min(percent);
            }
        }
        (steep.min(flat), flat)
    }

    fn is_flat(&mut self, percent: u32, first: f64) -> Option<bool> {
        let least = first / 10.0;
        self.at(percent)?;
        match self.bounds(percent).filter(|_| self.convex) {
            Some((_, most)) if most < least => Some(true),
            Some((fewest, _)) if fewest >= least => Some(false),
            _ => Some(self.at(percent)? - self.at(percent + 1)? < least),
        }
    }

    /// The least and the most that one percent more than a known one can save, by the totals known on both sides: a convex
    /// curve falls ever more slowly.
    fn bounds(&self, percent: u32) -> Option<(f64, f64)> {
        let fewest = -self.slope_behind(percent)?;
        Some((fewest, -self.slope_before(percent)?))
    }

    /// Whether the line that leaves the begin is still the same at a known percent.
    fn continues(&self, begin: u32, percent: u32) -> bool {
        let Some(slope) = self.slope_before(begin) else { return true };
        let expected = self.known[&begin] + slope * f64::from(percent - begin);
        (self.known[&percent] - expected).abs() <= SAME * self.known[&0]
    }

    /// Where a kink is between the totals that are known on both sides of the middle.
    fn at_kink(&self, steep: u32, flat: u32, _: f64) -> Option<u32> {
        let (below, above) = self.known_around(steep, flat)?;
        Some(self.kink(below, above)?.0)
    }

    /// Where one percent more saves `least`, if what it saves changed evenly with the percents (regula falsi).
    fn evenly(&self, steep: u32, flat: u32, least: f64) -> Option<u32> {
        let (below, above) = self.known_around(steep, flat)?;
        let (center, here) = self.secant(below, above);
        let (other, there) = if here > least {
            self.secant(above, *self.known.range(above + 1..).next()?.0)
        } else {
            self.secant(*self.known.range(..below).next_back()?.0, below)
        };
        let place = center + (other - center) * (here - least) / (here - there);
        // The percent that begins half a percent before.
        (place.is_finite() && place >= 0.5).then(|| (place - 0.5).round() as u32)
    }

    /// The middle of two known percents, and what one percent more saves between them.
    fn secant(&self, below: u32, above: u32) -> (f64, f64) {
        let saved = self.known[&below] - self.known[&above];
        (f64::from(below + above) / 2.0, saved / f64::from(above - below))
    }

    /// The known percents next to the middle.
    fn known_around(&self, steep: u32, flat: u32) -> Option<(u32, u32)> {
        let middle = u32::midpoint(steep, flat);
        let (&below, _) = self.known.range(..=middle).next_back()?;
        let (&above, _) = self.known.range(middle + 1..).next()?;
        Some((below, above))
    }

    /// The total, where it is between others that are on one line.
    fn on_line(&self, percent: u32) -> Option<f64> {
        if !self.convex {
            return None;
        }
        let (&left, &low) = self.known.range(..percent).next_back()?;
        let (&right, &high) = self.known.range(percent + 1..).next()?;
        let share = f64::from(percent - left) / f64::from(right - left);
        let is_line = |slope: Option<f64>| {
            slope.is_some_and(|slope| (low + slope * f64::from(right - left) - high).abs() <= SAME * self.known[&0])
        };
        // Less time of a part makes nothing longer, so equal totals have no other ones between them.
        let flat = (low - high).abs() <= SAME * self.known[&0];
        let line = flat || is_line(self.slope_before(left)) || is_line(self.slope_behind(right));
        line.then_some(low + (high - low) * share)
    }

    /// Change of the total for a percent, on the line that ends at a known one; at the begin it is that of the path.
    fn slope_before(&self, percent: u32) -> Option<f64> {
        if percent == 0 {
            return self.slope.map(|slope| -slope);
        }
        let (&before, total) = self.known.range(..percent).next_back()?;
        Some((self.known[&percent] - total) / f64::from(percent - before))
    }

    /// The same on the line that begins there.
    fn slope_behind(&self, percent: u32) -> Option<f64> {
        let (&behind, total) = self.known.range(percent + 1..).next()?;
        Some((total - self.known[&percent]) / f64::from(behind - percent))
    }

    /// Whole percents around the place where the lines of both sides of a stretch meet.
    fn kink(&self, left: u32, right: u32) -> Option<(u32, u32)> {
        let (before, behind) = (self.slope_before(left)?, self.slope_behind(right)?);
        let width = f64::from(right - left);
        let meeting = (self.known[&right] - self.known[&left] - behind * width) / (before - behind);
        let is_inside = meeting.is_finite() && meeting > 0.0 && meeting < width;
        is_inside.then(|| (left + meeting.floor() as u32, left + meeting.ceil() as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest of paths: (seconds, of which a part has so many).
    fn longest(paths: &[(f64, f64)], percent: u32) -> f64 {
        paths.iter().map(|(all, part)| all - part * f64::from(percent) / 100.0).fold(0.0, f64::max)
    }

    /// Totals at 5, 10, 20, 50 and 100 %, the knee, and how many replays it took.
    fn found(paths: &[(f64, f64)]) -> (Vec<f64>, Option<u32>, usize) {
        let total = longest(paths, 0);
        let slope =
            paths.iter().filter(|path| path.0 == total).map(|path| path.1).fold(f64::INFINITY, f64::min) / 100.0;
        let mut curve = Curve::new(total, true, Some(slope), |percent| Some(longest(paths, percent)));
        let totals = curve.all(&[5, 10, 20, 50, 100]).unwrap().into_values().collect();
        let knee = curve.knee(slope);
        (totals, knee, curve.replays)
    }

    fn expected(paths: &[(f64, f64)]) -> Vec<f64> {
        [5, 10, 20, 50, 100].map(|percent| longest(paths, percent)).to_vec()
    }

    fn is_same(found: &[f64], expected: &[f64]) -> bool {
        found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9 * b)
    }

    #[test]
    fn a_line_takes_one_replay() {
        let (totals, knee, replays) = found(&[(10.0, 6.0)]);
        assert!(is_same(&totals, &expected(&[(10.0, 6.0)])), "{totals:?}");
        assert_eq!((knee, replays), (None, 1));
    }

    #[test]
    fn one_kink_takes_four_replays() {
        for at in [0.3, 1.0, 7.5, 18.2, 33.3, 49.9] {
            let paths = [(10.0, 6.0), (10.0 - 6.0 * at / 100.0, 0.0)];
            let (totals, knee, replays) = found(&paths);
            assert!(is_same(&totals, &expected(&paths)), "{at}: {totals:?}");
            let whole = (0..100).find(|&p| longest(&paths, p) - longest(&paths, p + 1) < 0.006);
            assert_eq!(knee, whole, "{at}");
            assert!(replays <= 4, "{at}: {replays}");
        }
    }

    /// A message that nobody waits for, of which no slope is known.
    #[test]
    fn what_saves_nothing_takes_one_replay() {
        let mut curve = Curve::new(10.0, true, None, |_| Some(10.0));
        assert_eq!(curve.all(&[5, 50, 100]).unwrap(), [(5, 10.0), (50, 10.0), (100, 10.0)].into());
        assert_eq!((curve.at(1), curve.replays), (Some(10.0), 1));
    }

    #[test]
    fn several_kinks_are_found_by_more_replays() {
        let paths = [(10.0, 6.0), (9.8, 3.0), (9.1, 1.0), (8.8, 0.2)];
        let (totals, knee, replays) = found(&paths);
        assert!(is_same(&totals, &expected(&paths)), "{totals:?}");
        let whole = (0..100).find(|&p| longest(&paths, p) - longest(&paths, p + 1) < 0.006);
        assert_eq!(knee, whole);
        assert!(replays < 20, "{replays}");
    }

    /// Messages of many sizes at one call: another path at nearly every percent.
    #[test]
    fn the_knee_of_a_smooth_curve_is_found_between_bounds() {
        let smooth = |percent: u32| {
            let left = 1.0 - f64::from(percent) / 100.0;
            4.0 + 6.0 * left * left
        };
        let mut curve = Curve::new(10.0, true, None, |percent| Some(smooth(percent)));
        curve.all(&[5, 10, 20, 50, 100]).unwrap();
        let first = 10.0 - smooth(1);
        let whole = (0..100).find(|&p| smooth(p) - smooth(p + 1) < first / 10.0);
        assert_eq!(curve.knee(first), whole);
        assert!(curve.replays <= 15, "{}", curve.replays);
    }

    /// Where totals follow no rule, each is replayed.
    #[test]
    fn what_is_not_convex_is_never_taken_for_a_line() {
        let mut curve = Curve::new(10.0, false, None, |percent| Some(10.0 - f64::from(percent % 7)));
        let totals: Vec<f64> = curve.all(&[5, 10, 20, 50, 100]).unwrap().into_values().collect();
        assert_eq!((totals, curve.replays), (vec![5.0, 7.0, 4.0, 9.0, 8.0], 5));
    }
}
