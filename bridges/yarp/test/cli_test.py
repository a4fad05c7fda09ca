"""The command line around the ports: what is refused before a port is opened, and exit codes."""
import resource
import shutil
import subprocess
import tempfile

from peer import *

SOURCE = os.environ.get("PINTLE_SOURCE_DIR", os.path.join(os.path.dirname(__file__), "../../.."))
HOVER = os.path.join(SOURCE, "missions/hover_box.yaml")
INI = """input-port-name %s
thrust-port-name %s
link-jets (JETCAT_P200-RX_FR, JETCAT_P200-RX_FL, JETCAT_P200-RX_BR, JETCAT_P200-RX_BL)
max-thrust-in-N (63.0, 63.0, 220.0, 220.0)
inverse-time-constant-in-one-over-seconds 0.0
jet-axis ((-1.0 0.0 0.0), (1.0 0.0 0.0), (0.0 0.0 -1.0), (0.0 0.0 -1.0))
"""
EXAMPLE = INI % ("/jets/input:i", "/jets/thrust:o")
ROBOT = "/${gazeboYarpPluginsRobotName}/jets/"


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def expect(code, words, *arguments, **options):
    got, out, err = run(*arguments, **options)
    check(got == code and words in out + err,
          "%r: ended with %d, expected %d and %r: %s%s" % (arguments, got, code, words, out, err))
    return out + err


def model(folder, ini):
    """A copy of the flying box with another .ini; None in a build that reads no SDF."""
    there = os.path.join(folder, "flying-box")
    shutil.copytree(os.path.join(SOURCE, "tests/data/flying-box"), there)
    write(os.path.join(there, "conf"), "jets.ini", ini)
    sdf = os.path.join(there, "model.sdf")
    return None if "reads none" in "".join(run("check", sdf)[1:]) else sdf


def test_a_plugin_knows_the_name_of_its_model(server):
    with tempfile.TemporaryDirectory() as folder:
        sdf = model(folder, INI % (ROBOT + "input:i", ROBOT + "thrust:o"))
        if sdf is None:
            return
        said = expect(0, "ok", "check", sdf)
        check("gazeboYarpPluginsRobotName" not in said, said)
        expect(0, 'input-port-name: "/flying-box/jets/input:i"', "import", sdf)
        with Program("run", sdf, "--on", "yarp") as box:
            box.heard("input /flying-box/jets/input:i, 4 numbers")
            server.names.wait_for("/flying-box/jets/thrust:o")


def test_a_model_is_checked_with_folders_of_models(server):
    with tempfile.TemporaryDirectory() as folder:
        sdf = model(folder, EXAMPLE)
        if sdf is None:
            return
        elsewhere = os.path.join(folder, "elsewhere")
        os.makedirs(os.path.join(elsewhere, "flying-box-yarp"))
        shutil.move(os.path.join(folder, "flying-box/conf"),
                    os.path.join(elsewhere, "flying-box-yarp/conf"))
        with open(sdf) as f:
            text = f.read()
        text = re.sub(r"model://[^<]*", "model://flying-box-yarp/conf/jets.ini", text)
        write(os.path.join(folder, "flying-box"), "model.sdf", text)
        expect(3, "nothing at", "check", sdf)
        expect(0, "ok", "check", sdf, "--model-path", elsewhere)


def test_what_cannot_run_is_refused_by_check_and_by_run_alike(server):
    with tempfile.TemporaryDirectory() as folder:
        for text, words in (
                (EXAMPLE.replace("seconds 0.0", "seconds 2000.0"), "expected less than 1000, got 2000"),
                (EXAMPLE.replace("seconds 0.0", "seconds 1000.0"), "expected less than 1000, got 1000"),
                (INI % ('"/jets(1)/input:i"', "/jets/thrust:o"), "write  /jets_1_/input:i"),
                (INI % ('"/my jets/input:i"', "/jets/thrust:o"), "write  /my_jets/input:i"),
                (INI % ('""', "/jets/thrust:o"), "expected the name of a port"),
                (INI % ("jets/input:i", "/jets/thrust:o"), "write  /jets/input:i"),
                (INI % ("/" + 1000 * "x", "/jets/thrust:o"), "at most 1000 characters"),
                (INI % ("/jets/input:i", "/jets/input:i"), "two ports named /jets/input:i"),
                (INI % ("/jets/input:i", "/jets/status:o"), "Pintle opens a port named /jets/status:o")):
            file = write(folder, "jets.ini", text)
            expect(3, words, "check", file)
            expect(3, words, "run", file, "--on", "yarp")
        # in a vehicle file
        file = write(folder, "jets.ini", EXAMPLE)
        vehicle = os.path.join(folder, "vehicle.yaml")
        expect(0, "", "import", file, "--out", vehicle)
        with open(vehicle) as f:
            text = f.read()
        name = re.search(r"^name: (.*)$", text, re.M).group(1).strip('"')
        for port, words in (('"/my jets/thrust:o"', "no blanks"), ('"/jets(1)"', "brackets"),
                            ('""', "expected the name of a port"),
                            ("/%s/rpc:i" % name, "Pintle opens a port named")):
            write(folder, "vehicle.yaml", re.sub(r"(thrust-port-name: ).*", lambda m: m.group(1) + port, text))
            expect(3, words, "check", vehicle)


