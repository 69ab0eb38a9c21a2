// One of many libraries, each with its own LIBRARY.

#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)

namespace JOIN(library_, LIBRARY) {

template <int N> struct Table {
  int values[N];
  int &at(int index) { return values[index % N]; }
  int sum() const {
    int sum = 0;
    for (int value : values)
      sum += value * value + N;
    return sum;
  }
};

static inline int mix(int value, int step) {
  auto turn = [step](int number) { return (number << (step & 7)) ^ (number >> 3); };
  return turn(value) + turn(value + step);
}

template <int N> __attribute__((noinline)) int fill(int seed) {
  Table<N> table;
  for (int i = 0; i < N; i++)
    table.at(i * 7) = mix(seed, i);
  int sum = table.sum();
  if (sum % (LIBRARY + 2) == 0)
    sum += mix(table.at(sum & 0xff), N);
  return sum;
}

int run(int seed) {
  return fill<5>(seed) + fill<9>(seed) + fill<14>(seed) + fill<20>(seed) + fill<27>(seed) +
         fill<33>(seed) + fill<38>(seed) + fill<44>(seed) + fill<51>(seed) + fill<57>(seed) +
         fill<63>(seed) + fill<68>(seed) + fill<74>(seed) + fill<81>(seed) + fill<87>(seed) +
         fill<93>(seed) + fill<99>(seed) + fill<105>(seed);
}

} // namespace JOIN(library_, LIBRARY)
