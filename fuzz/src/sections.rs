//! Profiles with right checksums around anything. A random change of a file would be told by
//! them, and no reader of tables would ever see it.
//!
//! ```text
//!   input   tag (4) │ length (2) │ content   tag (4) │ length (2) │ content   ...
//! ```

use xxhash_rust::xxh3::xxh3_64;

const MARKER: &[u8; 4] = b"\xF5SEC";
const FILE_HEADER_BYTES: usize = 24;
const SECTION_HEADER_BYTES: usize = 40;
/// A zstd frame of content that is not compressed holds no longer block.
const LONGEST_BLOCK_BYTES: usize = 128 << 10;

/// The file with these sections.
pub fn file_of(mut sections: &[u8]) -> Vec<u8> {
    let mut file = file_header(2);
    let mut headers = file.clone();
    let mut count: u32 = 0;
    while let Some((head, rest)) = sections.split_first_chunk::<6>() {
        let [tag @ .., low, high] = *head;
        let length = usize::from(u16::from_le_bytes([low, high])).min(rest.len());
        let (content, rest) = rest.split_at(length);
        headers.extend(add_section(&mut file, tag, content));
        (sections, count) = (rest, count + 1);
    }
    let mut end = count.to_le_bytes().to_vec();
    end.extend(xxh3_64(&headers).to_le_bytes());
    add_section(&mut file, *b"END ", &end);
    file
}

/// A file of several profiles: their list, and what follows it.
pub fn file_of_processes(list: &[u8], profiles: &[u8]) -> Vec<u8> {
    let mut file = file_header(3);
    add_section(&mut file, *b"PROC", list);
    file.extend(profiles);
    file
}

/// Makes every checksum of a file right, wherever something looks like a section.
pub fn mend_checksums(file: &mut [u8]) {
    if let Some(header) = file.get_mut(..FILE_HEADER_BYTES) {
        let checksum = xxh3_64(&header[..16]);
        header[16..].copy_from_slice(&checksum.to_le_bytes());
    }
    let mut at = FILE_HEADER_BYTES;
    while let Some(rest) = file.get_mut(at..)
        && let Some((header, rest)) = rest.split_at_mut_checked(SECTION_HEADER_BYTES)
    {
        if !header.starts_with(MARKER) {
            at += 1;
            continue;
        }
        let stored_bytes = u64_at(header, 16).min(rest.len() as u64) as usize;
        let checksum = xxh3_64(&rest[..stored_bytes]);
        header[24..32].copy_from_slice(&checksum.to_le_bytes());
        let checksum = xxh3_64(&header[..32]);
        header[32..].copy_from_slice(&checksum.to_le_bytes());
        at += SECTION_HEADER_BYTES + stored_bytes;
    }
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    let word = bytes[at..].first_chunk().expect("a whole header");
    u64::from_le_bytes(*word)
}

fn file_header(version: u32) -> Vec<u8> {
    let mut header = residue_profile::MAGIC.to_vec();
    header.extend(version.to_le_bytes());
    header.extend([0; 4]);
    header.extend(xxh3_64(&header).to_le_bytes());
    header
}

/// Returns the header of the section.
fn add_section(file: &mut Vec<u8>, tag: [u8; 4], content: &[u8]) -> [u8; SECTION_HEADER_BYTES] {
    let stored = zstd_frame(content);
    let mut header = [0; SECTION_HEADER_BYTES];
    header[..4].copy_from_slice(MARKER);
    header[4..8].copy_from_slice(&tag);
    header[8..16].copy_from_slice(&(content.len() as u64).to_le_bytes());
    header[16..24].copy_from_slice(&(stored.len() as u64).to_le_bytes());
    header[24..32].copy_from_slice(&xxh3_64(&stored).to_le_bytes());
    let checksum = xxh3_64(&header[..32]);
    header[32..].copy_from_slice(&checksum.to_le_bytes());
    file.extend(header);
    file.extend(stored);
    header
}

/// The content as a frame that is not compressed: far quicker to make.
fn zstd_frame(content: &[u8]) -> Vec<u8> {
    // One segment, whose length stands in four bytes.
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    frame.extend((content.len() as u32).to_le_bytes());
    let blocks = content.len().div_ceil(LONGEST_BLOCK_BYTES).max(1);
    for number in 0..blocks {
        let from = number * LONGEST_BLOCK_BYTES;
        let block = &content[from..content.len().min(from + LONGEST_BLOCK_BYTES)];
        let is_last = u32::from(number + 1 == blocks);
        let header = is_last | (block.len() as u32) << 3;
        frame.extend(&header.to_le_bytes()[..3]);
        frame.extend(block);
    }
    frame
}
