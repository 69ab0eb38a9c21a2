/* Variables of a language whose linkage names are plain. */

struct item {
  long key;
  struct item *next;
};

static struct item list[3]; /* list */
_Thread_local long own[2];  /* own */
static union {
  long number;
  char *text;
} either; /* either */
enum { NO, YES } choice; /* choice */
struct {
  int length;
  struct item items[];
} flexible = {2, {{1, 0}, {2, 0}}}; /* flexible */

__attribute__((noinline)) static int first(int step) {
  static struct item count; /* first::count */
  return count.key += step;
}

__attribute__((noinline)) static int second(int step) {
  static int count; /* second::count */
  if (step > 1) {
    static long inner; /* second::inner */
    inner += step;
    count += inner;
  }
  return count += step;
}

int main(int count, char **arguments) {
  list[2].key = own[1] = count;
  either.text = *arguments;
  choice = count > 1;
  flexible.items[1].key = count;
  return first(count) + second(count) + list[count & 1].key + either.number;
}
