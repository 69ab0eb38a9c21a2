//! What tests are made of. Nothing here is part of the product.
#![forbid(unsafe_code)]

pub mod sample;
