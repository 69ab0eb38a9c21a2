//! On what the bytes hang.

use crate::picture::{Marked, Picture};
use residue_reach::{Dominator, Dominators, Origins};

fn dominators(marked: &Marked) -> Dominators {
    Dominators::new(&marked.graph, &Origins::each_word(&marked.graph))
}

#[test]
fn everything_hangs_on_one_vector() {
    let mut picture = Picture::new();
    let vector = picture.allocate(24, 1);
    let buffer = picture.allocate(8000, 2);
    picture.global(0, vector);
    picture.put(vector, buffer);
    for place in 0..1000 {
        let block = picture.allocate(3800, 3);
        picture.put(buffer + place * 8, block);
    }
    let marked = picture.marked();
    let dominators = dominators(&marked);
    let head = dominators.head_of_stack(3).unwrap();
    assert_eq!(head.head, Dominator::Block(marked.id(buffer)));
    assert_eq!(
        (head.dominated, head.dominated.bytes),
        (head.all, 3_800_000)
    );
    let buffer = Dominator::Block(marked.id(buffer));
    assert_eq!(dominators.retained_bytes(buffer), 3_808_000);
    let largest = dominators.largest(2);
    assert_eq!(largest[0], (Dominator::Origin(0), 3_808_024));
    assert_eq!(largest[1].1, 3_808_024);
}

#[test]
fn what_two_roots_share_hangs_on_neither() {
    let mut picture = Picture::new();
    let sides = [picture.allocate(32, 1), picture.allocate(32, 2)];
    let shared = picture.allocate(32, 3);
    let below = picture.allocate(500, 4);
    for (place, side) in (0..).zip(sides) {
        picture.global(place, side);
        picture.put(side + 8, shared);
    }
    picture.put(shared, below);
    let marked = picture.marked();
    let dominators = dominators(&marked);
    assert_eq!(dominators.dominator(marked.id(shared)), None);
    let below = marked.id(below);
    let shared = Dominator::Block(marked.id(shared));
    assert_eq!(dominators.dominator(below), Some(shared));
    assert_eq!(dominators.retained_bytes(shared), 532);
    assert_eq!(
        dominators.retained_bytes(Dominator::Block(marked.id(sides[0]))),
        32
    );
    assert_eq!(dominators.head_of_stack(4).unwrap().head, shared);
    // Nothing of another stack dominates it.
    assert_eq!(dominators.head_of_stack(3).unwrap().head, shared);
}

#[test]
fn what_hangs_on_many_has_no_head() {
    let mut picture = Picture::new();
    for place in 0..10 {
        let block = picture.allocate(100, 1);
        picture.global(place, block);
    }
    let marked = picture.marked();
    assert!(dominators(&marked).heads().is_empty());
    // Words of one variable are one.
    let origins = Origins::by(&marked.graph, |word| word.root);
    let dominators = Dominators::new(&marked.graph, &origins);
    assert_eq!(
        dominators.head_of_stack(1).unwrap().head,
        Dominator::Origin(0)
    );
}

#[test]
fn a_list_hangs_on_its_owner_and_not_on_its_first_node() {
    let mut picture = Picture::new();
    let owner = picture.allocate(24, 1);
    picture.global(0, owner);
    let mut before = owner + 8;
    for _ in 0..10_000 {
        let node = picture.allocate(32, 2);
        picture.put(before, node);
        // And back.
        picture.put(node + 8, before & !15);
        before = node;
    }
    let marked = picture.marked();
    let dominators = dominators(&marked);
    let head = dominators.head_of_stack(2).unwrap();
    assert_eq!(head.head, Dominator::Block(marked.id(owner)));
    assert_eq!(head.dominated.blocks, 10_000);
}

#[test]
fn a_chain_of_a_million_hangs_on_its_root() {
    let mut picture = Picture::new();
    let start = 0x1000_0000;
    let count = 1_000_000;
    for node in 0..count {
        let block = picture.block_at(start + node * 32, 24, 1);
        if node > 0 {
            picture.put(block - 32 + 8, block);
            picture.put(block, block - 32);
        }
    }
    picture.global(0, start);
    let marked = picture.marked();
    let dominators = dominators(&marked);
    let middle = Dominator::Block(marked.id(start + count / 2 * 32));
    assert_eq!(dominators.retained_bytes(middle), count / 2 * 24);
    assert_eq!(
        dominators.head_of_stack(1).unwrap().head,
        Dominator::Origin(0)
    );
}

#[test]
fn bytes_of_a_pool_are_retained_once() {
    let mut picture = Picture::new();
    let owner = picture.allocate(16, 3);
    let chunk = picture.allocate(4096, 1);
    let inner = picture.block_at(chunk + 64, 1000, 2);
    picture.global(0, owner);
    picture.put(owner, inner);
    let marked = picture.marked();
    let dominators = dominators(&marked);
    assert_eq!(dominators.retained_bytes(Dominator::Origin(0)), 16 + 4096);
    assert_eq!(
        dominators.retained_bytes(Dominator::Block(marked.id(inner))),
        4096
    );
    let head = dominators.head_of_stack(1).unwrap();
    assert_eq!(head.head, Dominator::Block(marked.id(inner)));
}
