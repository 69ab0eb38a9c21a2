// Exceptions thrown through 1 to 60 frames and caught at any level of them; with
// allocations before the throw, in destructors while the stack unwinds, and in catch
// blocks; rethrown, nested, and thrown and caught inside such a destructor.
//
//   exceptions [iterations=20000]
//
// Truth: throws, catches, and
//   alloc_before_throw.*, alloc_in_dtor.*, alloc_in_catch.*, alloc_in_nested.*
//   throw_root.live, throw_root.live_blocks   all of these: each is under throw_root
//                                             (calls there include libstdc++'s own)

#include "shelf.h"

#include <exception>
#include <utility>

SHELVING_FUNCTION(alloc_before_throw)
SHELVING_FUNCTION(alloc_in_dtor)
SHELVING_FUNCTION(alloc_in_catch)
SHELVING_FUNCTION(alloc_in_nested)

static u64 throws, catches;

struct Thrown {
    int level;
    explicit Thrown(int level) : level(level) {}
    virtual ~Thrown() = default; // rethrow_if_nested looks only into such types
};

enum Kind { PLAIN, RETHROWN, NESTED, IN_DESTRUCTOR };

struct Plan {
    Kind kind;
    int depth, caught_at, between;
};

NAMED void throw_it(int level) {
    throws++;
    throw Thrown{level};
}

// A whole throw and catch while another exception is on its way, or being handled.
NAMED void throw_and_catch() {
    try {
        throw_it(-1);
    } catch (const Thrown&) {
        catches++;
        alloc_in_nested(96);
    }
}

struct Guard {
    const Plan& plan;
    int level;
    ~Guard() {
        if (level % 3 == 0) alloc_in_dtor(size_t(24 + level));
        if (plan.kind == IN_DESTRUCTOR && level == plan.between) throw_and_catch();
    }
};

NAMED void descend(const Plan& plan, int level);

NAMED void descend_catching(const Plan& plan, int level) {
    try {
        descend(plan, level + 1);
    } catch (const Thrown& thrown) {
        catches++;
        alloc_in_catch(size_t(40 + thrown.level));
        if (level == plan.caught_at) {
            throw_and_catch();
            try {
                std::rethrow_if_nested(thrown);
            } catch (const Thrown&) {
                catches++;
                alloc_in_nested(72);
            }
        } else if (plan.kind == RETHROWN) {
            throw;
        } else {
            throws++;
            std::throw_with_nested(Thrown{level});
        }
    }
}

NAMED void descend(const Plan& plan, int level) {
    Guard guard{plan, level};
    bool catches_here = level == plan.caught_at ||
                        (level == plan.between && (plan.kind == RETHROWN || plan.kind == NESTED));
    if (level == plan.depth) {
        alloc_before_throw(size_t(16 + level));
        throw_it(level);
    } else if (catches_here) {
        descend_catching(plan, level);
    } else {
        descend(plan, level + 1);
    }
    KEEP_FRAME();
}

NAMED void throw_root(const Plan& plan) {
    descend(plan, 0);
    KEEP_FRAME();
}

int main(int argc, char** argv) {
    u64 iterations = number_arg(argc, argv, 1, 20000), random = 10;
    for (u64 i = 0; i < iterations; i++) {
        Plan plan;
        plan.kind = Kind(i % 4);
        plan.depth = int(1 + i / 4 % 60);
        plan.caught_at = int(random_next(&random) % u64(plan.depth));
        plan.between = plan.caught_at + int(random_next(&random) % u64(plan.depth - plan.caught_at));
        throw_root(plan);
    }

    truth("throws", throws);
    truth("catches", catches);
    tally all{};
    const std::pair<const char*, tally*> functions[] = {{"alloc_before_throw", &alloc_before_throw_tally},
                                                        {"alloc_in_dtor", &alloc_in_dtor_tally},
                                                        {"alloc_in_catch", &alloc_in_catch_tally},
                                                        {"alloc_in_nested", &alloc_in_nested_tally}};
    for (auto& [name, t] : functions) {
        truth_tally(name, t);
        tally_add(&all, t);
    }
    truth_of("throw_root", "live", all.total - all.freed);
    truth_of("throw_root", "live_blocks", all.calls - all.frees);
}
