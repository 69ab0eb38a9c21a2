//! JSON as it stands inside a script of the page: no tag can begin in it.

use anyhow::Result;
use serde::Serialize;

pub fn to_script_json(value: &impl Serialize) -> Result<Vec<u8>> {
    Ok(escaped(&serde_json::to_vec(value)?))
}

/// JSON without `<`, which stands in texts only. What has none stays as it is.
pub fn escaped(json: &[u8]) -> Vec<u8> {
    let mut escaped = Vec::with_capacity(json.len());
    for &byte in json {
        match byte {
            b'<' => escaped.extend(b"\\u003c"),
            byte => escaped.push(byte),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_tag_begins_in_the_data() {
        let json = br#"{"a":"</script><!--","b":[1]}"#;
        let safe = escaped(json);
        assert!(!safe.contains(&b'<'));
        let [one, other] = [&json[..], &safe]
            .map(|text| serde_json::from_slice::<serde_json::Value>(text).unwrap());
        assert_eq!(one, other);
        assert_eq!(to_script_json(&one).unwrap(), safe);
    }
}
