use super::*;
use crate::unwind::frames::Detail;

/// A made-up stack of frames that lie so many words apart, root first, and their arrays.
struct MadeUp {
    words: Vec<usize>,
    addresses: Vec<usize>,
    ips: Vec<usize>,
    details: Vec<Detail>,
    bps: Vec<usize>,
}

const WORDS_APART: usize = 5;

impl MadeUp {
    /// Frames with these proofs, the leaf's left out, all of which hold.
    fn with(proofs: &[Proof]) -> MadeUp {
        let count = proofs.len() + 1;
        let mut words = vec![0_usize; count * WORDS_APART + WORDS_APART];
        let end = words.as_ptr() as usize + words.len() * 8;
        let addresses: Vec<usize> = (1..=count).map(|up| end - up * WORDS_APART * 8).collect();
        let ips: Vec<usize> = (0..count).map(|index| 0x1000 + index).collect();
        let mut details = vec![Detail::new(false, false, false); count];
        let mut bps = vec![0; count];
        for (index, &proof) in proofs.iter().enumerate() {
            let place = (addresses[index] - words.as_ptr() as usize) / 8;
            words[place] = ips[index];
            details[index].proof = proof;
            if proof.is_framed() {
                bps[index] = addresses[index - 1] - 8;
                words[place - 1] = bps[index];
            } else if proof == Proof::BP_SAVED {
                bps[index] = 0x77;
                details[index].bp_words_below = 3;
                words[place - 3] = bps[index];
            }
        }
        MadeUp {
            words,
            addresses,
            ips,
            details,
            bps,
        }
    }

    fn unproven(&mut self) -> usize {
        let frames = Frames {
            addresses: self.addresses.as_mut_ptr(),
            ips: self.ips.as_mut_ptr(),
            details: self.details.as_mut_ptr(),
            bps: self.bps.as_mut_ptr(),
        };
        // SAFETY: the arrays are of a stack whose words are all there.
        unsafe { unproven(&frames, self.addresses.len() - 1) }
    }

    /// What is found if the word so far below a frame's return address is another.
    fn unproven_without(&mut self, index: usize, words_below: usize) -> usize {
        let place = (self.addresses[index] - self.words.as_ptr() as usize) / 8 - words_below;
        let before = self.words[place];
        self.words[place] = before ^ 1;
        let found = self.unproven();
        self.words[place] = before;
        found
    }
}

fn plain(frames: usize) -> Vec<Proof> {
    let mut proofs = vec![Proof::plain(None)];
    for index in 1..frames {
        proofs.push(Proof::plain(Some(proofs[index - 1])));
    }
    proofs
}

#[test]
fn each_return_address_of_a_run_is_compared() {
    for frames in 1..30 {
        let mut stack = MadeUp::with(&plain(frames));
        assert_eq!(stack.unproven(), 0);
        for index in 0..frames {
            assert_eq!(stack.unproven_without(index, 0), index + 1);
        }
    }
}

#[test]
fn frame_pointers_are_compared_with_the_places_of_their_frames() {
    let mut proofs = plain(3);
    for _ in 0..9 {
        proofs.push(Proof::framed(proofs[proofs.len() - 1]));
    }
    let mut stack = MadeUp::with(&proofs);
    assert_eq!(stack.unproven(), 0);
    for index in 3..12 {
        assert_eq!(stack.unproven_without(index, 0), index + 1);
        assert_eq!(stack.unproven_without(index, 1), index + 1);
    }
    // What lies elsewhere in a frame may change.
    assert_eq!(stack.unproven_without(5, 2), 0);
    assert_eq!(stack.unproven_without(1, 1), 0);
}

#[test]
fn a_saved_bp_is_compared_where_it_was_saved() {
    let mut proofs = plain(4);
    proofs.push(Proof::BP_SAVED);
    proofs.push(Proof::plain(Some(proofs[4])));
    let mut stack = MadeUp::with(&proofs);
    assert_eq!(stack.unproven(), 0);
    assert_eq!(stack.unproven_without(4, 3), 5);
    assert_eq!(stack.unproven_without(4, 0), 5);
    assert_eq!(stack.unproven_without(4, 1), 0);
    assert_eq!(stack.unproven_without(0, 0), 1);
}

#[test]
fn a_step_that_must_be_taken_again_stops_the_comparing() {
    let mut proofs = plain(4);
    proofs.push(Proof::STEP_AGAIN);
    proofs.push(Proof::plain(Some(Proof::STEP_AGAIN)));
    assert_eq!(MadeUp::with(&proofs).unproven(), 5);
}

#[test]
fn runs_end_where_the_piece_ends_and_go_on_where_it_stands() {
    let run = plain(20);
    assert_eq!(run[19].frames(), 20);
    let piece = run[19].of_at_most(6);
    assert_eq!(piece.frames(), 6);
    assert_eq!(piece.standing_on(6, Some(run[9])).frames(), 16);
    // Not where only a part of the piece is one run.
    assert_eq!(piece.standing_on(7, Some(run[9])).frames(), 6);
    // Nor where what is below is proven in another way.
    for below in [None, Some(Proof::STEP_AGAIN), Some(Proof::BP_SAVED)] {
        assert_eq!(piece.standing_on(6, below), piece);
    }
    let framed = Proof::framed(Proof::framed(run[0]));
    assert!(framed.is_framed() && framed.frames() == 2);
    assert_eq!(framed.standing_on(2, Some(run[9])), framed);
    assert_eq!(framed.standing_on(2, Some(framed)).frames(), 4);
    assert_eq!(framed.of_at_most(0), Proof::BP_SAVED);
}

#[test]
fn a_run_is_as_long_as_can_be_written_down() {
    let mut proof = Proof::plain(None);
    let mut framed = Proof::framed(proof);
    for _ in 0..40_000 {
        proof = Proof::plain(Some(proof));
        framed = Proof::framed(framed);
    }
    assert!(proof.is_plain() && proof.frames() == 32_767);
    assert!(framed.is_framed() && framed.frames() == 32_767);
}
