#ifndef CMEASURE_H
#define CMEASURE_H

#include <stdbool.h>
#include <stdint.h>

// The measuring functions of both programs, so that a difference between their figures is none of measuring.

/// The monotonic clock, in nanoseconds.
uint64_t measure_now(void);

// MARK: A load: so many calls at once, for so long

/// Says how many calls there are at once, and for how many seconds they are measured once they are warm.
void measure_load(unsigned calls_at_once, double seconds);

/// Says how many seconds a load needs to be warm, before it is measured; a quarter by default.
void measure_warm_up(double seconds);

/// Takes note of the end of a call; from any thread.
///
/// Warm is a load after two calls in each place and that time. When the time is over this prints the figures as
/// one line of JSON and ends the process; when more calls went wrong than can be chance, it says so and ends it with 1.
void measure_completed(uint64_t started, bool is_right);

// MARK: What the process has used so far

/// The number of allocations: malloc, calloc, realloc and the aligned ones, by every thread and library.
uint64_t measure_allocations(void);

/// CPU time of all threads, user and system, in microseconds.
double measure_cpu_microseconds(void);

/// A line of /proc/self/status, as `VmHWM` (KiB), `VmRSS` (KiB) or `Threads`; -1 when there is none.
long measure_status(const char *name);

/// The number of open file descriptors.
long measure_descriptors(void);

/// The number of times that any thread but the main one has gone to sleep by itself and so was woken.
long measure_wakeups(void);

/// The number of threads but the main one.
long measure_threads(void);

/// Raises the limit of open files as far as this process may.
void measure_raise_descriptor_limit(void);

/// Waits until the standard input is written to or closed.
void measure_wait_for_input(void);

/// Sleeps.
void measure_sleep(double seconds);

#endif
