/* Marks events, stages and counters for Residue. Include it and call; there is nothing
 * to link. In a program that is not recorded every call is one load and one branch.
 *
 *   for (i = 0; i < events; i++) {          residue run -o job.residue -- ./program
 *       residue_event_begin(i);
 *       residue_stamp("read");              a moment; between two stamps lies a stage
 *       ...
 *       residue_count("hits", hits);        a number that belongs to this event
 *       residue_event_end(i);
 *   }
 *
 * C++: ends come with the end of the block, exceptions included.
 *
 *   residue::event event(i);
 *   residue::scope scope("digitise");
 *
 * Work of one event on several threads: take the token where the event is, enter it
 * where the work is done.
 *
 *   uint32_t token = residue_event_current();
 *   std::thread([token] { residue::task task(token); ... });
 *
 * A pool or an allocator of the program's own:
 *
 *   void *pool_take(size_t bytes) { ...; residue_allocated(block, bytes); return block; }
 *   void pool_give(void *block) { residue_freed(block); ... }
 *
 * With RESIDUE_OFF defined before the include everything compiles to nothing. The same
 * holds on systems other than Linux. docs/EVENTS.md says what each call means.
 *
 * C89 (with stdint.h) and later, C++98 and later. The underscore at the end of names
 * keeps them clear of the program's own variables and macros. */
#ifndef RESIDUE_H
#define RESIDUE_H

#include <stddef.h>
#include <stdint.h>

#if !defined(RESIDUE_OFF) && !(defined(__linux__) && defined(__GNUC__))
#define RESIDUE_OFF
#endif

#if defined(__GNUC__)
#define RESIDUE_FUNCTION_ static __inline__ __attribute__((unused))
#define RESIDUE_INLINED_ __inline__ __attribute__((always_inline))
/* After a call: it cannot become a jump, and the caller's frame stays. */
#define RESIDUE_KEEP_FRAME_() __asm__ volatile("" : : : "memory")
#elif defined(__cplusplus)
#define RESIDUE_FUNCTION_ static inline
#define RESIDUE_INLINED_ inline
#elif defined(_MSC_VER)
#define RESIDUE_FUNCTION_ static __inline
#define RESIDUE_INLINED_ __inline
#else
#define RESIDUE_FUNCTION_ static
#define RESIDUE_INLINED_
#endif
#ifndef RESIDUE_KEEP_FRAME_
#define RESIDUE_KEEP_FRAME_()
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What the recorder offers. Later recorders append; `bytes` says how much is there. */
struct residue_api {
    uint32_t version;
    uint32_t bytes;
    void (*event_begin)(uint64_t id_, uint32_t stream_);
    void (*event_end)(uint64_t id_, uint32_t stream_);
    uint32_t (*event_current)(void);
    uint32_t (*event_enter)(uint32_t token_);
    void (*stamp)(const char *name_);
    void (*count)(const char *name_, double value_);
    void (*scope_begin)(const char *name_);
    void (*scope_end)(void);
    void (*pause)(int all_threads_);
    void (*resume)(int all_threads_);
    void (*thresholds)(uint64_t min_bytes_, uint64_t max_bytes_);
    void (*snapshot)(const char *name_);
    void (*allocated)(const void *block_, size_t bytes_);
    void (*freed)(const void *block_);
};

#ifdef RESIDUE_OFF

/* Never defined, and never referred to by what is compiled. */
extern const struct residue_api *residue_no_table_;
#define RESIDUE_WITH_(member, statement)                            \
    do {                                                            \
        if (0) {                                                    \
            const struct residue_api *api_ = residue_no_table_;     \
            statement;                                              \
        }                                                           \
    } while (0)

RESIDUE_FUNCTION_ int residue_active(void) { return 0; }

#else

/* Weak references under names of our own: they need no library, do not clash with <dlfcn.h> and
 * <link.h>, and leave the program's own references as strong as they are. */
static void *residue_dlsym_(void *scope_, const char *name_) __attribute__((weakref("dlsym")));

/* What struct dl_phdr_info begins with. */
struct residue_module_ {
    const char *base_;
    const char *name_;
};
static int residue_each_module_(int (*see_)(struct residue_module_ *, size_t, void *), void *found_)
    __attribute__((weakref("dl_iterate_phdr")));

/* Whether a module is the recorder, whose entry point is this mark, and after it the function. */
static __attribute__((unused)) int residue_see_(struct residue_module_ *module_, size_t size_, void *found_) {
    static const char mark_[16] = "residue_api_v1";
    const char *name_ = __builtin_strrchr(module_->name_, '/');
    uint64_t entry_;
    (void)size_;
    if (name_ == NULL || __builtin_strncmp(name_, "/recorder-", 10) != 0) return 0;
    __builtin_memcpy(&entry_, module_->base_ + 24, sizeof entry_); /* e_entry of the ELF header */
    if (entry_ == 0 || __builtin_memcmp(module_->base_ + entry_, mark_, sizeof mark_) != 0) return 0;
    __builtin_memcpy(found_, module_->base_ + entry_ + sizeof mark_, sizeof(void *));
    return 1;
}

