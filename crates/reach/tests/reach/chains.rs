//! Chains from roots, merged by stacks.

use crate::picture::{GLOBALS, Marked, Picture};
use residue_reach::{Chain, Chains, Offset, Origins, Repeat};

fn chains(marked: &Marked, max_per_stack: usize) -> Chains {
    let origins = Origins::each_word(&marked.graph);
    Chains::new(&marked.graph, &marked.marks, &origins, max_per_stack)
}

fn stacks(chain: &Chain) -> Vec<u32> {
    chain.steps.iter().map(|step| step.stack).collect()
}

#[test]
fn what_a_global_vector_holds_has_one_chain() {
    let mut picture = Picture::new();
    let vector = picture.allocate(24, 1);
    let buffer = picture.allocate(800, 2);
    picture.global(7, vector);
    picture.put(vector, buffer);
    for place in 0..100 {
        let block = picture.allocate(64, 3);
        let text = picture.allocate(40, 4);
        picture.put(buffer + place * 8, block);
        picture.put(block + 16, text);
    }
    let marked = picture.marked();
    let chains = chains(&marked, 5);
    let found = chains.of_stack(4).unwrap();
    assert_eq!(found.chains.len(), 1);
    let chain = &found.chains[0];
    assert_eq!(stacks(chain), [1, 2, 3, 4]);
    let offsets: Vec<_> = chain.steps.iter().map(|step| step.held_at).collect();
    let expected = [
        None,
        Some(Offset::Bytes(0)),
        Some(Offset::Various),
        Some(Offset::Bytes(16)),
    ];
    assert_eq!(offsets, expected);
    assert_eq!((chain.amount().blocks, chain.amount().bytes), (100, 4000));
    let word = marked.graph.root_words()[chain.root_word as usize];
    assert_eq!(word.at, GLOBALS + 56);
    assert_eq!(chain.root_words, 1);
}

#[test]
fn the_nodes_of_a_list_are_one_step() {
    let mut picture = Picture::new();
    let nodes: Vec<u64> = (0..1000).map(|_| picture.allocate(32, 1)).collect();
    let items: Vec<u64> = (0..1000).map(|_| picture.allocate(100, 2)).collect();
    picture.global(0, nodes[0]);
    for place in 0..1000 {
        if place > 0 {
            picture.put(nodes[place - 1] + 8, nodes[place]);
        }
        picture.put(nodes[place] + 24, items[place]);
    }
    let marked = picture.marked();
    let chains = chains(&marked, 5);
    let chain = &chains.of_stack(2).unwrap().chains[0];
    assert_eq!(stacks(chain), [1, 2]);
    let repeat = Repeat {
        period: 1,
        offset: Offset::Bytes(8),
        blocks: 999,
    };
    assert_eq!(chain.steps[0].repeat, Some(repeat));
    assert_eq!(chain.steps[1].held_at, Some(Offset::Bytes(24)));
    assert_eq!(chain.amount().blocks, 1000);
}

#[test]
fn objects_that_hold_each_other_in_turn_are_folded_too() {
    let mut picture = Picture::new();
    let mut before = GLOBALS;
    for _ in 0..500 {
        let object = picture.allocate(40, 1);
        let table = picture.allocate(80, 2);
        picture.put(before, object);
        picture.put(object + 8, table);
        before = table + 16;
    }
    let marked = picture.marked();
    let chains = chains(&marked, 5);
    let chain = &chains.of_stack(2).unwrap().chains[0];
    assert_eq!(stacks(chain), [1, 2]);
    assert_eq!(chain.amount().blocks, 500);
    let repeat = chain.steps[0].repeat.unwrap();
    assert_eq!(
        (repeat.period, repeat.offset, repeat.blocks),
        (2, Offset::Bytes(16), 499)
    );
}

