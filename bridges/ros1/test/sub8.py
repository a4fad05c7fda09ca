"""A Sub 8 as its layout file has it, optima found by trying everything, and ears for the tests of
mapper and driver. Needs a master (see ros.py) before it is imported."""
import itertools
import json
import threading

import yaml

import ros

LAYOUT_FILE = ros.SOURCE / "vehicles/original/subjugator/thruster_layout.yaml"
BUSSES_FILE = ros.SOURCE / "vehicles/original/subjugator/busses.yaml"
LAYOUT = yaml.safe_load(LAYOUT_FILE.read_text())["thruster_layout"]
BUSSES = yaml.safe_load(BUSSES_FILE.read_text())["busses"]
NAMES = [name for port in LAYOUT["thruster_ports"] for name in port["thruster_names"]]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def column(thruster):
    return list(thruster["direction"]) + cross(thruster["position"], thruster["direction"])


B = {name: column(LAYOUT["thrusters"][name]) for name in NAMES}
BUSSES_B = {name: column(t) for bus in BUSSES for name, t in bus["thrusters"].items()}
BOUNDS = {name: LAYOUT["thrusters"][name]["thrust_bounds"] for name in NAMES}


def wrench_of(thrusts, columns=None):
    columns = columns or B
    return [sum(columns[n][k] * u for n, u in thrusts.items()) for k in range(6)]


def objective(thrusts, wrench, r=1e-4):
    made = wrench_of(thrusts)
    return sum((m - w) ** 2 for m, w in zip(made, wrench)) + r * sum(u * u for u in thrusts.values())


def solve(a, y):
    """Gauss, with pivots."""
    n, a, y = len(y), [row[:] for row in a], y[:]
    for i in range(n):
        p = max(range(i, n), key=lambda j: abs(a[j][i]))
        a[i], a[p], y[i], y[p] = a[p], a[i], y[p], y[i]
        for j in range(i + 1, n):
            s = a[j][i] / a[i][i]
            for k in range(i, n):
                a[j][k] -= s * a[i][k]
            y[j] -= s * y[i]
    for i in reversed(range(n)):
        y[i] = (y[i] - sum(a[i][k] * y[k] for k in range(i + 1, n))) / a[i][i]
    return y


def optimum(wrench, dropped=(), r=1e-4):
    """argmin |B u - w|^2 + r |u|^2 inside the bounds. Horizontal and vertical thrusters share no axis,
    so each half is searched alone: every set of held bounds, the best point inside."""
    best = {n: 0.0 for n in NAMES}
    for half in ("H", "V"):
        names = [n for n in NAMES if n.endswith(half) and n not in dropped]
        lowest = None
        for held in itertools.product((None, 0, 1), repeat=len(names)):
            u = {n: float(BOUNDS[n][h]) for n, h in zip(names, held) if h is not None}
            free = [n for n, h in zip(names, held) if h is None]
            rest = [w - m for w, m in zip(wrench, wrench_of(u))]
            a = [[sum(x * y for x, y in zip(B[m], B[n])) + (r if m == n else 0) for n in free] for m in free]
            u.update(zip(free, solve(a, [sum(x * e for x, e in zip(B[n], rest)) for n in free])))
            if any(not BOUNDS[n][0] <= u[n] <= BOUNDS[n][1] for n in free):
                continue
            cost = objective(u, wrench, r)
            if lowest is None or cost < lowest:
                lowest = cost
                best.update(u)
            if not any(h is not None for h in held):
                break  # nothing held: no bound can make it better
    return best


import rospy  # noqa: E402
from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402
from ros_alarms.msg import Alarm  # noqa: E402


class Ear:
    """All messages of one topic."""

    def __init__(self, topic, kind):
        self.topic, self.messages, self.lock = topic, [], threading.Lock()
        self.subscriber = rospy.Subscriber(topic, kind, self.take, queue_size=10000, tcp_nodelay=True)

    def take(self, message):
        with self.lock:
            self.messages.append(message)

    def mark(self):
        with self.lock:
            return len(self.messages)

    def since(self, mark=0):
        with self.lock:
            return self.messages[mark:]

    def wait(self, condition=lambda m: True, what="there is a message", since=None):
        start = self.mark() if since is None else since
        return ros.wait_until(lambda: next((m for m in self.since(start) if condition(m)), None),
                              f"{self.topic}: {what}")

    def last(self):
        with self.lock:
            return self.messages[-1] if self.messages else None

    def connected(self):
        ros.wait_until(lambda: ros.is_heard(self.subscriber), f"{self.topic} is connected")
        return self

    def close(self):
        self.subscriber.unregister()


class Alarms(Ear):
    """What `speaker` says of its alarms; what others say of them may arrive before or after its answer."""

    def __init__(self, speaker):
        super().__init__("/alarm/updates", Alarm)
        self.speaker = speaker

    def state(self, name):
        return next((m for m in reversed(self.since()) if m.alarm_name == name
                     and m.node_name.endswith(self.speaker)), None)

    def until(self, name, raised, condition=lambda m: True):
        """Until the last word on an alarm is this."""
        def found():
            m = self.state(name)
            return m if m and m.raised == raised and condition(m) else None
        return ros.wait_until(found, f"{name} is {'raised' if raised else 'cleared'}")


class Diagnostics(Ear):
    def __init__(self, name):
        super().__init__("/diagnostics", DiagnosticArray)
        self.name = name

    def until(self, text):
        def found():
            for m in reversed(self.since()):
                for s in m.status:
                    if s.name == self.name:
                        return s if text in s.message else None
            return None
        return ros.wait_until(found, f"{self.name} says {text}")


def connected(publisher):
    ros.wait_until(lambda: publisher.get_num_connections() > 0, f"{publisher.name} has a subscriber")
    return publisher


def thrusts(message):
    return {c.name: c.thrust for c in message.thruster_commands}


def offline(alarm):
    return json.loads(alarm.parameters)["offline_thruster_names"]
