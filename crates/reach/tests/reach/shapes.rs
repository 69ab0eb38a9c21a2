//! Containers that leave no doubt, and others.

use crate::picture::{GLOBALS, Picture};
use residue_reach::{Shape, Shapes};
use residue_testkit::random::Random;

fn shape(picture: &Picture, stack: u32) -> Option<Shape> {
    let graph = picture.graph();
    Shapes::new(&graph).of_stack(stack).map(|found| found.shape)
}

#[test]
fn a_buffer_of_pointers() {
    let mut picture = Picture::new();
    let buffer = picture.allocate(1024 * 8, 1);
    for place in 0..600 {
        let block = picture.allocate(64, 2);
        picture.put(buffer + place * 8, block);
    }
    let graph = picture.graph();
    let shapes = Shapes::new(&graph);
    let found = shapes.of_stack(1).unwrap();
    let expected = Shape::PointerArray {
        elements_stack: 2,
        stride_bytes: 8,
    };
    assert_eq!(found.shape, expected);
    assert_eq!(found.largest_array.unwrap().elements, 600);
    assert_eq!((found.blocks, found.all_blocks), (1, 1));
    assert_eq!(shapes.of_stack(2), None);
}

#[test]
fn a_buffer_of_structs() {
    let mut picture = Picture::new();
    let buffer = picture.allocate(100 * 24, 1);
    for place in 0..100 {
        let block = picture.allocate(64, 2);
        let other = picture.allocate(64, 3);
        picture.put(buffer + place * 24 + 8, block);
        if place % 2 == 0 {
            picture.put(buffer + place * 24 + 16, other);
        }
    }
    let expected = Shape::PointerArray {
        elements_stack: 2,
        stride_bytes: 24,
    };
    assert_eq!(shape(&picture, 1), Some(expected));
}

#[test]
fn many_places_in_one_text_are_no_elements() {
    let mut picture = Picture::new();
    let buffer = picture.allocate(800, 1);
    let text = picture.allocate(10_000, 2);
    for place in 0..100 {
        picture.put(buffer + place * 8, text + place * 90);
    }
    assert_eq!(shape(&picture, 1), None);
}

#[test]
fn a_singly_linked_list() {
    let mut picture = Picture::new();
    let mut before = GLOBALS;
    for _ in 0..50 {
        let node = picture.allocate(40, 1);
        picture.put(before, node);
        before = node + 16;
    }
    assert_eq!(shape(&picture, 1), Some(Shape::List { next_offset: 16 }));
}

#[test]
fn children_that_know_their_parent_are_no_list() {
    let mut picture = Picture::new();
    let parent = picture.allocate(40, 1);
    for _ in 0..50 {
        let child = picture.allocate(40, 1);
        picture.put(child, parent);
    }
    assert_eq!(shape(&picture, 1), None);
}

#[test]
fn doubly_linked_intrusive_lists() {
    let mut picture = Picture::new();
    // Many lists, whose links point at the links in the middle of the objects.
    for list in 0..10 {
        let head = GLOBALS + list * 16;
        let mut before = head;
        for _ in 0..20 {
            let link = picture.allocate(96, 1) + 48;
            picture.put(before, link);
            picture.put(link + 8, before);
            before = link;
        }
        picture.put(before, head);
        picture.put(head + 8, before);
    }
    let expected = Shape::DoublyLinkedList { offsets: [48, 56] };
    assert_eq!(shape(&picture, 1), Some(expected));
    let marked = picture.marked();
    assert!(
        marked
            .graph
            .heap()
            .ids()
            .all(|id| marked.marks.is_interior_only(id))
    );
}

/// A search tree as libstdc++ has it, without its balance.
fn insert(picture: &mut Picture, nodes: &mut Vec<(u64, u64, [Option<usize>; 2])>, key: u64) {
    let node = picture.allocate(48, 1);
    nodes.push((key, node, [None; 2]));
    let added = nodes.len() - 1;
    let mut at = 0;
    while at != added {
        let side = usize::from(key > nodes[at].0);
        let next = *nodes[at].2[side].get_or_insert(added);
        if next == added {
            let parent = nodes[at].1;
            picture.put(parent + 16 + 8 * side as u64, node);
            picture.put(node + 8, parent);
        }
        at = next;
    }
}

#[test]
fn a_map() {
    let mut picture = Picture::new();
    let mut random = Random::new(3);
    let mut nodes = Vec::new();
    for _ in 0..200 {
        insert(&mut picture, &mut nodes, random.bits());
    }
    picture.global(1, nodes[0].1);
    let expected = Shape::Tree {
        offsets: [8, 16, 24],
    };
    assert_eq!(shape(&picture, 1), Some(expected));
}

