//! Checks as values: the one place where a check's type is erased, so that no author of one sees `dyn`.

use std::any::Any;
use std::collections::BTreeSet;
use std::future::Future;
use std::pin::Pin;

use candor_json::Value;

use crate::check::{Check, Judged, Meta};
use crate::compare::Zone;
use crate::evidence::Evidence;
use crate::feature;
use crate::outcome::{Failure, Obstacle, Share, Unverifiable};
use crate::review::Review;
use crate::sandbox::{PartType, Sandbox};
use crate::settings::{self, InvalidAssertion};
use crate::within::Within;

/// A kind of check, as a value: `pub const CHECK: CheckType = CheckType::of::<MyCheck>();`
#[derive(Clone, Copy)]
pub struct CheckType {
    meta: &'static Meta,
    binding: Binding,
    observation: u32,
    judged: &'static [Judged],
}

#[derive(Clone, Copy)]
enum Binding {
    Check(fn(Value) -> Result<Box<dyn BoundCheck>, InvalidAssertion>),
    /// Not at all: this build leaves the check out, and this feature brings it.
    LeftOut(&'static str),
}

/// The observation of a check of any type.
pub struct Seen {
    value: Box<dyn Any + Send + Sync>,
    json: fn(&(dyn Any + Send + Sync)) -> Value,
}

impl Seen {
    /// The observation as JSON: what [`BoundCheck::restore`] reads back.
    #[must_use]
    pub fn to_value(&self) -> Value {
        (self.json)(self.value.as_ref())
    }
}

type Observing<'a> = Pin<Box<dyn Future<Output = Result<Seen, Unverifiable>> + Send + 'a>>;

/// An assertion bound to its check: settings that were read and are valid.
pub trait BoundCheck: Send + Sync {
    /// Reads ground truth.
    fn observe<'a>(&'a self, sandbox: &'a Sandbox) -> Observing<'a>;

    /// Judges what this check observed; anything else is unverifiable.
    fn judge(&self, seen: &Seen) -> Evidence;

    /// Reads a stored observation back.
    ///
    /// # Errors
    /// When the value is not an observation of this check.
    fn restore(&self, observation: Value) -> Result<Seen, candor_json::Error>;

    /// Gives the criterion's zone to every date of the assertion that has no zone of its own.
    fn set_zone(&mut self, zone: &Zone);

    /// As [`Check::check_names`].
    ///
    /// # Errors
    /// As [`Check::check_names`].
    fn check_names(&self, _parts: &[PartType]) -> Result<(), InvalidAssertion> {
        Ok(())
    }

    /// Returns `true` if it runs code that the delegate wrote.
    fn runs_code(&self) -> bool {
        false
    }

    /// How long to wait for what is asserted: `None` if the sandbox's source is a recording, which does not change
    /// between two looks.
    fn within(&self, sandbox: &Sandbox) -> Option<Within>;

    /// Weaknesses visible from the settings alone.
    fn review(&self) -> Review;
}

struct Bound<C>(C);

impl<C: Check> BoundCheck for Bound<C> {
    fn observe<'a>(&'a self, sandbox: &'a Sandbox) -> Observing<'a> {
        Box::pin(async move { self.0.observe(sandbox).await.map(erased::<C>) })
    }

    fn judge(&self, seen: &Seen) -> Evidence {
        match seen.value.downcast_ref::<C::Seen>() {
            Some(seen) => self.0.judge(seen),
            None => Evidence::unverifiable(
                Obstacle::Undecidable,
                Vec::new(),
                format!("the observation is not one of {}", C::META.assert),
            ),
        }
    }

    fn set_zone(&mut self, zone: &Zone) {
        self.0.set_zone(zone);
    }

    fn check_names(&self, parts: &[PartType]) -> Result<(), InvalidAssertion> {
        self.0.check_names(parts)
    }

    fn runs_code(&self) -> bool {
        self.0.runs_code()
    }

    fn within(&self, sandbox: &Sandbox) -> Option<Within> {
        self.0.within().filter(|_| sandbox.is_live(C::META.part))
    }

    fn review(&self) -> Review {
        self.0.review()
    }

    fn restore(&self, observation: Value) -> Result<Seen, candor_json::Error> {
        candor_json::from_value::<C::Seen>(observation).map(erased::<C>)
    }
}

struct LeftOut {
    meta: &'static Meta,
    feature: &'static str,
}

impl LeftOut {
    fn why(&self) -> Unverifiable {
        feature::left_out(&format!("check `{}`", self.meta.assert), self.feature)
    }
}

impl BoundCheck for LeftOut {
    fn observe<'a>(&'a self, _: &'a Sandbox) -> Observing<'a> {
        Box::pin(std::future::ready(Err(self.why())))
    }

    fn judge(&self, _: &Seen) -> Evidence {
        self.why().into_evidence()
    }

    fn restore(&self, _: Value) -> Result<Seen, candor_json::Error> {
        Err(serde::de::Error::custom(self.why().details))
    }

    fn set_zone(&mut self, _: &Zone) {}

    fn within(&self, _: &Sandbox) -> Option<Within> {
        None
    }

    fn review(&self) -> Review {
        Review::default()
    }
}

fn erased<C: Check>(seen: C::Seen) -> Seen {
    let json = |value: &(dyn Any + Send + Sync)| {
        value.downcast_ref::<C::Seen>().and_then(|seen| candor_json::to_value(seen).ok()).unwrap_or(Value::Null)
    };
    Seen { value: Box::new(seen), json }
}

impl std::fmt::Debug for CheckType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckType").field("assert", &self.meta.assert).finish_non_exhaustive()
    }
}

