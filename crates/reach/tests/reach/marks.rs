//! What is lost, what is held, and by whom.

use crate::picture::{GLOBALS, Picture};
use residue_reach::{Block, Holder, Lost, Root, RootWords, State, lost_cycles};

#[test]
fn raw_pointers_in_a_global_vector() {
    let mut picture = Picture::new();
    let buffer = picture.allocate(80, 1);
    picture.global(3, buffer);
    let held: Vec<u64> = (0..10).map(|_| picture.allocate(64, 2)).collect();
    let lost: Vec<u64> = (0..5).map(|_| picture.allocate(64, 2)).collect();
    for (place, &block) in (0..).zip(&held) {
        picture.put(buffer + place * 8, block);
    }
    let marked = picture.marked();
    assert_eq!(marked.state(buffer), State::Held);
    for &block in &held {
        assert_eq!(marked.state(block), State::Held);
        let holder = Holder::Block(marked.id(buffer));
        assert_eq!(marked.marks.holder(marked.id(block)), Some(holder));
    }
    for &block in &lost {
        assert_eq!(marked.state(block), State::Lost);
        assert_eq!(marked.marks.holder(marked.id(block)), None);
    }
    let word = &marked.graph.root_words()[0];
    assert_eq!((word.root, word.at), (0, GLOBALS + 24));
    assert_eq!(
        marked.marks.holder(marked.id(buffer)),
        Some(Holder::Root(0))
    );
    let seventh = marked.id(held[7]);
    assert_eq!(
        marked.marks.offset_in_holder(&marked.graph, seventh),
        Some(56)
    );
    let lost = Lost::new(&marked.graph, &marked.marks);
    let sums = lost.of_stack(2).unwrap();
    assert_eq!((sums.lost.blocks, sums.lost.bytes), (5, 320));
    assert_eq!((sums.held.blocks, sums.all().bytes), (10, 960));
}

#[test]
fn a_cycle_that_only_points_to_itself_is_lost_with_what_hangs_on_it() {
    let mut picture = Picture::new();
    // Two nodes that share each other, their control blocks, and what one of them owns.
    let nodes = [picture.allocate(48, 1), picture.allocate(48, 1)];
    let owned = picture.allocate(1000, 2);
    let deeper = picture.allocate(100, 3);
    picture.put(nodes[0] + 16, nodes[1] + 16);
    picture.put(nodes[1] + 16, nodes[0] + 16);
    picture.put(nodes[1] + 32, owned);
    picture.put(owned, deeper);
    picture.put(deeper, owned);
    let marked = picture.marked();
    for node in nodes {
        assert_eq!(marked.state(node), State::LostInCycle);
        assert!(marked.marks.is_interior_only(marked.id(node)));
    }
    assert_eq!(marked.state(owned), State::HeldByLost);
    assert_eq!(marked.state(deeper), State::HeldByLost);
    let lost = Lost::new(&marked.graph, &marked.marks);
    let sums = lost.of_stack(1).unwrap();
    assert_eq!(sums.lost, sums.lost_in_cycle);
    assert_eq!((sums.taken_along.blocks, sums.taken_along.bytes), (2, 1100));
    assert_eq!(lost.of_stack(2).unwrap().held_by_lost.bytes, 1000);
    let taken = lost.taken_along().iter();
    let taken: Vec<_> = taken
        .map(|taken| (taken.lost_stack, taken.stack, taken.amount.bytes))
        .collect();
    assert_eq!(taken, [(1, 2, 1000), (1, 3, 100)]);
}

#[test]
fn cycles_are_told_by_the_stacks_that_made_them() {
    let mut picture = Picture::new();
    for place in 0..30u64 {
        // Of two blocks, and of three.
        let count = 2 + place % 2;
        let members: Vec<u64> = (0..count)
            .map(|at| picture.allocate(48, 5 + at as u32))
            .collect();
        for at in 0..count as usize {
            picture.put(members[at] + 8, members[(at + 1) % members.len()]);
        }
    }
    let marked = picture.marked();
    let kinds = lost_cycles(&marked.graph, &marked.marks);
    let kinds: Vec<_> = kinds
        .iter()
        .map(|kind| (kind.stacks.as_slice(), kind.cycles, kind.amount.blocks))
        .collect();
    assert_eq!(kinds, [(&[5, 6, 7][..], 15, 45), (&[5, 6][..], 15, 30)]);
}

#[test]
fn a_cycle_that_something_lost_points_into_is_held_by_it() {
    let mut picture = Picture::new();
    let nodes = [picture.allocate(48, 1), picture.allocate(48, 1)];
    let above = picture.allocate(16, 2);
    picture.put(nodes[0], nodes[1]);
    picture.put(nodes[1], nodes[0]);
    picture.put(above + 8, nodes[1]);
    let marked = picture.marked();
    assert_eq!(marked.state(above), State::Lost);
    assert_eq!(marked.state(nodes[0]), State::HeldByLost);
    assert_eq!(marked.state(nodes[1]), State::HeldByLost);
}

