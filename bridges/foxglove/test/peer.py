"""A client of the live server that shares no code with it: sockets, the WebSocket framing and the
Foxglove protocol as their documents have them."""
import base64
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time

COMMAND = os.environ["PINTLE_COMMAND"]
SOURCE = os.environ["PINTLE_SOURCE_DIR"]
PATIENCE = 60


def check(condition, *words):
    if not condition:
        raise AssertionError(" ".join(str(w) for w in words))


class Program:
    """A command that runs beside the test; ended with it."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([COMMAND, *arguments], stderr=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.said = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def heard(self, words):
        """Reads what it says until a line has the words."""
        while True:
            line = self.process.stderr.readline()
            self.said += line
            check(line, "it ended without saying", words, "but:", self.said)
            if words in line:
                return line

    def end(self, how=signal.SIGINT):
        if self.process.poll() is None:
            self.process.send_signal(how)
        out, err = self.process.communicate(timeout=PATIENCE)
        self.said += err
        return self.process.returncode, out, self.said


def run(*arguments):
    p = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, timeout=PATIENCE,
                       stdin=subprocess.DEVNULL)
    return p.returncode, p.stdout, p.stderr


def port_of(line):
    return int(line.split("http://")[1].split()[0].split(":")[1].split("/")[0])


def request(port, lines, target="/", method="GET", host=None):
    """A connection on which that was asked."""
    s = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    head = ["%s %s HTTP/1.1" % (method, target), "Host: " + (host or "127.0.0.1:%d" % port)] + lines
    s.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
    return s


def read_head(s):
    """Status and headers of the answer, and what came after them."""
    got = b""
    while b"\r\n\r\n" not in got:
        try:
            more = s.recv(65536)
        except ConnectionResetError:
            return 0, {}, b""
        if not more:
            break
        got += more
    head, _, rest = got.partition(b"\r\n\r\n")
    lines = head.decode("latin1").split("\r\n")
    status = int(lines[0].split()[1]) if lines[0] else 0
    return status, {k.lower(): v for k, v in (l.split(": ", 1) for l in lines[1:])}, rest


def http(port, target="/", method="GET", host=None, lines=()):
    with request(port, list(lines) + ["Connection: close"], target, method, host) as s:
        status, headers, body = read_head(s)
        while status:
            more = s.recv(65536)
            if not more:
                break
            body += more
        return status, headers, body


def upgrade_lines(protocols):
    lines = ["Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
             "Sec-WebSocket-Key: " + base64.b64encode(os.urandom(16)).decode()]
    return lines + (["Sec-WebSocket-Protocol: " + protocols] if protocols else [])


def knock(port, protocols="foxglove.sdk.v1", host=None, lines=(), target="/"):
    """Status of an attempt to come in."""
    with request(port, upgrade_lines(protocols) + list(lines), target, host=host) as s:
        return read_head(s)[0]


class Client:
    def __init__(self, port, protocols="foxglove.sdk.v1", target="/"):
        self.socket = request(port, upgrade_lines(protocols), target)
        status, self.headers, self.buffer = read_head(self.socket)
        check(status == 101, "not let in:", status)
        self.texts, self.data, self.answers, self.assets, self.closed = [], [], {}, {}, None
        self.topics, self.services = {}, {}
        self.next_number = 1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    # framing
    def send_frame(self, opcode, payload, final=True):
        mask = os.urandom(4)
        head = bytes([(0x80 if final else 0) | opcode])
        n = len(payload)
        head += bytes([0x80 | n]) if n < 126 else (
            bytes([0xFE]) + struct.pack(">H", n) if n < 65536 else bytes([0xFF]) + struct.pack(">Q", n))
        long = (mask * (n // 4 + 1))[:n]
        body = (int.from_bytes(payload, "big") ^ int.from_bytes(long, "big")).to_bytes(n, "big")
        self.socket.sendall(head + mask + body)

    def say(self, **fields):
        self.send_frame(1, json.dumps(fields).encode())

    def _take(self, n):
        while len(self.buffer) < n:
            more = self.socket.recv(65536)
            if not more:
                raise EOFError
            self.buffer += more
        part, self.buffer = self.buffer[:n], self.buffer[n:]
        return part

    def hear(self):
        """One frame, sorted to where it belongs."""
        first, second = self._take(2)
        n = second & 0x7F
        if n == 126:
            n = struct.unpack(">H", self._take(2))[0]
        elif n == 127:
            n = struct.unpack(">Q", self._take(8))[0]
        payload = self._take(n)
        opcode = first & 0x0F
        if opcode == 9:
            self.send_frame(10, payload)
        elif opcode == 8:
            self.closed = struct.unpack(">H", payload[:2])[0] if len(payload) > 1 else 0
            raise EOFError
        elif opcode == 1:
            text = json.loads(payload)
            self.texts.append(text)
            self.topics.update({c["topic"]: c for c in text.get("channels", [])})
            self.services.update({s["name"]: s for s in text.get("services", [])})
        elif opcode == 2 and payload[0] == 1:
            number, stamp = struct.unpack("<IQ", payload[1:13])
            self.data.append((number, stamp, payload[13:]))
        elif opcode == 2 and payload[0] == 3:
            _, call, size = struct.unpack("<III", payload[1:13])
            self.answers[call] = json.loads(payload[13 + size:])
        elif opcode == 2 and payload[0] == 4:
            number, status, size = struct.unpack("<IBI", payload[1:10])
            self.assets[number] = None if status else payload[10 + size:]

    def until(self, condition, what):
        end = time.monotonic() + PATIENCE
        while not condition():
            check(time.monotonic() < end, "waited in vain for", what)
            self.hear()

    def op(self, name, where=lambda m: True):
        """The first message of that kind, now or later."""
        found = []

        def look():
            found[:] = [m for m in self.texts if m.get("op") == name and where(m)]
            return found
        self.until(look, name)
        return found[0]

    # the protocol
    def channels(self):
        self.until(lambda: self.topics, "channels")
        return self.topics

    def subscribe(self, topic):
        number = self.next_number
        self.next_number += 1
        self.say(op="subscribe", subscriptions=[{"id": number, "channelId": self.channels()[topic]["id"]}])
        return number

    def messages(self, number, n=1):
        def got():
            return [d for d in self.data if d[0] == number]
        self.until(lambda: len(got()) >= n, "%d messages of subscription %d" % (n, number))
        return got()

    def view(self, number, condition=lambda v: True):
        """The next moment of which that is true."""
        while True:
            self.data = [d for d in self.data if d[0] != number]
            v = json.loads(self.messages(number)[0][2])
            if condition(v):
                return v

    def call(self, name, **fields):
        self.until(lambda: name in self.services, name)
        service = self.services[name]
        call = self.next_number
        self.next_number += 1
        encoding = b"json"
        self.send_frame(2, struct.pack("<BIII", 2, service["id"], call, len(encoding)) + encoding +
                        json.dumps(fields).encode())

        def failed():
            return [m for m in self.texts if m.get("op") == "serviceCallFailure" and m["callId"] == call]
        self.until(lambda: call in self.answers or failed(), "an answer of " + name)
        return self.answers.get(call) or {"failed": failed()[0]["message"]}

    def asset(self, uri):
        number = self.next_number
        self.next_number += 1
        self.say(op="fetchAsset", uri=uri, requestId=number)
        self.until(lambda: number in self.assets, "asset " + uri)
        return self.assets[number]

    def parameters(self, *names):
        key = "get %d" % self.next_number
        self.next_number += 1
        self.say(op="getParameters", parameterNames=list(names), id=key)
        return {p["name"]: p["value"] for p in self.op("parameterValues", lambda m: m.get("id") == key)["parameters"]}

    def set(self, **values):
        key = "set %d" % self.next_number
        self.next_number += 1
        self.say(op="setParameters", id=key,
                 parameters=[{"name": n.replace("__", "."), "value": v} for n, v in values.items()])
        return {p["name"]: p["value"] for p in self.op("parameterValues", lambda m: m.get("id") == key)["parameters"]}


def main(names):
    """The tests among them. PINTLE_TEST_PART=2/3: the second, fifth, eighth … so that three processes share them."""
    wanted = sys.argv[1:]
    part, parts = (int(n) for n in os.environ.get("PINTLE_TEST_PART", "1/1").split("/"))
    for name, test in [(n, t) for n, t in names.items() if n.startswith("test_")][part - 1::parts]:
        if wanted and name not in wanted:
            continue
        print("==", name, flush=True)
        test()
