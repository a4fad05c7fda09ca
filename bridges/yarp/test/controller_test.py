"""A controller of another program closes the loop: the hover mission's states, through a world's ports.

Shares no code with Pintle: the layout of the box is copied from its drawing, the rest is in this file.
"""
from math import cos, pi, radians, sin, sqrt

from peer import *

SOURCE = os.environ.get("PINTLE_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "../../.."))
HOVER = os.path.join(SOURCE, "missions/hover_box.yaml")

MASS, G = 29.2, 9.80665
INERTIA = (1.8, 2.2, 3.6)
# where a jet sits (m), the roll, pitch and yaw of its link (degrees), its axis there, its most thrust (N)
JETS = [((0.66, -0.15, 0), (0, 75, -90), (-1, 0, 0), 63.0),
        ((0.66, 0.15, 0), (0, -75, -90), (1, 0, 0), 63.0),
        ((-0.21, -0.35, 0), (170, 0, 0), (0, 0, -1), 220.0),
        ((-0.21, 0.35, 0), (-170, 0, 0), (0, 0, -1), 220.0)]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def limit(x, most):
    return max(-most, min(most, x))


def shorten(v, most):
    n = sqrt(dot(v, v))
    return v if n <= most else tuple(x * most / n for x in v)


def rotation(rpy_deg):
    r, p, y = map(radians, rpy_deg)
    sr, cr, sp, cp, sy, cy = sin(r), cos(r), sin(p), cos(p), sin(y), cos(y)
    return [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr]]


def from_quaternion(x, y, z, w):
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]


def turn(R, v):
    return tuple(dot(row, v) for row in R)


def turn_back(R, v):
    return tuple(dot([row[i] for row in R], v) for i in range(3))


def solve(A, b):
    """A x = b by elimination with row exchange."""
    n = len(b)
    rows = [list(A[i]) + [b[i]] for i in range(n)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(k + 1, n):
            f = rows[i][k] / rows[k][k]
            rows[i] = [a - f * c for a, c in zip(rows[i], rows[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (rows[k][n] - dot(rows[k][k + 1:n], x[k + 1:])) / rows[k][k]
    return x


class Controller:
    """Position -> tilt -> rates -> torque -> four thrusts -> their rates, in newtons per second."""

    def __init__(self):
        columns = []
        for p, rpy, axis, _ in JETS:
            f = turn(rotation(rpy), axis)
            columns.append((f[2],) + cross(p, f))  # force up, torque about the three axes
        self.wrench = [[c[i] for c in columns] for i in range(4)]
        self.thrust, self.u = [0.0] * 4, [0.0] * 4
        self.off = [0.0] * 3

    def command(self, state, place, yaw, dt, velocity=None):
        p, q, v, w = state[:3], state[3:7], state[7:10], state[10:13]
        R = from_quaternion(*q)
        v = turn(R, v)
        to_go = tuple(k * (a - b) for k, a, b in zip((0.5, 0.5, 0.6), place, p))
        wanted = velocity or shorten(to_go, 1.2)
        error = [a - b for a, b in zip(wanted, v)]
        if self.thrust[2] > 60:  # what is learnt before it flies is wrong
            self.off = [limit(o + 0.25 * e * dt, 1.0) for o, e in zip(self.off, error)]
        a = [limit(g * e + o, 1.5) for g, e, o in zip((1.0, 1.0, 1.5), error, self.off)]
        up = (a[0], a[1], a[2] + G)
        up = tuple(x / sqrt(dot(up, up)) for x in up)
        z = turn(R, (0, 0, 1))
        tilt = turn_back(R, cross(z, up))
        heading = turn(R, (1, 0, 0))
        off_yaw = sin(yaw) * heading[0] - cos(yaw) * heading[1]
        rates = (limit(2 * tilt[0], 1), limit(2 * tilt[1], 1), limit(0.6 * off_yaw, 0.5))
        angular = [k * (r - x) for k, r, x in zip((4, 4, 1.5), rates, w)]
        torque = [i * x for i, x in zip(INERTIA, angular)]
        asked = solve(self.wrench, [MASS * (a[2] + G) / max(z[2], 0.8)] + torque)
        # the thrust as it must be by now: the integral of what was asked for, within its limits
        most = [jet[3] for jet in JETS]
        self.thrust = [max(0.0, min(m, t + u * dt)) for m, t, u in zip(most, self.thrust, self.u)]
        self.u = [limit(8 * (max(0.0, min(m, t)) - now), 100)
                  for m, t, now in zip(most, asked, self.thrust)]
        return self.u


def test_the_hover_mission_is_flown_by_a_controller_of_another_program(server):
    with Program("run", HOVER, "--on", "yarp", "--lockstep"):
        names = server.names
        states = Port(names, "/peer/state:i")
        got = admin(names.wait_for("/flying_box/state:o"), '[add] "tcp://peer/state:i"')
        check(got[0].startswith("0 "), repr(got))
        commands = Writer(names.wait_for("/jets/input:i"), "tcp", "/controller/command:o")
        states.wait(lambda m: m, "the first state")
        pilot, flown = Controller(), []
        last, t = None, 0.0

        def fly(place, yaw_deg, arrived, settle_s, within_s, velocity=None):
            """As a state of the mission file: until what counts has held for so long."""
            nonlocal last, t
            begun, since = t, None
            while True:
                states.wait(lambda m: m[-1][0] != last, "the next state")
                last, state = states.messages[-1]
                now = float(last.split()[1])
                dt, t = now - t, now
                commands.write(pilot.command(state, place, yaw_deg * pi / 180, dt, velocity), last)
                if not arrived(state):
                    since = None
                elif since is None:
                    since = t
                elif t - since >= settle_s:
                    flown.append(t)
                    return
                check(t - begun < within_s, "state %d in %g s; it is at %r" % (len(flown), within_s, state))

        def near(place, by_m, speed=9.0):
            return lambda s: (sqrt(sum((a - b) ** 2 for a, b in zip(s, place))) < by_m and
                              sqrt(dot(s[7:10], s[7:10])) < speed)

        def level(s):  # the z axis within ten degrees
            return from_quaternion(*s[3:7])[2][2] > cos(radians(10))

        def north(s):  # the x axis within eight degrees of it
            return from_quaternion(*s[3:7])[1][0] > cos(radians(8))

        def goes(place, yaw, by_m, speed, settle_s, within_s):
            fly(place, yaw, near(place, by_m, speed), settle_s, within_s)

        goes((0, 0, 2), 0, 0.25, 0.2, 1, 40)
        fly((0, 0, 2), 0, lambda s: near((0, 0, 2), 0.3)(s) and level(s), 10, 40)
        goes((4, 0, 3), 0, 0.3, 0.25, 1, 30)
        fly((4, 0, 3), 90, lambda s: near((4, 0, 3), 0.35)(s) and north(s), 1, 30)
        fly((4, 5, 3), 90, lambda s: s[1] > 3.5, 0, 30)
        goes((0, 4, 3), 90, 0.3, 0.25, 1, 30)
        goes((0, 0, 1.5), 0, 0.3, 0.25, 1.5, 40)
        goes((0, 0, 0.5), 0, 0.25, 0.2, 1, 30)
        fly((0, 0, 0), 0, lambda s: s[2] < 0.25, 1.5, 20, velocity=(0.0, 0.0, -0.25))
        check(len(flown) == 9, "nine states")
        print("   flown in %.1f s" % t)


if __name__ == "__main__":
    main([v for k, v in sorted(globals().items()) if k.startswith("test_")])
