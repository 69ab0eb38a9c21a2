// One part of the program. Compiled several times, with another PART each time.
#include "part.hpp"

namespace {

struct Point {
  double x, y;
  bool operator<(const Point &other) const { return x < other.x || (x == other.x && y < other.y); }
};

// Functions that no other unit can see have no linkage names in the debug information.
template <class Range> double total(const Range &range) {
  double sum = 0;
  for (const auto &item : range)
    sum += shared::square(item.second);
  return sum;
}

inline int folded(int value) {
  auto fold = [](int number) { return shared::clamp(number, 3, 90) + PART; };
  return fold(value) * fold(value + 1);
}

} // namespace

static int twice(int value) { return 2 * folded(value); }

namespace JOIN(part_, PART) {

class Registry {
public:
  Registry() : seed_(PART) {
    for (int i = 0; i < 16; i++)
      names_[i * seed_] = "name " + std::to_string(i);
  }
  ~Registry() {
    for (auto &entry : names_)
      entry.second.clear();
  }

  template <class Key> const std::string &find(Key key) const {
    auto found = names_.find(static_cast<int>(key));
    if (found == names_.end())
      throw std::out_of_range("no such key in part " + std::to_string(PART));
    return found->second;
  }

  void sort(std::vector<std::string> &words) const {
    std::sort(words.begin(), words.end(), [this](const std::string &a, const std::string &b) {
      return a.size() + seed_ < b.size() + seed_ || (a.size() == b.size() && a < b);
    });
  }

private:
  int seed_;
  std::map<int, std::string> names_;
};

std::vector<std::unique_ptr<shared::Shape>> shapes(int count) {
  std::vector<std::unique_ptr<shared::Shape>> made;
  for (int i = 0; i < count; i++) {
    switch (i % 4) {
    case 0: made.push_back(std::make_unique<shared::Polygon<PART + 3>>(i)); break;
    case 1: made.push_back(std::make_unique<shared::Polygon<PART + 4>>(i + .5)); break;
    case 2: made.push_back(std::make_unique<shared::Polygon<PART + 5>>(i * 2)); break;
    default: made.push_back(std::make_unique<shared::Polygon<PART + 6>>(i / 3.)); break;
    }
  }
  return made;
}

template <class T> struct Tree {
  struct Node {
    T value;
    std::unique_ptr<Node> left, right;
  };
  std::unique_ptr<Node> root;
  int size = 0;

  void insert(T value) {
    auto *place = &root;
    while (*place)
      place = value < (*place)->value ? &(*place)->left : &(*place)->right;
    *place = std::make_unique<Node>(Node{std::move(value), nullptr, nullptr});
    size++;
  }
  template <class Visit> void each(const Visit &visit) const { each(root.get(), visit); }

private:
  template <class Visit> static void each(const Node *node, const Visit &visit) {
    if (!node)
      return;
    each(node->left.get(), visit);
    visit(node->value);
    each(node->right.get(), visit);
  }
};

double run(int rounds) {
  Registry registry;
  std::unordered_map<std::string, double> weights;
  Tree<std::string> words;
  Tree<double> numbers;
  Tree<Point> points;
  for (int i = 0; i < rounds; i++) {
    std::string word = registry.find((i % 16) * PART);
    weights[word] += shared::Power<double, 5>::of(i) / (i + 1);
    words.insert(word + std::to_string(twice(i)));
    numbers.insert(shared::square(i) % 17 + .25 * PART);
    points.insert(Point{double(i % 5), double(i)});
  }
  double sum = total(weights);
  words.each([&](const std::string &word) { sum += word.size(); });
  numbers.each([&](double number) { sum += number; });
  points.each([&](const Point &point) { sum += point.x * point.y; });
  std::function<double(int)> recurse = [&](int depth) -> double {
    return depth == 0 ? sum : recurse(depth - 1) + shared::clamp(depth, 1, PART + 2);
  };
  sum = recurse(rounds % 7);
  for (const auto &shape : shapes(rounds))
    sum += shape->area() + shape->name().size();
  std::vector<std::string> sorted;
  words.each([&](const std::string &word) { sorted.push_back(word); });
  registry.sort(sorted);
  std::vector<int> counts(sorted.size());
  std::iota(counts.begin(), counts.end(), PART);
  try {
    registry.find(1000 + rounds);
  } catch (const std::out_of_range &error) {
    sum += std::string(error.what()).size();
  }
  return std::accumulate(counts.begin(), counts.end(), sum);
}

} // namespace JOIN(part_, PART)
