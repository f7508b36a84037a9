"""The cases that are known to fail, with their reasons; each has a line in SECURITY.md."""

import re
import sys

KNOWN = (
    (r"requests/stream with Content-Length: 0",
     "nothing is read of a stream that is stated to be empty, so that one that is can be sent again"),
)


def mark(cases):
    """Sets the reasons of the cases that are known to fail; ends the program if a pattern is that of no case."""
    for pattern, reason in KNOWN:
        matching = [case for case in cases if re.fullmatch(pattern, case.title)]
        if not matching:
            sys.exit(f"attack: no case has a title like {pattern!r}, which known.py excuses")
        for case in matching:
            case.known = case.known or reason
    return cases
