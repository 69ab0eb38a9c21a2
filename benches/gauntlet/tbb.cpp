// Blocks of TBB's own allocator and of the C library's, from all of TBB's threads.
#include <tbb/parallel_for.h>
#include <tbb/scalable_allocator.h>

#include <atomic>
#include <cstdio>
#include <vector>

int main() {
    std::atomic<long> sum{0};
    tbb::parallel_for(0, 8000000, [&](int i) {
        std::vector<int, tbb::scalable_allocator<int>> scalable(i % 100 + 1, i);
        std::vector<int> plain(i % 50 + 1, 1);
        sum += scalable.back() + static_cast<long>(plain.size());
    });
    std::printf("%ld\n", sum.load());
}
