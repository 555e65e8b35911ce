#!/usr/bin/env python3
# -*- coding: utf-8 -*-
"""
A tiny web framework in one file, for the fun of it.

    app = App("demo")

    @app.route("/hello/<name>")
    async def hello(request, name):
        return f"Hello, {name}!"

Requests and responses are plain objects; there is no socket anywhere.
"""
import asyncio
import functools
import html
import inspect
import json
import re
import sys
import time
from collections import ChainMap, deque
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from types import SimpleNamespace
from typing import Any, Awaitable, Callable, Dict, Iterable, List, Optional, Tuple

__all__ = ["App", "Request", "Response", "HTTPError"]

Handler = Callable[..., Awaitable[Any]]
CONVERTERS = {
    "int": (r"[-+]?\d+", int),
    "word": (r"\w+", str),
    "path": (r".+", str),
    None: (r"[^/]+", str),
}
PLACEHOLDER = re.compile(r"""
    <                           # <name> or <converter:name>
      (?: (?P<kind>[a-z]+) : )?
      (?P<name>[a-z_][a-z0-9_]*)
    >
""", re.VERBOSE | re.IGNORECASE)

PAGE = '''<!DOCTYPE html>
<html>
  <head><title>{title}</title></head>
  <body>
    <h1>{title}</h1>
    {body}
  </body>
</html>
'''


class HTTPError(Exception):
    def __init__(self, status: int, reason: Optional[str] = None):
        self.status = HTTPStatus(status)
        super().__init__(reason or self.status.phrase)


class Headers(dict):
    """A dictionary that does not care about case."""

    def __init__(self, pairs: Iterable[Tuple[str, str]] = (), **more: str):
        super().__init__((k.lower(), v) for k, v in pairs)
        self.update({k.replace("_", "-"): v for k, v in more.items()})

    def __getitem__(self, name):
        return super().__getitem__(name.lower())

    def __setitem__(self, name, value):
        super().__setitem__(name.lower(), str(value))

    def __missing__(self, name):
        raise HTTPError(400, f"the header {name!r} is missing")


class Request:
    __slots__ = ("method", "path", "headers", "body", "started", "state", "_query")

    def __init__(self, method, path, *, headers=None, body=b""):
        self.method = method.upper()
        self.path, _, query = path.partition("?")
        self.headers = Headers((headers or {}).items())
        self.body = body
        self.started = time.monotonic()
        self.state = SimpleNamespace()
        self._query = query

    @functools.lru_cache(maxsize=None)
    def unquote(self, text):
        return re.sub(r"%([0-9A-Fa-f]{2})", lambda m: chr(int(m[1], 16)), text.replace("+", " "))

    @property
    def query(self) -> Dict[str, List[str]]:
        values: Dict[str, List[str]] = {}
        for part in filter(None, self._query.split("&")):
            key, _, value = part.partition("=")
            values.setdefault(self.unquote(key), []).append(self.unquote(value))
        return values

    def json(self):
        try:
            return json.loads(self.body or "null")
        except ValueError as error:
            raise HTTPError(422) from error


class Response:
    def __init__(self, body="", status=200, /, **headers):
        self.status = HTTPStatus(status)
        self.headers = Headers(**headers)
        self.body = body if isinstance(body, bytes) else str(body).encode("utf-8")

    def __repr__(self):
        return "<%s %d, %d byte%s>" % (
            type(self).__name__, self.status, len(self.body), "" if len(self.body) == 1 else "s"
        )


class Route:
    def __init__(self, pattern: str, handler: Handler, methods: Tuple[str, ...]):
        self.pattern, self.handler, self.methods = pattern, handler, methods
        self.converters = {}
        expression, position = "", 0
        for match in PLACEHOLDER.finditer(pattern):
            kind, name = match.group("kind", "name")
            regex, convert = CONVERTERS[kind]
            expression += re.escape(pattern[position:match.start()]) + f"(?P<{name}>{regex})"
            self.converters[name] = convert
            position = match.end()
        self.regex = re.compile(expression + re.escape(pattern[position:]) + r"\Z")

    def match(self, path):
        if found := self.regex.match(path):
            return {name: self.converters[name](value) for name, value in found.groupdict().items()}
        return None


