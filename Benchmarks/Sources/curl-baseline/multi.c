#include "multi.h"
#include <CMeasure.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

void fail(const char *what, const char *why) {
    fprintf(stderr, "curl-baseline: %s: %s\n", what, why);
    exit(1);
}

// `known` is not NULL for a socket that epoll watches; libcurl stores it with the socket.
static int watch(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    (void)easy;
    struct multi *multi = context;
    struct epoll_event event = {.data.fd = socket};
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(multi->epoll, EPOLL_CTL_DEL, socket, &event);
        return 0;
    }
    event.events = (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    epoll_ctl(multi->epoll, known != NULL ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
    if (known == NULL) curl_multi_assign(multi->handle, socket, multi);
    return 0;
}

// A socket that stays registered, with the events that epoll watches and those that libcurl requested.
struct watched {
    uint32_t events, wanted;
};

enum { most_descriptors = 1 << 17 };

static int keep_watching(CURL *easy, curl_socket_t socket, int what, void *context, void *known) {
    (void)easy, (void)known;
    struct multi *multi = context;
    struct watched *watched = &multi->watched[socket];
    watched->wanted = what == CURL_POLL_REMOVE ? 0 : (what & CURL_POLL_IN ? EPOLLIN : 0) | (what & CURL_POLL_OUT ? EPOLLOUT : 0);
    if (watched->wanted == 0 || watched->wanted == watched->events) return 0;
    struct epoll_event event = {.data.fd = socket, .events = watched->wanted};
    epoll_ctl(multi->epoll, watched->events != 0 ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, socket, &event);
    watched->events = watched->wanted;
    return 0;
}

static int close_watched(void *context, curl_socket_t socket) {
    ((struct multi *)context)->watched[socket] = (struct watched){0};
    return close(socket);
}

// The server has closed, or written to, an idle connection; libcurl checks it before it reuses it.
static bool is_unwanted(struct multi *multi, int socket) {
    if (multi->watched == NULL || multi->watched[socket].wanted != 0) return false;
    epoll_ctl(multi->epoll, EPOLL_CTL_DEL, socket, NULL);
    multi->watched[socket].events = 0;
    return true;
}

static int set_timer(CURLM *handle, long milliseconds, void *context) {
    (void)handle;
    struct multi *multi = context;
    multi->deadline = milliseconds < 0 ? UINT64_MAX : measure_now() + (uint64_t)milliseconds * 1000000;
    return 0;
}

void multi_open(struct multi *multi, const struct options *options) {
    multi->handle = curl_multi_init();
    multi->epoll = epoll_create1(EPOLL_CLOEXEC);
    multi->deadline = UINT64_MAX;
    if (multi->handle == NULL || multi->epoll < 0) fail("multi handle", strerror(errno));
    multi->watched = options->is_tuned ? calloc(most_descriptors, sizeof *multi->watched) : NULL;
    curl_multi_setopt(multi->handle, CURLMOPT_SOCKETFUNCTION, options->is_tuned ? keep_watching : watch);
    curl_multi_setopt(multi->handle, CURLMOPT_SOCKETDATA, multi);
    curl_multi_setopt(multi->handle, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi->handle, CURLMOPT_TIMERDATA, multi);
    curl_multi_setopt(multi->handle, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
    curl_multi_setopt(multi->handle, CURLMOPT_MAX_HOST_CONNECTIONS, options->connections);
    curl_multi_setopt(multi->handle, CURLMOPT_MAXCONNECTS, options->connections);
}

void set_common(CURL *easy, struct multi *multi, const struct options *options) {
    curl_easy_setopt(easy, CURLOPT_URL, options->url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, options->fields);
    curl_easy_setopt(easy, CURLOPT_PIPEWAIT, options->may_use_http2 ? 1L : 0L);
    curl_easy_setopt(
        easy, CURLOPT_HTTP_VERSION, (long)(options->may_use_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    if (options->authorities != NULL) curl_easy_setopt(easy, CURLOPT_CAINFO, options->authorities);
    if (!options->is_tuned) return;
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_watched);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, multi);
    // libcurl copies the names of its defaults with every request.
    curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, NULL);
    curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, NULL);
    if (strncmp(options->url, "http:", 5) != 0) return;
    curl_easy_setopt(easy, CURLOPT_CAINFO, NULL);
    curl_easy_setopt(easy, CURLOPT_CAPATH, NULL);
}

static int milliseconds_until(uint64_t deadline) {
    if (deadline == UINT64_MAX) return -1;
    uint64_t now = measure_now();
    return deadline <= now ? 0 : (int)((deadline - now + 999999) / 1000000);
}

bool multi_step(struct multi *multi, int also) {
    struct epoll_event events[256];
    int running, count = epoll_wait(multi->epoll, events, 256, milliseconds_until(multi->deadline));
    bool is_readable = false;
    for (int index = 0; index < count; index++) {
        if (events[index].data.fd == also) {
            is_readable = true;
            continue;
        }
        if (is_unwanted(multi, events[index].data.fd)) continue;
        uint32_t seen = events[index].events;
        int mask = (seen & EPOLLIN ? CURL_CSELECT_IN : 0) | (seen & EPOLLOUT ? CURL_CSELECT_OUT : 0)
            | (seen & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        curl_multi_socket_action(multi->handle, events[index].data.fd, mask, &running);
    }
    if (multi->deadline != UINT64_MAX && multi->deadline <= measure_now()) {
        multi->deadline = UINT64_MAX;
        curl_multi_socket_action(multi->handle, CURL_SOCKET_TIMEOUT, 0, &running);
    }
    return is_readable;
}
