//! The encryption of a file.

use candor_json::{Value, json};

use crate::hygiene::pgp::{Pgp, SeenPgp, Signer, key_name, same_key};

fn pgp(value: Value) -> Result<Pgp, String> {
    candor_json::from_value(value).map_err(|error| error.to_string())
}

#[test]
fn keys_are_told_by_id_and_fingerprint() {
    let id = "D981CCF7619F32BA";
    let fingerprint = format!("F218555D4C85DC9BBA910938{id}");
    assert!(same_key(id, &fingerprint) && same_key(&fingerprint, id) && same_key(id, id));
    assert!(!same_key("0000000000000000", &fingerprint));
    let sixth = format!("{id}{}", "0".repeat(48));
    assert!(same_key(id, &sixth));
    assert_eq!(key_name("0xd981 ccf7 619f 32ba").unwrap(), id);
    for wrong in ["D981CCF7", "clinic@example.org", ""] {
        assert!(pgp(json!({"encrypted_to": [wrong]})).unwrap_err().contains("is not a key"), "{wrong}");
    }
    assert!(pgp(json!({})).unwrap_err().contains("nothing is asserted"));
}

#[test]
fn what_is_hidden_or_not_configured_is_no_answer() {
    let (one, other) = ("D981CCF7619F32BA".to_owned(), "1111111111111111");
    let to = pgp(json!({"encrypted": true, "encrypted_to": [other]})).unwrap();
    let mut seen = SeenPgp { encrypted: true, recipients: vec![vec![one.clone()]], ..SeenPgp::default() };
    assert!(to.fails(&seen));
    seen.recipients.push(Vec::new());
    assert!(!to.fails(&seen));
    let by = pgp(json!({"signed_by": [one]})).unwrap();
    let signed =
        |verified| SeenPgp { signers: Some(vec![Signer { key: vec![one.clone()], verified }]), ..SeenPgp::default() };
    assert!(by.results(&signed(Some(true)))[0].passed);
    assert!(by.fails(&signed(Some(false))) && !by.fails(&signed(None)));
    assert!(by.fails(&SeenPgp { signers: Some(Vec::new()), ..SeenPgp::default() }));
    assert!(!by.fails(&SeenPgp::default()), "nobody could look");
}
