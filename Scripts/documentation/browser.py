#!/usr/bin/env python3
"""Checks pages of the documentation site in headless Chromium, at the widths of a desktop and of a phone.

    browser.py SITE [--screenshots FOLDER]

Fails if a page does not show its title, logs an error to the console, requests a missing file, has a broken image, or is
wider than the screen. It uses the DevTools protocol over a pipe, and so needs only Python and Chromium.
"""

import argparse
import base64
import json
import os
import pathlib
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

import serve

SIZES = {"desktop": (1280, 900, False), "phone": (390, 844, True)}
PAGE_SECONDS = 20

CHINESE = r"[\u4e00-\u9fff]"

# Paths, and regular expressions for the titles of their pages.
PAGES = [
    ("", "Moya"),
    ("documentation/moya/", "Moya"),
    ("documentation/moya/gettingstarted/", "Getting started"),
    ("documentation/moya/performance/", "Performance"),
    ("documentation/moya/moya-zh/", CHINESE),
    ("documentation/moya/gettingstarted-zh/", CHINESE),
    ("documentation/moya/moyaprovider/", "MoyaProvider"),
    ("documentation/moyasession/session/", "Session"),
    ("tutorials/moya/", "Meet Moya"),
    ("tutorials/moya/githubclient/", "A client for GitHub"),
    ("tutorials/moya/githubclient-zh/", CHINESE),
    ("tutorials/moya/chatclient/", "A chat that streams"),
    ("tutorials/moya/chatclient-zh/", CHINESE),
]

STATE = """(() => {
    // A tutorial shows the name of its collection beside its own.
    const titles = [...document.querySelectorAll('h1, .headline')].map(title => title.innerText.trim());
    const images = [...document.images].filter(image => image.getClientRects().length > 0);
    return {
        title: titles.join(', '),
        missing: !!document.querySelector('.not-found, #not-found'),
        loading: images.some(image => !image.complete),
        broken: images.filter(image => image.complete && image.naturalWidth === 0).map(image => image.currentSrc),
        width: document.documentElement.scrollWidth,
        ready: document.readyState === 'complete',
    };
})()"""


class BrowserFailure(Exception):
    """Chromium could not be started, or has exited."""