#[test]
fn what_is_lost_may_point_to_what_is_held() {
    let mut picture = Picture::new();
    let held = picture.allocate(48, 1);
    let lost = picture.allocate(48, 1);
    picture.global(0, held + 8);
    picture.put(lost, held);
    let marked = picture.marked();
    assert_eq!(marked.state(held), State::Held);
    assert_eq!(marked.state(lost), State::Lost);
    // The pointer to the start is lost: of what a root reaches only the inner one counts.
    assert!(marked.marks.is_interior_only(marked.id(held)));
}

#[test]
fn births_tell_how_old_the_rest_is() {
    let mut picture = Picture::new();
    for birth in 1..=100 {
        let block = picture.allocate(10, 1);
        picture.blocks.last_mut().unwrap().birth = birth;
        if birth > 98 {
            picture.global(u64::from(birth), block);
        }
    }
    let marked = picture.marked();
    let lost = Lost::new(&marked.graph, &marked.marks);
    let sums = lost.of_stack(1).unwrap();
    assert_eq!((sums.lost.bytes, sums.all().bytes), (980, 1000));
    assert_eq!(sums.lost_births, Some((1, 98)));
    assert_eq!(sums.other_births, Some((99, 100)));
    assert_eq!(lost.sums().len(), 100);
}

#[test]
fn pointers_into_the_middle_and_with_tags() {
    let mut picture = Picture::new();
    let inner = picture.allocate(64, 1);
    let tagged = picture.allocate(64, 2);
    let both = picture.allocate(64, 3);
    picture.global(0, inner + 8);
    picture.global(1, tagged | 3);
    picture.global(2, both + 63);
    picture.global(3, both);
    let marked = picture.marked();
    assert!(marked.marks.is_interior_only(marked.id(inner)));
    assert!(!marked.marks.is_interior_only(marked.id(tagged)));
    assert!(!marked.marks.is_interior_only(marked.id(both)));
    let counts = marked.graph.counts();
    assert_eq!(counts.start_pointers, 1);
    assert_eq!(counts.tagged_pointers, 1);
    assert_eq!(counts.interior_pointers, 2);
    let lost = Lost::new(&marked.graph, &marked.marks);
    assert_eq!(lost.of_stack(1).unwrap().interior_only.bytes, 64);
    assert_eq!(lost.of_stack(2).unwrap().interior_only.bytes, 0);
}

#[test]
fn one_past_the_end_holds_nothing_unless_a_block_starts_there() {
    let mut picture = Picture::new();
    let first = picture.block_at(0x20_0000, 64, 1);
    let next = picture.block_at(0x20_0040, 64, 1);
    picture.global(0, next);
    picture.global(1, next + 64);
    let marked = picture.marked();
    assert_eq!(marked.state(first), State::Lost);
    assert_eq!(marked.state(next), State::Held);
    assert_eq!(marked.graph.counts().end_pointers, 1);
}

#[test]
fn blocks_of_no_bytes_are_held_by_pointers_to_their_start() {
    let mut picture = Picture::new();
    let held = picture.allocate(0, 1);
    let lost = picture.allocate(0, 1);
    picture.global(0, held);
    let marked = picture.marked();
    assert_eq!(marked.state(held), State::Held);
    assert_eq!(marked.state(lost), State::Lost);
}

#[test]
fn a_block_that_points_to_itself_is_lost_and_no_cycle() {
    let mut picture = Picture::new();
    let own = picture.allocate(64, 1);
    picture.put(own, own);
    picture.put(own + 8, own + 16);
    let marked = picture.marked();
    assert_eq!(marked.state(own), State::Lost);
    assert_eq!(marked.graph.counts().own_pointers, 2);
}

#[test]
fn blocks_of_a_pool_are_told_apart_and_hold_the_pool() {
    let mut picture = Picture::new();
    let chunk = picture.allocate(4096, 1);
    let inner: Vec<u64> = (0..4)
        .map(|place| picture.block_at(chunk + 64 * place, 48, 2))
        .collect();
    let behind = picture.allocate(16, 3);
    picture.global(0, inner[1]);
    picture.put(inner[1] + 40, inner[2]);
    // A word of the chunk itself, between its inner blocks.
    picture.put(chunk + 48, behind);
    let marked = picture.marked();
    let states = inner.iter().map(|&block| marked.state(block));
    let expected = [State::Lost, State::Held, State::Held, State::Lost];
    assert!(states.eq(expected));
    assert_eq!(marked.state(chunk + 60), State::Held);
    assert_eq!(marked.state(behind), State::Held);
    let chunk_id = marked.id(chunk + 50);
    let holder = Holder::Block(marked.id(inner[1]));
    assert_eq!(marked.marks.holder(chunk_id), Some(holder));
    assert_eq!(marked.marks.offset_in_holder(&marked.graph, chunk_id), None);
    assert!(marked.marks.is_interior_only(chunk_id));
}

