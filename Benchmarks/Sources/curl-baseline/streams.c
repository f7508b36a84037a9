#include "multi.h"
#include <CMeasure.h>
#include <stdlib.h>
#include <string.h>

enum { most_line = 1024 };

/// A concurrent stream, with its incomplete line and its incomplete event.
struct stream {
    CURL *easy;
    size_t line_length, data_length;
    uint64_t id;
    char line[most_line], data[most_line];
};

/// Handles a line of an event stream; an empty line ends an event.
static void take_line(struct stream *stream) {
    const char *line = stream->line;
    size_t length = stream->line_length;
    if (length == 0) {
        if (stream->data_length == 0) return;
        measure_completed(stream->id, stream->id != 0);
        stream->data_length = 0;
    } else if (length > 4 && memcmp(line, "id: ", 4) == 0) {
        stream->line[length < most_line ? length : most_line - 1] = 0;
        stream->id = strtoull(line + 4, NULL, 10);
    } else if (length > 6 && memcmp(line, "data: ", 6) == 0) {
        memcpy(stream->data, line + 6, length - 6);
        stream->data_length = length - 6;
    }
}

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    struct stream *stream = context;
    char *next = bytes, *end = bytes + size * count;
    while (next < end) {
        char *feed = memchr(next, '\n', (size_t)(end - next));
        size_t length = (size_t)((feed == NULL ? end : feed) - next);
        if (stream->line_length + length > most_line) return 0;
        memcpy(stream->line + stream->line_length, next, length);
        stream->line_length += length;
        if (feed == NULL) break;
        take_line(stream);
        stream->line_length = 0;
        next = feed + 1;
    }
    return size * count;
}

/// Reads concurrent event streams; a stream that ends is requested again.
int run_streams(const struct options *options) {
    measure_raise_descriptor_limit();
    struct multi multi;
    multi_open(&multi, options);
    // The same warm-up as the other client, whose connect timeout has to pass first.
    if (options->in_flight > 1) measure_warm_up(1.5);
    measure_load(options->in_flight, options->seconds);
    for (unsigned index = 0; index < options->in_flight; index++) {
        struct stream *stream = calloc(1, sizeof *stream);
        if (stream == NULL || (stream->easy = curl_easy_init()) == NULL) fail("streams", "no memory");
        set_common(stream->easy, &multi, options);
        curl_easy_setopt(stream->easy, CURLOPT_WRITEFUNCTION, take);
        curl_easy_setopt(stream->easy, CURLOPT_WRITEDATA, stream);
        curl_multi_add_handle(multi.handle, stream->easy);
    }
    for (;;) {
        multi_step(&multi, -1);
        int queued;
        for (CURLMsg *message; (message = curl_multi_info_read(multi.handle, &queued)) != NULL;) {
            if (message->msg != CURLMSG_DONE) continue;
            CURL *easy = message->easy_handle;
            if (message->data.result != CURLE_OK) measure_completed(measure_now(), false);
            curl_multi_remove_handle(multi.handle, easy);
            curl_multi_add_handle(multi.handle, easy);
        }
    }
}
