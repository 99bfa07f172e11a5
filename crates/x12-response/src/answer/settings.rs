//! The members of `answer`.

use candor_check::compare::{Date, DateForm, Decimal};
use num_rational::BigRational;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

/// What is asserted.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Answer {
    // 271
    pub(super) coverage: Option<Coverage>,
    pub(super) service_type: Option<Text>,
    pub(super) on: Option<Day>,
    pub(super) network: Option<Network>,
    pub(super) copay: Option<Amount>,
    pub(super) deductible: Option<Amount>,
    pub(super) coinsurance: Option<Amount>,
    pub(super) out_of_pocket: Option<Amount>,
    // 271, 278: whom it is about
    pub(super) member_id: Option<Text>,
    // 278
    pub(super) certified: Option<bool>,
    pub(super) certification_number: Option<Text>,
    pub(super) service: Option<Text>,
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Coverage {
    Active,
    Inactive,
}

impl Coverage {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Inactive => "inactive",
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

/// `adjustments`: what stands in CAS with this group and reason.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Adjustment {
    pub(super) group: Text,
    pub(super) reason: Text,
    pub(super) amount: Option<Amount>,
}

/// A text, or a number as it is written.
#[derive(Clone, Debug)]
pub(super) struct Text(pub(super) String);

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) if !text.is_empty() => Ok(Self(text)),
            Value::Number(number) => Ok(Self(number.to_string())),
            other => Err(D::Error::custom(format!("{other} is no text; put it in quotation marks"))),
        }
    }
}

/// A decimal, as a number or a text.
#[derive(Clone, Debug)]
pub(super) struct Amount {
    pub(super) written: Value,
    pub(super) value: BigRational,
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let written = Value::deserialize(deserializer)?;
        let decimal = match &written {
            Value::String(text) => Decimal::plain(text),
            Value::Number(number) => Decimal::json(&number.to_string()),
            _ => None,
        };
        let value = decimal.and_then(|decimal| decimal.to_fraction());
        let value = value
            .ok_or_else(|| D::Error::custom(format!("{written} is no amount; expected one such as \"120.50\"")))?;
        Ok(Self { written, value })
    }
}

/// A day.
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
            date.ok_or_else(|| D::Error::custom(format!("{written:?} is no day; expected one such as 2026-11-20")))?;
        Ok(Self { written, date })
    }
}

/// The transactions that a member is for.
const MEMBERS: [(&str, &[&str]); 20] = [
    ("coverage", &["271"]),
    ("service_type", &["271"]),
    ("on", &["271", "278"]),
    ("network", &["271"]),
    ("copay", &["271"]),
    ("deductible", &["271"]),
    ("coinsurance", &["271"]),
    ("out_of_pocket", &["271"]),
    ("member_id", &["271", "278"]),
    ("certified", &["278"]),
    ("certification_number", &["278"]),
    ("service", &["278"]),
    ("quantity", &["278"]),
    ("claim", &["277", "835"]),
    ("claim_id", &["277", "835"]),
    ("amount", &["835"]),
    ("adjustments", &["835"]),
    ("balanced", &["835"]),
    ("accepted", &["997", "999", "TA1"]),
    ("set", &["997", "999"]),
];

impl Answer {
    /// The members that are there, with what they expect.
    pub(super) fn asserted(&self) -> Vec<(&'static str, Value)> {
        let text = |text: &Option<Text>| text.as_ref().map(|text| json!(text.0));
        let amount = |amount: &Option<Amount>| amount.as_ref().map(|amount| amount.written.clone());
        let adjustments = self.adjustments.as_ref().map(|list| json!(format!("{} adjustments", list.len())));
        let values = [
            self.coverage.map(|coverage| json!(coverage.name())),
            text(&self.service_type),
            self.on.as_ref().map(|on| json!(on.written)),
            self.network.map(|network| json!(network.name())),
            amount(&self.copay),
            amount(&self.deductible),
            amount(&self.coinsurance),
            amount(&self.out_of_pocket),
            text(&self.member_id),
            self.certified.map(|certified| json!(certified)),
            text(&self.certification_number),
            text(&self.service),
            amount(&self.quantity),
            self.claim.map(|claim| json!(claim.name())),
            text(&self.claim_id),
            amount(&self.amount),
            adjustments,
            self.balanced.map(|balanced| json!(balanced)),
            self.accepted.map(|accepted| json!(accepted)),
            text(&self.set),
        ];
        MEMBERS.iter().zip(values).filter_map(|((name, _), value)| Some((*name, value?))).collect()
    }

    /// The claim that is asked about.
    pub(crate) fn claim_id(&self) -> Option<&str> {
        self.claim_id.as_ref().map(|Text(id)| id.as_str())
    }

    /// What is wrong with it for a transaction, if anything is: members that are for others, or none that asserts.
    pub(crate) fn problem(&self, transaction: Option<&str>) -> Option<String> {
        let asserted = self.asserted();
        let of = |name: &str| MEMBERS.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, of)| *of);
        if let Some(transaction) = transaction {
            if !MEMBERS.iter().any(|(_, of)| of.contains(&transaction)) {
                return Some(format!("`answer` is not for {transaction}"));
            }
            if let Some((name, _)) = asserted.iter().find(|(name, _)| !of(name).contains(&transaction)) {
                return Some(format!("`answer.{name}` is for {}, not for {transaction}", of(name).join(", ")));
            }
            if transaction == "835" && !matches!(self.claim, None | Some(Claim::Paid | Claim::Denied)) {
                return Some("`answer.claim` of an 835 is `paid` or `denied`".to_owned());
            }
        } else {
            let common = |transaction: &&str| asserted.iter().all(|(name, _)| of(name).contains(transaction));
            if !["271", "277", "278", "835", "997", "999", "TA1"].iter().any(common) {
                return Some("the members of `answer` are for different transactions".to_owned());
            }
        }
        let selects = ["member_id", "service", "claim_id", "set"];
        let says_nothing = asserted.iter().all(|(name, _)| selects.contains(name));
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
