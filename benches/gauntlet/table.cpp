// A table of strings and the work of a few threads, and a function to stop at.
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

using Table = std::map<std::string, std::vector<int>>;

[[gnu::noinline]] size_t folded(const Table &table) {
    size_t sum = 0;
    for (const auto &[name, values] : table) sum = sum * 31 + name.size() * values.size();
    return sum;
}

int main() {
    Table table;
    for (int i = 0; i < ENTRIES; i++) table[std::to_string(i * 7919L % 50021)].push_back(i);
    std::vector<long> sums(4);
    std::vector<std::thread> threads;
    for (size_t mine = 0; mine < sums.size(); mine++) {
        threads.emplace_back([&sums, mine] {
            for (int i = 0; i < ENTRIES; i++) sums[mine] += static_cast<long>(std::string(i % 100, 'x').size());
        });
    }
    for (auto &thread : threads) thread.join();
    std::printf("%zu %ld\n", folded(table), sums[0] + sums[1] + sums[2] + sums[3]);
}
