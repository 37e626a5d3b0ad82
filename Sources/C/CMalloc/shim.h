#ifndef RANGERS_CMALLOC_H
#define RANGERS_CMALLOC_H

#include <malloc.h>

#endif
