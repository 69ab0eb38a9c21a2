/* Plugins come and go at the same addresses: loads plugin_a.so, allocates in it,
 * unloads it, does the same with plugin_b.so of the same layout, and again.
 *
 *   plugin_host [rounds=50] [origin | unseen | moving] [more_bytes=0]
 *
 * The plugins lie beside the program; `origin` finds them as "$ORIGIN/…", which the
 * loader resolves by who called dlopen. `unseen` closes them by libc's own dlclose, as a
 * module opened with RTLD_DEEPBIND does; `moving` has each load at an address of its own.
 * All blocks have so many more bytes.
 *
 * Truth: plugin_a_alloc.* and plugin_b_alloc.*; reused_rounds, the rounds in which
 * b's function had a's address; reused, 1 if there was one. */

#include "truth.h"

#include <dlfcn.h>
#include <limits.h>
#include <sys/mman.h>

typedef void *allocate(size_t);

static char folder[PATH_MAX] = "$ORIGIN/";
static int (*close_plugin)(void *) = dlclose;
static int is_moving;

/* Returns where the plugin's function was. A fourth of the blocks is freed when the
 * code that made them is gone. */
static uintptr_t use_plugin(const char *file, const char *function, struct tally *t, size_t size) {
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s%s", folder, file);
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    allocate *call = (allocate *)dlsym(plugin, function);
    void *blocks[20];
    for (size_t i = 0; i < 20; i++) {
        blocks[i] = call(size + i);
        tally_made(t, size + i);
    }
    uintptr_t address = (uintptr_t)call;
    close_plugin(plugin);
    /* Something else where it was. */
    if (is_moving)
        mmap((void *)(address & -4096ul), 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; i < 20; i += 4) {
        free(blocks[i]);
        tally_freed(t, size + i);
    }
    return address;
}

int main(int argc, char **argv) {
    u64 rounds = number_arg(argc, argv, 1, 50), reused = 0;
    const char *mode = argc > 2 ? argv[2] : "";
    is_moving = strcmp(mode, "moving") == 0;
    if (strcmp(mode, "unseen") == 0) {
        /* In libc from 2.34 on. */
        const char *libraries[] = {"libc.so.6", "libdl.so.2"};
        close_plugin = NULL;
        for (int i = 0; i < 2 && !close_plugin; i++)
            close_plugin = (int (*)(void *))dlsym(dlopen(libraries[i], RTLD_LAZY), "dlclose");
    }
    if (strcmp(mode, "origin") != 0) {
        ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
        folder[length] = 0;
        strrchr(folder, '/')[1] = 0;
    }
    u64 more = number_arg(argc, argv, 3, 0);
    struct tally a = {0}, b = {0};
    for (u64 round = 0; round < rounds; round++) {
        uintptr_t a_at = use_plugin("plugin_a.so", "plugin_a_alloc", &a, more + 100 + round);
        uintptr_t b_at = use_plugin("plugin_b.so", "plugin_b_alloc", &b, more + 3000 + round);
        reused += a_at == b_at;
    }
    truth("reused", reused > 0);
    truth("reused_rounds", reused);
    truth_tally("plugin_a_alloc", &a);
    truth_tally("plugin_b_alloc", &b);
    return 0;
}
