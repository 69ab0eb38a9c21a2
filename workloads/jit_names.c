/* A just-in-time compiler that tells the names of its functions: to debuggers, through
 * GDB's interface, or in a perf map. x86-64 only.
 *
 *   jit_names registered [functions=10] [kill]
 *   jit_names map
 *   jit_names broken
 *
 * registered   functions jit_gen_N at one and the same address, one after another, each
 *              in an ELF file in memory; those with an odd number are registered after
 *              their unwind table, and removed after it, the others before
 * map          functions in /tmp/perf-PID.map, which stays: a line for the whole page,
 *              then lines for map_one and map_two in it, and some that are no lines
 * broken       a list for debuggers that leads nowhere
 *
 * Truth: the usual of each function made at run time, of jit_callee, which they call, and
 * of jit_caller, which calls them. */

#include "shelf.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#if !defined(__x86_64__)
int main(void) { return 77; }
#else
#include "generated.h"

SHELVING_FUNCTION(jit_callee)

/* As GDB documents it; the names are the interface. */
struct jit_code_entry {
    struct jit_code_entry *next_entry, *prev_entry;
    const void *symfile_addr;
    uint64_t symfile_size;
};

struct jit_descriptor {
    uint32_t version, action_flag;
    struct jit_code_entry *relevant_entry, *first_entry;
};

struct jit_descriptor __jit_debug_descriptor = {1, 0, NULL, NULL};
NAMED void __jit_debug_register_code(void);
NAMED void __jit_debug_register_code(void) { KEEP_FRAME(); }

/* An object file without contents: where the code is, and the name of its one function. */
struct object {
    Elf64_Ehdr header;
    Elf64_Shdr sections[4];
    Elf64_Sym symbols[2];
    char strings[64];
};

static void write_object(struct object *object, const void *code, size_t length, const char *name) {
    memset(object, 0, sizeof *object);
    memcpy(object->header.e_ident, ELFMAG, SELFMAG);
    object->header.e_ident[EI_CLASS] = ELFCLASS64;
    object->header.e_ident[EI_DATA] = ELFDATA2LSB;
    object->header.e_ident[EI_VERSION] = EV_CURRENT;
    object->header.e_type = ET_REL;
    object->header.e_machine = EM_X86_64;
    object->header.e_version = EV_CURRENT;
    object->header.e_ehsize = sizeof object->header;
    object->header.e_shoff = offsetof(struct object, sections);
    object->header.e_shentsize = sizeof object->sections[0];
    object->header.e_shnum = 4;
    object->header.e_shstrndx = 3;
    /* Names: of sections from 1, of the function from 32. */
    memcpy(object->strings + 1, ".text\0.symtab\0.strtab", 22);
    snprintf(object->strings + 32, 32, "%s", name);
    object->sections[1] = (Elf64_Shdr){.sh_name = 1, .sh_type = SHT_NOBITS,
        .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addr = (uintptr_t)code, .sh_size = length};
    object->sections[2] = (Elf64_Shdr){.sh_name = 7, .sh_type = SHT_SYMTAB, .sh_link = 3, .sh_info = 1,
        .sh_offset = offsetof(struct object, symbols), .sh_size = sizeof object->symbols,
        .sh_entsize = sizeof object->symbols[0], .sh_addralign = 8};
    object->sections[3] = (Elf64_Shdr){.sh_name = 15, .sh_type = SHT_STRTAB,
        .sh_offset = offsetof(struct object, strings), .sh_size = sizeof object->strings};
    object->symbols[1] = (Elf64_Sym){.st_name = 32, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
        .st_shndx = 1, .st_value = 0, .st_size = length};
}

static void debugger_add(struct jit_code_entry *entry, const struct object *object) {
    struct jit_code_entry *first = __jit_debug_descriptor.first_entry;
    *entry = (struct jit_code_entry){first, NULL, object, sizeof *object};
    if (first) first->prev_entry = entry;
    __jit_debug_descriptor.first_entry = entry;
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_descriptor.action_flag = 1;
    __jit_debug_register_code();
}

static void debugger_remove(struct jit_code_entry *entry) {
    if (entry->prev_entry) entry->prev_entry->next_entry = entry->next_entry;
    else __jit_debug_descriptor.first_entry = entry->next_entry;
    if (entry->next_entry) entry->next_entry->prev_entry = entry->prev_entry;
    __jit_debug_descriptor.relevant_entry = entry;
    __jit_debug_descriptor.action_flag = 2;
    __jit_debug_register_code();
}

