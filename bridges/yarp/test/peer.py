"""A peer on YARP's network, written from the description of the protocol alone.

Shares no code with the bridge: sockets, struct, and what the bytes are said to be.
"""
import os
import random
import re
import select
import socket
import struct
import subprocess
import threading
import time

PATIENCE = float(os.environ.get("PINTLE_TEST_PATIENCE_S", "120"))
PINTLE = os.environ.get("PINTLE_COMMAND", "pintle")
MAGIC = {"tcp": b"YA\xe4\x1e\x00\x00RP", "fast_tcp": b"YA\x64\x1e\x00\x00RP",
         "text": b"CONNECT ", "text_ack": b"CONNACK "}
CARRIERS = list(MAGIC)
INDEX = b"YA\x0a\x00\x00\x00RP"
ACK = b"YA\x00\x00\x00\x00RP"


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def until(condition, what):
    """Waits for a condition, and says which it was that never came."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.01)
    raise AssertionError("never: " + what)


# --- bytes

def vector(values):
    return struct.pack("<ii%dd" % len(values), 276, len(values), *values)


def frame(payload, blocks=None):
    blocks = blocks or [len(payload)]
    return INDEX + bytes([len(blocks), 1]) + b"\xff" * 8 + struct.pack(
        "<%di" % (len(blocks) + 1), *blocks, 0) + payload


def key_command(key):
    return struct.pack("<i", 0) + b"~" + key + b"\x00\x01"


def text_command(text):
    raw = text.encode() + b"\x00"
    return struct.pack("<i", len(raw)) + b"~\x00\x00\x01" + raw


class Stream:
    """A socket from which exactly as much is read as is asked for."""

    def __init__(self, sock):
        self.sock = sock
        sock.settimeout(PATIENCE)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def read(self, n):
        while len(self.buffer) < n:
            more = self.sock.recv(65536)
            if not more:
                raise EOFError
            self.buffer += more
        out, self.buffer = self.buffer[:n], self.buffer[n:]
        return out

    def line(self):
        while b"\n" not in self.buffer:
            more = self.sock.recv(65536)
            if not more:
                raise EOFError
            self.buffer += more
        out, self.buffer = self.buffer.split(b"\n", 1)
        return out.rstrip(b"\r").decode()

    def send(self, data):
        self.sock.sendall(data)

    def close(self):
        self.sock.close()


def dial(address):
    return Stream(socket.create_connection(address, timeout=PATIENCE))


class Names:
    """The name server: one command a connection."""

    def __init__(self, host, port):
        self.address = (host, port)

    def ask(self, command):
        s = dial(self.address)
        s.send(b"NAME_SERVER " + command.encode() + b"\n")
        lines = []
        while True:
            line = s.line()
            if line.startswith("*"):
                break
            lines.append(line)
            if line.startswith("["):
                break
        s.close()
        return lines

    def query(self, name):
        for line in self.ask("query " + name):
            m = re.match(r"registration name (\S+) ip (\S+) port (\d+) type (\S+)$", line)
            if m:
                return m.group(2), int(m.group(3))
        return None

    def wait_for(self, name):
        return until(lambda: self.query(name), name + " is registered")


class Writer:
    """Dials a port and sends it vectors."""

    def __init__(self, address, carrier, name="/peer/writer:o"):
        self.carrier, self.stream = carrier, dial(address)
        s = self.stream
        if carrier in ("tcp", "fast_tcp"):
            raw = name.encode() + b"\x00"
            s.send(MAGIC[carrier] + struct.pack("<i", len(raw)) + raw)
            answer = s.read(8)
            check(answer[:2] == b"YA" and answer[6:] == b"RP", "a welcome, got %r" % answer)
        else:
            s.send(MAGIC[carrier] + name.encode() + b"\r\n")
            check(s.line().startswith("Welcome /"), "a welcome in words")

    def raw(self, data):
        self.stream.send(data)

    def acknowledged(self):
        if self.carrier == "tcp":
            check(self.stream.read(8) == ACK, "an acknowledgement")
        if self.carrier == "text_ack":
            check(self.stream.line() == "<ACK>", "an acknowledgement in words")

    def write(self, values, stamp=None):
        self.start(values, stamp)
        self.acknowledged()

    def start(self, values, stamp=None):
        if self.carrier in ("tcp", "fast_tcp"):
            head = text_command("D " + stamp) if stamp else key_command(b"D")
            body = vector(values)
            self.raw(frame(head + body, [len(head), 8, len(body) - 8]))
        else:
            text = " ".join(repr(float(v)) for v in values)
            self.raw(("D" + (" " + stamp if stamp else "") + "\r\n" + text + "\r\n").encode())

    def close(self):
        self.stream.close()


def admin(address, line, command="a"):
    """One administrative question by text_ack: the lines before its acknowledgement."""
    w = Writer(address, "text_ack", "admin")
    w.raw((command + "\r\n" + (line + "\r\n" if command == "a" else "")).encode())
    lines = []
    while True:
        got = w.stream.line()
        if got == "<ACK>":
            w.close()
            return lines
        lines.append(got)


class Port:
    """A port of our own that keeps what is written to it."""

    def __init__(self, names, name, register=True):
        self.names, self.name = names, name
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = self.listener.getsockname()
        self.messages, self.peers = [], []  # (stamp, values), (carrier, name)
        self.times = []  # of the messages, by the clock here
        self.hung = False
        self.condition = threading.Condition()
        self.streams = []
        if register:
            self.register()
        threading.Thread(target=self._accept, daemon=True).start()

    def register(self):
        self.names.ask("register %s tcp %s %d" % (self.name, *self.address))

    def _accept(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            s = Stream(sock)
            self.streams.append(s)
            threading.Thread(target=self._serve, args=(s,), daemon=True).start()

    def _serve(self, s):
        try:
            magic = s.read(8)
            carrier = next(c for c in CARRIERS if MAGIC[c] == magic)
            if carrier in ("tcp", "fast_tcp"):
                peer = s.read(struct.unpack("<i", s.read(4))[0])[:-1].decode()
                s.send(b"YA" + struct.pack("<i", self.address[1]) + b"RP")
            else:
                peer = s.line()
                s.send(b"Welcome " + self.name.encode() + b"\r\n")
            with self.condition:
                self.peers.append((carrier, peer))
                self.condition.notify_all()
            while self._message(s, carrier):
                pass
        except (OSError, EOFError):
            pass

    def _message(self, s, carrier):
        if carrier in ("tcp", "fast_tcp"):
            check(s.read(8) == INDEX, "an index header")
            blocks, replies = s.read(2)
            s.read(8)
            sizes = struct.unpack("<%di" % (blocks + replies), s.read(4 * (blocks + replies)))
            payload = s.read(sum(sizes[:blocks]))
            length, tilde, key = struct.unpack("<i", payload[:4])[0], payload[4:5], payload[5:6]
            check(tilde == b"~", "a port command")
            command = key.decode()
            rest = payload[8:]
            if key == b"\x00":
                command, rest = rest[:length - 1].decode(), rest[length:]
            values = None
            if command[0] in "dD":
                tag, n = struct.unpack("<ii", rest[:8])
                if tag == 276:
                    values = struct.unpack("<%dd" % n, rest[8:])
        else:
            command = s.line()
            values = None
            if command[0] in "dD":
                text = s.line()
                try:
                    values = tuple(float(x) for x in text.split())
                except ValueError:
                    values = text
        while self.hung:
            time.sleep(0.01)
        if command[0] in "dD":
            with self.condition:
                self.messages.append((command[2:], values))
                self.times.append(time.monotonic())
                self.condition.notify_all()
        if carrier == "tcp":
            s.send(ACK)
        if carrier == "text_ack":
            s.send(b"<ACK>\r\n")
        return command[0] != "q"

    def wait(self, condition, what):
        with self.condition:
            check(self.condition.wait_for(lambda: condition(self.messages), PATIENCE),
                  "never: " + what)

    def longest_silence(self):
        """Up to now: what is not heard yet is silence too."""
        times = [*self.times, time.monotonic()]
        return max((b - a for a, b in zip(times, times[1:])), default=0.0)

    def vanish(self, unregister=True):
        self.listener.close()
        for s in self.streams:
            try:
                s.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        if unregister:
            self.names.ask("unregister " + self.name)


class Program:
    """A process that is ended with its end."""

    def __init__(self, *arguments, stdin=None):
        self.arguments = arguments
        self.process = subprocess.Popen([PINTLE, *arguments], stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        self.out, self.err = [], []
        for stream, into in ((self.process.stdout, self.out), (self.process.stderr, self.err)):
            threading.Thread(target=self._read, args=(stream, into), daemon=True).start()

    @staticmethod
    def _read(stream, into):
        for line in stream:
            into.append(line.rstrip("\n"))

    def heard(self, words, where=None):
        return until(lambda: next((l for l in list(where if where is not None else self.out + self.err)
                                   if words in l), None),
                     "%r says %r; it said %r %r" % (self.arguments, words, self.out, self.err))

    def end(self, how="terminate"):
        getattr(self.process, how)()
        return self.process.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            print("%r said:\n%s" % (self.arguments, "\n".join(self.out + self.err)), flush=True)
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


def run(*arguments, given=None):
    done = subprocess.run([PINTLE, *arguments], input=given, capture_output=True, text=True,
                          timeout=PATIENCE)
    return done.returncode, done.stdout, done.stderr


def free_port():
    """Of those that the system gives to no connection by itself: it is there again for a server that is started anew."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) != 0:
                return port


class NameServer(Program):
    def __init__(self, port=0):
        super().__init__("yarp", "server", "--port", str(port or free_port()))
        line = self.heard("name server at ")
        self.port = int(line.rsplit(":", 1)[1])
        self.names = Names("127.0.0.1", self.port)
        self.contact = os.path.join(os.environ["YARP_CONFIG_HOME"], "yarp.conf")
        if port == 0:
            with open(self.contact, "w") as f:
                f.write("127.0.0.1 %d yarp\n" % self.port)


def anew(once):
    """With names of nobody, again and again for as long as patience is, until it answers nothing: else why the machine spoilt it."""
    end = time.monotonic() + PATIENCE
    while True:
        with NameServer() as server:
            why = once(server)
        if why is None:
            return
        print("once more: " + why, flush=True)
        check(time.monotonic() < end, "never on a machine that lets it run: " + why)


def main(tests):
    """Each test of its own name server; fails with the first that fails."""
    import sys
    import tempfile
    for test in tests:
        if len(sys.argv) > 1 and test.__name__ not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.environ["YARP_CONFIG_HOME"] = folder
            print("-- " + test.__name__, flush=True)
            with NameServer() as server:
                test(server)
    print("ok")
