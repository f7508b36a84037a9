#include "multi.h"
#include <stdio.h>
#include <unistd.h>

static size_t count_bytes(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    *(size_t *)context += size * count;
    return size * count;
}

int run_start(const struct options *options) {
    CURL *easy = curl_easy_init();
    if (easy == NULL) fail(options->url, "no memory");
    size_t length = 0;
    curl_easy_setopt(easy, CURLOPT_URL, options->url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, options->fields);
    curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, count_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &length);
    CURLcode code = curl_easy_perform(easy);
    if (code != CURLE_OK) fail(options->url, curl_easy_strerror(code));
    printf("%zu\n", length);
    fflush(stdout);
    _exit(0);
}
