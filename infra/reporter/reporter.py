"""Reports what one container costs: that it started, serves, still runs, and stops.

    python3 reporter.py -- vllm serve …    starts vLLM, passes signals on, and ends as it ends
    python3 reporter.py                    beside a vLLM that something else starts

Each report is a signed webhook (Standard Webhooks) to CONTINUO_URL/webhooks/inference; README.md
lists the variables. Python 3.9 or newer and its standard library, so that it runs in any image.
It must never stand in vLLM's way: it posts from a thread of its own, keeps at most two reports that
were not delivered, and drops a beat that was not. No secret, key or completion reaches its output.
One file, longer than most here, since it is copied by itself into each container.
"""
import base64
import datetime
import hashlib
import hmac
import json
import os
import re
import secrets
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request

# A container that was silent for three of these counts as gone.
BEAT_SECONDS = 30.0
# Readiness is asked on loopback, where a question costs nothing; a start takes minutes.
READY_POLL_SECONDS = 1.0
# The first token of a fresh engine may wait for a kernel to compile.
FIRST_TOKEN_TIMEOUT_SECONDS = 120.0
LOOPBACK_TIMEOUT_SECONDS = 5.0
# A receiver that takes longer is as good as down; less than a beat, so that posts never pile up.
POST_TIMEOUT_SECONDS = 10.0
FIRST_RETRY_SECONDS = 1.0
# A receiver that comes back hears of this container within one beat.
LAST_RETRY_SECONDS = 30.0
# The goodbye is worth a few tries, no more: whoever stops a container kills it soon after.
STOPPING_BOUND_SECONDS = 5.0
STOPPING_TRY_SECONDS = 2.0
# With the goodbye below the 30 s that Kubernetes, Modal and others give before they kill.
COMMAND_STOP_SECONDS = 20.0
# How soon a signal or vLLM's end is noticed.
WATCH_SECONDS = 0.2
# What Standard Webhooks asks for.
SECRET_LEAST_BYTES = 24
# vLLM's own page has some hundred kB; more is not its page.
METRICS_MAX_BYTES = 4_000_000

METRICS = {
    "running": "vllm:num_requests_running",
    "waiting": "vllm:num_requests_waiting",
    "generation_tokens": "vllm:generation_tokens_total",
    "prompt_tokens": "vllm:prompt_tokens_total",
}


class ConfigurationProblem(Exception):
    """One sentence that names the variable and says what it must be."""


class Configuration:
    """What the environment says, checked before anything starts: a GPU that nobody meters costs."""

    def __init__(self, environment):
        def needed(name):
            value = environment.get(name, "")
            if not value:
                raise ConfigurationProblem(f"{name} must be set")
            return value

        url = needed("CONTINUO_URL")
        if not re.match(r"https?://[^/]", url):
            raise ConfigurationProblem("CONTINUO_URL must be like https://api.example.org")
        self.webhook_url = url.rstrip("/") + "/webhooks/inference"
        self.secret = _secret_bytes(needed("CONTINUO_REPORT_SECRET"))
        self.model = needed("CONTINUO_MODEL")
        self.gpu = needed("CONTINUO_GPU")
        self.gpu_count = _number(needed("CONTINUO_GPU_COUNT"), "CONTINUO_GPU_COUNT", int)
        self.vllm_url = environment.get("VLLM_URL", "http://127.0.0.1:8000").rstrip("/")
        self.vllm_key = environment.get("VLLM_API_KEY", "")
        beat = environment.get("CONTINUO_BEAT_SECONDS", str(BEAT_SECONDS))
        self.beat_seconds = _number(beat, "CONTINUO_BEAT_SECONDS", float)


def _secret_bytes(text):
    try:
        secret = base64.b64decode(text[len("whsec_"):], validate=True)
    except ValueError:
        secret = b""
    if not text.startswith("whsec_") or len(secret) < SECRET_LEAST_BYTES:
        raise ConfigurationProblem(
            "CONTINUO_REPORT_SECRET must be whsec_ and then the base64 of at least"
            f" {SECRET_LEAST_BYTES} random bytes, as the Worker has it"
        )
    return secret


