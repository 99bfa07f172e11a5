//! The selection of a path, as far as the path and the definitions of the data tell.

/// How many values a path selects, and of what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// True if it selects at most one value, whatever the data.
    pub single: bool,
    /// The lists of which the path takes every item, as an item group would select them, the outermost first:
    /// `participant` in `participant.actor.display`.
    pub every: Vec<String>,
    /// The thing of which the path takes the first, though there may be several: `OBX` in `OBX.5`.
    pub first_of: Option<String>,
    /// True if definitions say how dates are compared.
    pub defined: bool,
}

impl Shape {
    /// The shape of a path of HL7 v2 or X12, in which a segment without brackets is the first one.
    ///
    /// ```
    /// use candor_check::review::Shape;
    /// assert_eq!(Shape::of_segments("OBX.5").first_of.as_deref(), Some("OBX"));
    /// assert_eq!(Shape::of_segments("OBX[*].5").every, ["OBX"]);
    /// assert_eq!(Shape::of_segments("OBX[3.1=2345-7].5"), Shape::default());
    /// ```
    #[must_use]
    pub fn of_segments(path: &str) -> Self {
        if let Some((every, _)) = path.split_once("[*]") {
            return if every.contains('[') {
                Self::default()
            } else {
                Self { every: vec![every.to_owned()], ..Self::default() }
            };
        }
        if path.contains('[') {
            return Self { single: !path.contains('='), ..Self::default() };
        }
        // Loops begin with a digit; what comes after the segment does, too.
        let steps: Vec<&str> = path.split(['.', '-']).collect();
        let named = |step: &&str| step.starts_with(|c: char| c.is_ascii_uppercase());
        let Some(at) = steps.iter().rposition(named) else { return Self::default() };
        let (before, rest) = steps.split_at(at);
        // A group has several of its own.
        if before.iter().any(named) {
            return Self { single: true, ..Self::default() };
        }
        let segment = rest.first().map(|step| match step.len() {
            // `EB03` is element 3 of EB.
            4.. => step.get(..step.len() - 2).unwrap_or(step),
            _ => step,
        });
        let segment = before.iter().copied().chain(segment).collect::<Vec<_>>().join(".");
        Self { single: true, first_of: Some(segment), ..Self::default() }
    }

    /// The shape of a JSONPath: what it takes every item of is before `[*]`.
    #[must_use]
    pub fn of_json_path(path: &str) -> Self {
        let every = path.match_indices("[*]").filter_map(|(at, found)| {
            let behind = path.get(at + found.len()..)?;
            path.get(..at + found.len()).filter(|_| !behind.is_empty())
        });
        Self { every: every.map(str::to_owned).collect(), ..Self::default() }
    }
}
