//! Rows with a verdict, and the table they make.

use std::fmt::{self, Write as _};

use crate::sampling::{Sample, Spread};

/// A number with what it counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Figure {
    Millis(f64),
    PerSecond(f64),
    MegabytesPerSecond(f64),
    Megabytes(f64),
    Percent(f64),
}

impl Figure {
    fn value(self) -> f64 {
        match self {
            Self::Millis(value)
            | Self::PerSecond(value)
            | Self::MegabytesPerSecond(value)
            | Self::Megabytes(value)
            | Self::Percent(value) => value,
        }
    }

    fn more_is_better(self) -> bool {
        matches!(self, Self::PerSecond(_) | Self::MegabytesPerSecond(_))
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value();
        let decimals = match value.abs() {
            size if size >= 100.0 => 0,
            size if size >= 10.0 => 1,
            _ => 2,
        };
        match self {
            Self::Millis(_) => write!(formatter, "{value:.decimals$} ms"),
            Self::PerSecond(_) => write!(formatter, "{value:.0}/s"),
            Self::MegabytesPerSecond(_) => write!(formatter, "{value:.0} MB/s"),
            Self::Megabytes(_) => write!(formatter, "{value:.1} MB"),
            Self::Percent(_) => write!(formatter, "{value:.1} %"),
        }
    }
}

/// Figures of one kind, round by round.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    unit: fn(f64) -> Figure,
    sample: Sample,
}

impl Measured {
    pub(crate) fn new(unit: fn(f64) -> Figure, sample: &Sample) -> Self {
        Self {
            unit,
            sample: sample.clone(),
        }
    }

    fn figure(&self) -> Figure {
        (self.unit)(self.sample.median())
    }
}

/// What a figure is compared with.
#[derive(Debug, Clone)]
pub(crate) struct Reference {
    what: String,
    measured: Measured,
}

impl Reference {
    pub(crate) fn new(what: impl Into<String>, measured: Measured) -> Self {
        Self {
            what: what.into(),
            measured,
        }
    }
}

/// Whether a target is met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Met,
    Missed,
    /// The middle half of the rounds lies on both sides of the target.
    Open,
    NoTarget,
}

/// One line of the table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    id: &'static str,
    what: String,
    against: String,
    ours: String,
    reference: String,
    ratio: String,
    middle: String,
    target: String,
    verdict: Verdict,
}

impl Row {
    /// How many times faster than the reference; the target is at least so much.
    pub(crate) fn faster(
        id: &'static str,
        what: impl Into<String>,
        ours: &Measured,
        against: &Reference,
        target: f64,
    ) -> Self {
        let theirs = &against.measured.sample;
        let ratios = match ours.figure().more_is_better() {
            true => ours.sample.over(theirs),
            false => theirs.over(&ours.sample),
        };
        Self {
            target: format!("≥ {target} × as fast"),
            verdict: verdict(&ratios, |ratio| ratio >= target),
            ..Self::paired(id, what.into(), ours, against, &ratios)
        }
    }

    /// How many times the reference's cost; the target is at most so much.
    pub(crate) fn costlier(
        id: &'static str,
        what: impl Into<String>,
        ours: &Measured,
        against: &Reference,
        target: f64,
    ) -> Self {
        let ratios = ours.sample.over(&against.measured.sample);
        Self {
            target: format!("≤ {target} × the cost"),
            verdict: verdict(&ratios, |ratio| ratio <= target),
            ..Self::paired(id, what.into(), ours, against, &ratios)
        }
    }

    /// How many times the reference's cost, with nothing promised.
    pub(crate) fn compared(
        id: &'static str,
        what: impl Into<String>,
        ours: &Measured,
        against: &Reference,
    ) -> Self {
        let ratios = ours.sample.over(&against.measured.sample);
        Self::paired(id, what.into(), ours, against, &ratios)
    }

    /// Figures with a limit of their own and no reference.
    pub(crate) fn limited(
        id: &'static str,
        what: impl Into<String>,
        ours: &Measured,
        limit: f64,
    ) -> Self {
        Self {
            target: format!("≤ {}", (ours.unit)(limit)),
            verdict: verdict(&ours.sample, |figure| figure <= limit),
            ..Self::sampled(id, what, ours)
        }
    }

