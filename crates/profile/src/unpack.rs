//! Decompresses payloads. To make a zstd context takes longer than to read a
//! small section, so one unpacker serves all sections of a thread.

use std::io;

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use crate::error::Reason;
use crate::layout::{MAX_WINDOW_LOG, raw_limit};
use crate::scan::Section;

/// A buffer is kept for the next section up to this size.
const KEPT_BYTES: usize = 16 << 20;

#[derive(Default)]
pub(crate) struct Unpacker {
    decoder: Option<Decoder<'static>>,
    raw: Vec<u8>,
}

impl Unpacker {
    /// The payload as it was before compression. Memory grows with what really
    /// comes out, up to a limit that depends on what went in.
    pub fn unpack(&mut self, section: &Section<'_>) -> Result<&[u8], Reason> {
        let raw_bytes = section.raw_bytes;
        let stored_bytes = section.stored.len() as u64;
        if raw_bytes > raw_limit(stored_bytes) {
            return Err(Reason::TooLarge {
                raw_bytes,
                stored_bytes,
            });
        }
        if self.raw.capacity() > KEPT_BYTES {
            self.raw = Vec::new();
        }
        self.raw.clear();
        // One more than promised, to see that there is no more. Pages that nothing
        // is written to take no memory.
        self.raw.reserve_exact(raw_bytes as usize + 1);
        self.run(section.stored)
            .map_err(|error| Reason::Compression(error.to_string()))?;
        if self.raw.len() as u64 != raw_bytes {
            return Err(Reason::bad(format!("it does not hold {raw_bytes} bytes")));
        }
        Ok(&self.raw)
    }

    /// Decompresses all frames, or as much as there is room for.
    fn run(&mut self, stored: &[u8]) -> io::Result<()> {
        let decoder = match &mut self.decoder {
            Some(decoder) => {
                decoder.reinit()?;
                decoder
            }
            none => {
                let mut decoder = Decoder::new()?;
                decoder.set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG))?;
                none.insert(decoder)
            }
        };
        let mut input = InBuffer::around(stored);
        let mut output = OutBuffer::around(&mut self.raw);
        let mut frame_bytes_left = 0;
        while input.pos() < stored.len() && output.pos() < output.capacity() {
            frame_bytes_left = decoder.run(&mut input, &mut output)?;
        }
        let has_room = output.pos() < output.capacity();
        if has_room && frame_bytes_left > 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}
