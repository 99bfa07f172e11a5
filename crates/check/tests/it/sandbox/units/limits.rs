//! Durations and sizes.

use std::path::Path;
use std::time::Duration;

use candor_check::sandbox::{Section, duration, size_text};

fn size(text: &str) -> Result<Option<u64>, String> {
    let section = Section::from_toml("limits", &format!("size = \"{text}\""), Path::new("")).unwrap();
    section.size("size").map_err(|error| error.message)
}

#[test]
fn reads_units_and_refuses_guesses() {
    assert_eq!(duration("30s"), Ok(Duration::from_secs(30)));
    assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
    assert_eq!(size("256MiB"), Ok(Some(256 << 20)));
    assert_eq!(size("1 GB"), Ok(Some(1_000_000_000)));
    for text in ["", "30", "s", "-1s", "1.5s", "0s", "99999999999999999999s", "18446744073709551615h"] {
        assert!(duration(text).is_err(), "{text}");
    }
    for text in ["", "256", "MiB", "1mib", "18446744073709551615GiB"] {
        assert!(size(text).is_err(), "{text}");
    }
    assert_eq!(size_text(256 << 20), "256 MiB");
    assert_eq!(size_text(1001), "1001 bytes");
}
