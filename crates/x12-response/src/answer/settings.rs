//! The members of `answer`.

use candor_check::compare::{Date, DateForm};
use candor_json::{Value, json};
use num_rational::BigRational;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use super::scalar::{Amount, Text};
use super::words::{Certified, Coverage, Level, Period, Service};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    // 271
    pub(super) coverage: Option<Coverage>,
    pub(super) service_type: Option<Text>,
    pub(super) on: Option<Day>,
    pub(super) network: Option<Network>,
    pub(super) level: Option<Level>,
    pub(super) period: Option<Period>,
    pub(super) copay: Option<Amount>,
    pub(super) deductible: Option<Amount>,
    pub(super) coinsurance: Option<Amount>,
    pub(super) out_of_pocket: Option<Amount>,
    // Whom it is about
    pub(super) member_id: Option<Text>,
    // 278
    pub(super) certified: Option<Certified>,
    pub(super) certification_number: Option<Text>,
    // 278, 835
    pub(super) service: Option<Service>,
    pub(super) quantity: Option<Amount>,
    // 277, 835
    pub(super) claim: Option<Claim>,
    pub(super) claim_id: Option<Text>,
    // 835
    pub(super) amount: Option<Amount>,
    pub(super) adjustments: Option<Vec<Adjustment>>,
    pub(super) balanced: Option<bool>,
    // 999, 997, TA1
    pub(super) accepted: Option<bool>,
    pub(super) set: Option<Text>,
    // 834
    pub(super) enrolled: Option<Enrolled>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Enrolled {
    Active,
    Terminated,
}

impl Enrolled {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Terminated => "terminated",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Network {
    In,
    Out,
}

impl Network {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::In => "in",
            Self::Out => "out",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Claim {
    Accepted,
    Rejected,
    Pended,
    Finalized,
    Paid,
    Denied,
}

impl Claim {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Rejected => "rejected",
            Self::Pended => "pended",
            Self::Finalized => "finalized",
            Self::Paid => "paid",
            Self::Denied => "denied",
        }
    }
}

/// `adjustments`: an adjustment (CAS) with this group and reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Adjustment {
    pub(super) group: Text,
    pub(super) reason: Text,
    pub(super) amount: Option<Amount>,
}

#[derive(Clone, Debug)]
pub(super) struct Day {
    pub(super) written: String,
    pub(super) date: Date,
}

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = String::deserialize(deserializer)?;
        let day = written.len() == 10 && written.is_ascii();
        let date = Date::parse(&written, DateForm::Iso).filter(|_| day);
        let date =
            date.ok_or_else(|| D::Error::custom(format!("{written:?} is not a day; expected one such as 2026-11-20")))?;
        Ok(Self { written, date })
    }
}

/// The transactions that a member is for.
const MEMBERS: [(&str, &[&str]); 23] = [
    ("coverage", &["271", "834"]),
    ("service_type", &["271"]),
    ("on", &["271", "278", "834"]),
    ("network", &["271"]),
    ("level", &["271"]),
    ("period", &["271"]),
    ("copay", &["271"]),
    ("deductible", &["271"]),
    ("coinsurance", &["271"]),
    ("out_of_pocket", &["271"]),
    ("member_id", &["271", "277", "278", "820", "834", "835"]),
    ("certified", &["278"]),
    ("certification_number", &["278"]),
    ("service", &["278", "835"]),
    ("quantity", &["278"]),
    ("claim", &["277", "835"]),
    ("claim_id", &["277", "835"]),
    ("amount", &["835"]),
    ("adjustments", &["835"]),
    ("balanced", &["820", "835"]),
    ("accepted", &["997", "999", "TA1"]),
    ("set", &["997", "999"]),
    ("enrolled", &["834"]),
];

/// Every transaction that some member is for.
const ANSWERING: [&str; 9] = ["271", "277", "278", "820", "834", "835", "997", "999", "TA1"];

impl Answer {
    pub(super) fn asserted(&self) -> Vec<(&'static str, Value)> {
        let text = |text: &Option<Text>| text.as_ref().map(|text| json!(text.0));
        let amount = |amount: &Option<Amount>| amount.as_ref().map(|amount| amount.written.clone());
        let adjustments = self.adjustments.as_ref().map(|list| json!(format!("{} adjustments", list.len())));
        let values = [
            self.coverage.as_ref().map(|coverage| json!(coverage.name())),
            text(&self.service_type),
            self.on.as_ref().map(|on| json!(on.written)),
            self.network.map(|network| json!(network.name())),
            self.level.map(|level| json!(level.name())),
            self.period.map(|period| json!(period.name())),
            amount(&self.copay),
            amount(&self.deductible),
            amount(&self.coinsurance),
            amount(&self.out_of_pocket),
            text(&self.member_id),
            self.certified.map(Certified::written),
            text(&self.certification_number),
            self.service.as_ref().map(Service::written),
            amount(&self.quantity),
            self.claim.map(|claim| json!(claim.name())),
            text(&self.claim_id),
            amount(&self.amount),
            adjustments,
            self.balanced.map(|balanced| json!(balanced)),
            self.accepted.map(|accepted| json!(accepted)),
            text(&self.set),
            self.enrolled.map(|enrolled| json!(enrolled.name())),
        ];
        MEMBERS.iter().zip(values).filter_map(|((name, _), value)| Some((*name, value?))).collect()
    }

