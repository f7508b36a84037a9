#if defined(__linux__)

#include "CMoyaCurl.h"

#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

bool moya_socket_is_writable(int socket) {
    struct pollfd descriptor = {.fd = socket, .events = POLLOUT};
    return poll(&descriptor, 1, 0) == 1 && descriptor.revents & POLLOUT;
}

long long moya_socket_sent_bytes(int socket, bool requires_acknowledgement) {
    struct tcp_info info;
    socklen_t length = sizeof info;
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &length) != 0) return -1;
    // Linux before 4.19 does not report the number; gVisor reports 0.
    if (length < offsetof(struct tcp_info, tcpi_bytes_sent) + sizeof info.tcpi_bytes_sent) return -1;
    if (info.tcpi_bytes_sent == 0) return -1;
    if (requires_acknowledgement && (info.tcpi_notsent_bytes > 0 || info.tcpi_unacked > 0)) return -1;
    return (long long)(info.tcpi_bytes_sent + info.tcpi_notsent_bytes);
}

#endif
