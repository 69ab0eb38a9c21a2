//! Profiles that are read back: damaged ones, and equal ones.
