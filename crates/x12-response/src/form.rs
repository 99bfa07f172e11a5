//! Type 3 of a transaction set, without an assertion: whether what it sums up agrees.

use candor_x12_guides::ReadSet;

use crate::answer::{Balance, Tree};
use crate::validate::{is_balanced_transaction, unbalanced_part};

/// The result of balancing a set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Balancing {
    /// The sums that disagree, each with the number of its segment in the set, from 0.
    pub faults: Vec<(String, usize)>,
    /// Why the balance is not known.
    pub unknown: Option<String>,
}

/// Balances a set: services, claims and payment of an 835, claims of an 837, the payment of an 820. Nothing for sets that have
/// nothing to balance, and of guides without tables.
///
/// ```
/// use candor_x12::{Item, Walk};
/// use candor_x12_guides::ReadSet;
/// let file = b"ISA*00*          *00*          *ZZ*A              *ZZ*B              *261120*0915*^*00501*000000001*0*T*:~\
///     GS*RA*A*B*20261120*0915*1*X*005010X218~ST*820*0001~BPR*I*100*C*ACH~ENT*1*2J*34*1~NM1*IL*1*DOE~RMR*AZ*P**90~\
///     SE*6*0001~GE*1*1~IEA*1*000000001~";
/// let mut walk = Walk::from_slice(file);
/// while let Some(item) = walk.next_item(&mut |_| true).unwrap() {
///     let Item::Set(set) = item else { continue };
///     let balancing = candor_x12_response::form::balance(&ReadSet::new(set.view())).unwrap();
///     assert_eq!(balancing.faults, [("BPR02 100 is not the sum of RMR04 90".to_owned(), 1)]);
/// }
/// ```
#[must_use]
pub fn balance(set: &ReadSet<'_>) -> Option<Balancing> {
    let transaction = set.transaction();
    let loops = set.loops().filter(|_| is_balanced_transaction(&transaction))?;
    let tree = Tree::of(loops, set.segments());
    if let Some(why) = unbalanced_part(&transaction, &tree, set.segments()) {
        return Some(Balancing { unknown: Some(why), ..Balancing::default() });
    }
    let Balance { faults, unknown } = Balance::of(&transaction, &tree)?;
    Some(Balancing { faults, unknown: unknown.map(|(why, _)| why) })
}
