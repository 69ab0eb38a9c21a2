//! Which process of a tree is worth looking at.

/// What is known of one program image before its profile is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Member {
    pub own_events: u64,
    /// Of the heap, as far as it is seen.
    pub peak_bytes: u64,
    /// Whether the program brings its own malloc, and nothing is known of its heap.
    pub has_unseen_heap: bool,
    /// Whether it is the process that was started, and not a child of it.
    pub is_first: bool,
    /// Whether its process went on as another program, by `exec`.
    pub was_replaced: bool,
}

/// The place of the one with the most events; where none has any, of the one that had
/// the most memory. Of equal ones the process that was started is meant, and after it
/// the earliest. It is also meant where its heap is not seen: nobody knows that another had
/// more. What went on as another program is not meant unless it had events:
/// the shell that became the job had done nothing by itself.
pub fn worth_looking_at(members: &[Member]) -> Option<usize> {
    let rank = |member: &Member| {
        let lives_on = !member.was_replaced;
        (
            member.own_events,
            lives_on,
            member.is_first && member.has_unseen_heap,
            member.peak_bytes,
            member.is_first,
        )
    };
    let places = members.iter().enumerate().rev();
    let best = places.max_by_key(|(_, member)| rank(member));
    best.map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHELL: Member = Member {
        own_events: 0,
        peak_bytes: 100,
        has_unseen_heap: false,
        is_first: true,
        was_replaced: false,
    };
    const RANK: Member = Member {
        own_events: 50,
        peak_bytes: 10,
        has_unseen_heap: false,
        is_first: false,
        was_replaced: false,
    };

    #[test]
    fn events_count_more_than_memory() {
        let busy = Member {
            own_events: 60,
            ..RANK
        };
        assert_eq!(worth_looking_at(&[SHELL, RANK, busy, RANK]), Some(2));
        assert_eq!(worth_looking_at(&[]), None);
    }

    #[test]
    fn without_events_memory_counts() {
        let large = Member {
            own_events: 0,
            peak_bytes: 101,
            ..RANK
        };
        assert_eq!(worth_looking_at(&[SHELL, large]), Some(1));
        let equal = Member {
            peak_bytes: 100,
            ..large
        };
        assert_eq!(worth_looking_at(&[equal, SHELL]), Some(1));
        assert_eq!(worth_looking_at(&[equal, equal]), Some(0));
    }

    #[test]
    fn a_heap_that_is_not_seen_may_be_the_largest_of_all() {
        let browser = Member {
            peak_bytes: 0,
            has_unseen_heap: true,
            ..SHELL
        };
        let helper = Member {
            own_events: 0,
            ..RANK
        };
        assert_eq!(worth_looking_at(&[helper, browser, helper]), Some(1));
        let unseen_helper = Member {
            has_unseen_heap: true,
            ..helper
        };
        assert_eq!(worth_looking_at(&[unseen_helper, SHELL]), Some(1));
    }

    #[test]
    fn what_was_replaced_is_worth_nothing_without_events() {
        let replaced = Member {
            was_replaced: true,
            ..SHELL
        };
        let job = Member {
            own_events: 0,
            peak_bytes: 1,
            ..RANK
        };
        assert_eq!(worth_looking_at(&[replaced, job]), Some(1));
        let with_events = Member {
            own_events: 1,
            ..replaced
        };
        assert_eq!(worth_looking_at(&[with_events, job]), Some(0));
    }
}
