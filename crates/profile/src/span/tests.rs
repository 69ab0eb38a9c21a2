use super::*;

fn timeline(moments: &[(MomentKind, EventNumber, bool)]) -> Timeline {
    let moment = |&(kind, event, has_changes): &(MomentKind, EventNumber, bool)| Moment {
        id: 100 + u64::from(event),
        has_changes,
        ..Moment::unread(kind, event, 0)
    };
    let mut timeline = Timeline {
        moments: moments.iter().map(moment).collect(),
        ..Timeline::default()
    };
    timeline.about.events = 9;
    timeline
}

/// Events 1, 2 and 5 are kept; what 3 changed is part of the next moment's.
fn kept_1_2_5() -> Timeline {
    use MomentKind::{Begin, End, Last, Snapshot};
    timeline(&[
        (Begin, 1, true),
        (End, 1, true),
        (Begin, 2, true),
        (End, 2, true),
        (Begin, 3, false),
        (Begin, 5, true),
        (Snapshot, 5, true),
        (End, 5, true),
        (Last, 5, true),
    ])
}

fn part(text: &str) -> Part {
    text.parse().unwrap()
}

#[test]
fn parts_are_written_as_they_are_read() {
    for text in [
        "51",
        "51..end",
        "id:7",
        "id:7..id:9",
        "half",
        "..51",
        "half..exit",
        "end",
    ] {
        assert_eq!(part(text).to_string(), text);
    }
    assert_eq!(part("51.."), part("51..end"));
    assert_eq!(part("id:x"), Part::At(Point::Named("id:x".to_string())));
    assert_eq!(part("exit"), Part::At(Point::Exit));
}

#[test]
fn whole_events_lie_between_the_begin_of_the_first_and_of_the_next() {
    let timeline = kept_1_2_5();
    let of = |first, last| {
        let span = timeline.span_of_events(first, last).unwrap();
        (span.from, span.to)
    };
    assert_eq!(of(1, 1), (Some(0), Some(2)));
    assert_eq!(of(1, 2), (Some(0), Some(5)));
    assert_eq!(of(2, 5), (Some(2), Some(7)));
    assert_eq!(of(3, 3), (Some(2), Some(5)));
    assert_eq!(of(4, 5), (Some(2), Some(7)));
    assert_eq!(of(5, 5), (Some(5), Some(7)));
    assert_eq!(of(0, u32::MAX), (Some(0), Some(7)));
    assert!(timeline.span_of_events(6, 7).is_err());
    assert_eq!(timeline.known_events(), Some((1, 5)));
    assert_eq!(timeline.event_begins(), [(1, 0), (2, 2), (5, 5)]);
    assert_eq!(Timeline::default().known_events(), None);
}

#[test]
fn the_same_events_have_the_same_span_in_both_notations() {
    let timeline = kept_1_2_5();
    for (text, first, last) in [
        ("1..2", 1, 1),
        ("2..5", 2, 4),
        ("1..end", 1, u32::MAX),
        // The begins of 3, 4 and 7 were not kept.
        ("3..4", 3, 3),
        ("1..4", 1, 3),
        ("4..7", 4, 6),
    ] {
        let span = timeline.span_of(&part(text)).unwrap();
        assert_eq!(Ok(span), timeline.span_of_events(first, last), "{text}");
        assert_eq!(timeline.events_of(&part(text)), Ok((first, last)), "{text}");
    }
}

#[test]
fn a_part_of_events_that_were_not_kept_says_which_it_holds() {
    let timeline = kept_1_2_5();
    let said = |text: &str| {
        let part = part(text);
        timeline.other_events(&part, timeline.span_of(&part).unwrap())
    };
    let expected =
        "`3..4` is widened to `2..5`: of a long run the recorder keeps one event in several";
    assert_eq!(said("3..4").as_deref(), Some(expected));
    assert!(
        said("2..4")
            .unwrap()
            .starts_with("`2..4` is widened to `2..5`")
    );
    let cut = "`1..7` is cut to `1..6`: no later event was kept";
    assert_eq!(said("1..7").as_deref(), Some(cut));
    for exact in ["2..5", "1..end", "2", "..5", "2..exit"] {
        assert_eq!(said(exact), None, "{exact}");
    }
}

