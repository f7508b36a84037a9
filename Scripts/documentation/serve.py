#!/usr/bin/env python3
"""Serves a folder on a free loopback port: serve.py FOLDER, until Ctrl-C."""

import functools
import http.server
import sys
import threading


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    """Serves files without logging."""

    def log_message(self, format, *arguments):
        pass


class QuietServer(http.server.ThreadingHTTPServer):
    """Ignores browsers that disconnect before the end of a file."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


def server(folder):
    """A server of the folder that listens, but does not answer yet."""
    return QuietServer(("127.0.0.1", 0), functools.partial(QuietHandler, directory=folder))


def serve_in_background(folder):
    """Serves the folder until the returned server is shut down."""
    serving = server(folder)
    threading.Thread(target=serving.serve_forever, daemon=True).start()
    return serving


if __name__ == "__main__":
    with server(sys.argv[1]) as serving:
        print(f"http://127.0.0.1:{serving.server_port}/ (Ctrl-C ends it)", flush=True)
        try:
            serving.serve_forever()
        except KeyboardInterrupt:
            print()
