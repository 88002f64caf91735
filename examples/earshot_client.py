"""A client for Earshot's RPC, with nothing but the standard library.

    EARSHOT_TOKEN=… python3 examples/earshot_client.py <user id> search_messages query="the project deadline" limit=5

The protocol is in docs/reference/rpc.md. EARSHOT_URL is where Earshot listens, ws://127.0.0.1:7790/rpc unless set.
"""

import base64
import collections
import hashlib
import json
import os
import socket
import ssl
import struct
import sys
from urllib.parse import urlsplit


class EarshotError(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.code = error["code"]
        self.details = error


class Earshot:
    """One connection. Events that arrive while an answer is awaited are kept for `next_event`."""

    def __init__(self, url, token):
        self._calls = 0
        self._events = collections.deque()
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "wss" else 80)
        self._socket = socket.create_connection((parts.hostname, port))
        if parts.scheme == "wss":
            self._socket = ssl.create_default_context().wrap_socket(self._socket, server_hostname=parts.hostname)
        self._stream = self._socket.makefile("rb")
        key = base64.b64encode(os.urandom(16)).decode()
        head = [f"GET {parts.path or '/rpc'} HTTP/1.1", f"Host: {parts.hostname}:{port}", "Upgrade: websocket"]
        head += ["Connection: Upgrade", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}"]
        head += [f"Authorization: Bearer {token}"]
        self._socket.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
        status = self._stream.readline().decode().strip()
        headers = dict(line.decode().strip().lower().split(": ", 1) for line in iter(self._stream.readline, b"\r\n"))
        proof = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        if " 101 " not in status or headers["sec-websocket-accept"] != base64.b64encode(proof).decode().lower():
            raise ConnectionError(f"Earshot does not answer as it should: {status}")
        self.hello = self._receive()["payload"]

    def call(self, method, args=None, operation_id=None):
        """The answer of a method: its value, and for a tool also the text for a model."""
        self._calls += 1
        call_id = str(self._calls)
        payload = {"method": method, "args": args or {}, "text": True}
        if operation_id:
            payload["operation_id"] = operation_id
        self._send(1, json.dumps({"id": call_id, "op": "rpc/call", "payload": payload}).encode())
        while True:
            frame = self._receive()
            if frame["op"] == "rpc/ret" and frame["reply_to"] == call_id:
                answer = frame["payload"]
                if answer["ok"]:
                    return answer["value"], answer.get("text")
                raise EarshotError(answer["error"])
            self._keep(frame)

    def next_event(self):
        """Waits for something to happen on Discord: {"op", "payload", "operation_id", "cursor"}."""
        while not self._events:
            self._keep(self._receive())
        return self._events.popleft()

    def close(self):
        self._send(8, struct.pack("!H", 1000))
        self._socket.close()

    def _keep(self, frame):
        if frame["op"].startswith("event/") and frame["op"] not in ("event/progress", "event/heartbeat"):
            self._events.append(frame)

    def _send(self, kind, data):
        size = len(data)
        length = bytes([128 | size]) if size < 126 else struct.pack("!BH", 254, size) if size < 65536 else struct.pack("!BQ", 255, size)
        mask = os.urandom(4)
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
        self._socket.sendall(bytes([128 | kind]) + length + mask + masked)

    def _receive(self):
        data = b""
        while True:
            first, size = self._read(2)
            size = struct.unpack("!H", self._read(2))[0] if size == 126 else struct.unpack("!Q", self._read(8))[0] if size == 127 else size
            part, kind = self._read(size), first & 15
            if kind == 8:
                raise ConnectionError("Earshot closed the connection.")
            if kind == 9:
                self._send(10, part)
            if kind in (0, 1):
                data += part
                if first & 128:
                    return json.loads(data)

    def _read(self, size):
        data = self._stream.read(size)
        if len(data) < size:
            raise ConnectionError("The connection was lost.")
        return data


def to_value(text):
    return json.loads(text) if text.isdigit() and len(text) < 10 or text in ("true", "false", "null") else text


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit('Say who asks, and what: python3 examples/earshot_client.py <user id> search_messages query="the deadline"')
    actor, method, *fields = sys.argv[1:]
    token = os.environ.get("EARSHOT_TOKEN")
    if not token:
        sys.exit('Set EARSHOT_TOKEN to the token of a client whose "actors" names that person; "npx earshot token" makes one.')
    url = os.environ.get("EARSHOT_URL", "ws://127.0.0.1:7790/rpc")
    try:
        earshot = Earshot(url, token)
    except OSError as error:
        sys.exit(f"No Earshot answers at {url}, or it refuses the token: {error}")
    try:
        operation, _ = earshot.call("operation.open", {"actor": actor, "private": True})
        args = {name: to_value(value) for name, value in (field.split("=", 1) for field in fields)}
        value, text = earshot.call(method, args, operation["operation_id"])
        print(text or json.dumps(value, ensure_ascii=False, indent=2))
    except EarshotError as error:
        sys.exit(f"{error.code}: {error}")
    finally:
        earshot.close()
