//! What anybody on this machine sends to the page's server. The first byte says whether it
//! is the user's own connection.
#![no_main]

use std::cell::OnceCell;

use residue_profile::Profile;
use residue_query::choice::Names;
use residue_query::page::open_profiles::OpenProfiles;
use residue_query::page::opened::Opened;
use residue_view::server::in_memory::{InMemory, LINK, PASS, TICKET};

thread_local!(static SERVER: OnceCell<InMemory> = const { OnceCell::new() });

fn server() -> InMemory {
    let opened = Opened::new("a".to_string(), Profile::default(), Names::short());
    InMemory::open(OpenProfiles::new(opened, None)).expect("a runtime")
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let Some((&user, sent)) = bytes.split_first() else {
        return;
    };
    let is_own_user = user == b'1';
    let answer = SERVER.with(|it| it.get_or_init(server).answer_to(sent, is_own_user));
    let holds = |bytes: &[u8], part: &str| {
        let mut windows = bytes.windows(part.len());
        windows.any(|window| window == part.as_bytes())
    };
    let has_ticket = is_own_user && holds(sent, TICKET);
    if !has_ticket && !holds(sent, LINK) && !holds(sent, PASS) {
        assert!(!holds(&answer, " 200 OK\r\n"), "let in without a secret");
        assert!(!holds(&answer, PASS), "told a secret");
    }
});
