#include "CMeasure.h"
#include <dirent.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

uint64_t measure_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

double measure_cpu_microseconds(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
        + (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static long status(const char *path, const char *name) {
    FILE *file = fopen(path, "r");
    if (file == NULL) return -1;
    char line[256];
    long value = -1;
    size_t length = strlen(name);
    while (fgets(line, sizeof line, file) != NULL) {
        if (strncmp(line, name, length) == 0 && line[length] == ':') {
            value = strtol(line + length + 1, NULL, 10);
            break;
        }
    }
    fclose(file);
    return value;
}

long measure_status(const char *name) { return status("/proc/self/status", name); }

long measure_threads(void) { return measure_status("Threads") - 1; }

long measure_descriptors(void) {
    DIR *directory = opendir("/proc/self/fd");
    if (directory == NULL) return -1;
    long count = -1;  // excludes the descriptor of the directory itself
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

long measure_wakeups(void) {
    DIR *directory = opendir("/proc/self/task");
    if (directory == NULL) return -1;
    long sum = 0;
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.' || atoi(entry->d_name) == getpid()) continue;
        char path[300];
        snprintf(path, sizeof path, "/proc/self/task/%s/status", entry->d_name);
        long count = status(path, "voluntary_ctxt_switches");
        if (count > 0) sum += count;
    }
    closedir(directory);
    return sum;
}

void measure_raise_descriptor_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

void measure_wait_for_input(void) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    while (poll(&input, 1, -1) < 0) {}
}

void measure_sleep(double seconds) {
    struct timespec rest = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&rest, &rest) != 0) {}
}