def _number(text, name, kind):
    try:
        value = kind(text)
    except ValueError:
        value = -1
    if not 0 <= value < 1e9:
        raise ConfigurationProblem(f"{name} must be a number, not negative")
    return value


class Container:
    """This container's own count and clock: a receiver can judge lost reports and a wrong clock."""

    def __init__(self, configuration):
        self._configuration = configuration
        self._id = secrets.token_hex(16)
        self._began = time.monotonic()
        self._started_at = _now()
        self._sequence = 0
        self._lock = threading.Lock()

    def report(self, kind, metrics=None):
        with self._lock:
            sequence, self._sequence = self._sequence, self._sequence + 1
        data = {
            "model": self._configuration.model,
            "container": self._id,
            "sequence": sequence,
            "uptime_ms": int((time.monotonic() - self._began) * 1000),
            "gpu": self._configuration.gpu,
            "gpu_count": self._configuration.gpu_count,
            "started_at": self._started_at,
            "metrics": metrics,
        }
        body = {"type": f"container.{kind}", "timestamp": _now(), "data": data}
        return {"kind": kind, "id": f"{self._id}.{sequence}", "body": json.dumps(body).encode()}


def _now():
    now = datetime.datetime.now(datetime.timezone.utc)
    return now.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirected POST would arrive as a GET and pass for delivered."""

    def redirect_request(self, *_):
        return None


_outside = urllib.request.build_opener(_NoRedirects)
_loopback = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirects)


def post(configuration, report, timeout_seconds):
    """Posts a report once. Returns None when it was taken, else why not, without any secret."""
    # The id and the body stay the same when a report is sent again; the time is that of the try.
    timestamp = str(int(time.time()))
    signed = f"{report['id']}.{timestamp}.".encode() + report["body"]
    digest = hmac.new(configuration.secret, signed, hashlib.sha256).digest()
    headers = {
        "content-type": "application/json",
        # Firewalls in front of a Worker refuse Python's own name.
        "user-agent": "continuo-reporter",
        "webhook-id": report["id"],
        "webhook-timestamp": timestamp,
        "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
    }
    request = urllib.request.Request(configuration.webhook_url, report["body"], headers)
    try:
        with _outside.open(request, timeout=timeout_seconds):
            return None
    except urllib.error.HTTPError as error:
        return f"HTTP {error.code}"
    except Exception as error:  # whatever fails in a connection, vLLM goes on
        return type(getattr(error, "reason", error)).__name__


def _log(line):
    print(f"reporter: {line}", file=sys.stderr, flush=True)


class Delivery(threading.Thread):
    """Posts in order: started and ready until they are taken, of beats only the newest, once."""

    def __init__(self, configuration):
        super().__init__(daemon=True)
        self._configuration = configuration
        self._changed = threading.Condition()
        self._kept = []
        self._beat = None
        self._ended = False

    def take(self, report):
        with self._changed:
            if report["kind"] == "beat":
                self._beat = report
            else:
                self._kept.append(report)
            self._changed.notify_all()

    def end(self):
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def run(self):
        pause_seconds = FIRST_RETRY_SECONDS
        while True:
            report = self._next()
            if report is None:
                return
            problem = post(self._configuration, report, POST_TIMEOUT_SECONDS)
            with self._changed:
                if report is self._beat:
                    self._beat = None
                elif problem is None and report["kind"] != "beat":
                    self._kept.remove(report)
            if problem is None:
                pause_seconds = FIRST_RETRY_SECONDS
                continue
            _log(f"container.{report['kind']} was not taken ({problem})")
            with self._changed:
                self._changed.wait_for(lambda: self._ended, pause_seconds)
            pause_seconds = min(2 * pause_seconds, LAST_RETRY_SECONDS)

    def _next(self):
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._kept or self._beat)
            return None if self._ended else (self._kept or [self._beat])[0]


def say_goodbye(configuration, report):
    deadline = time.monotonic() + STOPPING_BOUND_SECONDS
    pause_seconds = FIRST_RETRY_SECONDS / 4
    while True:
        left_seconds = deadline - time.monotonic()
        if left_seconds <= 0:
            return _log("container.stopping was not taken in time")
        if post(configuration, report, min(STOPPING_TRY_SECONDS, left_seconds)) is None:
            return None
        time.sleep(max(0.0, min(pause_seconds, deadline - time.monotonic())))
        pause_seconds *= 2


def _ask_vllm(configuration, path, timeout_seconds, body=None):
    """The answer's bytes, or None for whatever is no 200."""
    headers = {"content-type": "application/json"}
    if configuration.vllm_key:
        headers["authorization"] = f"Bearer {configuration.vllm_key}"
    request = urllib.request.Request(configuration.vllm_url + path, body, headers)
    try:
        with _loopback.open(request, timeout=timeout_seconds) as answer:
            return answer.read(METRICS_MAX_BYTES) if answer.status == 200 else None
    except Exception:  # not there yet, or no more
        return None


