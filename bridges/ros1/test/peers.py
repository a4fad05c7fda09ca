"""Peers that break the rules of ROS 1, towards every subscription, publication and service port of one node.

    peers = Peers(master, node, seed)     # finds by itself what the node hears, says and serves
    peers.strike()                        # the next of all attacks, in an order drawn by the seed
"""
import collections
import io
import random
import socket
import struct
import threading
import time
import xmlrpc.client
import xmlrpc.server

import roslib.message

WRONG = "0" * 32
# what another node's publisher, subscriber and client can do
HEARD = ("garbage", "burst")  # of a publisher: messages that are taken for what they say
PUBLISHER = ("mute", "torn_header", "false_header", "wrong_md5", "false_length", "cut", "garbage", "burst")
SUBSCRIBER = ("torn_header", "false_header", "wrong_md5", "slow", "burst")
CLIENT = ("idle", "torn_header", "false_header", "wrong_md5", "false_length", "cut", "slow", "burst")
LENGTHS = (0xffffffff, 0x80000000, 0x7fffffff, 1000000001, 200000000, 70000)
BURST = 300
KEPT = 12  # connections that are never read, or never written, at a time


def header(fields):
    text = b"".join(struct.pack("<I", len(f)) + f for f in (f"{k}={v}".encode() for k, v in fields.items()))
    return struct.pack("<I", len(text)) + text


def body_of(kind):
    out = io.BytesIO()
    kind().serialize(out)
    return struct.pack("<I", out.tell()) + out.getvalue()


def read_header(s):
    def exactly(n):
        data = b""
        while len(data) < n:
            part = s.recv(n - len(data))
            if not part:
                raise OSError("closed in its header")
            data += part
        return data
    return exactly(struct.unpack("<I", exactly(4))[0])


