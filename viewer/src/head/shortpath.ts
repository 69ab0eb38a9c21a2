// A path in so few words that it fits beside the verdict.

/** What runs before `main` in every program. */
const START = /^(_start|__libc_start_\w+)$/;
/** What every allocation ends in. */
const ALLOCATOR =
  /^(operator new(\[\])?|(__libc_)?(malloc|calloc|realloc|memalign|valloc)|aligned_alloc|posix_memalign|mmap(64)?)(\(|$)|^(std|__gnu_cxx)::.*allocat(or|e)[^:]*$/;

/** The end of a path, root first, that tells most: without what every program begins with,
    and without what every allocation ends in. */
export function innermost(path: string[], most = 3): string[] {
  const begun = path.filter((name) => !START.test(name));
  let end = begun.length;
  while (end > 0 && ALLOCATOR.test(begun[end - 1]!)) end -= 1;
  return (end > 0 ? begun.slice(0, end) : path).slice(-most);
}

/** A name of at most so many characters; more of its end is kept, where the function is. */
export function cut(name: string, most: number): string {
  if (name.length <= most) return name;
  const head = Math.floor((most - 1) / 3);
  return `${name.slice(0, head)}…${name.slice(name.length - (most - 1 - head))}`;
}
