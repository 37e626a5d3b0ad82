#ifndef RANGERS_CLINUXLOOP_H
#define RANGERS_CLINUXLOOP_H

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>

// Names the calling thread; Linux keeps 15 bytes. prctl is variadic, which Swift does not import.
static inline int rangers_prctl_set_name(const char *name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

#endif
