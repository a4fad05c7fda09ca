"""The figures of a step response once more, from a log and by nobody else's code: the MCAP records
and CDR messages are read here, and the figures computed as control/step_response.h writes them."""
import ctypes
import re
import struct


def decompressed(name, data, size):
    if name == "":
        return data
    zstd = ctypes.CDLL("libzstd.so.1")
    out = ctypes.create_string_buffer(size)
    n = zstd.ZSTD_decompress(out, ctypes.c_size_t(size), data, ctypes.c_size_t(len(data)))
    assert n == size, (name, n, size)
    return out.raw


def records(data):
    at = 0
    while at + 9 <= len(data):
        op, n = data[at], struct.unpack_from("<Q", data, at + 1)[0]
        yield op, data[at + 9:at + 9 + n]
        at += 9 + n


def text(data, at):
    n = struct.unpack_from("<I", data, at)[0]
    return data[at + 4:at + 4 + n].decode(), at + 4 + n


def read_log(path, topic=None):
    """Schemas, channels, and the messages of a topic."""
    schemas, channels, got = {}, {}, []

    def take(data):
        for op, r in records(data):
            if op == 3:
                number = struct.unpack_from("<H", r)[0]
                name, at = text(r, 2)
                _, at = text(r, at)
                n = struct.unpack_from("<I", r, at)[0]
                schemas[number] = (name, r[at + 4:at + 4 + n].decode())
            elif op == 4:
                number, schema = struct.unpack_from("<HH", r)
                channels[number] = (text(r, 4)[0], schema)
            elif op == 5:
                if channels[struct.unpack_from("<H", r)[0]][0] == topic:
                    got.append(r[22:])
            elif op == 6:
                size = struct.unpack_from("<Q", r, 16)[0]
                name, at = text(r, 28)
                n = struct.unpack_from("<Q", r, at)[0]
                take(decompressed(name, r[at + 8:at + 8 + n], size))
    with open(path, "rb") as f:
        data = f.read()
    assert data[:8] == b"\x89MCAP0\r\n"
    take(data[8:])
    return schemas, channels, got


def topics(path):
    return [t for t, _ in read_log(path)[1].values()]


def messages(path, topic):
    """Definition and messages of a topic."""
    schemas, channels, got = read_log(path, topic)
    schema = next(schemas[s] for t, s in channels.values() if t == topic)
    return schema[1], got


PLAIN = {"bool": "?", "byte": "B", "char": "B", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H",
         "int32": "i", "uint32": "I", "int64": "q", "uint64": "Q", "float32": "f", "float64": "d"}


class Definition:
    """A ros2msg text: reads CDR of it into dictionaries."""

    def __init__(self, whole):
        parts = re.split(r"^=+\n", whole, flags=re.M)
        self.types = {}
        for i, part in enumerate(parts):
            name = "" if i == 0 else part.split("\n", 1)[0].replace("MSG: ", "").strip()
            fields = []
            for line in part.split("\n"):
                line = line.split("#")[0].strip()
                m = re.match(r"^([\w/]+)(\[[^\]]*\])?\s+(\w+)$", line)
                if m:
                    fields.append(m.groups())
            self.types[name] = fields

    def of(self, name):
        if name in self.types:
            return self.types[name]
        return next(f for n, f in self.types.items() if n.split("/")[-1] == name.split("/")[-1])

    def read(self, cdr):
        at = [0]
        body = cdr[4:]

        def plain(code):
            size = struct.calcsize(code)
            at[0] = (at[0] + size - 1) // size * size
            at[0] += size
            return struct.unpack_from("<" + code, body, at[0] - size)[0]

        def one(kind):
            if kind in PLAIN:
                return plain(PLAIN[kind])
            if kind == "string":
                n = plain("I")
                at[0] += n
                return body[at[0] - n:at[0] - 1].decode()
            return {name: field(k, array) for k, array, name in self.of(kind)}

        def field(kind, array):
            if array is None:
                return one(kind)
            fixed = re.match(r"^\[(\d+)\]$", array)
            n = int(fixed.group(1)) if fixed else plain("I")
            return [one(kind) for _ in range(n)]
        return {name: field(k, array) for k, array, name in self.types[""]}


def figures(samples):
    """[(t, wanted, is)]: rise, overshoot, settling, error."""
    begin = next(i for i in range(1, len(samples)) if samples[i][1] != samples[i - 1][1])
    after = samples[begin:]
    t0, to, y0 = after[0]
    dy = to - y0
    s = [((t - t0), (y - y0) / dy) for t, _, y in after]

    def first(level):
        for (ta, a), (tb, b) in zip(s, s[1:]):
            if b >= level:
                return ta + (level - a) / (b - a) * (tb - ta)
    outside = [i for i, (_, y) in enumerate(s) if abs(y - 1) > 0.05]
    settling = None
    if not outside:
        settling = 0.0
    elif outside[-1] + 1 < len(s):
        (ta, a), (tb, b) = s[outside[-1]], s[outside[-1] + 1]
        edge = 0.95 if a < 1 else 1.05
        settling = ta + (edge - a) / (b - a) * (tb - ta)
    tail = [to - y for t, _, y in after if t - t0 >= 0.9 * s[-1][0]]
    return {"at_s": t0, "from": y0, "size": dy, "rise_s": first(0.9) - first(0.1),
            "overshoot": max(0.0, max(y for _, y in s) - 1), "settling_s": settling,
            "error": sum(tail) / len(tail)}


def step_of(path, axis, from_s, to_s):
    """Samples of an axis of the position (0 to 2) in a log, between two of its times."""
    definition, found = messages(path, "/outputs")
    reader = Definition(definition)
    key = "xyz"[axis]
    samples = []
    for m in found:
        o = reader.read(m)
        t = 1e-9 * o["now_ns"]
        if from_s <= t < to_s:
            samples.append((t, o["setpoint"]["x_wd"]["p"][key], o["used"]["x_wb"]["p"][key]))
    return samples
