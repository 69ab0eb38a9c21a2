//! What the page asks of a profile: the first line is the question, the rest its sections.
#![no_main]

use residue_fuzz::{file_of, first_line, on_this_thread};
use residue_profile::decode_lossy;
use residue_query::choice::Names;
use residue_query::page::answers::{Answer, answer};
use residue_query::page::open_profiles::OpenProfiles;
use residue_query::page::opened::Opened;

/// However large the profile.
const MOST_ANSWER_BYTES: usize = 4 << 20;

libfuzzer_sys::fuzz_target!(
    init: on_this_thread(),
    |bytes: &[u8]| {
        let (question, sections) = first_line(bytes);
        let Ok(question) = std::str::from_utf8(question) else {
            return;
        };
        let (profile, _) = decode_lossy(&file_of(sections)).expect("its header is right");
        let opened = |profile| Opened::new("a".to_string(), profile, Names::short());
        let compared = question.contains("against").then(|| opened(profile.clone()));
        let profiles = OpenProfiles::new(opened(profile), compared);
        let (name, query) = question.split_once('?').unwrap_or((question, ""));
        match answer(&profiles, name, query) {
            Answer::Given(document) => assert!(document.len() < MOST_ANSWER_BYTES),
            Answer::Refused(why) => assert!(!why.is_empty()),
            Answer::Unknown => {}
        }
    }
);