class App:
    def __init__(self, name: str = __name__, **settings):
        self.name = name
        self.settings = ChainMap(settings, {"debug": False, "limit": 1 << 16})
        self.routes: List[Route] = []
        self.before: List[Handler] = []
        self.hooks: Dict[str, Callable[[Handler], Handler]] = {}
        self.log = deque(maxlen=100)

    def route(self, pattern, *, methods=("GET",)):
        def register(handler):
            self.routes.append(Route(pattern, handler, tuple(methods)))
            return handler
        return register

    def hook(self, name):
        """Keep a decorator under a name; handlers use it as `@app.hooks[name]`."""
        def register(decorator):
            self.hooks[name] = decorator
            return decorator
        return register

    @asynccontextmanager
    async def timed(self, request):
        try:
            yield request.state
        finally:
            self.log.append((request.method, request.path, time.monotonic() - request.started))

    async def __call__(self, request: Request) -> Response:
        async with self.timed(request) as state:
            try:
                for hook in self.before:
                    await hook(request)
                state.result = await self.dispatch(request)
            except HTTPError as error:
                return self.page(error.status, str(error))
            except Exception as error:
                if self.settings["debug"]:
                    raise
                return self.page(HTTPStatus.INTERNAL_SERVER_ERROR, type(error).__name__)
            else:
                return self.respond(state.result)

    async def dispatch(self, request):
        allowed = set()
        for route in self.routes:
            arguments = route.match(request.path)
            if arguments is None:
                continue
            if request.method not in route.methods:
                allowed |= {*route.methods}
                continue
            result = route.handler(request, **arguments)
            return await result if inspect.isawaitable(result) else result
        raise HTTPError(405 if allowed else 404)

    def respond(self, result):
        if isinstance(result, Response):
            return result
        if isinstance(result, tuple):
            body, status, *rest = result
            return Response(body, status, **(rest[0] if rest else {}))
        if isinstance(result, (dict, list)) or result is None:
            return Response(json.dumps(result, indent=2 if self.settings["debug"] else None), content_type="application/json")
        return Response(result, content_type="text/plain; charset=utf-8")

    def page(self, status, text):
        body = PAGE.format(title=f"{status.value} {status.phrase}", body=html.escape(text))
        return Response(body, status, content_type="text/html")


app = App("demo", debug="--debug" in sys.argv)
notes: Dict[int, str] = {1: "buy milk", 2: "call Ada"}


@app.hook("secret")
def needs_key(handler):
    @functools.wraps(handler)
    async def wrapper(request, *args, **kwargs):
        if request.headers.get("x-key") != "sesame":
            raise HTTPError(403, "say the word")
        return await handler(request, *args, **kwargs)
    return wrapper


@app.route("/notes")
async def all_notes(request):
    word = request.query.get("q", [""])[0]
    return [{"id": n, "text": t} for n, t in sorted(notes.items()) if word in t]


@app.route("/notes/<int:number>", methods=["GET", "DELETE"])
@app.hooks["secret"]
async def one_note(request, number):
    if request.method == "DELETE":
        with suppress(KeyError):
            del notes[number]
        return "", 204
    elif number not in notes:
        raise HTTPError(404, "no such note")
    return notes[number]


@app.route("/slow/<int:times>")
async def slow(request, times):
    async def tick(n):
        await asyncio.sleep(0)
        return n ** 2
    return {"ticks": [n async for n in ticks(times)], "sum": sum(await asyncio.gather(*map(tick, range(times))))}


async def ticks(times, *, step=1):
    for n in range(0, times, step):
        yield n
        await asyncio.sleep(0)


async def main(*paths):
    for path in paths or ("/notes?q=milk", "/notes/2", "/slow/3", "/nowhere"):
        response = await app(Request("get", path, headers={"X-Key": "sesame"}))
        print(f"{path:<20} {response!r}")
        print("   ", response.body.decode()[:60].replace("\n", " "))
    while app.log:
        method, path, seconds = app.log.popleft()
        print(f"{method} {path}: {seconds * 1000:.1f} ms", file=sys.stderr)


if __name__ == "__main__":
    asyncio.run(main(*(a for a in sys.argv[1:] if not a.startswith("-"))))
