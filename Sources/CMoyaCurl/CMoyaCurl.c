#if defined(__linux__)

#define _GNU_SOURCE
#include "CMoyaCurl.h"

void moya_name_thread(pthread_t thread, const char *name) { pthread_setname_np(thread, name); }

#endif