def is_ready(configuration):
    """Healthy, and one token came: health alone says nothing about progress."""
    if _ask_vllm(configuration, "/health", LOOPBACK_TIMEOUT_SECONDS) is None:
        return False
    asked = {"model": configuration.model, "prompt": "1", "max_tokens": 1, "temperature": 0}
    body = json.dumps(asked).encode()
    answer = _ask_vllm(configuration, "/v1/completions", FIRST_TOKEN_TIMEOUT_SECONDS, body)
    return answer is not None and b'"choices"' in answer


def read_metrics(configuration):
    """vLLM's gauges and counters, summed over its engines; None when any cannot be read."""
    page = _ask_vllm(configuration, "/metrics", LOOPBACK_TIMEOUT_SECONDS)
    return None if page is None else parse_metrics(page.decode("utf-8", "replace"))


def parse_metrics(page):
    figures = {}
    for name, metric in METRICS.items():
        values = re.findall(rf"^{metric}(?:\{{[^\n]*\}})? (\d[\d.e+]*)$", page, re.MULTILINE)
        if not values:
            return None
        figures[name] = int(sum(float(value) for value in values))
    return figures


def watch_readiness(configuration, container, delivery):
    while not is_ready(configuration):
        time.sleep(READY_POLL_SECONDS)
    delivery.take(container.report("ready"))


def beat(configuration, container, delivery):
    while True:
        time.sleep(configuration.beat_seconds)
        delivery.take(container.report("beat", read_metrics(configuration)))


def run(configuration, command):
    """Reports until a signal comes or the command ends; returns the exit code."""
    # A plain list: an Event's lock could be held by the very thread that the signal interrupts.
    signals = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda received, _frame: signals.append(received))
    child = _start(command) if command else None
    container = Container(configuration)
    delivery = Delivery(configuration)
    delivery.take(container.report("started"))
    delivery.start()
    for work in (watch_readiness, beat):
        arguments = (configuration, container, delivery)
        threading.Thread(target=work, args=arguments, daemon=True).start()

    while not signals and (child is None or child.poll() is None):
        time.sleep(WATCH_SECONDS)
    if child is not None and child.poll() is None:
        child.send_signal(signals[0])
    delivery.end()
    say_goodbye(configuration, container.report("stopping"))
    return 0 if child is None else _wait_for(child)


def _start(command):
    # vLLM has no business with the secret that signs reports about it.
    environment = {k: v for k, v in os.environ.items() if k != "CONTINUO_REPORT_SECRET"}
    try:
        return subprocess.Popen(command, start_new_session=True, env=environment)
    except OSError as error:
        sys.exit(f"reporter: {command[0]} cannot be started: {error.strerror}")


def _wait_for(child):
    try:
        code = child.wait(COMMAND_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        code = child.wait()
    return code if code >= 0 else 128 - code


def main():
    arguments = sys.argv[1:]
    if arguments and (arguments[0] != "--" or len(arguments) == 1):
        sys.exit("usage: reporter.py [-- command …]")
    try:
        configuration = Configuration(os.environ)
    except ConfigurationProblem as problem:
        sys.exit(f"reporter: {problem}")
    sys.exit(run(configuration, arguments[1:]))


if __name__ == "__main__":
    main()