#[test]
fn a_lost_block_of_a_lost_pool_holds_the_pool() {
    let mut picture = Picture::new();
    let chunk = picture.allocate(4096, 1);
    let inner = picture.block_at(chunk + 64, 48, 2);
    let marked = picture.marked();
    assert_eq!(marked.state(inner), State::Lost);
    assert_eq!(marked.state(chunk), State::HeldByLost);
}

#[test]
fn registers_are_roots() {
    let mut picture = Picture::new();
    let held = picture.allocate(64, 1);
    picture.roots.push(Root {
        id: 5,
        rank: 0,
        words: RootWords::Values(vec![0, 1, held + 9]),
    });
    let marked = picture.marked();
    assert_eq!(marked.state(held), State::Held);
    let word = marked.graph.root_words()[0];
    assert_eq!((word.root, word.at), (1, 2));
    assert_eq!(marked.graph.roots()[1].id, 5);
}

#[test]
fn only_aligned_words_are_looked_at_and_all_of_a_block() {
    let mut picture = Picture::new();
    let odd = picture.block_at(0x20_0004, 44, 1);
    let first = picture.allocate(16, 2);
    let last = picture.allocate(16, 2);
    let unaligned = picture.allocate(16, 3);
    picture.global(0, odd);
    picture.put(0x20_0008, first);
    picture.put(0x20_001c, unaligned);
    picture.put(0x20_0028, last);
    let marked = picture.marked();
    assert_eq!(marked.state(first), State::Held);
    assert_eq!(marked.state(last), State::Held);
    assert_eq!(marked.state(unaligned), State::Lost);
    let found = marked
        .graph
        .pointers(marked.id(odd))
        .map(|pointer| pointer.offset_bytes);
    assert!(found.eq([4, 36]));
}

#[test]
fn what_cannot_be_read_is_counted() {
    let mut picture = Picture::new();
    let big = picture.block_at(0x4000_0000, 0x10_0000, 1);
    let before = picture.allocate(64, 2);
    let behind = picture.allocate(64, 3);
    picture.global(0, big);
    picture.put(big + 0x1000, before);
    picture.put(big + 0xf_fff8, behind);
    picture.unmap(big + 0x4000, 0x3000);
    picture.roots.push(Root {
        id: 9,
        rank: 0,
        words: RootWords::Range(0x7000_0000..0x7000_2000),
    });
    let marked = picture.marked();
    assert_eq!(marked.state(before), State::Held);
    assert_eq!(marked.state(behind), State::Held);
    let counts = marked.graph.counts();
    assert_eq!(counts.unread_block_bytes, 0x3000);
    assert_eq!(counts.unread_root_bytes, 0x2000);
}

#[test]
fn a_chain_of_a_million_is_followed_held_or_lost() {
    let mut picture = Picture::new();
    let count = 1_000_000;
    for list in 0..2u64 {
        let start = 0x1000_0000 * (list + 1);
        for node in 0..count {
            let block = picture.block_at(start + node * 32, 24, list as u32);
            if node > 0 {
                picture.put(block - 32 + 8, block);
            }
        }
    }
    picture.global(0, 0x1000_0000);
    let marked = picture.marked();
    assert_eq!(marked.state(0x1000_0000 + (count - 1) * 32), State::Held);
    assert_eq!(marked.state(0x2000_0000), State::Lost);
    assert_eq!(
        marked.state(0x2000_0000 + (count - 1) * 32),
        State::HeldByLost
    );
    let lost = Lost::new(&marked.graph, &marked.marks);
    assert_eq!(lost.of_stack(1).unwrap().taken_along.blocks, count - 1);
}

#[test]
fn progress_comes_to_its_end() {
    let mut picture = Picture::new();
    picture.block_at(0x4000_0000, 0x50_0000, 1);
    let seen = std::cell::RefCell::new(Vec::new());
    let heap = residue_reach::Heap::new(picture.blocks.clone());
    residue_reach::Graph::scan(heap, picture.roots.clone(), &picture, &|bytes, of| {
        seen.borrow_mut().push((bytes, of));
    });
    let seen = seen.into_inner();
    assert!(seen.is_sorted() && seen.len() >= 5);
    assert_eq!(seen.last(), Some(&(0x51_0000, 0x51_0000)));
}

#[test]
fn births_and_stacks_of_blocks_come_back() {
    let given = Block {
        start: 0x1000,
        bytes: 3,
        stack: 8,
        birth: 9,
    };
    let heap = residue_reach::Heap::new(vec![given]);
    let id = heap.block_at(0x1002).unwrap();
    assert_eq!(heap.block(id), given);
}