/* The recorder's table; null when there is no recorder; &residue_unasked_ at first. */
static struct residue_api residue_unasked_;
static const struct residue_api *residue_known_table_ = &residue_unasked_;

static __attribute__((noinline, cold, unused)) const struct residue_api *residue_ask_(void) {
    const struct residue_api *(*function_)(void) = NULL;
    const struct residue_api *table_ = NULL;
    if (residue_dlsym_ != NULL) {
        /* Null as the scope is RTLD_DEFAULT: the program and what was preloaded. */
        void *symbol_ = residue_dlsym_(NULL, "residue_api_v1");
        __builtin_memcpy(&function_, &symbol_, sizeof function_);
    } else if (sizeof(void *) == 8 && residue_each_module_ != NULL) {
        /* Before glibc 2.34 dlsym is in libdl, which no linker takes for a weak reference. */
        residue_each_module_(residue_see_, &function_);
    }
    if (function_ != NULL) table_ = function_();
    /* Threads that ask at the same time get the same answer, and what it points to is
     * constant: the order of other memory does not matter. */
    __atomic_store_n(&residue_known_table_, table_, __ATOMIC_RELAXED);
    return table_;
}

static RESIDUE_INLINED_ const struct residue_api *residue_table_(void) {
    const struct residue_api *table_ = __atomic_load_n(&residue_known_table_, __ATOMIC_RELAXED);
    if (__builtin_expect(table_ == NULL, 1)) return NULL;
    return table_ == &residue_unasked_ ? residue_ask_() : table_;
}

/* Runs the statement when there is a recorder and its table reaches to that member. */
#define RESIDUE_WITH_(member, statement)                                           \
    do {                                                                           \
        const struct residue_api *api_ = residue_table_();                         \
        if (api_ != NULL &&                                                        \
            api_->bytes >= offsetof(struct residue_api, member) + sizeof api_->member) { \
            statement;                                                             \
        }                                                                          \
    } while (0)

/* Whether the program is recorded: worth asking before computing what only a mark needs. */
RESIDUE_FUNCTION_ int residue_active(void) { return residue_table_() != NULL; }

#endif

/* This thread begins (ends) an event. Streams number event loops that run side by side. */
RESIDUE_FUNCTION_ void residue_event_begin_in(uint64_t id_, uint32_t stream_) {
    RESIDUE_WITH_(event_begin, api_->event_begin(id_, stream_));
}

RESIDUE_FUNCTION_ void residue_event_end_in(uint64_t id_, uint32_t stream_) {
    RESIDUE_WITH_(event_end, api_->event_end(id_, stream_));
}

RESIDUE_FUNCTION_ void residue_event_begin(uint64_t id_) { residue_event_begin_in(id_, 0); }

RESIDUE_FUNCTION_ void residue_event_end(uint64_t id_) { residue_event_end_in(id_, 0); }

/* The token of the event this thread works for; 0: none. */
RESIDUE_FUNCTION_ uint32_t residue_event_current(void) {
    uint32_t token_ = 0;
    RESIDUE_WITH_(event_current, token_ = api_->event_current());
    return token_;
}

/* From now on this thread works for that event. Returns the token before, to go back to. */
RESIDUE_FUNCTION_ uint32_t residue_event_enter(uint32_t token_) {
    uint32_t before_ = 0;
    RESIDUE_WITH_(event_enter, before_ = api_->event_enter(token_));
    return before_;
}

/* A named moment inside an event. */
RESIDUE_FUNCTION_ void residue_stamp(const char *name_) {
    RESIDUE_WITH_(stamp, api_->stamp(name_));
}

/* A number of the event: hits, tracks, tokens. */
RESIDUE_FUNCTION_ void residue_count(const char *name_, double value_) {
    RESIDUE_WITH_(count, api_->count(name_, value_));
}

/* A named part of the work on this thread. Scopes nest. */
RESIDUE_FUNCTION_ void residue_scope_begin(const char *name_) {
    RESIDUE_WITH_(scope_begin, api_->scope_begin(name_));
}

RESIDUE_FUNCTION_ void residue_scope_end(void) { RESIDUE_WITH_(scope_end, api_->scope_end()); }

/* Allocations of this thread (of all threads) are not recorded until resumed. */
RESIDUE_FUNCTION_ void residue_pause(void) { RESIDUE_WITH_(pause, api_->pause(0)); }

