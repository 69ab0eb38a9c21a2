//! Writes instructions into a buffer that will be run at another address.

use super::Refusal;

pub const JUMP_BYTES: usize = 5;
const JUMP: u8 = 0xe9;

pub struct Emitter<'a> {
    buffer: &'a mut [u8],
    length: usize,
    /// Where the buffer's first byte will be run.
    base: usize,
}

impl<'a> Emitter<'a> {
    pub fn new(buffer: &'a mut [u8], base: usize) -> Emitter<'a> {
        Emitter {
            buffer,
            length: 0,
            base,
        }
    }

    /// The address of what is emitted next.
    pub fn address(&self) -> usize {
        self.base.wrapping_add(self.length)
    }

    pub fn bytes(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let end = self.length.wrapping_add(bytes.len());
        let place = self.buffer.get_mut(self.length..end);
        place.ok_or(Refusal::Immovable)?.copy_from_slice(bytes);
        self.length = end;
        Ok(())
    }

    /// An opcode whose last operand is the distance to `target`.
    pub fn with_target(&mut self, opcode: &[u8], target: usize) -> Result<(), Refusal> {
        self.bytes(opcode)?;
        let next = self.address().wrapping_add(4);
        self.bytes(&distance(next, target)?.to_le_bytes())
    }

    pub fn jump(&mut self, target: usize) -> Result<(), Refusal> {
        self.with_target(&[JUMP], target)
    }
}

/// The displacement that leads from the end of an instruction to `target`.
pub fn distance(next: usize, target: usize) -> Result<i32, Refusal> {
    i32::try_from(target.wrapping_sub(next) as isize).map_err(|_| Refusal::OutOfReach)
}

/// The bytes of a jump that stands at `from`.
pub fn jump_bytes(from: usize, target: usize) -> Result<[u8; JUMP_BYTES], Refusal> {
    let mut bytes = [0; JUMP_BYTES];
    Emitter::new(&mut bytes, from).jump(target)?;
    Ok(bytes)
}
