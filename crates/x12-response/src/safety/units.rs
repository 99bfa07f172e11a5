//! The claims and levels of a set.

use std::ops::Range;

use candor_x12::Segment;

/// A claim: its segments, by number.
pub(crate) type Claim = Range<usize>;

/// The claims and levels of a set, without a look at its guide: a claim begins with CLM or CLP, and ends with what is not of
/// it in any guide.
pub(crate) struct Units {
    pub(crate) claims: Vec<Claim>,
    /// Where each HL of an 837 begins, and how deep it is.
    levels: Vec<(usize, u8)>,
}

impl Units {
    pub(crate) fn of(segments: &[Segment<'_>]) -> Self {
        let (mut claims, mut levels): (Vec<Claim>, Vec<(usize, u8)>) = (Vec::new(), Vec::new());
        let mut open = None;
        for (number, segment) in segments.iter().enumerate() {
            let id = segment.id();
            let begins = matches!(id.as_str(), "CLM" | "CLP");
            // LX numbers lines within a CLM and groups of claims around a CLP.
            let within_clm = open.and_then(|at: usize| segments.get(at)).is_some_and(|first| first.id().is("CLM"));
            let ends = matches!(id.as_str(), "HL" | "SE" | "PLB") || id.is("LX") && !within_clm;
            if begins || ends {
                claims.extend(open.take().map(|start| start..number));
            }
            if begins {
                open = Some(number);
            }
            if id.is("HL") {
                let depth = match &*segment.text(3) {
                    "20" => 0,
                    "22" => 1,
                    _ => 2,
                };
                levels.push((number, depth));
            }
        }
        claims.extend(open.map(|start| start..segments.len()));
        Self { claims, levels }
    }

    pub(crate) fn claim_with(&self, segment: usize) -> Option<&Claim> {
        let at = self.claims.partition_point(|claim| claim.end <= segment);
        self.claims.get(at).filter(|claim| claim.contains(&segment))
    }

    /// The claims that a segment speaks of: its own; those of its level (a patient's), or of the set.
    pub(crate) fn claims_around(&self, segment: Option<usize>) -> &[Claim] {
        let level = segment.and_then(|segment| {
            let at = self.levels.partition_point(|(start, _)| *start <= segment).checked_sub(1)?;
            let (start, depth) = *self.levels.get(at)?;
            let next = self.levels.iter().skip(at + 1).find(|(_, other)| *other <= depth);
            Some(start..next.map_or(usize::MAX, |(start, _)| *start))
        });
        let within = level.unwrap_or(0..usize::MAX);
        let from = self.claims.partition_point(|claim| claim.start < within.start);
        let to = self.claims.partition_point(|claim| claim.start < within.end);
        self.claims.get(from..to).unwrap_or_default()
    }
}
