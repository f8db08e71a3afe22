//! How figures are taken: every variant in every round, in random order, and in the end the median and how far the rounds lie apart.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::Outcome;
use crate::chance::Chance;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Something that answers one figure each time it is asked. What it prepares and clears away is not part of the figure.
pub(crate) type Variant<'a> = &'a mut dyn FnMut() -> Outcome<f64>;

/// Asks every variant once for practice and then `repetitions` times, and answers what they said.
pub(crate) fn samples<const N: usize>(
    repetitions: usize,
    variants: [Variant<'_>; N],
) -> Outcome<[Sample; N]> {
    let mut chance = Chance::fresh()?;
    let mut slots = variants.map(|variant| (variant, Vec::new()));
    for round in 0..=repetitions {
        let mut order: Vec<usize> = (0..N).collect();
        chance.shuffle(&mut order);
        for index in order {
            if is_interrupted() {
                return Err("interrupted".into());
            }
            let (variant, figures) = &mut slots[index];
            let figure = variant()?;
            if round > 0 {
                figures.push(figure);
            }
        }
    }
    Ok(slots.map(|(_, figures)| Sample(figures)))
}

/// Milliseconds that something takes.
pub(crate) fn timed<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<(f64, T)> {
    let start = Instant::now();
    let value = work()?;
    Ok((millis_since(start), value))
}

pub(crate) fn millis_since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1_000.0
}

/// Ctrl-C ends the run after the current sample, so that everything is cleared away.
pub(crate) fn stop_on_interrupt() -> Outcome<()> {
    Ok(ctrlc::set_handler(|| {
        INTERRUPTED.store(true, Ordering::SeqCst);
    })?)
}

pub(crate) fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::SeqCst)
}

/// The figures of one variant, round by round.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sample(Vec<f64>);

/// Where the middle half of the rounds lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) low: f64,
    pub(crate) high: f64,
}

impl Sample {
    pub(crate) fn push(&mut self, figure: f64) {
        self.0.push(figure);
    }

    pub(crate) fn median(&self) -> f64 {
        quantile(&self.0, 0.5)
    }

    pub(crate) fn spread(&self) -> Spread {
        Spread {
            low: quantile(&self.0, 0.25),
            high: quantile(&self.0, 0.75),
        }
    }

    /// Each round's figure divided by the other's of the same round, which had the same disturbances.
    pub(crate) fn over(&self, other: &Self) -> Self {
        self.paired(other, |ours, theirs| ours / theirs)
    }

    /// Each round's figure less the other's of the same round.
    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.paired(other, |ours, theirs| ours - theirs)
    }

    fn paired(&self, other: &Self, join: fn(f64, f64) -> f64) -> Self {
        let pairs = self.0.iter().zip(&other.0);
        Self(pairs.map(|(ours, theirs)| join(*ours, *theirs)).collect())
    }
}

/// Linear between the two nearest figures.
fn quantile(figures: &[f64], part: f64) -> f64 {
    let mut figures = figures.to_vec();
    figures.sort_by(f64::total_cmp);
    let Some(last) = figures.len().checked_sub(1) else {
        return f64::NAN;
    };
    let place = part * last as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(last);
    figures[below] + (figures[above] - figures[below]) * (place - below as f64)
}

/// Milliseconds of processor time that this process and the children it waited for have used; Linux tells.
pub(crate) fn processor_millis() -> Option<f64> {
    processor_millis_of("self")
}

fn processor_millis_of(process: &str) -> Option<f64> {
    const MILLIS_PER_TICK: u32 = 10;
    let text = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let after_name = text.rsplit_once(')')?.1;
    let fields = after_name.split_whitespace().skip(11).take(4);
    let ticks = fields
        .map(|field| field.parse::<u32>().ok())
        .sum::<Option<u32>>()?;
    Some(f64::from(ticks) * f64::from(MILLIS_PER_TICK))
}

/// The part of a core that a process takes for a while.
pub(crate) fn processor_share(pid: u32, longest: Duration) -> Outcome<f64> {
    let used = || processor_millis_of(&pid.to_string()).ok_or("the kernel does not tell");
    let before = used()?;
    std::thread::sleep(longest);
    Ok((used()? - before) / (longest.as_secs_f64() * 1_000.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_round_is_practice() {
        let (mut one, mut other) = (0.0, 100.0);
        let [one, other] = samples(
            3,
            [
                &mut || {
                    one += 1.0;
                    Ok(one)
                },
                &mut || {
                    other += 1.0;
                    Ok(other)
                },
            ],
        )
        .unwrap();
        assert_eq!(
            (one.0, other.0),
            (vec![2.0, 3.0, 4.0], vec![102.0, 103.0, 104.0])
        );
    }

    #[test]
    fn quantiles_are_in_their_places() {
        let sample = Sample(vec![5.0, 1.0, 2.0, 4.0, 3.0]);
        assert_eq!(
            (sample.median(), sample.spread()),
            (
                3.0,
                Spread {
                    low: 2.0,
                    high: 4.0
                }
            )
        );
        assert_eq!(Sample(vec![1.0, 2.0]).median(), 1.5);
        assert!(Sample::default().median().is_nan());
    }

    #[test]
    fn rounds_are_compared_with_themselves() {
        let (ours, theirs) = (Sample(vec![1.0, 10.0]), Sample(vec![2.0, 20.0]));
        assert_eq!(ours.over(&theirs).0, [0.5, 0.5]);
        assert_eq!(theirs.minus(&ours).0, [1.0, 10.0]);
    }
}
