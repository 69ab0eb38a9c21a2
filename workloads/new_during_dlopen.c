/* The first `operator new` of the program, on one thread, while another is inside dlopen:
 * the constructor of the library that it loads waits until the block is there. The C++
 * library comes with a plugin, so nothing of it is known when the program starts.
 *
 *   new_during_dlopen PLUGIN_NEW PLUGIN_WAITS
 *
 * Truth: blocks. A program that waits for itself is ended by an alarm. */

#include "truth.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

static sem_t is_inside, is_made;

/* Called by the constructor of the library. */
void wait_until_made(void) {
    sem_post(&is_inside);
    sem_wait(&is_made);
}

static void *load(void *path) {
    if (!dlopen(path, RTLD_NOW)) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return NULL;
}

int main(int count, char **arguments) {
    if (count != 3)
        return 2;
    alarm(30);
    sem_init(&is_inside, 0, 0);
    sem_init(&is_made, 0, 0);
    void *plugin = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
    if (!plugin) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    void *(*make)(void) = (void *(*)(void))dlsym(plugin, "make_new");
    pthread_t loader;
    pthread_create(&loader, NULL, load, arguments[2]);
    sem_wait(&is_inside);
    void *block = make();
    HIDE(block);
    sem_post(&is_made);
    pthread_join(loader, NULL);
    truth("blocks", block != NULL);
    return 0;
}
