#include "CMeasure.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    kept_latencies = 1 << 16,  // only the last ones, so that memory does not depend on a client's speed
    most_failures = 20,
};
static uint64_t warm_up_nanoseconds = 250000000;

enum phase { warming, beginning, measuring, over };

static uint64_t calls_at_once;
static uint64_t duration;
static uint64_t warm_at;
static uint64_t begun_at;
static double cpu_at_begin;
static uint64_t allocations_at_begin;
static _Atomic int phase = warming;
static _Atomic uint64_t warm_calls;
static _Atomic uint64_t calls;
static _Atomic uint64_t failures;
static uint32_t latencies[kept_latencies];  // units of 16 ns: up to 68 s

void measure_warm_up(double seconds) { warm_up_nanoseconds = (uint64_t)(seconds * 1e9); }

void measure_load(unsigned at_once, double seconds) {
    calls_at_once = at_once;
    duration = (uint64_t)(seconds * 1e9);
    warm_at = measure_now() + warm_up_nanoseconds;
    // Touched now, so that no page fault is measured.
    for (unsigned index = 0; index < kept_latencies; index++) latencies[index] = 1;
}

static int compare(const void *one, const void *other) {
    uint32_t left = *(const uint32_t *)one, right = *(const uint32_t *)other;
    return left < right ? -1 : left > right;
}

static double percentile(uint64_t count, double part) {
    uint64_t index = (uint64_t)(part * (double)count);
    return latencies[index < count ? index : count - 1] * 0.016;
}

static void finish(uint64_t count, uint64_t now) {
    double cpu = measure_cpu_microseconds() - cpu_at_begin;
    double allocations = (double)(measure_allocations() - allocations_at_begin);
    double seconds = (double)(now - begun_at) / 1e9;
    uint64_t kept = count < kept_latencies ? count : kept_latencies;
    qsort(latencies, kept, sizeof latencies[0], compare);
    printf(
        "{\"requests\": %lu, \"failures\": %lu, \"seconds\": %.4f, \"requestsPerSecond\": %.1f, "
        "\"cpuMicroseconds\": %.3f, \"allocations\": %.2f, \"peakKiB\": %ld, \"p50Microseconds\": %.2f, "
        "\"p99Microseconds\": %.2f}\n",
        (unsigned long)count, (unsigned long)failures, seconds, (double)count / seconds, cpu / (double)count,
        allocations / (double)count, measure_status("VmHWM"), percentile(kept, 0.50), percentile(kept, 0.99));
    fflush(stdout);
    // Other threads may still make calls, which are not counted.
    _exit(failures == 0 ? 0 : 1);
}

void measure_completed(uint64_t started, bool is_right) {
    uint64_t now = measure_now();
    if (!is_right && atomic_fetch_add(&failures, 1) + 1 == most_failures) {
        fprintf(stderr, "%d calls went wrong\n", most_failures);
        _exit(1);
    }
    int seen = phase;
    if (seen == warming) {
        if (atomic_fetch_add(&warm_calls, 1) + 1 < 2 * calls_at_once || now < warm_at) return;
        if (!atomic_compare_exchange_strong(&phase, &seen, beginning)) return;
        cpu_at_begin = measure_cpu_microseconds();
        allocations_at_begin = measure_allocations();
        begun_at = now;
        phase = measuring;
    } else if (seen == measuring) {
        uint64_t index = atomic_fetch_add(&calls, 1);
        latencies[index % kept_latencies] = (uint32_t)((now - started) / 16);
        if (now - begun_at >= duration && atomic_compare_exchange_strong(&phase, &seen, over)) finish(index + 1, now);
    }
}