NAMED void jit_caller(generated *code, size_t size) {
    code(jit_callee, size);
    KEEP_FRAME();
}

static void call(unsigned char *code, u64 calls, size_t size) {
    for (u64 i = 0; i < calls; i++) jit_caller((generated *)(uintptr_t)code, size);
}

/* The blocks of one generated function: what the shelf counted meanwhile is not live's
 * truth, so they are told as calls and total. */
static void tell(const char *function, u64 calls, size_t size) {
    truth_of(function, "calls", calls);
    truth_of(function, "total", calls * size);
}

static void registered(unsigned char *page, u64 functions) {
    static unsigned char table[256] __attribute__((aligned(8)));
    static struct object object;
    static struct jit_code_entry entry;
    for (u64 i = 0; i < functions; i++) {
        char name[32];
        snprintf(name, sizeof name, "jit_gen_%llu", i);
        int is_late = i % 2;
        size_t length = write_code(page, 0, 24);
        write_eh_frame(table, page, length, 0, 24);
        write_object(&object, page, length, name);
        if (!is_late) debugger_add(&entry, &object);
        __register_frame(table);
        if (is_late) debugger_add(&entry, &object);
        call(page, i + 1, 100 + i);
        if (!is_late) debugger_remove(&entry);
        __deregister_frame(table);
        if (is_late) debugger_remove(&entry);
        tell(name, i + 1, 100 + i);
    }
}

static void map(unsigned char *page) {
    static unsigned char tables[3][256] __attribute__((aligned(8)));
    const char *names[3] = {"map_page", "map_one", "map_two"};
    char path[64], line[128];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    truth_fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    snprintf(line, sizeof line, "%lx 1000 map_page\nno line at all\n", (unsigned long)page);
    say(line);
    for (int i = 0; i < 3; i++) {
        unsigned char *code = page + 256 * i;
        size_t length = write_code(code, 0, 24);
        write_eh_frame(tables[i], code, length, 0, 24);
        __register_frame(tables[i]);
        if (i == 0) continue;
        snprintf(line, sizeof line, "%lx %lx %s\n", (unsigned long)code, (unsigned long)length, names[i]);
        say(line);
    }
    close(truth_fd);
    truth_fd = 1;
    for (int i = 0; i < 3; i++) {
        call(page + 256 * i, (u64)i + 1, 50 + (size_t)i);
        tell(names[i], (u64)i + 1, 50 + (size_t)i);
    }
}

/* Each generation of code comes with another list that cannot be followed. */
static void broken(unsigned char *page) {
    static unsigned char table[256] __attribute__((aligned(8)));
    static struct object object;
    static struct jit_code_entry first, second;
    struct jit_code_entry *const nowhere = (struct jit_code_entry *)(uintptr_t)0x1230;
    const struct jit_code_entry lists[] = {
        {nowhere, NULL, &object, sizeof object},      /* goes on where nothing is */
        {NULL, nowhere, &object, sizeof object},      /* does not point back */
        {NULL, NULL, nowhere, sizeof object},         /* its file is not there */
        {NULL, NULL, &object, UINT64_MAX},            /* or is all there is */
        {NULL, NULL, &object, 8},                     /* or nearly nothing */
        {NULL, NULL, page, 4096},                     /* or is no file */
        {&second, NULL, &object, sizeof object},      /* a circle */
    };
    second = (struct jit_code_entry){&first, &first, &object, sizeof object};
    size_t length = write_code(page, 0, 24);
    write_eh_frame(table, page, length, 0, 24);
    u64 count = sizeof lists / sizeof *lists;
    for (u64 i = 0; i <= count; i++) {
        memset(&object, 255, sizeof object);
        memcpy(&object, ELFMAG, SELFMAG);
        first = lists[i % count];
        __jit_debug_descriptor.first_entry = i == count ? nowhere : &first;
        __register_frame(table);
        call(page, 3, 77);
        __deregister_frame(table);
    }
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "";
    unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) return 1;
    if (strcmp(how, "registered") == 0) registered(page, number_arg(argc, argv, 2, 10));
    else if (strcmp(how, "map") == 0) map(page);
    else if (strcmp(how, "broken") == 0) broken(page);
    else return 2;
    truth_tally("jit_callee", &jit_callee_tally);
    truth_tally("jit_caller", &jit_callee_tally);
    if (argc > 3 && strcmp(argv[3], "kill") == 0) raise(SIGKILL);
    return 0;
}
#endif
