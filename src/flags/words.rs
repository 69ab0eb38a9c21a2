//! Words that name one of a few things: counters, kinds of memory, views, rows.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use residue_profile::{Counter, MemoryKind};
use residue_query::compare::By;
use residue_query::report::View;
use residue_recording::allocators::Allocator;
use residue_text::terminal::Color;

fn one_of<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
    meaning: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let words = all.map(|it| match meaning(it) {
        "" => PossibleValue::new(name(it)),
        meaning => PossibleValue::new(name(it)).help(meaning),
    });
    PossibleValuesParser::new(words).try_map(move |word| {
        let mut all = all.into_iter();
        all.find(|&it| name(it) == word).ok_or("no such word")
    })
}

pub fn counter() -> impl TypedValueParser<Value = Counter> {
    one_of(Counter::ALL, Counter::name, Counter::meaning)
}

pub fn kind() -> impl TypedValueParser<Value = MemoryKind> {
    one_of(MemoryKind::ALL, MemoryKind::name, MemoryKind::meaning)
}

pub fn view() -> impl TypedValueParser<Value = View> {
    one_of(View::ALL, View::name, View::meaning)
}

pub fn by() -> impl TypedValueParser<Value = By> {
    one_of(By::ALL, By::name, By::meaning)
}

pub fn allocator() -> impl TypedValueParser<Value = Allocator> {
    one_of(Allocator::ALL, Allocator::name, |_| "")
}

pub fn color() -> impl TypedValueParser<Value = Color> {
    one_of(Color::ALL, Color::name, Color::meaning)
}
