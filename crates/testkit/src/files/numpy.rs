//! NumPy files, written by hand.

/// The rows as items of `kind`; a kind that is not known gets eight bytes an item.
pub fn npy(kind: &str, fortran_order: bool, version: u8, rows: &[&[f64]]) -> Vec<u8> {
    let columns = rows.first().map_or(0, |row| row.len());
    let order = if fortran_order { "True" } else { "False" };
    let header = format!(
        "{{'descr': '{kind}', 'fortran_order': {order}, 'shape': ({}, {columns}), }}\n",
        rows.len()
    );
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((header.len() as u16).to_le_bytes()),
        _ => bytes.extend((header.len() as u32).to_le_bytes()),
    }
    bytes.extend(header.as_bytes());
    let values: Vec<f64> = if fortran_order {
        (0..columns)
            .flat_map(|column| rows.iter().map(move |row| row[column]))
            .collect()
    } else {
        rows.iter().flat_map(|row| row.iter().copied()).collect()
    };
    for value in values {
        let mut item = match &kind[1..] {
            "i4" => (value as i32).to_le_bytes().to_vec(),
            "i8" => (value as i64).to_le_bytes().to_vec(),
            "f4" => (value as f32).to_le_bytes().to_vec(),
            _ => value.to_le_bytes().to_vec(),
        };
        if kind.starts_with('>') {
            item.reverse();
        }
        bytes.extend(item);
    }
    bytes
}
