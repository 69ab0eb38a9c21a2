# What a configure script does: a hundred short processes, most of them of a compiler.
for header in stdio.h sys/mman.h sys/event.h no/such.h; do
    printf '#include <%s>\nint main(void) { return 0; }\n' "$header" > conftest.c
    if gcc -c conftest.c -o conftest.o 2>conftest.err; then echo "$header: yes"; else echo "$header: no"; fi
done
for function in malloc mremap kqueue; do
    sed "s/NAME/$function/" > conftest.c <<'END'
char NAME();
int main(void) { return !NAME; }
END
    if gcc -fno-builtin conftest.c -o conftest 2>conftest.err && ./conftest; then echo "$function: yes"; else echo "$function: no"; fi
done
for i in 1 2 3 4 5; do
    value=$(expr "$i" \* 7 | tr 0-9 a-j | sed 's/^/v/')
    case $(echo "$value" | cut -c 1) in v) echo "$i: $value" ;; *) exit 1 ;; esac
done
rm -f conftest*
