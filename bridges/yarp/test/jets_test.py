"""The jets plugin as a service, driven by a peer that shares no code with it."""
import csv
import io
import math
import random
import subprocess
import tempfile

from peer import *

SOURCE = os.environ.get("PINTLE_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "../../.."))
EXAMPLE = """input-port-name /jets/input:i
thrust-port-name /jets/thrust:o

link-jets (JETCAT_P200-RX_FR, JETCAT_P200-RX_FL, JETCAT_P200-RX_BR, JETCAT_P200-RX_BL)
max-thrust-in-N (63.0, 63.0, 220.0, 220.0)
# If the inverse of the time constant is 0.0, the jets are a pure integrator
inverse-time-constant-in-one-over-seconds 0.0
jet-axis ((-1.0 0.0 0.0), (1.0 0.0 0.0), (0.0 0.0 -1.0), (0.0 0.0 -1.0))
"""
RATES = EXAMPLE + "d_thrust-port-name /jets/d_thrust:o\n"
P220 = ("(0.237755 -0.012799 -0.860374 0.023606 0.008599 1.139026 0.019914 -0.050257 0.000302 "
        "-0.692913)")
NONLINEAR = RATES + "jet-coefficients (" + " ".join([P220] * 4) + ")\n"


def ini(text):
    f = tempfile.NamedTemporaryFile("w", suffix=".ini", delete=False)
    f.write(text)
    f.close()
    return f.name


class Jets(Program):
    """Jets, and a peer that writes to them and listens to both outputs."""

    def __init__(self, server, *arguments, carrier="tcp", rates=True, state=None):
        super().__init__("run", *arguments, "--on", "yarp")
        self.server = server
        names = server.names
        self.input = Writer(names.wait_for("/jets/input:i"), carrier)
        self.thrust = self.listen("/jets/thrust:o", "/peer/thrust:i", carrier)
        self.rate = self.listen("/jets/d_thrust:o", "/peer/d_thrust:i", carrier) if rates else None
        self.state = self.listen(state, "/peer/state:i", carrier) if state else None

    def listen(self, source, own, carrier):
        sink = Port(self.server.names, own)
        source = self.server.names.wait_for(source)
        got = admin(source, '[add] "%s:/%s"' % (carrier, own))
        check(got and got[0].startswith("0 "), repr(got))
        return sink


def trace(file, model, rows):
    names = ["JETCAT_P200-RX_FR", "JETCAT_P200-RX_FL", "JETCAT_P200-RX_BR", "JETCAT_P200-RX_BL"]
    table = ",".join(names) + "\n" + "".join(",".join(map(repr, r)) + "\n" for r in rows)
    code, out, err = run("trace", "jet", file, "--dt", "0.001", "--model", model, given=table)
    check(code == 0, err)
    got = list(csv.DictReader(io.StringIO(out)))
    return ([tuple(float(r[n + "_thrust_N"]) for n in names) for r in got],
            [tuple(float(r[n + "_thrust_rate_N_s"]) for n in names) for r in got])


def test_lockstep_traces_equal_pintle_trace_jet_bit_for_bit(server):
    pick = random.Random(7)
    for model, text, low, high in (("first_order", RATES, -3e4, 9e4), ("nonlinear", NONLINEAR, 0, 100)):
        file = ini(text)
        rows = [[pick.uniform(low, high) for _ in range(4)] for _ in range(300)]
        for carrier in ("tcp", "text_ack"):
            with Jets(server, file, "--lockstep", "--model", model, carrier=carrier) as jets:
                for i, row in enumerate(rows):
                    jets.input.write(row)
                    jets.rate.wait(lambda m: len(m) > i, "step %d" % i)
                jets.thrust.wait(lambda m: len(m) == len(rows), "every thrust")
                thrusts, rates = trace(file, model, rows)
                check([v for _, v in jets.thrust.messages] == thrusts, model + ": thrusts")
                check([v for _, v in jets.rate.messages] == rates, model + ": rates")
                stamps = [s.split() for s, _ in jets.thrust.messages]
                check([int(n) for n, _ in stamps] == list(range(1, len(rows) + 1)), "numbered")
                check(abs(float(stamps[-1][1]) - 0.3) < 1e-12, "simulated time")
                check(jets.end() == 0, "it ends when it is told to")


def test_the_example_as_it_stands_runs_with_the_clock(server):
    file = ini(EXAMPLE)
    with Jets(server, file, rates=False) as jets:
        jets.heard("test stand")
        jets.input.write([10.0, 20.0, 30.0, 40.0])
        jets.thrust.wait(lambda m: m and m[-1][1][3] > 4, "thrust builds up")
        messages = list(jets.thrust.messages)
        counts = [int(s.split()[0]) for s, _ in messages]
        check(counts == list(range(counts[0], counts[0] + len(counts))), "no gap")
        thrusts = [v for _, v in messages]
        begin = next(i for i, v in enumerate(thrusts) if v[0] > 0)
        expected, _ = trace(file, "first_order", [[10.0, 20.0, 30.0, 40.0]] * (len(thrusts) - begin))
        check(thrusts[begin:] == expected, "the same numbers as the trace")


def test_what_is_no_input_changes_nothing(server):
    with Jets(server, ini(RATES), "--input-timeout", "0") as jets:
        jets.input.write([1.0, 2.0, 3.0, 4.0])
        jets.rate.wait(lambda m: m and m[-1][1] == (1, 2, 3, 4), "the input is published as the rate")
        for wrong in ([1.0] * 3, [1.0] * 5, [math.nan] * 4, [1.0, 2.0, math.inf, 4.0],
                      [-math.inf] * 4):
            jets.input.write(wrong)
        jets.heard("expected 4 numbers, got 3")
        check(not any("the input is back" in l for l in jets.err), "it was never gone")
        n = len(jets.rate.messages)
        jets.rate.wait(lambda m: len(m) > n + 20, "twenty steps")
        check(all(v == (1, 2, 3, 4) for _, v in jets.rate.messages[n:]), "the input before stays")
        rpc = Writer(server.names.wait_for("/jets/rpc:i"), "text_ack")
        rpc.raw(b"d\r\nstatus\r\n")
        check("(refused 5)" in rpc.stream.line(), "five were refused")


def test_silence_runs_down_and_a_restart_zeroes(server):
    with Jets(server, ini(RATES), "--input-timeout", "0.2") as jets:
        jets.input.write([500.0, 0.0, 0.0, 0.0])
        jets.heard("no input for 0.2 s: the jets are run down")
        jets.rate.wait(lambda m: m and m[-1][1][0] == -100, "it comes down at its own rate")
        jets.thrust.wait(lambda m: m[-1][1] == (0, 0, 0, 0), "no thrust")
        jets.rate.wait(lambda m: m[-1][1] == (0, 0, 0, 0), "no rate")
        jets.input.write([500.0, 0.0, 0.0, 0.0])
        jets.heard("the input is back")
        jets.thrust.wait(lambda m: m[-1][1][0] > 0, "thrust again")
        rpc = Writer(server.names.wait_for("/jets/rpc:i"), "tcp")
        rpc.raw(frame(key_command(b"d") + struct.pack("<iii", 256 | 4, 1, 7) + b"restart"))
        check(rpc.stream.read(12) == struct.pack("<iii", 256 | 9, 1, 0x6b6f), "[ok]")
        rpc.acknowledged()
        jets.heard("restarted")

        def anew(messages):
            """What came since the numbers begin again; what was under way before it comes first."""
            counts = [int(s.split()[0]) for s, _ in messages]
            return next((messages[i:] for i in range(1, len(counts)) if counts[i] <= counts[i - 1]), [])
        for sink, what in ((jets.thrust, "no thrust"), (jets.rate, "no rate")):
            sink.wait(lambda m: len(anew(m)) > 5, "steps after it")
            after = anew(sink.messages)
            check(all(v == (0, 0, 0, 0) for _, v in after), what)
            check(float(after[0][0].split()[1]) < 0.1, "time begins anew")


def test_every_restart_that_is_asked_for_is_answered(server):
    with Jets(server, ini(RATES)):
        address = server.names.wait_for("/jets/rpc:i")
        several = [Writer(address, "text_ack", "/asks/%d" % i) for i in range(4)]
        for _ in range(25):
            for w in several:
                w.raw(b"d\r\nrestart\r\n")
            answers = []
            for w in several:
                answers.append(w.stream.line())
                w.acknowledged()
            # who asks while one is under way is told so
            check("[ok]" in answers and set(answers) <= {"[ok]", "[fail]"}, repr(answers))


def test_a_hung_reader_holds_up_nobody(_):
    def once(server):
        with Jets(server, ini(RATES), "--input-timeout", "0") as jets:
            hung = jets.listen("/jets/thrust:o", "/peer/hung:i", "tcp")
            hung.hung = True
            jets.input.write([1.0, 1.0, 1.0, 1.0])
            jets.heard("/peer/hung:i acknowledges nothing")
            jets.thrust.wait(lambda m: len(m) > 3000, "three thousand for the other reader")
            silent, messages = jets.thrust.longest_silence(), list(jets.thrust.messages)
            counts = [int(s.split()[0]) for s, _ in messages]
            if counts != list(range(counts[0], counts[0] + len(counts))):
                # a reader who stands for a second jumps to the newest
                said = "a gap in %d for the other reader, silent for %.3f s" % (len(counts), silent)
                check(silent > 0.5, said)
                return said
            # it wakes up: it is dialled again
            hung.hung = False
            n = len(hung.messages)
            hung.wait(lambda m: len(m) > n + 10, "data again")
            return None
    anew(once)


def test_readers_appear_and_vanish_and_come_back(server):
    with Jets(server, ini(RATES), "--input-timeout", "0", carrier="fast_tcp") as jets:
        for i in range(20):
            sink = jets.listen("/jets/thrust:o", "/peer/short:i", CARRIERS[i % 4])
            sink.wait(lambda m: len(m) > 3, "data")
            sink.vanish(unregister=i % 2 == 0)
        last = Port(server.names, "/peer/short:i")
        last.wait(lambda m: len(m) > 3, "one that comes back under its name is dialled again")
        counts = [int(s.split()[0]) for s, _ in list(jets.thrust.messages)]
        check(counts == list(range(counts[0], counts[0] + len(counts))), "no gap for the other")


def test_what_the_blocks_of_wb_toolbox_do_on_the_wire(server):
    """YARP Write: a port of its own that dials the input. YARP Read: a port whose name the server
    chooses, to which the source is asked to connect, stamps read."""
    with Jets(server, ini(RATES), "--input-timeout", "0") as jets:
        names = server.names
        # Read: register, offers and accepts, then connect as a tool does, then take what comes
        line = names.ask("register ...")[0]
        own = line.split()[2]
        read = Port(names, own)
        names.ask("set %s offers tcp text text_ack udp mcast shmem local" % own)
        names.ask("set %s accepts tcp text text_ack udp mcast shmem local" % own)
        source = names.query("/jets/thrust:o")
        check(names.query(own) == read.address, "the port's own address counts")
        dial(source).close()
        check(admin(source, "[ver]") == ["[ver] 1 2 3"], "exists")
        check(admin(source, '[list] [out] "%s"' % own) == [""], "not yet connected")
        got = admin(source, '[add] "tcp:/%s"' % own)
        check(got[0].startswith("0 "), repr(got))
        # Write: the number of jets as a signal, a vector every 10 ms
        write = Writer(names.query("/jets/input:i"), "tcp", "/wbt/write:o")
        for i in range(20):
            write.write([5.0 * i] * 4)
        read.wait(lambda m: m and m[-1][1][0] > 0, "thrust")
        stamp, values = read.messages[-1]
        check(len(values) == 4 and len(stamp.split()) == 2, "a vector with its stamp")
        # the end of the simulation
        write.raw(frame(text_command("q")))
        write.acknowledged()
        check(admin(source, '[del] "%s"' % own)[0].startswith("0 "), "disconnected")
        read.vanish()


def test_a_model_in_sdf_flies(server):
    model = os.path.join(SOURCE, "tests/data/flying-box/model.sdf")
    with Program("check", model) as probe:
        probe.process.wait()
        if any("reads none" in l for l in probe.out + probe.err):
            return
    with Jets(server, model, "--lockstep", rates=False, state="/flying-box/state:o") as jets:
        # up to hover and a little beyond, then held; each message to the next state, 10 ms
        rows = [[8.7, 8.7, 27.5, 27.5]] * 420 + [[0.0] * 4] * 150
        jets.state.wait(lambda m: m, "the first state")
        for row in rows:
            stamp = jets.state.messages[-1][0]
            jets.input.write(row)
            jets.state.wait(lambda m: m[-1][0] != stamp, "the next state")
        first, last = jets.state.messages[0][1], jets.state.messages[-1][1]
        check(len(last) == 13, "thirteen numbers")
        check(abs(first[2] - 0.15) < 0.01, "it stands: %r" % (first,))
        check(last[2] > 0.3, "it flies: %r" % (last,))


def test_a_missions_world_is_served_and_others_are_refused(server):
    mission = os.path.join(SOURCE, "missions/hover_box.yaml")
    with Jets(server, mission, state="/flying_box/state:o") as jets:
        jets.state.wait(lambda m: len(m) > 20, "odometry")
        times = [float(s.split()[1]) for s, _ in jets.state.messages]
        check(all(b > a for a, b in zip(times, times[1:])), "stamped in order")
        lines = admin(server.names.query("/flying_box/status:o"), None, "*")
        check("This is /flying_box/status:o" in lines[0], repr(lines))
        code, _, err = run("run", mission, "--on", "yarp")
        check(code == 4 and "a program that runs has this port" in err, err)
    code, _, err = run("run", os.path.join(SOURCE, "missions/pool.yaml"), "--on", "yarp")
    check(code == 3 and "yarp: the vehicle has no such section" in err, "%d %s" % (code, err))
    for option in (["--set", "control.scale=1"], ["--at", "3:pause"], ["--json"], ["--no-log"]):
        code, _, err = run("run", mission, "--on", "yarp", *option)
        check(code == 2 and "--world elsewhere" in err, "%d %s" % (code, err))
    code, _, err = run("run", mission, "--lockstep")
    check(code == 2 and "--on yarp" in err, "%d %s" % (code, err))


def test_without_a_name_server_it_waits_for_one(server):
    port = server.port
    server.end()  # and takes its contact file with it
    with open(server.contact, "w") as f:
        f.write("127.0.0.1 %d yarp\n" % port)
    with Program("run", ini(EXAMPLE), "--on", "yarp") as jets:
        jets.heard("no name server answers")
        with NameServer(port) as again:
            again.names.wait_for("/jets/input:i")
            again.names.wait_for("/jets/thrust:o")


if __name__ == "__main__":
    main([v for k, v in sorted(globals().items()) if k.startswith("test_")])
