//! Advice on paper.

use residue_query::report::advice::StackAdvice;
use residue_query::report::source::Source;

use crate::paths;
use crate::terminal::Page;

/// What to do, what that saves, and where.
pub fn lines(source: &Source<'_>, found: &[StackAdvice], page: &Page) -> Vec<String> {
    let mut paths = source.paths();
    let mut lines = Vec::new();
    for StackAdvice { advice, .. } in found {
        let what = format!("  {:<9}{}", advice.action, advice.words);
        lines.extend(page.wrap(&what, 11));
        let path = paths.steps(&source.profile.stacks[advice.stack as usize]);
        lines.push(format!("      {}", paths::one_line(&path, page, 6)));
    }
    lines
}