    /// Figures nobody promised anything about.
    pub(crate) fn sampled(id: &'static str, what: impl Into<String>, ours: &Measured) -> Self {
        let Spread { low, high } = ours.sample.spread();
        Self {
            middle: format!("{} – {}", (ours.unit)(low), (ours.unit)(high)),
            ..Self::alone(id, what.into(), ours.figure())
        }
    }

    /// Something that was counted once, with the most it may be.
    pub(crate) fn counted(
        id: &'static str,
        what: impl Into<String>,
        count: u64,
        most: Option<u64>,
    ) -> Self {
        let row = Self {
            ours: count.to_string(),
            ..Self::alone(id, what.into(), Figure::Millis(0.0))
        };
        match most {
            None => row,
            Some(most) => Self {
                target: format!("≤ {most}"),
                verdict: if count <= most {
                    Verdict::Met
                } else {
                    Verdict::Missed
                },
                ..row
            },
        }
    }

    /// Counts at growing numbers of sessions, which must not grow with them.
    pub(crate) fn not_growing(
        id: &'static str,
        what: impl Into<String>,
        at: &[(usize, u64)],
    ) -> Self {
        let join = |parts: Vec<String>| parts.join(" / ");
        let sessions = join(
            at.iter()
                .map(|(sessions, _)| sessions.to_string())
                .collect(),
        );
        let grows = at.windows(2).any(|pair| pair[0].1 < pair[1].1);
        Self {
            ours: join(at.iter().map(|(_, count)| count.to_string()).collect()),
            against: format!("{sessions} sessions"),
            target: "no more".to_owned(),
            verdict: if grows { Verdict::Missed } else { Verdict::Met },
            ..Self::alone(id, what.into(), Figure::Millis(0.0))
        }
    }

    fn paired(
        id: &'static str,
        what: String,
        ours: &Measured,
        against: &Reference,
        ratios: &Sample,
    ) -> Self {
        let Spread { low, high } = ratios.spread();
        Self {
            against: against.what.clone(),
            reference: against.measured.figure().to_string(),
            ratio: format!("{:.2}", ratios.median()),
            middle: format!("{low:.2} – {high:.2}"),
            ..Self::alone(id, what, ours.figure())
        }
    }

    fn alone(id: &'static str, what: String, ours: Figure) -> Self {
        let nothing = || "–".to_owned();
        Self {
            id,
            what,
            against: nothing(),
            ours: ours.to_string(),
            reference: nothing(),
            ratio: nothing(),
            middle: nothing(),
            target: nothing(),
            verdict: Verdict::NoTarget,
        }
    }

    fn cells(&self) -> [&str; COLUMNS] {
        let verdict = match self.verdict {
            Verdict::Met => "yes",
            Verdict::Missed => "**no**",
            Verdict::Open => "open",
            Verdict::NoTarget => "–",
        };
        [
            self.id,
            &self.what,
            &self.against,
            &self.ours,
            &self.reference,
            &self.ratio,
            &self.middle,
            &self.target,
            verdict,
        ]
    }
}

/// A median on one side says nothing while many rounds are on the other.
fn verdict(sample: &Sample, is_met: impl Fn(f64) -> bool) -> Verdict {
    let Spread { low, high } = sample.spread();
    match (is_met(low), is_met(high)) {
        (true, true) => Verdict::Met,
        (false, false) => Verdict::Missed,
        _ => Verdict::Open,
    }
}

/// Everything that was measured, and what could not be.
#[derive(Debug)]
pub(crate) struct Table {
    circumstances: Vec<String>,
    rows: Vec<Row>,
    failures: Vec<String>,
}

const COLUMNS: usize = 9;
const HEADINGS: [&str; COLUMNS] = [
    "#",
    "what",
    "against",
    "ours",
    "reference",
    "ratio",
    "middle half",
    "target",
    "met",
];

impl Table {
    pub(crate) fn new(circumstances: Vec<String>) -> Self {
        Self {
            circumstances,
            rows: Vec::new(),
            failures: Vec::new(),
        }
    }

    pub(crate) fn extend(&mut self, rows: Vec<Row>) {
        self.rows.extend(rows);
    }