class Browser:
    """A headless Chromium that is controlled over a pipe."""

    def __init__(self, profile):
        program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
        if program is None:
            raise BrowserFailure("Chromium is not installed: run Scripts/install-prerequisites docs")
        command = [
            program, "--headless=new", "--remote-debugging-pipe", f"--user-data-dir={profile}", "--disable-gpu",
            "--no-first-run", "--disable-dev-shm-usage", "--hide-scrollbars", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--no-default-browser-check",
        ]
        if os.geteuid() == 0:
            # Chromium cannot use its sandbox as root; here it opens only the generated site.
            command.append("--no-sandbox")
        their_input, self.output = os.pipe()
        self.input, their_output = os.pipe()
        self.log = open(pathlib.Path(profile) / "chromium.log", "w+b")
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, close_fds=False,
            preexec_fn=lambda: move_descriptors(their_input, their_output))
        os.close(their_input)
        os.close(their_output)
        self.pending, self.last_id, self.events = b"", 0, []

    def call(self, method, session=None, seconds=PAGE_SECONDS, **parameters):
        self.last_id += 1
        message = {"id": self.last_id, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + seconds
        while True:
            answer = self.read(deadline)
            if answer is None:
                raise BrowserFailure(f"no answer to {method} within {seconds} s")
            if answer.get("id") == self.last_id:
                if "error" in answer:
                    raise BrowserFailure(f"{method}: {answer['error']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def listen(self, seconds):
        """Reads the browser's messages for a number of seconds."""
        deadline = time.monotonic() + seconds
        while (event := self.read(deadline)) is not None:
            self.events.append(event)

    def read(self, deadline):
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.input], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                return None
            piece = os.read(self.input, 1 << 16)
            if not piece:
                self.log.seek(0)
                raise BrowserFailure(f"Chromium ended:\n{self.log.read().decode(errors='replace')[-2000:]}")
            self.pending += piece
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def move_descriptors(their_input, their_output):
    """Moves the pipes to descriptors 3 and 4, which Chromium reads from and writes to."""
    # Neither descriptor may be overwritten before it is copied.
    first, second = os.dup(their_input), os.dup(their_output)
    while first in (3, 4):
        first = os.dup(first)
    while second in (3, 4):
        second = os.dup(second)
    os.dup2(first, 3)
    os.dup2(second, 4)


def reported_errors(events):
    """The errors in the events of a page."""
    for event in events:
        kind, values = event["method"], event["params"]
        if kind == "Runtime.exceptionThrown":
            details = values["exceptionDetails"]
            yield details.get("exception", {}).get("description") or details["text"]
        elif kind == "Runtime.consoleAPICalled" and values["type"] in ("error", "assert"):
            yield " ".join(str(one.get("value", one.get("description", ""))) for one in values["args"])
        elif kind == "Log.entryAdded" and values["entry"]["level"] == "error":
            yield f"{values['entry']['text']} {values['entry'].get('url', '')}"
        elif kind == "Network.responseReceived" and values["response"]["status"] >= 400:
            yield f"{values['response']['status']} for {values['response']['url']}"


def is_missing(events):
    return any(
        event["method"] == "Network.responseReceived" and event["params"]["type"] == "Document"
        and event["params"]["response"]["status"] == 404
        for event in events)


def check_page(browser, base, path, title, size, screenshot):
    """Loads a page in one size, and returns its problems."""
    width, height, is_phone = SIZES[size]
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    try:
        browser.events.clear()
        for domain in ("Page", "Runtime", "Log", "Network"):
            browser.call(f"{domain}.enable", session)
        browser.call(
            "Emulation.setDeviceMetricsOverride", session, width=width, height=height, deviceScaleFactor=1,
            mobile=is_phone)
        browser.call("Page.navigate", session, url=base + path)
        deadline = time.monotonic() + PAGE_SECONDS
        while True:
            browser.listen(0.2)
            result = browser.call("Runtime.evaluate", session, expression=STATE, returnByValue=True)
            state = result["result"].get("value") or {"title": "", "missing": False}
            if is_missing(browser.events):
                return ["the page is missing"]
            if state["missing"] or (state["title"] and state["ready"] and not state["loading"]):
                break
            if time.monotonic() > deadline:
                return [f"nothing was shown within {PAGE_SECONDS} s"]
        # The page may request more files after it shows its title.
        browser.listen(0.3)
        if screenshot:
            image = browser.call("Page.captureScreenshot", session, captureBeyondViewport=False)
            screenshot.write_bytes(base64.b64decode(image["data"]))
        problems = list(reported_errors(browser.events))
        if state["missing"]:
            return problems + ["the page is missing"]
        if not re.search(title, state["title"]):
            problems.append(f"the title is '{state['title']}', which does not match '{title}'")
        problems += [f"the image {source} is broken" for source in state["broken"]]
        # A phone zooms out of a page that is too wide, so the width of its window is no indication.
        if state["width"] > width:
            problems.append(f"{state['width']} points wide on a screen of {width}")
        return problems
    finally:
        browser.call("Target.closeTarget", targetId=target)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("site")
    arguments.add_argument("--screenshots", type=pathlib.Path)
    options = arguments.parse_args()
    if options.screenshots:
        options.screenshots.mkdir(parents=True, exist_ok=True)
    serving = serve.serve_in_background(options.site)
    base = f"http://127.0.0.1:{serving.server_port}/"
    failures = 0
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        try:
            browser = Browser(profile)
        except BrowserFailure as failure:
            print(f"browser: {failure}", file=sys.stderr)
            return 69
        try:
            for path, title in PAGES:
                for size in SIZES:
                    name = f"{path.strip('/').replace('/', '-') or 'root'}-{size}.png"
                    screenshot = options.screenshots / name if options.screenshots else None
                    problems = check_page(browser, base, path, title, size, screenshot)
                    print(f"{'FAILED' if problems else 'ok'}: /{path} ({size})")
                    for problem in problems:
                        print(f"    {problem}", file=sys.stderr)
                    failures += bool(problems)
        except BrowserFailure as failure:
            print(f"browser: {failure}", file=sys.stderr)
            return 1
        finally:
            browser.close()
    serving.shutdown()
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
