"""Pintle's stack flies over ports: a vehicle that another process simulates."""
import bisect
import json
import random
import shutil
import signal
import tempfile

from peer import *

SOURCE = os.environ.get("PINTLE_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "../../.."))
HOVER = os.path.join(SOURCE, "missions/hover_box.yaml")


class Stack(Program):
    def __init__(self, *arguments):
        super().__init__("run", HOVER, "--on", "yarp", "--world", "elsewhere", *arguments)

    def result(self):
        check(self.process.wait(600) is not None, "it ends")
        until(lambda: self.out, "its result: %r" % self.err)
        return json.loads(self.out[-1])


def replayed(log):
    code, out, err = run("replay", log, "--verify")
    check(code == 0, "its log is replayed bit for bit: %d %s %s" % (code, out, err))


def test_the_hover_mission_is_flown_over_ports_in_lockstep(server):
    with tempfile.TemporaryDirectory() as folder:
        with Program("run", HOVER, "--on", "yarp", "--lockstep") as world:
            server.names.wait_for("/flying_box/rpc:i")
            with Stack("--lockstep", "--json", "-q", "--out", folder, "--set", "thrust_vector.max_speed_m_s=1.9@5",
                       "--at", "12:pause", "--at", "14:resume") as stack:
                result = stack.result()
                check(result["verdict"] == "pass", repr(result))
                check(len(result["states"]) >= 9, "every state")
                check("ticks_missing" not in result, "a flight whose time waits for it loses nothing: %r" % result)
                check([c["accepted"] for c in result["commands"]] == [True, True], repr(result))
                check(stack.process.returncode == 0, "pass is 0")
        replayed(os.path.join(folder, "log.mcap"))
        check(os.path.exists(os.path.join(folder, "report.html")), "with its report")


def test_world_and_stack_are_flown_over_ports_by_one_command(server):
    with tempfile.TemporaryDirectory() as folder:
        with Program("run", HOVER, "--on", "yarp", "--world", "simulated", "--lockstep", "--json", "-q",
                     "--out", folder, "--seed", "2", "--set", "thrust_vector.max_speed_m_s=1.9@5",
                     "--at", "12:pause", "--at", "14:resume") as stack:
            wrench = Port(server.names, "/peer/wrench_of_one:i")
            address = server.names.wait_for("/flying_box/stack/wrench:o")
            check(admin(address, '[add] "tcp:/%s"' % wrench.name)[0].startswith("0 "), "on ports, for who looks")
            wrench.wait(lambda m: m and len(m[-1][1]) == 12, "wrenches")
            server.names.wait_for("/flying_box/state:o")
            check(stack.process.wait(600) == 0, "pass is 0: %r" % stack.err)
            result = json.loads(until(lambda: stack.out, "its result")[-1])
            check(result["verdict"] == "pass" and result["seed"] == 2, repr(result))
            check([c["accepted"] for c in result["commands"]] == [True, True], repr(result))
        replayed(os.path.join(folder, "log.mcap"))
        check(os.path.exists(os.path.join(folder, "report.html")), "with its report")


def test_a_fault_that_no_port_tells_of_is_refused(server):
    with tempfile.TemporaryDirectory() as folder:
        mission = os.path.join(folder, "told.yaml")
        for fault, word in (("faults:\n  - {propulsor: JETCAT_P200-RX_FR, kind: weak, value: 0.5, at_s: 5, announced: true}\n", "announced"),
                            ("device_faults:\n  - {device: hull, kind: leaks, at_s: 5}\n", "hull")):
            with open(HOVER) as shipped, open(mission, "w") as f:
                f.write(shipped.read().replace("../", SOURCE + "/") + "\n" + fault)
            code, out, err = run("run", mission, "--on", "yarp", "--world", "simulated", "--lockstep", "-q", "--no-log")
            check(code == 3 and word in err and "carries no word" in err, "%d %s %s" % (code, out, err))


def test_inputs_are_spoilt_where_the_world_is_here(server):
    with tempfile.TemporaryDirectory() as folder:
        mission = os.path.join(folder, "blind.yaml")
        with open(HOVER) as shipped, open(mission, "w") as f:
            f.write(shipped.read().replace("../", SOURCE + "/").replace("time_limit_s: 240", "time_limit_s: 20") +
                    "\ninput_faults:\n  - {input: odometry, kind: off, at_s: 0, until_s: 1000}\n")
        code, out, err = run("run", mission, "--on", "yarp", "--world", "simulated", "--lockstep", "--json", "-q",
                             "--out", os.path.join(folder, "run"))
        result = json.loads(out)
        check(code == 1 and result["reason"].startswith("the craft may not be armed: no state: "), "%d %s %s" % (code, out, err))
        replayed(os.path.join(folder, "run", "log.mcap"))


def test_a_world_that_is_served_alone_says_how_it_is_flown(server):
    code, _, err = run("run", HOVER, "--on", "yarp", "--json")
    check(code == 2 and "--world simulated" in err, "%d %s" % (code, err))
    code, _, err = run("run", HOVER, "--on", "yarp", "--world", "simulated", "--model", "direct")
    check(code == 2, "%d %s" % (code, err))


def quaternion(q):
    x, y, z, w = q
    return [[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]]


class PointMass:
    """A world of our own: the thrusts of four jets lift a mass that does not turn."""
    UP = [0.9659258262890683, 0.9659258262890683, 0.984807753012208, 0.984807753012208]
    MOST = [63.0, 63.0, 220.0, 220.0]

    def __init__(self, names):
        self.thrust, self.z, self.v, self.t = [0.0] * 4, 0.16, 0.0, 0.0
        self.commands = Port(names, "/jets/input:i")
        self.count = 0

    def state(self):
        return [0.0, 0.0, self.z, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, self.v, 0.0, 0.0, 0.0]

    def answer(self, t, within_s):
        """The command for that time, waited for; None where it does not come."""
        with self.commands.condition:
            return self.commands.condition.wait_for(
                lambda: next((m for m in self.commands.messages[-1:] if float(m[0].split()[1]) == t), None), within_s)

    def ask(self, state, stamp, t):
        """Tells its state until the command for that time comes: the stack's line to it may be there only later."""
        def asked():
            state.write(self.state(), stamp)
            return self.answer(t, 1)
        return until(asked, "an answer to %r" % t)[1]

    def advance(self, command, dt):
        for i in range(4):
            self.thrust[i] = min(max(self.thrust[i] + command[i] * dt, 0.0), self.MOST[i])
        lift = sum(t * u for t, u in zip(self.thrust, self.UP))
        self.v += (lift / 29.2 - 9.80665) * dt
        self.z += self.v * dt
        if self.z <= 0.15:
            self.z, self.v = 0.15, max(self.v, 0.0)
        self.t += dt


def test_a_world_of_another_program_is_flown_and_setpoints_are_followed(server):
    """Lockstep with a world in Python: take off by setpoint, without a mission; its log replayed."""
    with tempfile.TemporaryDirectory() as folder:
        world = PointMass(server.names)
        with Stack("--lockstep", "--planner", "--json", "-q", "--out", folder) as stack:
            state = Writer(server.names.wait_for("/flying_box/stack/state:i"), "tcp", "/world/state:o")
            setpoint = Writer(server.names.wait_for("/flying_box/stack/setpoint:i"), "text_ack")
            for step in range(1500):
                setpoint.write([0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0])
                world.advance(world.ask(state, "%d %r" % (step, world.t), world.t), 0.01)
            check(abs(world.z - 2.0) < 0.3, "it hovers where it was told to: %r" % world.z)
            stack.process.terminate()
            while stack.process.poll() is None:
                # it comes down before it is switched off, and the setpoint holds it up no more
                try:
                    state.write(world.state(), "%d %r" % (step, world.t))
                except (OSError, EOFError):
                    break
                command = world.answer(world.t, 0.1)
                if command:
                    world.advance(command[1], 0.01)
                    step += 1
                    check(world.v > -2 or world.z < 0.2, "not dropped: %r m/s at %r m" % (world.v, world.z))
            result = stack.result()
            check(result["verdict"] == "pass", repr(result))
            check(world.z < 0.2, "it stands: %r" % world.z)
            check(all(c <= 0 for c in world.commands.messages[-1][1]), "the last command is disarmed")
        replayed(os.path.join(folder, "log.mcap"))


def flown(server, *arguments):
    """The shipped world, its states heard, and a stack."""
    world = Program("run", HOVER, "--on", "yarp", *arguments)
    server.names.wait_for("/flying_box/rpc:i")
    heard = Port(server.names, "/peer/state%d:i" % random.randrange(1 << 30))
    got = admin(server.names.wait_for("/flying_box/state:o"), '[add] "tcp:/%s"' % heard.name)
    check(got[0].startswith("0 "), repr(got))
    return world, heard


def planned(server, stack, to):
    """A pose, or a twist, again and again until the condition holds."""
    def dialled():
        try:  # whoever was killed has left its name behind
            return Writer(server.names.wait_for("/flying_box/stack/setpoint:i"), "tcp")
        except OSError:
            return None
    writer = until(dialled, "a stack that listens")

    def until_seen(condition, what):
        def done():
            writer.write(to[0])
            return condition()
        until(done, what)
    until_seen.to = to
    return until_seen


def test_a_stack_that_is_started_anew_in_the_air_learns_what_the_jets_give(server):
    world, heard = flown(server, "--lockstep")
    with world:
        for attempt in range(2):
            with Stack("--lockstep", "--planner", "-q", "--no-log") as stack:
                steer = planned(server, stack, [[0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0]])
                n = len(heard.messages)
                steer(lambda: len(heard.messages) > n + 800, "eight seconds")
                last = heard.messages[-1][1]
                check(abs(last[2] - 2.0) < 0.3 and abs(last[9]) < 0.3, "it hovers: %r" % (last,))
                stack.end("kill")  # and is gone: the rates that it asked for stand


def oldest_answer(states, commands):
    """How far the world was ahead of the state that a command answers: a command has its stamp. Seconds."""
    told, stamps = list(states.times), [float(m[0].split()[1]) for m in list(states.messages)]
    oldest = 0.0
    for time_s, (stamp, _) in zip(list(commands.times), list(commands.messages)):
        before = bisect.bisect_right(told, time_s, hi=min(len(told), len(stamps)))
        if before > 0:
            oldest = max(oldest, stamps[before - 1] - float(stamp.split()[1]))
    return oldest


def steadily(flight):
    """A flight with the clock: flown anew, for as long as patience is, where it has failed and a side was silent or late.

    Jets keep the rates that they were told last: a stack that the machine keeps from ticking for some tenths
    of a second is a craft that nobody steers, and a sensor that is silent for a tenth is none. So is a state
    that comes a tenth late, however evenly.
    """
    def flown_once(server):
        world, heard = flown(server)
        with world, Stack("--planner", "--no-log", "--set", "safety.latch_after_s=60") as stack:
            commands = Port(server.names, "/peer/command:i")
            got = admin(server.names.wait_for("/flying_box/stack/command:o"), '[add] "tcp:/%s"' % commands.name)
            check(got[0].startswith("0 "), repr(got))
            try:
                steer = planned(server, stack, [[0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0]])
                flight(server, stack, heard, steer)
                return None
            except Fell as fell:
                # half of what would harm: what this program was late to hear may have hidden the other half
                silent = max(heard.longest_silence(), commands.longest_silence())
                late = oldest_answer(heard, commands)
                said = "%s; silent for %.3f s, late by %.3f s" % (fell, silent, late)
                check(max(silent, late) > 0.05, "%s: %r" % (said, stack.err))
                return said

    def test(_):
        anew(flown_once)
    test.__name__ = flight.__name__
    return test


class Fell(Exception):
    """A craft that came down otherwise than it should."""


def flies(stack, heard):
    struck = [l for l in stack.err if "impact" in l or "state lost" in l or "latched safe" in l]
    if struck:
        raise Fell(struck[0].strip())
    return len(heard.messages) > 100


def rises(stack, heard):
    """Up at once, or not at all: it takes two seconds."""
    end = time.monotonic() + PATIENCE / 4

    def up():
        if time.monotonic() > end:
            raise Fell("it does not rise: %r" % (heard.messages[-1:],))
        return flies(stack, heard) and heard.messages[-1][1][2] > 1.8
    return up


@steadily
def test_a_twist_of_six_numbers_is_flown(server, stack, heard, steer):
    """With the clock: a twist is let go of a second after the last one."""
    steer(rises(stack, heard), "it is up")
    steer.to[0] = [0.5, 0.0, 0.0, 0.0, 0.0, 0.0]

    def as_told():
        v = [sum(m[1][i] for m in heard.messages[-100:]) / 100 for i in (7, 8, 9)]
        return flies(stack, heard) and abs(v[0] - 0.5) < 0.05 and abs(v[1]) < 0.1 and abs(v[2]) < 0.1
    steer(as_told, "it goes forward at half a metre a second")
    # and whoever said so is gone
    stack.heard("input stale: setpoint")

    def stands():
        v = [sum(m[1][i] for m in heard.messages[-50:]) / 50 for i in (7, 8, 9)]
        return flies(stack, heard) and max(map(abs, v)) < 0.05
    until(stands, "it stands in the air")


@steadily
def test_without_a_state_the_inertial_sensor_brings_it_down(server, stack, heard, steer):
    """With the clock, the state's own delay in it: the connection of the state is cut in the air."""
    steer(rises(stack, heard), "it is up")
    # the name is won back, and the connection with it: again and again
    source = server.names.query("/flying_box/state:o")

    def down():
        server.names.ask("register /flying_box/state:o tcp 127.0.0.1 9")
        admin(source, '[del] "/flying_box/stack/state:i"')
        return heard.messages[-1][1][2] < 0.25
    until(down, "it comes down")
    told = stack.heard("state lost")
    last, fastest = heard.messages[-1][1], min(m[1][9] for m in heard.messages[-600:])
    for good, what in (("descend" in told, told.strip()), (fastest > -2.0, "at %r m/s" % fastest),
                       (from_quaternion_up(last) > 0.9, "not upright: %r" % (last,)),
                       (sum("imu" in l for l in stack.err) <= 2, "the sensor is not heard: %r" % stack.err[-5:])):
        if not good:
            raise Fell(what)


def from_quaternion_up(state):
    return quaternion(state[3:7])[2][2]


def test_a_mission_that_fails_in_the_air_lands_first(server):
    """By the state's own way out of the mission, without an abort path taken."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("missions", "vehicles", "vision", "worlds"):
            shutil.copytree(os.path.join(SOURCE, name), os.path.join(folder, name))
        mission = os.path.join(folder, "missions/hover_box.yaml")
        with open(mission) as f:
            text = f.read()
        hover = "success: {position_m: 0.3, attitude_deg: 10, settle_s: 10}\n      timeout_s: 40"
        check(hover in text, "the state that is to fail")
        with open(mission, "w") as f:
            f.write(text.replace(hover, "success: {position_m: 0.001, settle_s: 1}\n      timeout_s: 3\n"
                                 "      on_failure: fail"))
        world, heard = flown(server, "--lockstep")
        with world, Program("run", mission, "--on", "yarp", "--world", "elsewhere", "--lockstep", "--json",
                            "-q", "--no-log") as stack:
            result = json.loads(until(lambda: stack.out, "its result: %r" % stack.err)[-1])
            check(result["verdict"] == "fail", repr(result))
            until(lambda: heard.messages[-1][1][2] < 0.25, "it stands")
            check(min(m[1][9] for m in heard.messages) > -1.2, "and has not fallen")


def test_a_world_that_begins_anew_is_flown_on(server):
    """In lockstep: its clock goes back to zero; no side waits for the other, and it is said."""
    world, heard = flown(server, "--lockstep")
    with world, Stack("--lockstep", "--planner", "--no-log") as stack:
        steer = planned(server, stack, [[0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0]])
        steer(lambda: heard.messages and heard.messages[-1][1][2] > 1.8, "it is up")
        n = len(heard.messages)
        check(admin(server.names.query("/flying_box/rpc:i"), None, "d\r\nrestart")[0] == "[ok]", "restart")
        # in lockstep it may be up again before anybody looks
        steer(lambda: any(m[1][2] < 0.3 for m in heard.messages[n:]), "it stands again")
        stack.heard("it was started anew")
        steer(lambda: abs(heard.messages[-1][1][2] - 2) < 0.3, "and is up again")


def test_stamps_that_make_no_sense_are_no_states(server):
    world = PointMass(server.names)
    with Stack("--lockstep", "--planner", "--no-log") as stack:
        state = Writer(server.names.wait_for("/flying_box/stack/state:i"), "tcp", "/world/state:o")
        setpoint = Writer(server.names.wait_for("/flying_box/stack/setpoint:i"), "text_ack")

        def answered(t):
            return world.ask(state, "1 %r" % t, t)

        for step in range(100):
            setpoint.write([0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0])
            world.advance(answered(world.t), 0.01)
        state.write(world.state(), "1 1e300")
        stack.heard("a state of 1e+300 s is none")
        for nonsense in (-1e300, 5e9):
            state.write(world.state(), "1 %r" % nonsense)
        state.write(world.state())
        answered(world.t + 0.01)
        # a leap is taken for another clock, and counts one period
        for leap in (500.0, 500.01, 3.0, 3.01):
            answered(leap)
        stack.heard("it was started anew")
        check(sum("is none" in l for l in stack.err) == 1, "said once: %r" % stack.err)
        stack.end()


def fed(server):
    """Writers of a stack's state, with its sensor at rest, and of its setpoint; what the last words of its status are asked by."""
    state = Writer(server.names.wait_for("/flying_box/stack/state:i"), "tcp", "/world/state:o")
    imu = Writer(server.names.wait_for("/flying_box/stack/imu:i"), "tcp", "/world/imu:o")
    setpoint = Writer(server.names.wait_for("/flying_box/stack/setpoint:i"), "text_ack")
    status = Port(server.names, "/peer/status:i")
    check(admin(server.names.wait_for("/flying_box/stack/status:o"),
                '[add] "text://peer/status:i"')[0].startswith("0 "), "status")

    def says(words):
        return any(isinstance(m[1], str) and words in m[1] for m in status.messages[-3:])

    def tell(numbers, stamp):
        state.write(numbers, stamp)
        # by a clock of its own, which nobody sets
        imu.write([0.0, 0.0, 0.0, 0.0, 0.0, 9.80665], "1 %r" % time.monotonic())

    return tell, setpoint, says


def test_a_frozen_world_is_no_world(server):
    """With a clock: the last state again and again, with its stamp, is none; the state is lost, and it is said."""
    world = PointMass(server.names)
    # a machine that stands for seconds is not what is tested here
    with Stack("--planner", "--no-log", "--set", "safety.latch_after_s=60") as stack:
        tell, setpoint, says = fed(server)
        begun = time.monotonic()

        def live():
            tell(world.state(), "1 %r" % (time.monotonic() - begun))
            setpoint.write([0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0])
            return says("(arm armed)")
        until(live, "armed")
        frozen = "1 %r" % (time.monotonic() - begun)

        def dead():
            tell(world.state(), frozen)
            return says("(validity stale)")
        until(dead, "stale")
        stack.heard("do not rise")
        stack.heard("state lost")
        stack.end()


def test_a_recording_that_goes_round_is_no_craft(server):
    """With a clock: set back once it is another one, and flown on; set back again and again, armed, it is none."""
    world = PointMass(server.names)
    # disarmed it is let in again: a machine that stands for seconds must not disarm it
    with Stack("--planner", "--no-log", "--set", "safety.latch_after_s=60") as stack:
        tell, setpoint, says = fed(server)
        begun = time.monotonic() - 100

        def live():
            tell(world.state(), "1 %r" % (time.monotonic() - begun))
            setpoint.write([0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 1.0])

        def said(words):
            return sum(words in l for l in stack.err)

        until(lambda: live() or says("(arm armed)"), "armed")
        begun += 5
        until(lambda: live() or said("it was started anew"), "another clock")
        check(not said("again and again"), "once is no recording: %r" % stack.err)
        # on a machine that stands in between the second one may come too late to be again: then the next one is
        times = 0

        def set_back():
            nonlocal begun, times
            if times < said("it was started anew"):
                begun, times = begun + 5, times + 1
            live()
            return said("set back again and again")
        until(set_back, "a recording")
        until(lambda: live() or says("(validity stale)"), "stale")
        stack.end()


def test_what_is_over_in_the_air_comes_down_and_ends_disarmed(server):
    """A mission that fails with the box held up: its last command lets the jets run down."""
    with tempfile.TemporaryDirectory() as folder:
        for name in ("missions", "vehicles", "vision", "worlds"):
            shutil.copytree(os.path.join(SOURCE, name), os.path.join(folder, name))
        mission = os.path.join(folder, "missions/hover_box.yaml")
        with open(mission) as f:
            text = f.read()
        with open(mission, "w") as f:
            f.write(text.replace("timeout_s: 60", "timeout_s: 3").replace("timeout_s: 40", "timeout_s: 12"))
        world = PointMass(server.names)
        with Program("run", mission, "--on", "yarp", "--world", "elsewhere", "--lockstep", "--json", "-q",
                     "--no-log") as stack:
            state = Writer(server.names.wait_for("/flying_box/stack/state:i"), "tcp", "/world/state:o")
            answered = lambda: world.answer(world.t, 0.1)
            ended = lambda: stack.process.poll() is not None
            while not ended():
                try:
                    state.write(world.state(), "1 %r" % world.t)
                    until(lambda: answered() or ended() or state.write(world.state(), "1 %r" % world.t),
                          "an answer at %r: %r" % (world.t, stack.err))
                except (EOFError, OSError):
                    break
                world.advance(world.commands.messages[-1][1], 0.01)
                if world.z > 1 and world.v < 0:  # a string holds it
                    world.v, world.z = 0.0, max(world.z, 1.2)
            stack.process.wait(PATIENCE)
            result = json.loads(until(lambda: stack.out, "its result")[-1])
            check(result["verdict"] != "pass", repr(result))
            check(world.t < 100, "it has not waited for ever: %r" % world.t)
            check(all(c < 0 for c in world.commands.messages[-1][1]),
                  "all jets run down: %r" % (world.commands.messages[-1],))


def asked(rpc, words=""):
    """In words too; without them it has been asked."""
    if words:
        rpc.raw(b"d\r\n%s\r\n" % words.encode())
    answer = rpc.stream.line()
    check(rpc.stream.line() == "<ACK>", "acknowledged")
    return answer


def stand(process):
    def stands(task):
        with open("/proc/%d/task/%s/stat" % (process.pid, task)) as f:
            return f.read().rpartition(")")[2].split()[0] == "T"
    process.send_signal(signal.SIGSTOP)
    until(lambda: all(stands(task) for task in os.listdir("/proc/%d/task" % process.pid)), "it stands")


def test_operators_and_planners_reach_a_stack_with_a_clock(server):
    with tempfile.TemporaryDirectory() as folder:
        with Program("run", HOVER, "--on", "yarp"):
            server.names.wait_for("/flying_box/rpc:i")
            wrench = Port(server.names, "/peer/wrench:i")
            # a machine that stands for seconds is not what is tested here
            with Stack("--json", "--out", folder, "--set", "safety.latch_after_s=60", "--listen",
                       os.path.join(folder, "s")) as stack:
                address = server.names.wait_for("/flying_box/stack/wrench:o")
                check(admin(address, '[add] "tcp://peer/wrench:i"')[0].startswith("0 "), "connected")
                wrench.wait(lambda m: m and len(m[-1][1]) == 12 and m[-1][1][8] > 50, "it pushes up")
                rpc = Writer(server.names.wait_for("/flying_box/stack/rpc:i"), "text_ack")
                rpc.raw(b"d\r\npause\r\n")
                check(rpc.stream.line().startswith("accepted"), "pause, by a port")
                check(rpc.stream.line() == "<ACK>", "acknowledged")
                rpc.raw(b"d\r\nnonsense\r\n")
                check(rpc.stream.line().startswith("wrong"), "what is no command")
                rpc.stream.line()
                code, out, _ = run("command", "resume", "--to", os.path.join(folder, "s"))
                check(code == 0, "resume, by pintle command: " + out)
                # who speaks by a port is another operator
                for words, expected in (("disarm force", 'refused "refused: cli commands'), ("take_over", "accepted"),
                                        ("disarm force", "accepted")):
                    answer = asked(rpc, words)
                    check(answer.startswith(expected), "%s: %s" % (words, answer))
                result = stack.result()
                check(result["reason"] == "disarmed by the operator", repr(result))
        replayed(os.path.join(folder, "log.mcap"))


def test_what_stops_is_heard_however_many_words_of_others_wait(server):
    with Program("run", HOVER, "--on", "yarp"):
        server.names.wait_for("/flying_box/rpc:i")
        with tempfile.TemporaryDirectory() as folder:
            with Stack("--no-log", "--set", "safety.latch_after_s=60", "--listen", os.path.join(folder, "s")) as stack:
                address = server.names.wait_for("/flying_box/stack/rpc:i")
                crowd = [Writer(address, "text_ack", "/crowd%d" % i) for i in range(40)]
                mine = Writer(address, "text_ack", "/mine")
                until(lambda: run("command", "status", "--to", os.path.join(folder, "s"))[1].count("running"), "it flies")
                for c in crowd:
                    c.raw(b"d\r\nheartbeat\r\n")
                mine.raw(b"d\r\npause\r\n")
                answer = mine.stream.line()
                check(answer.startswith("accepted"), "it pauses: " + answer)
                answers = [c.stream.line() for c in crowd]
                check(all("accepted" in a or "too many" in a for a in answers), "each is told: %r" % answers)
                check(any("too many" in a for a in answers), "that it was not taken, too")
                check("paused" in run("command", "status", "--to", os.path.join(folder, "s"))[1], "it is paused")
                stack.end()


def test_what_was_said_while_the_stack_stood_is_done_only_where_it_stops(server):
    with tempfile.TemporaryDirectory() as folder, Program("run", HOVER, "--on", "yarp"):
        server.names.wait_for("/flying_box/rpc:i")
        at = os.path.join(folder, "s")
        with Stack("--no-log", "--wait", "--set", "safety.latch_after_s=60", "--listen", at) as stack:
            rpc = Writer(server.names.wait_for("/flying_box/stack/rpc:i"), "text_ack")
            until(lambda: asked(rpc, "arm").startswith("accepted"), "it is armed")
            for words, expected in (("disarm force", "accepted"),
                                    ("arm", 'failed "nothing was done: the program stood still')):
                stand(stack.process)
                rpc.raw(b"d\r\n%s\r\n" % words.encode())
                time.sleep(2.5)  # longer than a word may wait
                stack.process.send_signal(signal.SIGCONT)
                answer = asked(rpc)
                check(answer.startswith(expected), "%s: %s" % (words, answer))
            check("disarmed" in run("command", "status", "--to", at)[1], "nothing was done")
            # not armed: jets that nobody told anything for seconds may have tipped it over
            until(lambda: asked(rpc, "heartbeat").startswith("accepted"), "it is heard again")
            stack.end()


def test_whatever_peers_do_the_tick_goes_on(server):
    """Garbage, hung and vanishing readers, a name server started anew: no tick is missed."""
    with tempfile.TemporaryDirectory() as folder:
        with Program("run", HOVER, "--on", "yarp") as world:
            server.names.wait_for("/flying_box/rpc:i")
            with Stack("--json", "-q", "--set", "safety.latch_after_s=60", "--out", folder) as stack:
                commands = server.names.wait_for("/flying_box/stack/command:o")
                states = server.names.wait_for("/flying_box/stack/state:i")
                watch = Port(server.names, "/peer/watch:i")
                hung = Port(server.names, "/peer/hung:i")
                hung.hung = True
                for name in ("watch", "hung"):
                    check(admin(commands, '[add] "tcp://peer/%s:i"' % name)[0].startswith("0 "), name)
                watch.wait(lambda m: len(m) > 50, "commands")
                pick = random.Random(3)
                for i in range(40):
                    s = dial(states)
                    s.send(bytes(pick.randrange(256) for _ in range(200)))
                    w = Writer(states, "tcp", "/bad")
                    w.raw(frame(key_command(b"D") + bytes(pick.randrange(256) for _ in range(60))))
                    w.acknowledged()
                    w.close()
                    s.close()
                server.end()
                n = len(watch.messages)
                watch.wait(lambda m: len(m) > n + 50, "commands without a name server")
                with NameServer(server.port):
                    watch.wait(lambda m: len(m) > n + 300, "commands with another one")
                    counts = [int(s.split()[0]) for s, _ in list(watch.messages)]
                    check(counts == list(range(counts[0], counts[0] + len(counts))),
                          "every command, in order")
                    stack.process.terminate()
                    stack.result()
        replayed(os.path.join(folder, "log.mcap"))


def test_what_ports_cannot_carry_is_refused(server):
    missions = os.path.join(SOURCE, "missions")
    for mission, why in (("pool.yaml", "yarp: the vehicle has no such section"),
                         ("delivery.yaml", "yarp:"), ("rocket_landing.yaml", "yarp:")):
        code, _, err = run("run", os.path.join(missions, mission), "--on", "yarp", "--world",
                           "elsewhere")
        check(code == 3 and "it cannot be flown over ports" in err and why in err,
              "%s: %d %s" % (mission, code, err))
    # with ports, and still not: an engine must be lit
    with tempfile.TemporaryDirectory() as folder:
        for name in ("missions", "vehicles", "vision", "worlds"):
            shutil.copytree(os.path.join(SOURCE, name), os.path.join(folder, name))
        with open(os.path.join(folder, "vehicles/rocket.yaml"), "a") as f:
            f.write("\nyarp: {input-port-name: /r/i, thrust-port-name: /r/o}\n")
        code, _, err = run("run", os.path.join(folder, "missions/rocket_landing.yaml"), "--on", "yarp",
                           "--world", "elsewhere")
        check(code == 3 and "carries no ignition" in err, "%d %s" % (code, err))
    for options in (["--input-timeout", "1"], ["--model", "direct"]):
        code, _, err = run("run", HOVER, "--on", "yarp", "--world", "elsewhere", *options)
        check(code == 2, "%d %s" % (code, err))


if __name__ == "__main__":
    main([v for k, v in sorted(globals().items()) if k.startswith("test_")])
