#ifndef RANGERS_CLINUXLOOP_H
#define RANGERS_CLINUXLOOP_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// Sets the name of the calling thread, of which Linux keeps 15 bytes. Swift does not import prctl, which is variadic.
static inline int rangers_prctl_set_name(const char *name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

// Sets whether the kernel may dump the memory of the process, and whether other processes of its user may read it.
static inline int rangers_prctl_set_dumpable(int on) {
    return prctl(PR_SET_DUMPABLE, on, 0, 0, 0);
}

static inline int rangers_prctl_get_dumpable(void) {
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
}

#endif
