#ifndef MULTI_H
#define MULTI_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

/// The options of the command line.
struct options {
    const char *url;
    const char *authorities;     // PEM file; NULL for the system's
    const char *file;            // what is sent, or where what is received goes
    struct curl_slist *fields;
    unsigned in_flight;
    long connections;
    double seconds;
    bool may_use_http2;
};

/// libcurl's multi socket interface over epoll.
struct multi {
    CURLM *handle;
    int epoll;
    uint64_t deadline;  // when libcurl wants to be called; UINT64_MAX for never
};

/// Opens a multi handle; ends the process when that cannot be done.
void multi_open(struct multi *multi, const struct options *options);

/// Sets what every request has: fields, authorities, version.
void set_common(CURL *easy, const struct options *options);

/// Waits for sockets and timers once, and lets libcurl act; returns whether `also`, if not -1, became readable.
bool multi_step(struct multi *multi, int also);

/// Says why, and ends the process with 1.
_Noreturn void fail(const char *what, const char *why);

// The subcommands.
int run_load(const struct options *options);
int run_streams(const struct options *options);
int run_transfer(const struct options *options, bool is_upload);
int run_waiting(const struct options *options);

#endif