impl CheckType {
    /// The check `C` as a value.
    #[must_use]
    pub const fn of<C: Check>() -> Self {
        let bind: fn(Value) -> _ =
            |assertion| Ok(Box::new(Bound(settings::read_settings::<C>(assertion)?)) as Box<dyn BoundCheck>);
        Self { meta: &C::META, binding: Binding::Check(bind), observation: C::OBSERVATION, judged: C::JUDGED }
    }

    /// A check that this build leaves out, known by its name alone. It accepts every assertion of that name, which it
    /// cannot read, and ends it unverifiable with a sentence that names the feature.
    #[must_use]
    pub const fn left_out(meta: &'static Meta, feature: &'static str) -> Self {
        Self { meta, binding: Binding::LeftOut(feature), observation: 0, judged: &[] }
    }

    /// The feature that brings the check, if this build leaves it out.
    #[must_use]
    pub const fn missing_feature(&self) -> Option<&'static str> {
        match self.binding {
            Binding::Check(_) => None,
            Binding::LeftOut(feature) => Some(feature),
        }
    }

    /// The version of the check's stored observations; 0 of a check that this build leaves out.
    #[must_use]
    pub const fn observation_version(&self) -> u32 {
        self.observation
    }

    /// True if what was observed for one assertion is all that another one needs. Both are as the author wrote them.
    #[must_use]
    pub fn observes_the_same(&self, one: &Value, other: &Value) -> bool {
        let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return false };
        let names: BTreeSet<&String> = one.keys().chain(other.keys()).collect();
        names.into_iter().all(|name| match (one.get(name), other.get(name)) {
            (Some(one), Some(other)) => one == other || self.is_judged_alone(name, [one, other]),
            _ => false,
        })
    }

    fn is_judged_alone(&self, name: &str, values: [&Value; 2]) -> bool {
        let Some((_, words)) = self.judged.iter().find(|(judged, _)| *judged == name) else { return false };
        values.iter().all(|value| {
            let text = value.to_string();
            let is_empty = value.as_array().is_some_and(Vec::is_empty) || value.is_null();
            !is_empty && !words.iter().any(|word| text.contains(word))
        })
    }

    /// The name of the check and its description.
    #[must_use]
    pub const fn meta(&self) -> &'static Meta {
        self.meta
    }

    /// The JSON Schema of the check's assertion, the shared definitions merged in.
    #[must_use]
    pub fn schema(&self) -> Value {
        crate::schema::published(self.meta)
    }

    /// Reads an assertion of this kind.
    ///
    /// # Errors
    /// The first member that does not fit, with its place.
    pub fn bind(&self, mut assertion: Value) -> Result<Box<dyn BoundCheck>, InvalidAssertion> {
        let whole = |message: String| InvalidAssertion { place: String::new(), message };
        let Some(members) = assertion.as_object_mut() else {
            return Err(whole(format!("an assertion is an object; found {assertion}")));
        };
        match members.shift_remove("assert") {
            Some(Value::String(name)) if name == self.meta.assert => match self.binding {
                Binding::Check(bind) => bind(assertion),
                Binding::LeftOut(feature) => Ok(Box::new(LeftOut { meta: self.meta, feature })),
            },
            other => {
                let found = other.map_or("nothing".to_owned(), |value| value.to_string());
                Err(whole(format!("`assert` is {found}; expected \"{}\"", self.meta.assert)))
            }
        }
    }

    /// Binds, observes and judges in one go, with or without an async runtime. Nothing blocks the thread that polls it.
    pub async fn run(&self, assertion: Value, sandbox: &Sandbox) -> Evidence {
        let known = |bound: Box<dyn BoundCheck>| bound.check_names(sandbox.parts()).map(|()| bound);
        let bound = match self.bind(assertion).and_then(known) {
            Ok(bound) => bound,
            Err(invalid) => return invalid.into_evidence(),
        };
        match bound.observe(sandbox).await {
            Ok(seen) => {
                let judged = sandbox.work().judge(move || bound.judge(&seen)).await;
                judged.unwrap_or_else(|error| {
                    let details = format!("Judging broke, which is a defect of this program: {error}.");
                    Evidence::unverifiable(Obstacle::Undecidable, Vec::new(), details)
                })
            }
            Err(unverifiable) => unverifiable.into_evidence(),
        }
    }
}

impl InvalidAssertion {
    /// The evidence of a criterion whose assertion is invalid.
    #[must_use]
    pub fn into_evidence(self) -> Evidence {
        let sentence = format!("The assertion is invalid: {self}");
        let stop = if sentence.ends_with(['.', '?']) { "" } else { "." };
        let details = format!("{sentence}{stop}");
        Evidence::failed(Failure::InvalidAssertion, Share::default(), Vec::new(), details)
    }
}

impl Unverifiable {
    /// The evidence of a criterion whose ground truth could not be read.
    #[must_use]
    pub fn into_evidence(self) -> Evidence {
        let stop = if self.details.ends_with('.') { "" } else { "." };
        let evidence = Evidence::unverifiable(self.obstacle, Vec::new(), format!("{}{stop}", self.details));
        if self.by_the_work { evidence.by_the_work() } else { evidence }
    }
}
