#if defined(__linux__)

#define _GNU_SOURCE
#include "CMoyaCurl.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

/// `true` if a descriptor is an unnamed socket, or a pipe if libcurl uses one, that child processes inherit.
static bool may_be_wakeup(int descriptor, bool is_pipe) {
    struct stat status;
    struct sockaddr address = {0};
    socklen_t length = sizeof address;
    int flags = fcntl(descriptor, F_GETFD);
    // The standard streams, which may be pipes with unread bytes, are never libcurl's.
    if (descriptor <= 2 || flags < 0 || flags & FD_CLOEXEC) return false;
    if (fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode)) return is_pipe;
    return !is_pipe && getsockname(descriptor, &address, &length) == 0 && address.sa_family == AF_UNIX &&
        length == sizeof address.sa_family;
}

/// `true` if a socket or pipe has bytes in transit.
static bool is_signalled(int descriptor) {
    int unread = 0, unsent = 0;
    ioctl(descriptor, FIONREAD, &unread);
    ioctl(descriptor, SIOCOUTQ, &unsent);
    return unread > 0 || unsent > 0;
}

// libcurl exposes neither descriptor. They are the pair that carries a byte when libcurl is woken, and no byte after it has
// read it.
void moya_multi_close_wakeup_on_exec(CURLM *multi, bool is_pipe) {
    enum { most = 16 };
    int found[most], count = 0;
    if (curl_multi_wakeup(multi) != CURLM_OK) return;
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder && count < most && (entry = readdir(folder));) {
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && may_be_wakeup(descriptor, is_pipe) && is_signalled(descriptor))
            found[count++] = descriptor;
    }
    if (folder) closedir(folder);
    curl_multi_poll(multi, NULL, 0, 0, NULL);
    for (int index = 0; index < count; index++)
        if (!is_signalled(found[index])) fcntl(found[index], F_SETFD, FD_CLOEXEC);
}

#endif
