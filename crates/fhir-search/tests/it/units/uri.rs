//! URIs above and below others.

use crate::uri::{How, Uri};

#[test]
fn paths() {
    let finds = |how, wanted: &str, stored: &str| Uri::parse(wanted, how).unwrap().finds(stored);
    let (root, set) = ("http://acme.example/fhir", "http://acme.example/fhir/ValueSet/1");
    assert!(
        finds(How::Below, root, set)
            && finds(How::Below, root, root)
            && finds(How::Below, "http://acme.example/fhir/", set)
    );
    assert!(!finds(How::Below, root, "http://acme.example/fhir2") && !finds(How::Below, set, root));
    assert!(finds(How::Above, set, root) && !finds(How::Above, root, set));
    assert!(finds(How::Is, set, set) && !finds(How::Is, set, root));
    assert!(
        !finds(How::Is, set, "http://acme.example/fhir/ValueSet/1|2")
            && finds(How::IsCanonical, set, "http://acme.example/fhir/ValueSet/1|2")
    );
    assert!(Uri::parse("urn:oid:1.2", How::Below).is_err());
    assert!(!finds(How::Above, set, "") && !finds(How::Above, set, "http://acme.example/f"));
}
