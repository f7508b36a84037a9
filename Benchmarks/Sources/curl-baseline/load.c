#include "multi.h"
#include <CMeasure.h>
#include <stdlib.h>
#include <string.h>

/// One of the calls that are under way at once: a handle that is used again for the next.
struct place {
    CURL *easy;
    uint64_t started;
    char *body;
    size_t length, capacity;
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

static void start(struct multi *multi, struct place *place) {
    place->length = 0;
    place->started = measure_now();
    curl_multi_add_handle(multi->handle, place->easy);
}

static void finish(struct multi *multi, CURL *easy, CURLcode code) {
    struct place *place;
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_PRIVATE, &place);
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(multi->handle, easy);
    measure_completed(place->started, code == CURLE_OK && status == 200 && place->length == 196);
    start(multi, place);
}

int run_load(const struct options *options) {
    struct multi multi;
    multi_open(&multi, options);
    struct place *places = calloc(options->in_flight, sizeof *places);
    if (places == NULL) fail("load", "no memory");
    measure_load(options->in_flight, options->seconds);
    for (unsigned index = 0; index < options->in_flight; index++) {
        struct place *place = &places[index];
        place->easy = curl_easy_init();
        if (place->easy == NULL) fail("load", "no memory");
        set_common(place->easy, options);
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
