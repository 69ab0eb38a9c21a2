//! Looking at a program while it runs.
