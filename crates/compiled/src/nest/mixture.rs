//! The order in which several ways through a region follow each other.
//!
//! Data decides which way is taken, and out-of-order execution overlaps ways that follow each other: a rare way whose
//! instructions wait for each other hides behind the frequent ones, where it would wait for itself if it were repeated. No
//! counts tell the order, so it is a random one, the same each time.

/// Instructions of ways in turn that are simulated.
const TOGETHER: usize = 3000;
/// More executions tell no more.
const MOST: usize = 64;
/// With fewer, shares of ways cannot be told.
const FEWEST: usize = 8;

/// The ways by position, in the order in which they follow each other, from the instructions of each and its weight. Empty
/// where there is one way only, or where ways are too long to be simulated in turn.
pub fn order(ways: &[(usize, f64)]) -> Vec<usize> {
    let mean: f64 = ways.iter().map(|(length, weight)| *length as f64 * weight).sum();
    // Not negative, and small.
    let number = ((TOGETHER as f64 / mean.max(1.0)) as usize).min(MOST);
    if ways.len() < 2 || number < FEWEST {
        return Vec::new();
    }
    let mut order = shares(ways, number);
    shuffle(&mut order);
    order
}

/// Each way as often as it weighs, of `number`; once at least.
fn shares(ways: &[(usize, f64)], number: usize) -> Vec<usize> {
    let times = |weight: f64| ((weight * number as f64).round() as usize).max(1);
    ways.iter().enumerate().flat_map(|(at, (_, weight))| std::iter::repeat_n(at, times(*weight))).collect()
}

/// A shuffle (R. Durstenfeld, Algorithm 235, 1964) by a linear congruential generator (D. E. Knuth's MMIX).
fn shuffle(order: &mut [usize]) {
    let mut state: u64 = 1;
    for last in (1..order.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        order.swap(last, (state >> 33) as usize % (last + 1));
    }
}

#[cfg(test)]
mod tests {
    use super::order;

    #[test]
    fn each_way_is_taken_as_often_as_it_weighs() {
        let order = order(&[(10, 0.75), (40, 0.25)]);
        let rare = order.iter().filter(|way| **way == 1).count();
        assert_eq!((order.len(), rare), (64, 16));
        assert!(order.windows(2).any(|pair| pair == [1, 1]), "a random order has runs: {order:?}");
    }

    #[test]
    fn ways_that_are_too_long_have_no_order() {
        assert!(order(&[(10, 1.0)]).is_empty());
        assert!(order(&[(1000, 0.5), (900, 0.5)]).is_empty());
    }
}