RESIDUE_FUNCTION_ void residue_resume(void) { RESIDUE_WITH_(resume, api_->resume(0)); }

RESIDUE_FUNCTION_ void residue_pause_all(void) { RESIDUE_WITH_(pause, api_->pause(1)); }

RESIDUE_FUNCTION_ void residue_resume_all(void) { RESIDUE_WITH_(resume, api_->resume(1)); }

/* From now on call paths are kept for blocks of min to max bytes only. */
RESIDUE_FUNCTION_ void residue_thresholds(uint64_t min_bytes_, uint64_t max_bytes_) {
    RESIDUE_WITH_(thresholds, api_->thresholds(min_bytes_, max_bytes_));
}

/* Keeps the state of the heap at this moment under a name. */
RESIDUE_FUNCTION_ void residue_snapshot(const char *name_) {
    RESIDUE_WITH_(snapshot, api_->snapshot(name_));
}

/* Reports of a pool. Always inlined, so that the stack the recorder sees begins in the
 * function that reports. */
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 11
/* Nothing is read through the pointer: no warning that the block is not initialised. */
__attribute__((access(none, 1)))
#endif
static RESIDUE_INLINED_ void residue_allocated(const void *block_, size_t bytes_) {
    RESIDUE_WITH_(allocated, api_->allocated(block_, bytes_); RESIDUE_KEEP_FRAME_());
}

RESIDUE_FUNCTION_ void residue_freed(const void *block_) {
    RESIDUE_WITH_(freed, api_->freed(block_));
}

#ifdef __cplusplus
} /* extern "C" */

/* The methods are inlined always, so that files compiled with and without RESIDUE_OFF
 * can be linked together. */
#if __cplusplus >= 201103L
#define RESIDUE_ONLY_ONE_(type)   \
    type(const type &) = delete;  \
    type &operator=(const type &) = delete;
#define RESIDUE_NOEXCEPT_ noexcept
#else
#define RESIDUE_ONLY_ONE_(type) \
private:                        \
    type(const type &);         \
    type &operator=(const type &);
#define RESIDUE_NOEXCEPT_ throw()
#endif

/* `residue::event(7);` without a name would end where it begins. */
#if __cplusplus >= 201703L
#define RESIDUE_NAMED_ [[nodiscard]]
#else
#define RESIDUE_NAMED_
#endif

namespace residue {

/* This thread works on an event until the end of the block. */
class event {
public:
    RESIDUE_NAMED_ explicit RESIDUE_INLINED_ event(uint64_t id_, uint32_t stream_ = 0) RESIDUE_NOEXCEPT_
        : own_id_(id_), own_stream_(stream_) {
        residue_event_begin_in(id_, stream_);
    }
    RESIDUE_INLINED_ ~event() { residue_event_end_in(own_id_, own_stream_); }

private:
    uint64_t own_id_;
    uint32_t own_stream_;
    RESIDUE_ONLY_ONE_(event)
};

/* A named part of the work until the end of the block. */
class scope {
public:
    RESIDUE_NAMED_ explicit RESIDUE_INLINED_ scope(const char *name_) RESIDUE_NOEXCEPT_ {
        residue_scope_begin(name_);
    }
    RESIDUE_INLINED_ ~scope() { residue_scope_end(); }

private:
    RESIDUE_ONLY_ONE_(scope)
};

enum threads { this_thread, all_threads };

/* Nothing is recorded until the end of the block. */
class paused {
public:
    RESIDUE_NAMED_ explicit RESIDUE_INLINED_ paused(threads whose_ = this_thread) RESIDUE_NOEXCEPT_
        : own_threads_(whose_) {
        if (whose_ == all_threads) residue_pause_all();
        else residue_pause();
    }
    RESIDUE_INLINED_ ~paused() {
        if (own_threads_ == all_threads) residue_resume_all();
        else residue_resume();
    }

private:
    threads own_threads_;
    RESIDUE_ONLY_ONE_(paused)
};

/* This thread works for the event of that token until the end of the block. */
class task {
public:
    RESIDUE_NAMED_ explicit RESIDUE_INLINED_ task(uint32_t token_) RESIDUE_NOEXCEPT_
        : before_(residue_event_enter(token_)) {}
    RESIDUE_INLINED_ ~task() { residue_event_enter(before_); }

private:
    uint32_t before_;
    RESIDUE_ONLY_ONE_(task)
};

} /* namespace residue */

#undef RESIDUE_ONLY_ONE_
#undef RESIDUE_NOEXCEPT_
#undef RESIDUE_NAMED_
#endif /* __cplusplus */

#undef RESIDUE_WITH_
#undef RESIDUE_KEEP_FRAME_
#undef RESIDUE_INLINED_
#undef RESIDUE_FUNCTION_

#endif /* RESIDUE_H */
