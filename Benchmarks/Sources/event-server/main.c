// Streams events to each client at a fixed rate, from one thread: a server that costs little compared with its clients.
//
//     event-server PORT RATE
//
//     GET /events    an endless stream with one event per chunk; the id of an event is its time of sending, in
//                    nanoseconds of the monotonic clock
//     GET /first     a stream of one event

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { most_descriptors = 1 << 16, slices = 10, most_head = 4096 };

/// Only the first bytes of a request are read, and an event is sent only if it fits into the socket's buffer.
static struct connection {
    bool is_open, is_streaming;
    size_t length;
    char head[most_head];
} *connections[most_descriptors];

static const char payload[] =
    "data: {\"id\":\"cmpl-1\",\"object\":\"chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word\"}}]}\n\n";
static const char response_head[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "event-server: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void end(int descriptor) {
    close(descriptor);
    connections[descriptor]->is_open = connections[descriptor]->is_streaming = false;
}

static void put(int descriptor, const char *bytes, size_t length) {
    ssize_t written = send(descriptor, bytes, length, MSG_NOSIGNAL);
    // A client whose socket is full is disconnected, since its figures would be meaningless.
    if (written != (ssize_t)length) end(descriptor);
}

static size_t event(char *chunk, size_t room) {
    char text[256];
    int length = snprintf(text, sizeof text, "id: %llu\n%s", (unsigned long long)now(), payload);
    return (size_t)snprintf(chunk, room, "%x\r\n%s\r\n", (unsigned)length, text);
}

static void answer(int descriptor, const char *head) {
    if (strncmp(head, "GET /events", 11) == 0) {
        put(descriptor, response_head, sizeof response_head - 1);
        connections[descriptor]->is_streaming = connections[descriptor]->is_open;
        return;
    }
    char first[512];
    size_t length = sizeof response_head - 1;
    memcpy(first, response_head, length);
    length += event(first + length, sizeof first - length);
    length += (size_t)snprintf(first + length, sizeof first - length, "0\r\n\r\n");
    put(descriptor, first, length);
}

static void take(int descriptor) {
    struct connection *connection = connections[descriptor];
    ssize_t count = recv(descriptor, connection->head + connection->length, most_head - 1 - connection->length, 0);
    if (count <= 0) {
        if (count == 0 || errno != EAGAIN) end(descriptor);
        return;
    }
    connection->length += (size_t)count;
    connection->head[connection->length] = 0;
    if (strstr(connection->head, "\r\n\r\n") == NULL) return;
    connection->length = 0;
    answer(descriptor, connection->head);
}

static void welcome(int listener, int epoll) {
    for (int one = 1;;) {
        int descriptor = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (descriptor < 0) return;
        if (descriptor >= most_descriptors) {
            close(descriptor);
            continue;
        }
        setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (connections[descriptor] == NULL) connections[descriptor] = calloc(1, sizeof(struct connection));
        if (connections[descriptor] == NULL) fail("memory");
        connections[descriptor]->length = 0;
        connections[descriptor]->is_open = true;
        struct epoll_event event = {.events = EPOLLIN, .data.fd = descriptor};
        epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
    }
}

static void send_slice(int slice) {
    char chunk[512];
    for (int descriptor = slice; descriptor < most_descriptors; descriptor += slices) {
        if (connections[descriptor] == NULL || !connections[descriptor]->is_streaming) continue;
        size_t length = event(chunk, sizeof chunk);
        put(descriptor, chunk, length);
    }
}

int main(int count, char **arguments) {
    if (count != 3 || atoi(arguments[2]) < 1) {
        fputs("event-server PORT RATE\n", stderr);
        return 64;
    }
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), epoll = epoll_create1(0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) != 0 || listen(listener, 4096) != 0) fail("port");
    struct epoll_event listening = {.events = EPOLLIN, .data.fd = listener};
    epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &listening);
    uint64_t interval = 1000000000 / (uint64_t)atoi(arguments[2]) / slices, due = now() + interval;
    for (int slice = 0;;) {
        struct epoll_event events[256];
        uint64_t time = now();
        struct timespec rest = {.tv_nsec = due > time ? (long)(due - time) : 0};
        int ready = epoll_pwait2(epoll, events, 256, &rest, NULL);
        for (int index = 0; index < ready; index++)
            if (events[index].data.fd == listener) welcome(listener, epoll);
            else if (connections[events[index].data.fd]->is_open) take(events[index].data.fd);
        if (now() < due) continue;
        send_slice(slice);
        slice = (slice + 1) % slices;
        due += interval;
        // Missed events are not sent later, because a burst costs less than single events.
        if (due < now()) due = now() + interval;
    }
}
