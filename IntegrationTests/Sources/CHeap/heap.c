#include "CHeap.h"

#ifdef __linux__
#include <malloc.h>
#include <stdio.h>
#include <string.h>

long heap_bytes_in_use(void) { return (long)mallinfo2().uordblks; }

void heap_trim(void) { malloc_trim(0); }

// The first line of a mapping begins with its addresses in lower-case hexadecimal digits; its other lines begin with a
// capital letter. The buffer is not allocated, since it would be counted.
struct resident_bytes resident_bytes(void) {
    static char buffer[4096], line[8192];
    struct resident_bytes bytes = {0, 0};
    FILE *mappings = fopen("/proc/self/smaps", "r");
    if (mappings == NULL) return bytes;
    setvbuf(mappings, buffer, _IOFBF, sizeof buffer);
    int in_heap = 0;
    while (fgets(line, sizeof line, mappings) != NULL) {
        long kibibytes;
        if (line[0] < 'A' || line[0] > 'Z')
            in_heap = strstr(line, "[heap]") != NULL;
        else if (sscanf(line, "Rss: %ld kB", &kibibytes) == 1)
            *(in_heap ? &bytes.heap : &bytes.elsewhere) += kibibytes * 1024;
    }
    fclose(mappings);
    return bytes;
}
#else
long heap_bytes_in_use(void) { return -1; }

void heap_trim(void) {}

struct resident_bytes resident_bytes(void) { return (struct resident_bytes){0, 0}; }
#endif
