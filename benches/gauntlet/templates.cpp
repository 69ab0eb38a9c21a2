// Enough templates to keep a compiler busy for a few seconds.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

template <int N>
struct Chain {
    std::map<std::string, std::tuple<Chain<N - 1>, std::vector<std::variant<int, std::string>>>> inner;
    long work() {
        auto &[next, values] = inner[std::to_string(N)];
        values.emplace_back(N);
        values.emplace_back("text");
        return next.work() * 31 + static_cast<long>(std::count_if(values.begin(), values.end(), [](const auto &it) {
                   return std::visit([](const auto &value) { return sizeof value > N % 9; }, it);
               }));
    }
};

template <>
struct Chain<0> {
    long work() { return 1; }
};

int main() {
    Chain<8> chain;
    std::unordered_map<std::string, std::unique_ptr<std::set<int>>> sets;
    for (int i = 0; i < 1000; i++) {
        auto &set = sets["w" + std::to_string(i % 37)];
        if (!set) set = std::make_unique<std::set<int>>();
        set->insert(i);
    }
    std::function<long(long)> twice = [](long value) { return value * 2; };
    long sizes = std::accumulate(sets.begin(), sets.end(), 0L, [&](long sum, const auto &it) {
        return sum + static_cast<long>(it.first.size() * it.second->size());
    });
    std::cout << twice(chain.work()) + sizes << '\n';
}
