#ifndef RANGERS_CLINUXLOOP_H
#define RANGERS_CLINUXLOOP_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// Sets the name of the calling thread, of which Linux keeps 15 bytes. Swift does not import prctl, which is variadic.
static inline int rangers_prctl_set_name(const char *name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
