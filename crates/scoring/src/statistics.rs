//! Confidence intervals and pass^k: estimates about tasks that were not run, from those that were.
//!
//! These are computed in binary floating point, always in the same order, so that the same results
//! give the same estimates on every machine.

use std::collections::BTreeMap;

/// The 97.5 % quantile of the standard normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// The scale of [`Cluster::units`]: a score of 1 is 2^52 units, so that a float between 0.5 and 1
/// is kept to its last bit but one. Sums of integers do not depend on their order.
const UNIT: u64 = 1 << 52;

/// How often the bootstrap resamples.
pub const RESAMPLES: u32 = 2000;

/// The seed of the bootstrap's generator.
pub const SEED: u64 = 0x00CA_ED0A;

/// The most tasks that are bootstrapped; above, the normal approximation is used, which is then as
/// good and takes no time.
pub const BOOTSTRAP_LIMIT: usize = 20_000;

/// The largest k of pass^k.
pub const MAX_K: u32 = 64;

/// The runs of one task, which are not independent of each other and are resampled together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cluster {
    pub(crate) units: u128,
    pub(crate) runs: u32,
    pub(crate) passed: u32,
}

impl Cluster {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "between 0 and 2^52"
    )]
    pub(crate) fn add(&mut self, score: f64, passed: bool) {
        self.units += (score.clamp(0.0, 1.0) * UNIT as f64).round() as u128;
        self.runs = self.runs.saturating_add(1);
        self.passed = self.passed.saturating_add(u32::from(passed));
    }
}

/// Wilson's 95 % score interval for a rate seen in `trials` trials (E. B. Wilson, 1927); `None`
/// without trials.
///
/// ```
/// let (low, high) = candor_scoring::statistics::wilson(0.8, 10).unwrap();
/// assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4);
/// ```
#[expect(clippy::cast_precision_loss, reason = "the last bit does not matter to an estimate")]
pub fn wilson(rate: f64, trials: u64) -> Option<(f64, f64)> {
    if trials == 0 {
        return None;
    }
    let n = trials as f64;
    let z2 = Z * Z;
    let centre = rate + z2 / (2.0 * n);
    let spread = Z * (rate * (1.0 - rate) / n + z2 / (4.0 * n * n)).max(0.0).sqrt();
    let scale = 1.0 + z2 / n;
    // At a rate of 0 or 1 the bound is 0 or 1, which rounding must not miss.
    let low = if rate <= 0.0 { 0.0 } else { ((centre - spread) / scale).clamp(0.0, 1.0) };
    let high = if rate >= 1.0 { 1.0 } else { ((centre + spread) / scale).clamp(0.0, 1.0) };
    Some((low, high))
}

