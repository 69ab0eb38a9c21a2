//! The whole of `residue` against programs that know the truth about themselves.
//!
//! Every test records a workload (see `workloads/README.md`), reads the profile
//! and compares it with what the workload counted: exactly, never about.
//!
//! The allocator tests need libjemalloc2, libjemalloc-dev, libtcmalloc-minimal4 and libmimalloc2.0;
//! those with small disks and set-user programs need root, or sudo without a
//! password. Events are looked for in programs of C, C++, Fortran and Python, and in
//! Debian's sqlite3.

mod support;

mod allocation_functions;
mod allocators;
mod bundled_allocators;
mod by_thread;
mod checks;
mod churn;
mod closed_output;
mod confinement;
mod conservation;
mod containers;
mod cpu_time;
mod daemons;
mod diffs;
mod documents;
mod dump_imports;
mod dumped;
mod endings;
mod event_functions;
mod event_lines;
mod exports;
mod filters;
mod forks;
mod holders;
mod hostile_profiles;
mod imports;
mod installing;
mod interference;
mod jit_names;
mod kills;
mod largest;
mod limits;
mod listing;
mod marks;
mod measured_series;
mod merges;
mod musl;
mod no_events;
mod odd_paths;
mod older_kernels;
mod orphans;
mod other_users;
mod overlap;
mod own_memory;
mod pausing;
mod pins;
mod plots;
mod printed_events;
mod process_trees;
mod reading;
mod recorded_events;
mod reports;
mod run_errors;
mod run_usage;
mod running;
mod schemas;
mod scopes;
mod selection;
mod selftest;
mod sizes;
mod slow;
mod small_disks;
mod snapshot_triggers;
mod snapshots;
mod spans;
mod sparse_executables;
mod stack_limits;
mod stacks;
mod statuses;
mod switches;
mod symbolizing;
mod thinning;
mod threads;
mod ticks;
mod tool_exports;
mod transparency;
mod unrecordable_programs;
mod verdicts;
mod verification;
mod viewing;