class Peers:
    def __init__(self, master, node, seed, spared=()):
        """`spared`: services whose full calls would end what the node is there for."""
        self.master, self.node, self.dice, self.spared = master, node.ros_name, random.Random(seed), set(spared)
        self.counts, self.kept, self.ports = collections.Counter(), collections.deque(), {}
        self.heard = collections.Counter()  # publishers of such, each topic
        self.api = xmlrpc.server.SimpleXMLRPCServer(("127.0.0.1", 0), logRequests=False)
        self.api.register_function(
            lambda _, topic, __: (1, "", ["TCPROS", "127.0.0.1", self.ports[topic]]) if topic in self.ports
            else (0, "no such topic", 0), "requestTopic")
        threading.Thread(target=self.api.serve_forever, daemon=True).start()
        self.uri = "http://127.0.0.1:%d/" % self.api.server_address[1]
        said, heard, served = master.state()
        mine = lambda rows: sorted(name for name, nodes in rows if self.node in nodes)
        self.types = dict(master._proxy().getTopicTypes("/test")[2])
        self.attacks = [(self.publish, t, k) for t in mine(heard) for k in PUBLISHER]
        self.attacks += [(self.subscribe, t, k) for t in mine(said) for k in SUBSCRIBER]
        self.attacks += [(self.call, s, k) for s in mine(served) for k in CLIENT]
        self.at = {s: self.address(s) for s in mine(served)}
        self.services = {s: self.service_class(s) for s in mine(served)}
        self.left, self.busy, self.number, self.lock = [], set(), 0, threading.Lock()

    def close(self):
        for s in self.kept:
            s.close()
        self.api.shutdown()
        self.api.server_close()

    def address(self, service):
        host, port = self.master._proxy().lookupService("/hostile", service)[2][len("rosrpc://"):].split(":")
        return host, int(port)

    def service_class(self, service):
        """By what it says of itself to a probe."""
        with socket.create_connection(self.at[service], 10) as s:
            s.sendall(header({"callerid": "/hostile", "service": service, "md5sum": "*", "probe": "1"}))
            text = read_header(s)
        fields, at = {}, 0
        while at < len(text):
            size, = struct.unpack_from("<I", text, at)
            key, _, value = text[at + 4:at + 4 + size].decode().partition("=")
            fields[key], at = value, at + 4 + size
        return roslib.message.get_service_class(fields["type"])

    def strike(self):
        """One attack; several threads do not strike at the same place at once."""
        with self.lock:
            if not self.left:
                self.left = self.attacks[:]
                self.dice.shuffle(self.left)
            at = next((i for i, a in enumerate(self.left) if a[1] not in self.busy), None)
            if at is None:
                return
            how, target, kind = self.left.pop(at)
            self.busy.add(target)
            self.number += 1
            number = self.number
        try:
            how(target, kind, number)
        except TimeoutError as e:
            raise AssertionError(f"{how.__name__} {target} {kind}: nobody comes") from e
        except OSError:
            pass  # it hung up, as it may
        finally:
            with self.lock:
                self.busy.discard(target)
                self.counts[f"{how.__name__}_{kind}"] += 1
                self.heard[target] += how == self.publish and kind in HEARD

    def keep(self, s):
        self.kept.append(s)
        if len(self.kept) > KEPT:
            self.kept.popleft().close()

    def torn(self, good):
        return good[:self.dice.randrange(5, len(good) - 1)]

    def false_header(self):
        return struct.pack("<I", self.dice.choice(LENGTHS)) + self.dice.randbytes(64)

    def publish(self, topic, kind, number):
        """Is a publisher that the node connects to."""
        name = self.types.get(topic, "*")
        cls = roslib.message.get_message_class(name)
        body = body_of(cls)
        good = header({"callerid": "/hostile", "topic": topic, "type": name, "latching": "0", "md5sum": cls._md5sum,
                       "message_definition": ""})
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(20)
            self.ports[topic] = server.getsockname()[1]
            # a new one each time: who was here before may not yet be forgotten
            who, uri = f"/hostile_{number}", f"{self.uri}{number}"
            self.master._proxy().registerPublisher(who, topic, name, uri)
            try:
                s, _ = server.accept()
                with s:
                    s.settimeout(20)
                    read_header(s)
                    s.sendall(self.words_of_publisher(kind, good, body, "[]" in cls._full_text))
                    # what has been said is read before the connection ends
                    s.shutdown(socket.SHUT_WR)
            finally:
                self.ports.pop(topic)
                self.master._proxy().unregisterPublisher(who, topic, uri)

    def rubbish(self, size, has_arrays):
        # roscpp makes room for as many elements as a message says: no more than a machine can bear
        return self.dice.randbytes(size) if not has_arrays else self.dice.choice(
            (b"\xff" * size, bytes([self.dice.randrange(9)] * min(size, 1)) + bytes(max(size - 1, 0))))

    def words_of_publisher(self, kind, good, body, has_arrays):
        if kind == "mute":
            return b""
        if kind == "torn_header":
            return self.torn(good)
        if kind == "false_header":
            return self.false_header()
        if kind == "wrong_md5":
            size = self.dice.randrange(200)
            return good.replace(good[good.index(b"md5sum=") + 7:][:32], WRONG.encode()) + \
                5 * (struct.pack("<I", size) + self.rubbish(size, has_arrays))
        if kind == "false_length":
            return good + struct.pack("<I", self.dice.choice(LENGTHS)) + self.dice.randbytes(100)
        if kind == "cut":
            return good + body[:self.dice.randrange(1, len(body))]
        if kind == "garbage":
            size = self.dice.choice((0, 1, len(body) - 4, 300))
            return good + 5 * (struct.pack("<I", size) + self.rubbish(size, has_arrays))
        return good + BURST * body

    def subscribe(self, topic, kind, _):
        api = xmlrpc.client.ServerProxy(self.master._proxy().lookupNode("/hostile", self.node)[2])
        host, port = api.requestTopic("/hostile", topic, [["TCPROS"]])[2][1:3]
        name = self.types[topic]
        md5 = WRONG if kind == "wrong_md5" else roslib.message.get_message_class(name)._md5sum
        good = header({"callerid": "/hostile", "topic": topic, "type": name, "md5sum": md5, "tcp_nodelay": "1"})
        for _ in range(20 if kind == "burst" else 1):
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            s.settimeout(20)
            s.connect((host, port))
            s.sendall(self.torn(good) if kind == "torn_header" else self.false_header() if kind == "false_header" else good)
            if kind == "slow":
                self.keep(s)
            else:
                s.close()

    def call(self, service, kind, _):
        if kind in ("slow", "burst") and service in self.spared:
            return
        cls = self.services[service]
        md5 = WRONG if kind == "wrong_md5" else cls._md5sum
        good = header({"callerid": "/hostile", "service": service, "md5sum": md5, "persistent": "1"})
        request = body_of(cls._request_class)
        words = {"idle": b"", "torn_header": self.torn(good), "false_header": self.false_header(), "wrong_md5": good,
                 "false_length": good + struct.pack("<I", self.dice.choice(LENGTHS)) + self.dice.randbytes(50),
                 "cut": good + request[:self.dice.randrange(1, len(request))], "slow": good + 50 * request,
                 "burst": good + request}[kind]
        for _ in range(20 if kind == "burst" else 1):
            s = socket.create_connection(self.at[service], 20)
            s.sendall(words)
            if kind in ("idle", "slow"):
                self.keep(s)
            else:
                s.close()


def silent_clients(at, service, kind, count):
    """Connections to a service that say nothing more: before a word, within the header, after it, within a request."""
    good = header({"callerid": "/silent", "service": service, "md5sum": kind._md5sum, "persistent": "1"})
    request, out = body_of(kind._request_class), []
    for i in range(count):
        out.append(socket.create_connection(at, 20))
        out[-1].sendall((b"", good[:len(good) // 2], good, good + request[:-1])[i % 4])
    return out


class Attack:
    """Strikes until it is told to stop; what went wrong in it is raised by stop()."""

    def __init__(self, peers):
        self.peers, self.ends, self.error = peers, threading.Event(), None
        # most of the time of one goes by until the node has heard of a publisher and comes
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(4)]
        for t in self.threads:
            t.start()

    def goes_on(self):
        return all(t.is_alive() for t in self.threads)

    def run(self):
        try:
            while not self.ends.is_set():
                self.peers.strike()
                self.ends.wait(0.005)
        except Exception as e:  # for who waits for it
            self.error = e

    def stop(self):
        self.ends.set()
        for t in self.threads:
            t.join()
        self.peers.close()
        if self.error:
            raise self.error
        return dict(sorted(self.peers.counts.items()))


def soon(condition, patience_s):
    """The first true value of condition(), or None: looked at each millisecond, and not each 20 as in ros.wait_until."""
    end = time.monotonic() + patience_s
    while not (value := condition()) and time.monotonic() < end:
        time.sleep(0.001)
    return value