#[test]
fn a_list_with_the_links_of_a_tree_is_a_list() {
    let mut picture = Picture::new();
    let mut before = GLOBALS;
    for _ in 0..50 {
        let node = picture.allocate(40, 1);
        picture.put(before + 16, node);
        picture.put(node + 8, before);
        before = node;
    }
    let expected = Shape::DoublyLinkedList { offsets: [8, 16] };
    assert_eq!(shape(&picture, 1), Some(expected));
}

/// libstdc++: every node points to the next one in one list; a bucket points to the node
/// before its first.
fn hash_map(picture: &mut Picture, buckets: u64, nodes: u64) {
    let table = picture.allocate(buckets * 8, 1);
    picture.global(0, table);
    let before_begin = GLOBALS + 16;
    let mut random = Random::new(4);
    let mut chosen: Vec<u64> = (0..nodes).map(|_| random.below(buckets)).collect();
    chosen.sort_unstable();
    let mut before = before_begin;
    let mut last_bucket = None;
    for bucket in chosen {
        let node = picture.allocate(32, 2);
        picture.put(before, node);
        if last_bucket != Some(bucket) {
            picture.put(table + bucket * 8, before);
            last_bucket = Some(bucket);
        }
        before = node;
    }
}

#[test]
fn a_hash_map() {
    for (buckets, nodes) in [(1109, 600), (1109, 1100), (541, 541)] {
        let mut picture = Picture::new();
        hash_map(&mut picture, buckets, nodes);
        assert_eq!(
            shape(&picture, 1),
            Some(Shape::HashBuckets { nodes_stack: 2 })
        );
        assert_eq!(
            shape(&picture, 2),
            Some(Shape::HashNodes { buckets_stack: 1 })
        );
    }
}

#[test]
fn an_index_of_a_list_is_no_hash_map() {
    let mut picture = Picture::new();
    hash_map(&mut picture, 1024, 900);
    assert!(matches!(
        shape(&picture, 1),
        Some(Shape::PointerArray { .. })
    ));
    assert_eq!(shape(&picture, 2), Some(Shape::List { next_offset: 0 }));
}

/// As a queue: what went through it has left its pointers in the map.
fn deque(picture: &mut Picture, owner: u64) {
    let map = picture.allocate(64 * 8, 1);
    let chunks: Vec<u64> = (0..20).map(|_| picture.allocate(512, 2)).collect();
    for place in 0..30 {
        picture.put(map + (10 + place as u64) * 8, chunks[place % 20]);
    }
    picture.put(owner, map);
    picture.put(owner + 16, chunks[10] + 8);
    picture.put(owner + 40, map + 20 * 8);
    picture.put(owner + 48, chunks[9] + 40);
    picture.put(owner + 72, map + 39 * 8);
}

#[test]
fn a_deque() {
    for is_in_block in [false, true] {
        let mut picture = Picture::new();
        let block = picture.allocate(200, 3);
        let owner = if is_in_block {
            block + 16
        } else {
            GLOBALS + 800
        };
        deque(&mut picture, owner);
        assert_eq!(
            shape(&picture, 1),
            Some(Shape::DequeMap { chunks_stack: 2 })
        );
        assert_eq!(
            shape(&picture, 2),
            Some(Shape::DequeChunks { map_stack: 1 })
        );
    }
}

#[test]
fn a_vector_of_blocks_of_512_bytes_is_no_deque() {
    let mut picture = Picture::new();
    let buffer = picture.allocate(64 * 8, 1);
    for place in 1..50 {
        let chunk = picture.allocate(512, 2);
        picture.put(buffer + place * 8, chunk);
    }
    picture.global(0, buffer);
    picture.global(1, buffer + 50 * 8);
    picture.global(2, buffer + 64 * 8);
    assert!(matches!(
        shape(&picture, 1),
        Some(Shape::PointerArray { .. })
    ));
    assert_eq!(shape(&picture, 2), None);
}

#[test]
fn objects_that_point_anywhere_have_no_shape() {
    let mut picture = Picture::new();
    let mut random = Random::new(5);
    let blocks: Vec<u64> = (0..500).map(|at| picture.allocate(96, at % 3)).collect();
    for &block in &blocks {
        for word in 0..12 {
            if random.one_in(3) {
                let target = random.pick(&blocks);
                picture.put(block + word * 8, target);
            }
        }
    }
    for stack in 0..3 {
        assert_eq!(shape(&picture, stack), None);
    }
}
