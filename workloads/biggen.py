#!/usr/bin/env python3
"""Writes a large C++ file, always the same, to make a compiler work: g++ -O2 needs 10
to 20 s for it on a core of about 3 GHz.

    biggen.py [units=12] > big.cpp          g++ -std=c++17 -O2 -c big.cpp -o /dev/null

A unit instantiates containers, algorithms, std::function, variant and recursive
templates on types of its own. The program itself, should it be linked, prints a number.
"""

import sys

HEAD = """\
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

template <class Tag, int N>
struct Chain {
    static long sum(long x) { return Chain<Tag, N - 1>::sum(x * N + 1) ^ N; }
};
template <class Tag>
struct Chain<Tag, 0> {
    static long sum(long x) { return x; }
};
"""

UNIT = """
namespace unit@ {
struct Key {
    int a, b;
    bool operator<(const Key& o) const { return std::tie(a, b) < std::tie(o.a, o.b); }
    bool operator==(const Key& o) const { return a == o.a && b == o.b; }
};
struct Hash {
    size_t operator()(const Key& k) const { return size_t(k.a) * @1 + size_t(k.b); }
};
struct Value {
    std::string name;
    std::vector<double> samples;
    double mean() const { return std::accumulate(samples.begin(), samples.end(), 0.0) / double(samples.size() + 1); }
};
using Shape = std::variant<int, double, std::string, Key, Value>;

long containers(int n) {
    std::map<Key, Value> ordered;
    std::unordered_map<Key, std::shared_ptr<Value>, Hash> hashed;
    std::set<std::pair<std::string, Key>> names;
    for (int i = 0; i < n; i++) {
        Key key{i % (@ + 7), i};
        Value& value = ordered[key];
        value.name = "unit@ value " + std::to_string(i);
        value.samples.assign(size_t(i % 5), i * 0.5);
        hashed[key] = std::make_shared<Value>(value);
        names.emplace(value.name, key);
    }
    long total = 0;
    for (auto& [name, key] : names)
        if (auto found = hashed.find(key); found != hashed.end()) total += long(found->second->mean()) + long(name.size());
    return total;
}

long algorithms(int n) {
    std::vector<Value> values;
    for (int i = 0; i < n; i++) values.push_back({std::to_string(i * @), {double(i), double(n - i)}});
    std::stable_sort(values.begin(), values.end(), [](auto& x, auto& y) { return x.mean() < y.mean(); });
    std::partial_sort(values.begin(), values.begin() + n / 2, values.end(), [](auto& x, auto& y) { return x.name < y.name; });
    auto end = std::remove_if(values.begin(), values.end(), [](auto& x) { return x.name.size() > 4; });
    std::function<long(const Value&)> measure = [n](const Value& v) { return long(v.name.size()) + n; };
    std::vector<long> measured;
    std::transform(values.begin(), end, std::back_inserter(measured), measure);
    std::sort(measured.begin(), measured.end(), std::greater<>());
    return std::accumulate(measured.begin(), measured.end(), 0L);
}

long variants(int n) {
    std::vector<Shape> shapes{n, n * 0.5, std::string("@"), Key{n, @}, Value{"v", {1, 2}}};
    long total = 0;
    for (auto& one : shapes)
        for (auto& other : shapes)
            total += std::visit([](auto& x, auto& y) { return long(sizeof x * 3 + sizeof y); }, one, other);
    return total;
}

long patterns(const std::string& text) {
    static const std::basic_regex<char> words("([a-z]+)@([0-9]*)");
    std::ostringstream out;
    for (std::sregex_iterator match(text.begin(), text.end(), words), end; match != end; ++match) out << (*match)[1];
    return long(out.str().size());
}

long all(int n) { return containers(n) + algorithms(n) + variants(n) + patterns("abc@12") + Chain<Key, 60>::sum(n); }
}
"""


def main():
    units = int(sys.argv[1]) if len(sys.argv) > 1 else 12
    print(HEAD)
    for number in range(units):
        print(UNIT.replace("@", str(number)))
    calls = " + ".join("unit%d::all(%d)" % (number, 10 + number) for number in range(units))
    print("int main() { std::cout << %s << '\\n'; }" % calls)


main()
