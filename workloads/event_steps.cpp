// An event loop without marks: one function is called for every event.
//
//   event_steps WHERE [events=40]
//
// WHERE the function is: `own` (process_event), `static` (process_static), `method`
// (steps::Handler::process), `library` (process_in_library, in a library that is linked),
// `plugin` (process_in_plugin, in a library that is loaded after half of the events; those
// before are the executable's own), `relative` (the same, by a name that only means the
// library in the directory the program has gone to), `memory` (the same, from a copy that
// has no name), `reloaded` (process_in_plugin, in a library that is loaded for each event
// and unloaded after it).
//
// Truth: events, all turns; entries, those of the function that WHERE names; step_leak.*.

#include "event_steps.hpp"

#include <climits>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>

extern "C" NAMED void process_event(u64 event) { step(event); }

NAMED static void process_static(u64 event) { step(event); }

namespace steps {
struct Handler {
    u64 handled = 0;
    NAMED void process(u64 event, const char*) {
        handled++;
        step(event);
    }
};
} // namespace steps

extern "C" void process_in_library(u64 event);

typedef void Process(u64);

static void* plugin;

// Goes to where the plugin lies, or makes a copy without a name; returns what it is called.
static const char* plugin_name(const char* where) {
    static char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 32);
    if (length < 0) exit(1);
    path[length] = 0;
    char* name = strrchr(path, '/') + 1;
    if (!strcmp(where, "relative")) {
        *name = 0;
        if (chdir(path)) exit(1);
        return "./event_steps_plugin.so";
    }
    strcpy(name, "event_steps_plugin.so");
    if (!strcmp(where, "memory")) {
        int from = open(path, O_RDONLY), to = memfd_create("plugin", 0);
        while (sendfile(to, from, nullptr, 1 << 20) > 0) {}
        snprintf(path, sizeof path, "/proc/self/fd/%d", to);
    }
    return path;
}

static Process* load_plugin(const char* name) {
    plugin = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return reinterpret_cast<Process*>(dlsym(plugin, "process_in_plugin"));
}

static bool is_plugin(const char* where) {
    return !strcmp(where, "plugin") || !strcmp(where, "relative") || !strcmp(where, "memory");
}

int main(int argc, char** argv) {
    const char* where = argc > 1 ? argv[1] : "";
    u64 events = number_arg(argc, argv, 2, 40), entries = 0;
    tally leaked{};
    steps::Handler handler;
    Process* in_plugin = nullptr;
    for (u64 i = 0; i < events; i++) {
        entries++;
        if (!strcmp(where, "own")) process_event(i);
        else if (!strcmp(where, "static")) process_static(i);
        else if (!strcmp(where, "method")) handler.process(i, where);
        else if (!strcmp(where, "library")) process_in_library(i);
        else if (!strcmp(where, "reloaded")) {
            load_plugin(plugin_name(where))(i);
            dlclose(plugin);
        }
        else if (!is_plugin(where)) return 1;
        else if (i < events / 2) process_event(i), entries--;
        else {
            if (!in_plugin) in_plugin = load_plugin(plugin_name(where));
            in_plugin(i);
        }
        tally_made(&leaked, step_bytes(i));
    }
    truth("events", events);
    truth("entries", entries);
    truth_tally("step_leak", &leaked);
}
