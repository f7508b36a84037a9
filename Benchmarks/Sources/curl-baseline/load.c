#include "multi.h"
#include <CMeasure.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/// A concurrent call, whose handle is reused for the next one.
struct place {
    CURL *easy;
    uint64_t started;
    char *body;
    size_t length, capacity;
    struct place *next;  // the next waiting call
};

static size_t keep(char *bytes, size_t size, size_t count, void *context) {
    struct place *place = context;
    size_t length = size * count;
    if (place->length + length > place->capacity) {
        place->capacity = 2 * (place->length + length);
        char *body = realloc(place->body, place->capacity);
        if (body == NULL) return 0;
        place->body = body;
    }
    memcpy(place->body + place->length, bytes, length);
    place->length += length;
    return length;
}

/// Calls that wait for a connection, in a separate queue: libcurl scans its own queue of waiting calls after each call.
struct line {
    struct place *first, **end;
    long room;  // the number of calls that libcurl can still accept
};

static struct line line = {.end = &line.first};

static void start(struct multi *multi, struct place *place) {
    place->length = 0;
    place->started = measure_now();
    place->next = NULL;
    if (line.room > 0) {
        line.room--;
        curl_multi_add_handle(multi->handle, place->easy);
        return;
    }
    *line.end = place;
    line.end = &place->next;
}

static void start_next(struct multi *multi) {
    line.room++;
    struct place *place = line.first;
    if (place == NULL) return;
    line.first = place->next;
    if (line.first == NULL) line.end = &line.first;
    line.room--;
    curl_multi_add_handle(multi->handle, place->easy);
}

static void finish(struct multi *multi, CURL *easy, CURLcode code) {
    struct place *place;
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &place);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(multi->handle, easy);
    measure_completed(place->started, code == CURLE_OK && status == 200 && place->length == 196);
    start_next(multi);
    start(multi, place);
}

int run_load(const struct options *options) {
    struct multi multi;
    multi_open(&multi, options);
    // An HTTP/2 connection carries many calls.
    line.room = options->is_tuned && !options->may_use_http2 ? options->connections : LONG_MAX / 2;
    struct place *places = calloc(options->in_flight, sizeof *places);
    if (places == NULL) fail("load", "no memory");
    measure_load(options->in_flight, options->seconds);
    for (unsigned index = 0; index < options->in_flight; index++) {
        struct place *place = &places[index];
        place->easy = curl_easy_init();
        if (place->easy == NULL) fail("load", "no memory");
        set_common(place->easy, &multi, options);
        curl_easy_setopt(place->easy, CURLOPT_PRIVATE, place);
        curl_easy_setopt(place->easy, CURLOPT_WRITEFUNCTION, keep);
        curl_easy_setopt(place->easy, CURLOPT_WRITEDATA, place);
        start(&multi, place);
    }
    for (;;) {
        multi_step(&multi, -1);
        int queued;
        for (CURLMsg *message; (message = curl_multi_info_read(multi.handle, &queued)) != NULL;)
            if (message->msg == CURLMSG_DONE) finish(&multi, message->easy_handle, message->data.result);
    }
}