#[test]
fn most_bytes_come_first_and_the_rest_is_counted() {
    let mut picture = Picture::new();
    for place in 0..10 {
        let holder = picture.allocate(8, 10 + place as u32);
        let held = picture.allocate(100 * (place + 1), 1);
        picture.global(place, holder);
        picture.put(holder, held);
    }
    let marked = picture.marked();
    let chains = chains(&marked, 3);
    let found = chains.of_stack(1).unwrap();
    let bytes: Vec<u64> = found
        .chains
        .iter()
        .map(|chain| chain.amount().bytes)
        .collect();
    assert_eq!(bytes, [1000, 900, 800]);
    assert_eq!(found.chains_left_out, 7);
    assert_eq!(found.left_out.bytes, 2800);
    assert_eq!(found.amount.bytes, 5500);
}

#[test]
fn the_shortest_chain_is_told() {
    let mut picture = Picture::new();
    let far: Vec<u64> = (0..3).map(|stack| picture.allocate(64, stack)).collect();
    picture.global(0, far[0]);
    picture.put(far[0], far[1]);
    picture.put(far[1], far[2]);
    picture.global(1, far[2]);
    let marked = picture.marked();
    let chains = chains(&marked, 5);
    assert_eq!(stacks(&chains.of_stack(2).unwrap().chains[0]), [2]);
    assert_eq!(stacks(&chains.of_stack(1).unwrap().chains[0]), [0, 1]);
}

#[test]
fn data_holds_before_stacks_do() {
    let mut picture = Picture::new();
    let nodes: Vec<u64> = (0..10).map(|stack| picture.allocate(64, stack)).collect();
    picture.global(0, nodes[0]);
    for pair in nodes.windows(2) {
        picture.put(pair[0], pair[1]);
    }
    picture.root(5, 0x7fff_0000, 0x1000);
    picture.roots[1].rank = 1;
    picture.put(0x7fff_0080, nodes[8]);
    let alone = picture.allocate(64, 77);
    picture.put(0x7fff_0088, alone);
    let marked = picture.marked();
    let chains = chains(&marked, 5);
    assert_eq!(chains.of_stack(9).unwrap().chains[0].steps.len(), 10);
    let chain = &chains.of_stack(77).unwrap().chains[0];
    let word = marked.graph.root_words()[chain.root_word as usize];
    assert_eq!((word.root, word.at), (1, 0x7fff_0088));
}

#[test]
fn words_of_one_variable_are_one_origin() {
    let mut picture = Picture::new();
    for place in 0..100 {
        let block = picture.allocate(64, 1);
        picture.global(place, block);
    }
    let marked = picture.marked();
    assert_eq!(chains(&marked, 5).of_stack(1).unwrap().chains_left_out, 95);
    // As if the first 60 were an array, and the others another.
    let origins = Origins::by(&marked.graph, |word| word.at < GLOBALS + 480);
    let chains = Chains::new(&marked.graph, &marked.marks, &origins, 5);
    let found = &chains.of_stack(1).unwrap().chains;
    let sizes: Vec<_> = found
        .iter()
        .map(|chain| (chain.root_words, chain.amount().blocks))
        .collect();
    assert_eq!(sizes, [(60, 60), (40, 40)]);
    assert_eq!(
        marked.graph.root_words()[found[1].root_word as usize].at,
        GLOBALS + 480
    );
}

#[test]
fn a_pool_is_held_by_what_lies_inside() {
    let mut picture = Picture::new();
    let chunk = picture.allocate(4096, 1);
    let inner = picture.block_at(chunk + 64, 48, 2);
    picture.global(0, inner);
    let marked = picture.marked();
    let chains = chains(&marked, 5);
    let chain = &chains.of_stack(1).unwrap().chains[0];
    assert_eq!(stacks(chain), [2, 1]);
    assert_eq!(chain.steps[1].held_at, Some(Offset::Inside));
}

#[test]
fn chains_of_many_kinds_of_holders_leave_some_out() {
    let mut picture = Picture::new();
    let mut before = GLOBALS;
    for stack in 0..1000 {
        let block = picture.allocate(16, stack);
        picture.put(before, block);
        before = block;
    }
    let marked = picture.marked();
    let chains = chains(&marked, 5);
    let chain = &chains.of_stack(999).unwrap().chains[0];
    assert!(chain.steps.len() <= 65);
    assert!(chain.steps.last().unwrap().follows_gap);
    assert!(!chain.steps[60].follows_gap);
}