#[test]
fn a_moment_is_a_state_and_ids_are_the_programs() {
    let timeline = kept_1_2_5();
    let to = |text: &str| {
        timeline
            .span_of(&part(text))
            .map(|span| (span.from, span.to))
    };
    assert_eq!(to("2"), Ok((None, Some(2))));
    assert_eq!(to("id:102"), to("2"));
    assert_eq!(to("end"), Ok((None, Some(7))));
    assert_eq!(to("exit"), Ok((None, None)));
    assert_eq!(to("id:102..exit"), Ok((Some(2), None)));
    assert_eq!(timeline.events_of(&part("id:102..")), Ok((2, u32::MAX)));
}

#[test]
fn what_cannot_be_shown_is_refused_in_the_same_words() {
    let timeline = kept_1_2_5();
    let said = |text: &str| timeline.span_of(&part(text)).unwrap_err().to_string();
    assert_eq!(said("10"), "there is no event 10; the last is 9");
    assert_eq!(said("2..10"), said("10"));
    assert!(said("6").ends_with("the last that was kept is 5"));
    assert_eq!(said("0"), "there is no event 0: events are numbered from 1");
    assert_eq!(said("5..2"), "`5..2` runs backwards: 5 comes after 2");
    assert_eq!(
        said("2..2"),
        "`2..2`: nothing was measured between the two, so what was left is not known"
    );
    assert_eq!(said("4..3"), "`4..3` runs backwards: 4 comes after 3");
    assert_eq!(said("3..3"), said("2..2").replace("2..2", "3..3"));
    assert_eq!(said("id:7"), "no event has the id 7");
    assert_eq!(
        said("half"),
        "there is no snapshot `half`; the recording has none"
    );
    assert!(said("3").ends_with("the next that was kept is 5"));
    let moment = timeline.events_of(&part("51")).unwrap_err().to_string();
    assert!(moment.contains("`..51` for what came before it, `51..` for what came after"));
}

#[test]
fn an_event_whose_end_was_not_seen_left_nothing_that_is_known() {
    use MomentKind::{Begin, End};
    let timeline = timeline(&[(Begin, 1, true), (End, 1, true), (Begin, 2, true)]);
    let error = timeline.span_of_events(2, 2).unwrap_err();
    assert!(matches!(error, SpanError::NotMeasured { .. }), "{error}");
}

#[test]
fn spans_hold_the_events_that_began_in_them() {
    let mut timeline = Timeline {
        names: vec!["3".to_string(), "half".to_string()],
        ..Timeline::default()
    };
    timeline.about.events = 9;
    let moment = |kind, event, name| Moment {
        name,
        ..Moment::unread(kind, event, 0)
    };
    timeline.moments = vec![
        moment(MomentKind::Begin, 1, None),
        moment(MomentKind::End, 1, None),
        moment(MomentKind::Begin, 3, None),
        moment(MomentKind::Snapshot, 3, Some(0)),
        moment(MomentKind::Snapshot, 3, Some(1)),
        moment(MomentKind::End, 8, None),
    ];
    let events = |from, to| timeline.events_in(Span { from, to });
    assert_eq!(events(None, None), 9);
    assert_eq!(events(None, Some(0)), 0);
    assert_eq!(events(None, Some(1)), 1);
    assert_eq!(events(Some(1), Some(2)), 1);
    assert_eq!(events(Some(2), Some(3)), 0);
    assert_eq!(events(Some(3), Some(4)), 1);
    assert_eq!(events(Some(3), Some(5)), 6);
    assert_eq!(events(Some(5), None), 1);
    assert_eq!(events(Some(5), Some(0)), 0);
}
