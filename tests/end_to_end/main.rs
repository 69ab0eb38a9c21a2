//! The whole of `residue` against programs that know the truth about themselves.
//!
//! Every test records a workload (see `workloads/README.md`), reads the profile
//! and compares it with what the workload counted: exactly, never about.
//!
//! The allocator tests need libjemalloc2, libtcmalloc-minimal4 and libmimalloc2.0;
//! those with small disks and set-user programs need root, or sudo without a
//! password.

mod support;

mod allocators;
mod containers;
mod corners;
mod daemons;
mod endings;
mod forks;
mod functions;
mod kills;
mod obstacles;
mod orphans;
mod reading;
mod running;
mod selection;
mod sizes;
mod small_disks;
mod stacks;
mod threads;
mod transparency;
mod trouble;
mod verification;
