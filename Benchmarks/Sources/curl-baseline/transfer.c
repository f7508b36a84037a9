#include "multi.h"
#include <CMeasure.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t write_to_file(char *bytes, size_t size, size_t count, void *context) {
    const int file = *(const int *)context;
    size_t length = size * count, written = 0;
    while (written < length) {
        ssize_t part = write(file, bytes + written, length - written);
        if (part < 0 && errno != EINTR) return 0;
        if (part > 0) written += (size_t)part;
    }
    return length;
}

static size_t read_from_file(char *bytes, size_t size, size_t count, void *context) {
    ssize_t length = read(*(const int *)context, bytes, size * count);
    return length < 0 ? CURL_READFUNC_ABORT : (size_t)length;
}

int run_transfer(const struct options *options, bool is_upload) {
    struct multi multi;
    multi_open(&multi, options);
    CURL *easy = curl_easy_init();
    int file = is_upload ? open(options->file, O_RDONLY | O_CLOEXEC)
                         : open(options->file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    struct stat information;
    if (easy == NULL || file < 0 || fstat(file, &information) != 0) fail(options->file, strerror(errno));
    set_common(easy, &multi, options);
    if (is_upload) {
        curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)information.st_size);
        curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256L * 1024);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, read_from_file);
        curl_easy_setopt(easy, CURLOPT_READDATA, &file);
    } else {
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L * 1024);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write_to_file);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &file);
    }
    long before = measure_status("VmHWM");
    uint64_t started = measure_now();
    curl_multi_add_handle(multi.handle, easy);
    CURLMsg *message = NULL;
    for (int queued; message == NULL; message = curl_multi_info_read(multi.handle, &queued)) multi_step(&multi, -1);
    double seconds = (double)(measure_now() - started) / 1e9;
    long status = 0;
    curl_off_t received = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &received);
    if (message->data.result != CURLE_OK || status / 100 != 2) fail(options->url, curl_easy_strerror(message->data.result));
    double bytes = is_upload ? (double)information.st_size : (double)received;
    printf(
        "{\"mebibytesPerSecond\": %.1f, \"cpuMicroseconds\": %.0f, \"bytes\": %.0f, \"extraKiB\": %ld}\n",
        bytes / 1048576 / seconds, measure_cpu_microseconds(), bytes, measure_status("VmHWM") - before);
    return 0;
}