    pub(crate) fn claim_id(&self) -> Option<&str> {
        self.claim_id.as_ref().map(|Text(id)| id.as_str())
    }

    pub(crate) fn member_id(&self) -> Option<&str> {
        self.member_id.as_ref().map(|Text(id)| id.as_str())
    }

    /// The asserted procedure of a service of a 278.
    pub(super) fn procedure(&self) -> Option<&Text> {
        match &self.service {
            Some(Service::Procedure(text)) => Some(text),
            _ => None,
        }
    }

    /// True if a cost is asserted: `network`, `level` and `period` then select the rows that it is read from.
    pub(super) fn asserts_cost(&self) -> bool {
        [&self.copay, &self.deductible, &self.coinsurance, &self.out_of_pocket].iter().any(|cost| cost.is_some())
    }

    fn is_for(&self, name: &str) -> &'static [&'static str] {
        match (name, &self.coverage, &self.service) {
            ("coverage", Some(Coverage::Line(_)), _) => &["834"],
            ("service", _, Some(Service::Procedure(_))) => &["278"],
            ("service", _, Some(Service::Paid(_))) => &["835"],
            _ => MEMBERS.iter().find(|(known, _)| *known == name).map_or(&[], |(_, of)| *of),
        }
    }

    /// The first member that is not for a transaction.
    pub(super) fn foreign(&self, transaction: &str) -> Option<&'static str> {
        self.asserted().into_iter().map(|(name, _)| name).find(|name| !self.is_for(name).contains(&transaction))
    }

    /// The first error of these settings for a transaction: a member for other transactions, or no member that asserts
    /// anything.
    pub(crate) fn problem(&self, transaction: Option<&str>) -> Option<String> {
        let asserted = self.asserted();
        if let Some(transaction) = transaction {
            if !ANSWERING.contains(&transaction) {
                return Some(format!("`answer` is not for {transaction}"));
            }
            if let (Some(Coverage::Line(line)), "271") = (&self.coverage, transaction) {
                return Some(format!("`answer.coverage` is {line:?}; in a 271 it is `active` or `inactive`"));
            }
            match (&self.service, transaction) {
                (Some(Service::Procedure(_)), "835") => {
                    let meant = r#"{"procedure": "99213", "status": "paid"}"#;
                    return Some(format!("`answer.service` of an 835 names what was paid of it: {meant}"));
                }
                (Some(Service::Paid(_)), "278") => {
                    return Some("`answer.service` of a 278 is the procedure, such as \"72148\"".to_owned());
                }
                _ => {}
            }
            if let Some(name) = self.foreign(transaction) {
                return Some(format!("`answer.{name}` is for {}, not for {transaction}", self.is_for(name).join(", ")));
            }
            if transaction == "835" && !matches!(self.claim, None | Some(Claim::Paid | Claim::Denied)) {
                return Some("`answer.claim` of an 835 is `paid` or `denied`".to_owned());
            }
        } else if !ANSWERING.iter().any(|transaction| self.foreign(transaction).is_none()) {
            return Some("the members of `answer` are for different transactions".to_owned());
        }
        if let Some(Service::Paid(paid)) = &self.service
            && paid.amount.is_none()
            && paid.status.is_none()
        {
            return Some("`answer.service` asserts nothing; name `amount` or `status`".to_owned());
        }
        let selects = |name: &str| match name {
            "member_id" | "claim_id" | "set" => true,
            "service" => self.procedure().is_some(),
            "level" | "period" => true,
            _ => false,
        };
        let says_nothing = asserted.iter().all(|(name, _)| selects(name));
        says_nothing.then(|| "`answer` asserts nothing; name what the answer is to be, such as `coverage`".to_owned())
    }
}

/// An amount as it is written: `120.5`.
pub(super) fn written(amount: &BigRational) -> String {
    let mut places = 0;
    let mut scaled = amount.clone();
    let ten = BigRational::from_integer(10.into());
    while !scaled.is_integer() && places < 12 {
        scaled *= &ten;
        places += 1;
    }
    let digits = scaled.to_integer().to_string();
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => ("-", digits.to_owned()),
        None => ("", digits),
    };
    let digits = format!("{digits:0>width$}", width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    if places == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}