def test_services_in_one_folder_have_ports_of_their_own(server):
    with tempfile.TemporaryDirectory() as folder:
        left = write(folder, "left.ini", INI % ("/jets/left:i", "/jets/left:o"))
        right = write(folder, "right.ini", INI % ("/jets/right:i", "/jets/right:o"))
        with Program("run", left, "--on", "yarp") as one, Program("run", right, "--on", "yarp") as other:
            for port in ("/jets/left/status:o", "/jets/left/rpc:i", "/jets/right/status:o",
                         "/jets/right/rpc:i"):
                server.names.wait_for(port)
            check(one.end() == 0 and other.end() == 0, "both end when they are told to")


def test_what_fails_to_start_does_not_say_that_it_stands(server):
    with tempfile.TemporaryDirectory() as folder:
        file = write(folder, "jets.ini", EXAMPLE)
        with Program("run", file, "--on", "yarp") as first:
            first.heard("test stand")
            server.names.wait_for("/jets/rpc:i")
            said = expect(4, "a program that runs has this port", "run", file, "--on", "yarp")
            check("test stand" not in said, said)


def test_a_setpoint_that_is_no_pose_is_reported(server):
    with Program("run", HOVER, "--on", "yarp") as world, \
            Program("run", HOVER, "--on", "yarp", "--world", "elsewhere", "--planner", "--no-log",
                    "--listen", "none") as stack:
        world.heard("flying_box in its world")
        planner = Writer(server.names.wait_for("/flying_box/stack/setpoint:i"), "tcp")
        planner.write([0.0, 0, 2, 0, 0, 0, 1])
        planner.write([0.0, 0, 2, 0, 0, 0, 0])
        stack.heard("/flying_box/stack/setpoint:i: refused: expected finite numbers, a quaternion")
        until(lambda: stack.process.poll() is None, "it flies on")


def test_options_that_mean_nothing_there_are_refused(server):
    for option in (["--set", "control.scale=1"], ["--at", "3:pause"], ["--json"], ["--no-log"],
                   ["--real-time"], ["--overwrite"], ["--out", "x"], ["--planner"],
                   ["--listen", "none"]):
        expect(2, "--world elsewhere", "run", HOVER, "--on", "yarp", *option)
    on = ("run", HOVER, "--on", "yarp", "--world")
    expect(2, "the world is elsewhere", *on, "elsewhere", "--seed", "3")
    expect(2, "with the messages or with the clock", *on, "simulated", "--real-time", "--lockstep")
    expect(2, "for the world that is simulated here, without --on", *on, "simulated", "--truth", HOVER)
    expect(2, "without --on", *on, "simulated", "--speed", "2")
    expect(2, "these options are for a world that is simulated here", *on, "elsewhere", "--input-timeout", "2")
    for seconds in ("nan", "inf", "-1", "-inf", "3601"):
        expect(2, "expected 0 (never) to 3600 seconds", "run", HOVER, "--on", "yarp",
               "--input-timeout=" + seconds)
    expect(2, "--count", "yarp", "read", "/reader", "--count", "0")


def test_inputs_cannot_be_spoilt_between_two_programs(server):
    with tempfile.TemporaryDirectory() as folder:
        with open(HOVER) as f:
            mission = f.read().replace("../", SOURCE + "/")
        file = write(folder, "spoilt.yaml", mission +
                     "\ninput_faults:\n  - {input: odometry, kind: nan, at_s: 20, until_s: 20.2}\n")
        for more in ([], ["--world", "elsewhere"], ["--world", "elsewhere", "--quiet"]):
            expect(3, "input_faults: they are put in between a simulated world and its stack",
                   "run", file, "--on", "yarp", *more)


