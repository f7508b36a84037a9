"""The cases that do not hold, and why they cannot yet; each is a line of SECURITY.md."""

import re

KNOWN = (
    (r"files/authorities that become a fifo",
     "libcurl opens a file of authorities by its name, once it was checked; give certificates in memory"),
    (r"answers/TLS without close_notify, no length",
     "libcurl 7.88 takes the end of a connection for the end of a body that states no length"),
    (r"answers/.*MAX_CONCURRENT_STREAMS of 0(?! from the start).*",
     "libcurl 7.88 keeps a request for a connection that takes no streams until its deadline"),
    (r"requests/stream with Content-Length: [02]",
     "a stream is sent as far as the length that was stated for it"),
    (r"requests/token, (CR|LF|CRLF|NUL)",
     "Foundation leaves out a field with such a value, and a plugin has no way to refuse; nothing is injected"),
)


def mark(cases):
    """Sets the reasons of the cases that are known not to hold."""
    for case in cases:
        for pattern, reason in KNOWN:
            if case.known is None and re.fullmatch(pattern, case.title):
                case.known = reason
    return cases
