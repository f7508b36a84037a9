#ifndef MULTI_H
#define MULTI_H

#include <curl/curl.h>
#include <stdbool.h>
#include <stdint.h>

/// The options of the command line.
struct options {
    const char *url;
    const char *authorities;     // PEM file; NULL for the system's
    const char *file;            // source of an upload, or destination of a download
    struct curl_slist *fields;
    unsigned in_flight;
    long connections;
    double seconds;
    bool may_use_http2;
    bool is_tuned;               // enables optimizations beyond libcurl's examples; see multi_open and run_load
};

/// libcurl's multi socket interface over epoll.
struct multi {
    CURLM *handle;
    int epoll;
    uint64_t deadline;  // time of libcurl's next timeout; UINT64_MAX for none
    struct watched *watched;  // by descriptor if sockets stay registered; otherwise NULL
};

/// Opens a multi handle; if `is_tuned` is set, its idle sockets stay registered with epoll. Exits after a failure.
void multi_open(struct multi *multi, const struct options *options);

/// Sets the common options of requests: fields, authorities, version.
void set_common(CURL *easy, struct multi *multi, const struct options *options);

/// Waits once for sockets and timers, and runs libcurl; returns `true` if `also`, if not -1, became readable.
bool multi_step(struct multi *multi, int also);

/// Prints an error, and exits with 1.
_Noreturn void fail(const char *what, const char *why);

// The subcommands.
int run_load(const struct options *options);
int run_start(const struct options *options);
int run_streams(const struct options *options);
int run_transfer(const struct options *options, bool is_upload);
int run_waiting(const struct options *options);

#endif
