use super::*;

fn unpacked(name: Packed) -> Vec<u8> {
    name.into_iter().flat_map(u64::to_le_bytes).collect()
}

#[test]
fn a_name_is_cut_where_the_kernel_cuts_it() {
    assert_eq!(unpacked(pack(b"worker")), *b"worker\0\0\0\0\0\0\0\0\0\0");
    assert_eq!(unpacked(pack(b"0123456789abcdef")), *b"0123456789abcde\0");
    assert_eq!(pack(b""), [0, 0]);
}

#[test]
fn earlier_names_are_kept_while_they_agree() {
    let stats = [const { AtomicU64::new(0) }; stat::WORDS];
    let differ = || stats[stat::EARLIER_NAMES_DIFFER].load(Ordering::Relaxed);
    for name in [b"pool", b"pool"] {
        set(&stats, stat::NAME, pack(name));
        pass_on(&stats);
    }
    assert_eq!(get(&stats, stat::EARLIER_NAME), pack(b"pool"));
    assert_eq!(differ(), 0);
    set(&stats, stat::NAME, pack(b"other"));
    pass_on(&stats);
    assert_eq!(get(&stats, stat::EARLIER_NAME), pack(b"pool"));
    assert_eq!(differ(), 1);
    assert_eq!(stats[stat::EARLIER_THREADS].load(Ordering::Relaxed), 3);
}

#[test]
fn the_kernel_tells_the_same_name_in_two_ways() {
    let stats = [const { AtomicU64::new(0) }; stat::WORDS];
    std::thread::Builder::new()
        .name("a long thread name".to_string())
        .spawn(move || {
            note_own(&stats);
            assert_eq!(get(&stats, stat::NAME), pack(b"a long thread n"));
            assert_eq!(name_of(sys::tid()), Some(pack(b"a long thread n")));
        })
        .unwrap()
        .join()
        .unwrap();
}
