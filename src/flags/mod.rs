//! What is typed on the command line, read into plain values before any work.

pub mod address;
pub mod arguments;
pub mod directory;
pub mod events;
pub mod help;
pub mod ignore;
pub mod naming;
pub mod pictured;
pub mod reading;
#[cfg(test)]
pub mod reference;
#[cfg(test)]
pub mod shell;
pub mod showing;
pub mod words;
