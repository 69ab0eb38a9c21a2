/* Runs the script of a plugin that is loaded where nobody else sees its symbols. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    void (*script)(void);
    void *plugin = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    void *symbol = plugin ? dlsym(plugin, "script") : NULL;
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    memcpy(&script, &symbol, sizeof script);
    script();
    return dlclose(plugin);
}
