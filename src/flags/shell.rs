//! Command lines as documents show them, taken apart as a shell would.

/// The commands of a line, each as its words; where output goes is left out.
pub fn commands(line: &str) -> Vec<Vec<String>> {
    let words = shlex::split(line).expect(line);
    let is_between = |word: &String| matches!(word.as_str(), "|" | "&&" | "||" | ";" | "&");
    let commands = words.split(is_between).map(|words| {
        let is_redirection =
            |word: &&String| word.starts_with(['>', '<']) || word.starts_with("2>");
        let kept = words.iter().take_while(|word| !is_redirection(word));
        kept.cloned().collect()
    });
    commands.collect()
}

#[cfg(test)]
mod tests {
    use super::commands;

    #[test]
    fn lines_fall_apart_into_commands_and_words() {
        let line = "residue export a --format folded | 'my tool' > out.svg && echo x # why";
        let expected = [
            &["residue", "export", "a", "--format", "folded"][..],
            &["my tool"],
            &["echo", "x"],
        ];
        assert_eq!(commands(line), expected);
    }
}