/// splitmix64 (G. L. Steele, D. Lea and C. H. Flood, 2014): eight lines, the same everywhere.
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`; its bias, `bound / 2^64`, is beneath notice for a list in memory.
    fn below(&mut self, bound: usize) -> usize {
        let wide = u128::from(self.next()) * bound as u128;
        usize::try_from(wide >> 64).unwrap_or(0)
    }
}

/// The plain percentile bootstrap of the mean score of a run, 95 %; tasks are resampled with all of
/// their runs. `None` for fewer than two tasks, which say nothing about others.
#[expect(clippy::cast_precision_loss, reason = "the last bit does not matter to an estimate")]
pub(crate) fn bootstrap(clusters: &mut [Cluster]) -> Option<(f64, f64)> {
    if clusters.len() < 2 {
        return None;
    }
    // In an order of their own, so that the order of the task runs does not matter.
    clusters.sort_unstable();
    let mut random = SplitMix64(SEED);
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let (mut units, mut runs) = (0_u128, 0_u64);
            for _ in 0..clusters.len() {
                if let Some(drawn) = clusters.get(random.below(clusters.len())) {
                    units += drawn.units;
                    runs += u64::from(drawn.runs);
                }
            }
            units as f64 / UNIT as f64 / (runs.max(1)) as f64
        })
        .collect();
    means.sort_unstable_by(f64::total_cmp);
    // The order statistics of rank 2.5 % and 97.5 %.
    let tail = usize::try_from(RESAMPLES / 40).unwrap_or(0);
    let low = means.get(tail.saturating_sub(1))?;
    let high = means.get(means.len().checked_sub(tail)?)?;
    Some((low.clamp(0.0, 1.0), high.clamp(0.0, 1.0)))
}

/// Sums over tasks from which the variance of their mean follows, without keeping the tasks.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moments {
    tasks: u64,
    runs: u64,
    units: u128,
    runs_squared: u128,
    units_by_runs: u128,
    coarse_squared: u128,
}

/// By how many bits [`Moments`] makes units coarser before it multiplies them, so that the sum over
/// ever so many tasks stays within 128 bits.
const COARSER: u32 = 20;

impl Moments {
    pub(crate) fn add(&mut self, cluster: Cluster) {
        let runs = u128::from(cluster.runs);
        let coarse = cluster.units >> COARSER;
        self.tasks += 1;
        self.runs += u64::from(cluster.runs);
        self.units = self.units.saturating_add(cluster.units);
        self.runs_squared = self.runs_squared.saturating_add(runs * runs);
        self.units_by_runs = self.units_by_runs.saturating_add(runs.saturating_mul(coarse));
        self.coarse_squared = self.coarse_squared.saturating_add(coarse.saturating_mul(coarse));
    }

    /// The 95 % interval of the mean score of a run by the normal approximation, with the variance
    /// of a ratio of sums over tasks. `None` for fewer than two tasks.
    #[expect(clippy::cast_precision_loss, reason = "the last bit does not matter to an estimate")]
    pub(crate) fn normal(&self) -> Option<(f64, f64)> {
        if self.tasks < 2 || self.runs == 0 {
            return None;
        }
        let (tasks, runs) = (self.tasks as f64, self.runs as f64);
        let coarse = (UNIT >> COARSER) as f64;
        let mean = self.units as f64 / UNIT as f64 / runs;
        let squares = self.coarse_squared as f64 / (coarse * coarse)
            - 2.0 * mean * (self.units_by_runs as f64 / coarse)
            + mean * mean * self.runs_squared as f64;
        let variance = tasks / (tasks - 1.0) * squares.max(0.0) / (runs * runs);
        let spread = Z * variance.sqrt();
        Some(((mean - spread).clamp(0.0, 1.0), (mean + spread).clamp(0.0, 1.0)))
    }
}

/// pass^k for k from 1 to the fewest runs any task has (and [`MAX_K`]): the mean over tasks of
/// C(passed, k) / C(runs, k), the unbiased estimate of the chance that k runs of a task all pass
/// (S. Yao et al., tau-bench, 2024). The tasks are counted by their `(runs, passed)`.
#[expect(clippy::cast_precision_loss, reason = "the last bit does not matter to an estimate")]
pub(crate) fn pass_hat_k(tasks: &BTreeMap<(u32, u32), u64>) -> Vec<f64> {
    let fewest = tasks.keys().map(|(runs, _)| *runs).min().unwrap_or(0);
    let count: u64 = tasks.values().sum();
    (1..=fewest.min(MAX_K))
        .map(|k| {
            let chances = tasks.iter().map(|(&(runs, passed), &alike)| all_pass(runs, passed, k) * alike as f64);
            chances.sum::<f64>() / count as f64
        })
        .collect()
}

/// C(passed, k) / C(runs, k), factor by factor: the binomials themselves overflow.
fn all_pass(runs: u32, passed: u32, k: u32) -> f64 {
    if passed < k {
        return 0.0;
    }
    (0..k).map(|i| f64::from(passed - i) / f64::from(runs - i)).product()
}
