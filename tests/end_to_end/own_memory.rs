//! What the recorder says of its own memory is what the kernel says.

use crate::support::Lab;
use crate::support::truth::Truths;

/// Private tables, beside a run without a recorder. A few pages differ by chance.
fn expect_stated(depth: &str, blocks: &str) {
    const BY_CHANCE: u64 = 96 << 10;
    let command = ["recorder_memory", depth, blocks];
    let lab = Lab::new();
    let native = Truths::parse(&String::from_utf8_lossy(&lab.native(&command).stdout));
    let recorded = lab.record(&[], &command);
    assert!(recorded.output.status.success(), "{}", recorded.describe());
    let real = recorded.truths().get("anonymous_bytes") - native.get("anonymous_bytes");
    let stated = recorded.ledger().profile.recorder.private_bytes;
    assert!(
        stated.abs_diff(real) <= BY_CHANCE,
        "depth {depth}, {blocks} blocks: {real} bytes real, {stated} stated"
    );
}

#[test]
fn private_memory_is_stated_as_it_is() {
    expect_stated("10", "1000");
    expect_stated("10", "1000000");
    expect_stated("3000", "1000");
    expect_stated("30000", "1000");
}
