// A program that compiles at once, with functions inlined into each other.

namespace outer {

template <class T> inline T square(T value) { return value * value; }

struct Box {
  int values[8];
  int sum() const {
    int sum = 0;
    for (int value : values)
      sum += square(value);
    return sum;
  }
};

__attribute__((noinline)) int fill(Box &box, int seed) {
  auto next = [&seed](int step) { return seed = seed * 1103515245 + step; };
  for (int &value : box.values)
    value = next(12345) >> 16;
  return box.sum();
}

} // namespace outer

namespace {

template <int N> inline int repeat(outer::Box &box) {
  return repeat<N - 1>(box) + outer::fill(box, N);
}
template <> inline int repeat<0>(outer::Box &) { return 0; }

} // namespace

static int helper(int count) {
  outer::Box box;
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum ^= repeat<5>(box) + box.sum();
  return sum;
}

int main(int argc, char **) { return helper(argc) & 1; }