def test_files_that_are_no_missions_are_told_their_way(server):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("jets.ini", "JETS.INI", "jets.conf"):
            file = write(folder, name, EXAMPLE)
            for more in ([], ["--on", "yarp", "--world", "elsewhere"], ["--on", "ros1"]):
                expect(2, "write  pintle run %s --on yarp" % file, "run", file, *more)
            expect(0, "ok", "check", file)
        file = write(folder, "model.sdf", '<sdf version="1.7"><model name="m"/></sdf>\n')
        expect(2, "write  pintle run %s --on yarp" % file, "run", file)
        file = write(folder, "model.urdf", '<robot name="m"/>\n')
        for more in ([], ["--on", "yarp"]):
            expect(2, "pintle import", "run", file, *more)
        file = write(folder, "broken.sdf", "this is: no XML\n")
        said = expect(3, "broken.sdf", "run", file, "--on", "yarp")
        check("reads none" in said or "expected XML" in said, said)


def test_lines_that_nobody_takes_are_counted(server):
    # a reader who never acknowledges
    sink = Port(server.names, "/hung")
    sink.hung = True
    expect(4, "3 of 3 lines were not taken", "yarp", "write", "/writer", "/hung", given="1.0\n2.0\n3.0\n")
    sink.hung = False
    sink.vanish()
    # one who dies
    sink = Port(server.names, "/mortal")
    with Program("yarp", "write", "/writer", "/mortal", stdin=subprocess.PIPE) as writer:
        writer.process.stdin.write("1.0\n1.5\n")
        writer.process.stdin.flush()
        sink.wait(lambda m: len(m) == 2, "two lines, of which the first is acknowledged")
        sink.vanish()
        until(lambda: "no outgoing" in "".join(admin(server.names.query("/writer"), None, "*")), "gone")
        writer.process.stdin.write("2.0\n3.0\n")
        writer.process.stdin.close()
        check(writer.process.wait(PATIENCE) == 4, "it says so by its code")
        line = writer.heard(" of 4 lines were not taken")
        check(re.search(r": [23] of 4 ", line), line)
    # lines that are no messages
    sink = Port(server.names, "/sink")
    expect(3, "2 of 4 lines are no messages", "yarp", "write", "/writer", "/sink",
           given='1.0\n(1 (2\n"open\n2.0\n')
    sink.wait(lambda m: [v for _, v in m] == [(1.0,), (2.0,)], "the others arrive")
    sink.vanish()


def test_read_ends_when_nobody_reads_it(server):
    for more in (True, False):
        with Program("yarp", "read", "/reader") as reader:
            w = Writer(server.names.wait_for("/reader"), "tcp")
            w.write([1.0])
            until(lambda: reader.out == ["1.0"], "the first message")
            w.close()
            check(reader.end() == 0, "ended by a signal, it ends well")
        own, theirs = os.pipe()
        process = subprocess.Popen([PINTLE, "yarp", "read", "/reader"], stdout=theirs,
                                   stderr=subprocess.PIPE, text=True)
        os.close(theirs)
        w = Writer(server.names.wait_for("/reader"), "fast_tcp")
        w.write([1.0])
        check(os.read(own, 100) == b"1.0\n", "the first message")
        os.close(own)
        if more:
            try:
                for _ in range(3):
                    w.write([2.0])
            except OSError:
                pass
        check(process.wait(PATIENCE) == 4, "it ends by itself")
        check("could not be written" in process.stderr.read(), "and says why")
        process.stderr.close()
        check(server.names.query("/reader") is None, "its name is taken back")
    with open("/dev/full", "w") as full:
        process = subprocess.Popen([PINTLE, "yarp", "read", "/reader"], stdout=full,
                                   stderr=subprocess.DEVNULL)
    Writer(server.names.wait_for("/reader"), "fast_tcp").write([1.0])
    check(process.wait(PATIENCE) == 4, "a full device")


def test_a_file_that_may_not_grow_is_a_write_that_fails(server):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run")
        done = subprocess.run([PINTLE, "run", HOVER, "--out", out, "--json"], capture_output=True,
                              text=True, timeout=PATIENCE,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                                    (100000, 100000)))
        check(done.returncode == 4, "%d %s" % (done.returncode, done.stderr))
        check("could not be written" in done.stderr, done.stderr)
        written = os.path.exists(os.path.join(out, "report.html"))
        check(written == ("\nreport  " in "\n" + done.stderr), "told of only if it is there")
        check(written == ('"report":""' not in done.stdout), done.stdout)


if __name__ == "__main__":
    main([v for k, v in sorted(globals().items()) if k.startswith("test_")])
