//! What every importer must hold to.

use std::path::Path;

use residue_import::{Format, Options, parse};
use residue_profile::encode;

/// Reads the bytes as this format, or as what they look like.
pub fn import(format: Option<Format>, bytes: &[u8]) {
    let options = Options { format, unit: None };
    let Ok(imported) = parse(Path::new("input"), bytes, None, &options) else {
        return;
    };
    let mut profile = imported.profile;
    let times = profile.timeline.moments.iter().map(|moment| moment.time_ns);
    assert!(times.is_sorted());
    assert_eq!(profile.repair(), [], "it is not consistent");
    // Compressing takes longer than reading did: rarely is enough.
    if bytes.len().is_multiple_of(16) {
        encode(&profile).expect("what was imported can be written");
    }
}
