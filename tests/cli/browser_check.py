#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads pages in headless Chromium through its debugging pipe and checks what a reader would see.

  browser_check.py BROWSER PAGE... [--screenshots FOLDER]

The pipe (file descriptors 3 and 4, messages ended by NUL) needs no package beside the browser. Checked at 390 and 1440
pixels, light and dark: no console message, no exception, no request beside the page, no horizontal overflow, a title of
rlverify, pictures with a size, and another background in the dark.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

PROBE = """(() => ({
  scroll: document.scrollingElement.scrollWidth, inner: window.innerWidth, title: document.title,
  scripts: document.scripts.length, background: getComputedStyle(document.body).backgroundColor,
  headings: document.querySelectorAll('h1, h2').length,
  svgs: [...document.querySelectorAll('svg')].map(s => [s.getBoundingClientRect().width, s.getBoundingClientRect().height]),
  named: [...document.querySelectorAll('svg')].every(s => s.querySelector('title') && s.querySelector('desc')),
  outside: [...document.querySelectorAll('body *')].filter(e => !e.closest('.scroll') && !e.closest('svg') &&
    e.getBoundingClientRect().right > window.innerWidth + 0.5).map(e => e.tagName + '.' + e.className),
  spilled: [...document.querySelectorAll('svg')].flatMap(s => [...s.querySelectorAll('text')].filter(t => {
    const a = t.getBoundingClientRect(), b = s.getBoundingClientRect();
    return a.left < b.left - 1 || a.right > b.right + 1 || a.bottom > b.bottom + 1;
  }).map(t => t.textContent)),
}))()"""


class Browser:
    def __init__(self, program, profile):
        to_browser, self.send_fd = os.pipe()
        self.receive_fd, from_browser = os.pipe()

        def wire():
            # Both numbers may be taken by the other pipe's ends: copy out of the way first.
            a, b = os.dup(to_browser), os.dup(from_browser)
            high_a, high_b = os.dup2(a, 60), os.dup2(b, 61)
            os.dup2(high_a, 3)
            os.dup2(high_b, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events = b"", 0, []

    def receive(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.receive_fd, 1 << 20)
            if not piece:
                sys.exit("the browser ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.send_fd, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.events.append(self.receive())


def check(browser, page, width, dark, screenshots):
    faults = []
    target = browser.call("Target.createTarget", url="about:blank")["targetId"]
    session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
    for domain in ("Page", "Runtime", "Log", "Network"):
        browser.call(f"{domain}.enable", session)
    browser.call("Emulation.setDeviceMetricsOverride", session, width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
    browser.call("Emulation.setEmulatedMedia", session, features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
    browser.events.clear()
    url = page.resolve().as_uri()
    browser.call("Page.navigate", session, url=url)
    browser.wait("Page.loadEventFired")
    seen = browser.call("Runtime.evaluate", session, expression=PROBE, returnByValue=True)["result"]["value"]
    for event in browser.events:
        if event["method"] in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"):
            faults.append(f"console: {event['params']}")
        if event["method"] == "Network.requestWillBeSent" and event["params"]["request"]["url"] != url:
            faults.append(f"loads {event['params']['request']['url']}")
    if seen["scroll"] > seen["inner"] or seen["inner"] != width:
        faults.append(f"{seen['scroll']} pixels wide in a window of {seen['inner']}")
    if seen["outside"]:
        faults.append(f"beyond the right edge: {seen['outside'][:5]}")
    if seen["spilled"]:
        faults.append(f"text outside its picture: {seen['spilled'][:5]}")
    if "rlverify" not in seen["title"] or seen["scripts"] or seen["headings"] < 4:
        faults.append(f"not the page: {seen}")
    if not all(w > 200 and h > 40 for w, h in seen["svgs"]) or not seen["named"]:
        faults.append(f"pictures without size or name: {seen['svgs']}")
    if screenshots:
        picture = browser.call("Page.captureScreenshot", session, captureBeyondViewport=True, format="png")
        name = f"{page.stem}-{width}-{'dark' if dark else 'light'}.png"
        (screenshots / name).write_bytes(base64.b64decode(picture["data"]))
    browser.call("Target.closeTarget", targetId=target)
    return faults, seen["background"], len(seen["svgs"])


def main(arguments):
    screenshots = None
    if "--screenshots" in arguments:
        at = arguments.index("--screenshots")
        screenshots = Path(arguments[at + 1])
        del arguments[at:at + 2]
    failed = False
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(arguments[0], profile)
        for page in map(Path, arguments[1:]):
            for width in (390, 1440):
                backgrounds = set()
                for dark in (False, True):
                    faults, background, pictures = check(browser, page, width, dark, screenshots)
                    backgrounds.add(background)
                    for fault in faults:
                        print(f"{page.name} at {width}, {'dark' if dark else 'light'}: {fault}", file=sys.stderr)
                    failed = failed or bool(faults)
                if len(backgrounds) != 2:
                    print(f"{page.name}: the dark page has the light background", file=sys.stderr)
                    failed = True
                print(f"{page.name} at {width}: {pictures} pictures")
        browser.call("Browser.close")
        browser.process.wait(timeout=20)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
