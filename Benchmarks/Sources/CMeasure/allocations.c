#include "CMeasure.h"
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

// These definitions in the executable override the C library's for every library of the process, without LD_PRELOAD.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

// Each thread has its own counter, since an atomic counter would cost more than some allocations. Threads share
// counters only in a process that has made more threads than there are counters, and may then lose a count.
enum { places = 1024 };
static struct {
    uint64_t count;
    char apart[56];
} counts[places];
static atomic_uint next_place;
static _Thread_local unsigned place __attribute__((tls_model("initial-exec")));

static inline void count(void) {
    if (__builtin_expect(place == 0, 0)) place = atomic_fetch_add(&next_place, 1) % (places - 1) + 1;
    counts[place].count++;
}

uint64_t measure_allocations(void) {
    uint64_t sum = 0;
    for (unsigned index = 0; index < places; index++) sum += counts[index].count;
    return sum;
}

void *malloc(size_t size) {
    count();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    count();
    return __libc_calloc(number, size);
}

void *realloc(void *old, size_t size) {
    count();
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    count();
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    void *memory = memalign(alignment, size);
    if (memory == NULL) return ENOMEM;
    *result = memory;
    return 0;
}
