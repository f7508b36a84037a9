#include "multi.h"
#include <CMeasure.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <unistd.h>

/// Starts calls that the server does not answer, and prints their memory use when standard input reports that all wait.
int run_waiting(const struct options *options) {
    measure_raise_descriptor_limit();
    struct multi multi;
    multi_open(&multi, options);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = STDIN_FILENO};
    if (epoll_ctl(multi.epoll, EPOLL_CTL_ADD, STDIN_FILENO, &event) != 0) fail("input", "it is no pipe");
    long before = measure_status("VmRSS");
    for (unsigned index = 0; index < options->in_flight; index++) {
        CURL *easy = curl_easy_init();
        if (easy == NULL) fail("waiting", "no memory");
        set_common(easy, &multi, options);
        curl_multi_add_handle(multi.handle, easy);
    }
    while (!multi_step(&multi, STDIN_FILENO)) {}
    printf("{\"kibibytes\": %ld, \"calls\": %u}\n", measure_status("VmRSS") - before, options->in_flight);
    fflush(stdout);
    _exit(0);
}
