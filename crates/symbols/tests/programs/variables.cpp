// Variables of every kind. The tests find the lines by the comments at their ends.

#include <map>
#include <string>
#include <vector>

struct Inner {
  int first;
  int hits[4];
};

struct Empty {};

struct Base {
  virtual ~Base() {}
  long base_word;
};

struct Other {
  long other_word;
};

struct Whole : Empty, Base, Other {
  static Whole *instance;
  Inner inner[3];
  union {
    long as_number;
    void *as_pointer;
    struct {
      short low, high;
    };
  };
  unsigned bit : 3, bits : 7;
  union Named {
    int number;
    const char *text;
  } named;
  const volatile Inner matrix[2][3];
  typedef Inner Pair[2];
  Pair pair;
  Inner &reference;
  Whole *next;
  struct Nested {
    long hidden;
  };
  struct {
    Nested nested;
  } holder;
  Whole(Inner &inner) : matrix(), reference(inner) {}
};

Whole *Whole::instance;    // Whole::instance
int plain_global = 1;      // plain_global
Inner table[5];            // table
extern "C" {
int c_name = 2; // c_name
}

namespace space {
Whole global(table[1]);       // space::global
static Inner local;           // space::local
thread_local Inner mine[2];   // space::mine
static thread_local long own; // space::own
namespace {
std::vector<int> unnamed; // space::unnamed
}
struct Class {
  static Inner shared;
  inline static std::map<int, std::string> names; // Class::names
  template <class T> static T of_type;
  int method() {
    static int in_method = 3; // in_method
    return in_method++;
  }
};
Inner Class::shared;                   // Class::shared
template <class T> T Class::of_type{}; // Class::of_type
} // namespace space

int *counter() {
  static int count[8]; // counter
  {
    static int count; // counter, in a block
    count++;
  }
  static thread_local std::string text; // text
  text += "x";
  return &count[text.size()];
}

static inline __attribute__((always_inline)) int everywhere(int step) {
  static int steps; // everywhere
  return steps += step;
}

extern "C" int c_function() {
  static int in_c_function; // in_c_function
  return in_c_function += everywhere(2);
}

int main(int count, char **) {
  using namespace space;
  Class object;
  mine[1].first = own += count;
  local.first += Class::shared.first + Class::of_type<Inner>.hits[1];
  unnamed.push_back(*counter());
  Class::names[count] = "x";
  Whole::instance = &global;
  return object.method() + everywhere(count) + plain_global + c_name + c_function();
}
