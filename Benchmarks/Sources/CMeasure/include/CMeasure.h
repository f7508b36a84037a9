#ifndef CMEASURE_H
#define CMEASURE_H

#include <stdbool.h>
#include <stdint.h>

// Both programs use these functions, so that their figures are comparable.

/// The monotonic clock, in nanoseconds.
uint64_t measure_now(void);

// MARK: A load: concurrent calls for a period of time

/// Sets the number of concurrent calls, and the seconds of measurement after the warm-up.
void measure_load(unsigned calls_at_once, double seconds);

/// Sets the seconds of warm-up; a quarter by default.
void measure_warm_up(double seconds);

/// Records the end of a call; may be called from any thread.
///
/// The warm-up ends after two calls per concurrent place and its time. At the end of the measurement this prints the
/// figures as one line of JSON and exits; if too many calls have failed, it prints an error and exits with 1.
void measure_completed(uint64_t started, bool is_right);

// MARK: Resource use of the process

/// The number of allocations: malloc, calloc, realloc and the aligned ones, by every thread and library.
uint64_t measure_allocations(void);

/// CPU time of all threads, user and system, in microseconds.
double measure_cpu_microseconds(void);

/// The value of a line of /proc/self/status, such as `VmHWM` (KiB), `VmRSS` (KiB) or `Threads`; -1 if it is missing.
long measure_status(const char *name);

/// The number of open file descriptors.
long measure_descriptors(void);

/// The number of voluntary context switches, and so of wake-ups, of all threads except the main one.
long measure_wakeups(void);

/// The number of threads except the main one.
long measure_threads(void);

/// Raises the limit of open files to its hard limit.
void measure_raise_descriptor_limit(void);

/// Waits until standard input is readable or closed.
void measure_wait_for_input(void);

/// Sleeps.
void measure_sleep(double seconds);

#endif
