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

/// `true` if a descriptor is an unnamed socket or a pipe (libcurl 8.5 to 8.7) that child processes inherit.
static bool may_be_wakeup(int descriptor) {
    struct stat status;
    struct sockaddr address = {0};
    socklen_t length = sizeof address;
    int flags = fcntl(descriptor, F_GETFD);
    if (flags < 0 || flags & FD_CLOEXEC) return false;
    if (fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode)) return true;
    return getsockname(descriptor, &address, &length) == 0 && address.sa_family == AF_UNIX &&
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
void moya_multi_close_wakeup_on_exec(CURLM *multi) {
    enum { most = 16 };
    int found[most], count = 0;
    if (curl_multi_wakeup(multi) != CURLM_OK) return;
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder && count < most && (entry = readdir(folder));) {
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && may_be_wakeup(descriptor) && is_signalled(descriptor))
            found[count++] = descriptor;
    }
    if (folder) closedir(folder);
    curl_multi_poll(multi, NULL, 0, 0, NULL);
    for (int index = 0; index < count; index++)
        if (!is_signalled(found[index])) fcntl(found[index], F_SETFD, FD_CLOEXEC);
}

#endif