    pub(crate) fn failed(&mut self, title: &str, why: &str) {
        self.failures.push(format!("Not measured: {title}: {why}."));
    }

    /// The table in Markdown with aligned columns, which reads well in a terminal too.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("Measured with: {}.\n\n", self.circumstances.join("; "));
        let widths = self.widths();
        push_line(&mut text, HEADINGS, widths);
        let rules = widths.map(|width| "-".repeat(width));
        push_line(&mut text, rules.each_ref().map(String::as_str), widths);
        for row in &self.rows {
            push_line(&mut text, row.cells(), widths);
        }
        for failure in &self.failures {
            writeln!(text, "\n{failure}").unwrap_or_default();
        }
        text
    }

    fn widths(&self) -> [usize; COLUMNS] {
        let mut widths = HEADINGS.map(|heading| heading.chars().count());
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row.cells()) {
                *width = (*width).max(cell.chars().count());
            }
        }
        widths
    }
}

fn push_line(text: &mut String, cells: [&str; COLUMNS], widths: [usize; COLUMNS]) {
    for (cell, width) in cells.into_iter().zip(widths) {
        write!(text, "| {cell:<width$} ").unwrap_or_default();
    }
    text.push_str("|\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(unit: fn(f64) -> Figure, figures: &[f64]) -> Measured {
        let mut sample = Sample::default();
        figures.iter().for_each(|figure| sample.push(*figure));
        Measured::new(unit, &sample)
    }

    fn against(unit: fn(f64) -> Figure, figures: &[f64]) -> Reference {
        Reference::new("git", measured(unit, figures))
    }

    #[test]
    fn verdicts_follow_the_direction_of_the_figure() {
        let millis = |figures| measured(Figure::Millis, figures);
        let bare = against(Figure::Millis, &[100.0, 200.0, 300.0]);
        let row = Row::faster("B3", "x", &millis(&[50.0, 100.0, 150.0]), &bare, 1.8);
        assert_eq!((row.ratio.as_str(), row.verdict), ("2.00", Verdict::Met));
        let row = Row::costlier("B5", "x", &millis(&[120.0, 240.0, 360.0]), &bare, 1.1);
        assert_eq!((row.ratio.as_str(), row.verdict), ("1.20", Verdict::Missed));
        let rate = measured(Figure::PerSecond, &[50.0]);
        let row = Row::faster(
            "B13",
            "x",
            &rate,
            &against(Figure::PerSecond, &[100.0]),
            3.0,
        );
        assert_eq!((row.ratio.as_str(), row.verdict), ("0.50", Verdict::Missed));
        assert_eq!(
            Row::limited("list", "x", &millis(&[59.0]), 60.0).verdict,
            Verdict::Met
        );
        assert_eq!(
            Row::counted("git", "x", 4, Some(3)).verdict,
            Verdict::Missed
        );
        assert_eq!(
            Row::not_growing("git", "x", &[(1, 4), (50, 4)]).verdict,
            Verdict::Met
        );
        assert_eq!(
            Row::not_growing("git", "x", &[(1, 4), (50, 5)]).verdict,
            Verdict::Missed
        );
    }

    #[test]
    fn rounds_on_both_sides_of_the_target_leave_it_open() {
        let bare = against(Figure::Millis, &[100.0, 100.0, 100.0]);
        let ours = measured(Figure::Millis, &[80.0, 105.0, 140.0]);
        assert_eq!(
            Row::costlier("B5", "x", &ours, &bare, 1.1).verdict,
            Verdict::Open
        );
    }

    #[test]
    fn columns_are_aligned_and_failures_are_told() {
        let mut table = Table::new(vec!["2 cores".to_owned()]);
        table.extend(vec![Row::counted("x", "a long name", 3, None)]);
        table.failed("memory", "there is no such program");
        let text = table.text();
        let lengths: Vec<usize> = text
            .lines()
            .filter(|line| line.starts_with('|'))
            .map(|line| line.chars().count())
            .collect();
        assert!(lengths.windows(2).all(|pair| pair[0] == pair[1]), "{text}");
        assert!(text.ends_with("Not measured: memory: there is no such program.\n"));
    }
}
