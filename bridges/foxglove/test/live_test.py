"""The live server of a real run, met by clients of its own kind and by others."""
import contextlib
import shutil
import tempfile
import threading

import step_figures
from peer import *

POOL = os.path.join(SOURCE, "missions/pool.yaml")


def flight(*more):
    return Program("run", POOL, "--no-log", "--live", "0", *more)


def test_both_names_of_the_protocol_see_every_channel():
    with flight() as f:
        port = port_of(f.heard("live  http"))
        for protocol in ("foxglove.sdk.v1", "foxglove.websocket.v1", "other, foxglove.websocket.v1"):
            with Client(port, protocol) as c:
                check(c.headers["sec-websocket-protocol"] in protocol, c.headers)
                info = c.op("serverInfo")
                for capability in ("clientPublish", "parameters", "parametersSubscribe", "time",
                                   "services", "connectionGraph", "assets"):
                    check(capability in info["capabilities"], capability)
                topics = c.channels()
                for topic in ("/configuration", "/inputs", "/outputs", "/view", "/tf", "/tf_static", "/pose",
                              "/twist", "/wrench/demand", "/wrench/achieved", "/efforts", "/scene",
                              "/diagnostics", "/rosout"):
                    check(topic in topics, topic)
                    number = c.subscribe(topic)
                    check(c.messages(number)[0][2], topic)
                check(topics["/tf"]["schemaName"] == "tf2_msgs/msg/TFMessage", topics["/tf"])
        check(knock(port, "") == 400, "a WebSocket without a protocol")
        check(knock(port, "mqtt") == 400, "another protocol")
        code, _, said = f.end()
        check(code == 1 and "aborted" in said + _, code, said)


def test_what_is_asked_becomes_what_is_flown():
    with flight() as f:
        port = port_of(f.heard("live  http"))
        with Client(port) as c, Client(port) as other:
            view = c.subscribe("/view")
            c.view(view, lambda v: v["phase"] == "running" and v["arm"] == "armed")
            answer = c.call("/pintle/pause")
            check(answer["accepted"] and "paused" in answer["answer"], answer)
            c.view(view, lambda v: v["phase"] == "paused")
            check(c.call("/pintle/command", words="resume")["accepted"], "resume")
            check(c.view(view, lambda v: v["phase"] == "running")["commander"] == "page", "who commands")
            wrong = c.call("/pintle/jump", argument="nowhere")
            check("nowhere" in wrong.get("failed", ""), wrong)
            refused = c.call("/pintle/arm")
            check(refused["accepted"] is False or "armed" in refused["answer"], refused)
            # parameters: read, set, seen by others, refused with the reason
            check(c.parameters("control.scale") == {"control.scale": 1.0}, c.parameters("control.scale"))
            other.say(op="subscribeParameterUpdates", parameterNames=["control.scale"])
            other.parameters("control.scale")
            check(c.set(control__scale=0.5) == {"control.scale": 0.5}, "set")
            check(other.op("parameterValues", lambda m: "id" not in m)["parameters"][0]["value"] == 0.5, "told")
            c.view(view, lambda v: v["generation"] == 2)
            check(c.set(control__scale=-3) == {"control.scale": 0.5}, "out of range")
            check("control.scale" in c.op("status", lambda m: m["level"] == 2)["message"], "why")
            # what a file would be warned about is asked back
            limit = "control.motion_limits.x.max_velocity"
            before = c.parameters(limit)
            c.texts.clear()
            check(c.set(control__motion_limits__x__max_velocity=1) == before, "not done")
            check("once more" in c.op("status", lambda m: m["level"] == 2)["message"], "how to mean it")
            check(c.set(control__motion_limits__x__max_velocity=1) == {limit: 1}, "meant")
            check("nothing goes by them" in c.op("status", lambda m: m["level"] == 1)["message"], "and told")
            c.texts.clear()
            c.say(op="setParameters", parameters=[{"name": "control.scael", "value": 1}])
            check("did you mean" in c.op("status")["message"], "did you mean")
            c.texts.clear()
            c.say(op="setParameters", parameters=[{"name": "failsafes.tilt.limit_deg", "value": 1}])
            check("failsafes" in c.op("status")["message"], "failsafes stand")
            # a mission is flown: setpoints from outside are not
            c.texts.clear()
            c.say(op="advertise", channels=[{"id": 1, "topic": "/setpoint/pose", "encoding": "json",
                                             "schemaName": "geometry_msgs/PoseStamped"}])
            c.send_frame(2, struct.pack("<BI", 1, 1) + b"{}")
            check("a mission is flown" in c.op("status")["message"], "why not")
            vehicle = json.loads(c.asset("pintle:vehicle.json"))
            check(len(vehicle["propulsors"]) == 8 and vehicle["states"], vehicle)
            names = {p["name"]: p for p in json.loads(c.asset("pintle:parameters.json"))}
            check(names["control.scale"]["value"] == 0.5 and names["control.scale"]["meaning"], "asset")
            check(c.asset("file:///etc/passwd") is None, "no files")
            c.say(op="subscribeConnectionGraph")
            graph = c.op("connectionGraphUpdate")
            check(any(s["subscriberIds"] for s in graph["subscribedTopics"]), graph)
            check(c.call("/pintle/abort")["accepted"], "abort")
            c.view(view, lambda v: v["phase"] in ("aborting", "aborted"))


def calls(c, name, n=1):
    """Asks, and waits for no answer."""
    c.until(lambda: name in c.services, name)
    head = struct.pack("<BIII", 2, c.services[name]["id"], 7, 4)
    for _ in range(n):
        c.send_frame(2, head + b"json{}")


def phase_of(c, view):
    return c.view(view)["phase"]


def wait_until_it_stands(process):
    def stands(task):
        with open("/proc/%d/task/%s/stat" % (process.pid, task)) as f:
            return f.read().rpartition(")")[2].split()[0] == "T"
    end = time.monotonic() + PATIENCE
    while not all(stands(task) for task in os.listdir("/proc/%d/task" % process.pid)):
        check(time.monotonic() < end, "it does not stop")
        time.sleep(0.01)


def test_what_was_asked_while_the_program_stood_still_is_done_only_where_it_stops():
    with flight() as f:
        port = port_of(f.heard("live  http"))
        with Client(port) as c:
            view = c.subscribe("/view")
            c.view(view, lambda v: v["phase"] == "running")
            for word, before, after in (("pause", "running", "paused"), ("resume", "paused", "paused")):
                for leaves in (False, True):
                    if phase_of(c, view) != before:
                        check(c.call("/pintle/resume")["accepted"], "resume")
                    with Client(port) as d:
                        d.until(lambda: d.services, "services")
                        stopped_at = time.monotonic()
                        f.process.send_signal(signal.SIGSTOP)
                        # what is heard before the last thread stands is withdrawn after two seconds, and told so
                        wait_until_it_stands(f.process)
                        calls(d, "/pintle/" + word)
                        if leaves:
                            d.send_frame(8, struct.pack(">H", 1001))
                            d.socket.shutdown(socket.SHUT_WR)
                        # longer than a command may wait for its tick
                        while time.monotonic() < stopped_at + 2.5:
                            time.sleep(0.05)
                        f.process.send_signal(signal.SIGCONT)
                        if word == "pause":
                            c.view(view, lambda v: v["phase"] == "paused")
                        elif not leaves:
                            failed = d.op("serviceCallFailure")
                            check("nothing was done" in failed["message"], failed)
                        # what is asked afterwards is answered afterwards
                        c.call("/pintle/heartbeat")
                        check(phase_of(c, view) == after, word, "was done", leaves)


def test_a_stop_is_heard_whatever_floods_page_and_socket():
    with tempfile.TemporaryDirectory() as folder:
        at = os.path.join(folder, "s")
        with flight("--listen", at) as f:
            port = port_of(f.heard("live  http"))
            ends = threading.Event()

            def hammer():
                while not ends.is_set():
                    with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as s:
                        s.connect(at)
                        s.sendall(b"heartbeat\n")
                        s.recv(500)
            with Client(port) as c, Client(port) as noisy:
                view = c.subscribe("/view")
                c.view(view, lambda v: v["phase"] == "running")
                threads = [threading.Thread(target=hammer) for _ in range(4)]
                for t in threads:
                    t.start()
                try:
                    for word in ("pause", "resume", "pause", "abort"):
                        calls(noisy, "/pintle/heartbeat", 200)
                        answer = c.call("/pintle/" + word)
                        check(answer.get("accepted"), word, answer)
                finally:
                    ends.set()
                    for t in threads:
                        t.join()


def test_strangers_are_shown_out():
    with flight() as f:
        port = port_of(f.heard("live  http"))
        check(knock(port, host="evil.example:%d" % port) == 403, "a name made to point here")
        check(knock(port, lines=["Origin: http://evil.example"]) == 403, "a page of elsewhere")
        check(knock(port, lines=["Origin: http://127.0.0.1:%d" % port]) == 101, "our own page")
        f.heard("--live-origin http://evil.example")
        check(http(port, "/../etc/passwd")[0] == 404, "no files")
        check(http(port, method="POST")[0] == 405, "only GET")
        check(http(port, lines=["X: " + "y" * 20000])[0] in (0, 400, 431), "headers without end")
        status, headers, body = http(port)
        check(status == 200 and b"<title>Pintle" in body, status, body[:80])
        check("default-src 'none'" in headers["content-security-policy"], headers)
        check(http(port, method="HEAD")[2] == b"", "a head has no body")
        # a request that never ends is not waited for
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: ")
            begin = time.monotonic()
            check(slow.recv(10) == b"" and time.monotonic() - begin < 30, "a slow loris")
        # frames: in pieces they are put together, too large ones end it
        with Client(port) as c:
            c.send_frame(1, b'{"op": "getParameters", "id": "p", ', final=False)
            c.send_frame(0, b'"parameterNames": ["control.scale"]}')
            c.op("parameterValues")
            try:
                c.send_frame(1, b"x" * (2 << 20))
                while True:
                    c.hear()
            except (EOFError, ConnectionError):
                pass
        with Client(port) as c:
            try:
                for _ in range(200):
                    c.send_frame(1, b"nonsense")
                    c.send_frame(2, b"\xff\xff")
                while True:
                    c.hear()
            except (EOFError, ConnectionError):
                pass
            check(any(m.get("level") == 2 for m in c.texts), "it is told why")
        with Client(port) as c:
            c.view(c.subscribe("/view"))


def test_who_watches_goes_after_who_flies():
    # what the program was started under is for the tick; the server's thread is an ordinary one
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    try:
        f = flight()
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with f:
        with Client(port_of(f.heard("live  http"))) as c:
            c.op("serverInfo")
            tasks = "/proc/%d/task" % f.process.pid
            policy = {open("%s/%s/comm" % (tasks, t)).read().strip(): os.sched_getscheduler(int(t)) for t in os.listdir(tasks)}
            check(policy.get("pintle") == os.SCHED_BATCH, "the tick", policy)
            check(policy.get("live") == os.SCHED_OTHER, "the server's thread", policy)


def test_who_does_not_read_costs_the_others_nothing():
    with flight() as f:
        port = port_of(f.heard("live  http"))
        with Client(port) as stopped, Client(port) as c:
            for topic in stopped.channels():
                stopped.subscribe(topic)
            view = c.subscribe("/view")
            first = c.view(view)
            # it reads nothing for five seconds of the flight, and others see each moment
            last, seen = first, 0
            while last["time_s"] < first["time_s"] + 5:
                now = c.view(view)
                check(now["tick"] > last["tick"], "no moment twice")
                last, seen = now, seen + 1
            check(seen > 20, seen)
            # then it is told what it has missed, and is up to date
            number = [n for n in range(1, stopped.next_number)]
            stopped.until(lambda: any("passed over" in m.get("message", "") for m in stopped.texts),
                          "what it has missed")
            check(number, "subscriptions")


def test_more_than_there_is_room_for_are_refused_and_it_is_said():
    with flight() as f:
        port = port_of(f.heard("live  http"))
        with Client(port) as c:
            view = c.subscribe("/view")
            c.view(view)
            crowd = [socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) for _ in range(128)]
            f.heard("refused, there are 128 connections already")
            check(crowd[-1].recv(1) == b"", "the last one is shown out")
            c.view(view)
            for s in crowd:
                s.close()


def test_who_asks_and_never_reads_is_shown_out():
    with flight() as f:
        port = port_of(f.heard("live  http"))
        with Client(port) as deaf, Client(port) as c:
            deaf.channels()
            end = time.monotonic() + PATIENCE
            try:
                while time.monotonic() < end:
                    deaf.say(op="fetchAsset", uri="pintle:parameters.json", requestId=1)
                check(False, "it still asks, and is still there")
            except ConnectionError:
                pass
            c.view(c.subscribe("/view"))


def test_the_end_is_told_and_said_goodbye_to():
    with flight("--planner") as f:
        port = port_of(f.heard("live  http"))
        with Client(port) as c:
            view, events = c.subscribe("/view"), c.subscribe("/rosout")
            c.view(view, lambda v: v["arm"] == "armed" and v["time_s"] > 1)
            names = [p["name"] for p in json.loads(c.asset("pintle:vehicle.json"))["propulsors"]]
            service = c.services["/pintle/push_test"]["id"]
            c.send_frame(2, struct.pack("<BIII", 2, service, 5000, 4) + b"json" +
                         json.dumps({"propulsor": names[0], "share": 0.2}).encode())
            check(c.call("/pintle/disarm")["accepted"], "disarm")
            try:
                while True:
                    c.hear()
            except EOFError:
                pass
            check(c.closed == 1001, "a goodbye", c.closed)
            check(5000 in c.answers and not c.answers[5000]["accepted"], "what was under way is answered", c.answers)
            last = [json.loads(d[2]) for d in c.data if d[0] == view][-1]
            check(last["arm"] == "disarmed", last)
            check(any(b"disarmed" in d[2] for d in c.data if d[0] == events), "its last event")


def own_files(folder, **replaced):
    """Mission and vehicle in a folder of their own; `replaced`: words of the mission."""
    for name in ("bluerov2_heavy", "oogway"):
        shutil.copy(os.path.join(SOURCE, "vehicles", name + ".yaml"), folder)
    shutil.copy(os.path.join(SOURCE, "worlds/pool.yaml"), folder)
    mission = os.path.join(folder, "mission.yaml")
    with open(mission, "w") as f:
        f.write("""format: pintle/mission/1
name: bench
vehicle: bluerov2_heavy.yaml
control_rate_Hz: 50
control: {scale: 1.0}
world: {file: pool.yaml, start_position_m: [0, 0, -2]}
mission:
  states:
    - {name: stay, go: {z_m: -2}, success: {after_s: 3}, timeout_s: 9}
""")
    return mission, os.path.join(folder, "bluerov2_heavy.yaml")


def test_what_waits_when_the_run_ends_is_told_so():
    with flight() as f:
        with Client(port_of(f.heard("live  http"))) as c:
            view = c.subscribe("/view")
            c.view(view, lambda v: v["phase"] == "running")
            calls(c, "/pintle/heartbeat", 8)
            # what stops goes before all that waits, and is the end of this run
            check(c.call("/pintle/disarm")["accepted"], "disarm")
            c.op("serviceCallFailure", lambda m: m["message"] == "the run has ended")


def test_a_step_has_the_figures_that_its_log_has():
    with tempfile.TemporaryDirectory() as folder:
        mission, _ = own_files(folder)
        out = os.path.join(folder, "out")
        with Program("run", mission, "--planner", "--live", "0", "--out", out) as f:
            port = port_of(f.heard("live  http"))
            with Client(port) as c:
                view = c.subscribe("/view")
                c.view(view, lambda v: v["arm"] == "armed" and v["time_s"] > 1)
                refused = c.call("/pintle/step_test", axis="x", size=50, seconds=5)
                check(not refused["accepted"] and "2 m" in refused["answer"], refused)
                check(not c.call("/pintle/step_test", axis="w", size=1, seconds=5)["accepted"], "no such axis")
                got = c.call("/pintle/step_test", axis="x", size=0.5, seconds=8)
                check(got["accepted"], got)
                there = got["figures"]
                check(len(got["samples"]["t_s"]) > 300, "what is plotted")
                end = got["samples"]["t_s"][-1]
            code, said, _ = f.end()
            check(code in (0, 1), code, said)
        samples = step_figures.step_of(os.path.join(out, "log.mcap"), 0, there["at_s"] - 0.5, there["at_s"] + 8)
        here = step_figures.figures(samples)
        check(there["at_s"] + 8 > end > there["at_s"] + 7.9, end)
        for name, value in here.items():
            other = there[name]
            check((value is None) == (other is None), name, value, other)
            if value is not None:
                # of lengths and shares 1 % of the step, of times 1 %
                scale = abs(value) if name.endswith("_s") else max(abs(value), 1 if name == "overshoot" else 0.5)
                check(abs(value - other) <= 0.01 * scale, name, value, other)


def test_stops_without_end_keep_no_trial_from_beginning():
    with flight("--planner") as f:
        port = port_of(f.heard("live  http"))
        with Client(port) as c:
            view = c.subscribe("/view")
            c.view(view, lambda v: v["arm"] == "armed" and v["time_s"] > 1)
            names = [p["name"] for p in json.loads(c.asset("pintle:vehicle.json"))["propulsors"]]
            service = c.services["/pintle/stop_test"]["id"]
            for i in range(60):
                c.send_frame(2, struct.pack("<BIII", 2, service, 5000 + i, 4) + b"json{}")
            c.until(lambda: len([i for i in c.answers if i >= 5000]) == 60, "an answer to each")
            got = c.call("/pintle/push_test", propulsor=names[0], share=0.2)
            check(got["accepted"], got)


def test_one_propulsor_alone_says_how_it_is_wired_and_the_file_is_mended_on_consent():
    with tempfile.TemporaryDirectory() as folder:
        mission, vehicle = own_files(folder)
        whole = open(vehicle).read()
        # what the pool really has: two front ones in each other's place, one turned, one without power
        truth = os.path.join(folder, "truth.yaml")
        lines = whole.split("\n")
        at = {name: next(i for i, l in enumerate(lines) if "name: %s," % name in l)
              for name in ("front_right", "front_left", "vertical_front_left")}
        a, b = lines[at["front_right"]], lines[at["front_left"]]
        lines[at["front_right"]] = b.replace("front_left", "front_right")
        lines[at["front_left"]] = a.replace("front_right", "front_left")
        lines[at["vertical_front_left"]] = lines[at["vertical_front_left"]].replace("}", ", flipped: true}")
        with open(os.path.join(folder, "really.yaml"), "w") as f:
            f.write("\n".join(lines))
        with open(truth, "w") as f:
            f.write(open(mission).read().replace("bluerov2_heavy.yaml", "really.yaml") +
                    "faults:\n  - {propulsor: vertical_back_right, kind: dead, at_s: 0, announced: false}\n")
        with Program("run", mission, "--truth", truth, "--planner", "--no-log", "--live", "0") as f:
            port = port_of(f.heard("live  http"))
            with Client(port) as c:
                view = c.subscribe("/view")
                c.view(view, lambda v: v["arm"] == "armed")
                names = [p["name"] for p in json.loads(c.asset("pintle:vehicle.json"))["propulsors"]]
                findings = []
                for name in names:
                    got = c.call("/pintle/push_test", propulsor=name, share=0.2)
                    check(got["accepted"], name, got)
                    findings.append({k: got[k] for k in ("propulsor", "verdict", "like", "reversed") if k in got})
                offered = c.call("/pintle/directions", findings=findings)
                check(offered["answer"].split("; ")[0] == "swapped: front_right and front_left", offered)
                check("reversed: vertical_front_left" in offered["answer"], offered)
                check("dead: vertical_back_right" in offered["answer"], offered)
                check(open(vehicle).read() == whole and not offered["written"], "nothing is written unasked")
                stale = c.call("/pintle/directions", findings=findings, shown="something else")
                check(not stale["accepted"] and open(vehicle).read() == whole, stale)
                written = c.call("/pintle/directions", findings=findings, shown=offered["diff"])
                check(written["written"], written)
                check(open(vehicle).read().split("\n") == lines, "the vehicle file is as the craft is", offered["diff"])
                # while another operator commands nothing is pushed
                code, _, err = run("command", "take_over", "--to", f.said.split("--to ")[1].split()[0])
                check(code == 0, err)
                refused = c.call("/pintle/push_test", propulsor=names[0], share=0.2)
                check(not refused["accepted"] and "somebody else" in refused["answer"], refused)
        with flight() as f:
            port = port_of(f.heard("live  http"))
            with Client(port) as c:
                c.view(c.subscribe("/view"), lambda v: v["arm"] == "armed")
                refused = c.call("/pintle/push_test", propulsor="top_back_left", share=0.2)
                check(not refused["accepted"] and "a mission is flown" in refused["answer"], refused)


def test_changed_numbers_are_saved_after_they_were_shown():
    with tempfile.TemporaryDirectory() as folder:
        mission, vehicle = own_files(folder)
        with Program("run", mission, "--planner", "--no-log", "--live", "0") as f:
            port = port_of(f.heard("live  http"))
            with Client(port) as c:
                check(c.call("/pintle/save")["diff"] == "", "nothing has been changed")
                check(c.set(control__scale=0.5, control__position__x__kp=61)["control.scale"] == 0.5, "set")
                shown = c.call("/pintle/save")["diff"]
                check("-control: {scale: 1.0}\n+control: {scale: 0.5}\n" in shown, shown)
                check("kp: 60" in open(vehicle).read(), "not yet")
                check(c.call("/pintle/save", shown=shown)["written"], "written")
                check("x: {kp: 61, ki: 6" in open(vehicle).read() and "{scale: 0.5}" in open(mission).read(), "there")
                check(c.set(control__scale=0.6)["control.scale"] == 0.6, "set again")
                again = c.call("/pintle/save", shown=shown)
                check(not again["accepted"] and "{scale: 0.5}" in open(mission).read(), again)


def test_a_token_lets_in_who_knows_it_and_beyond_this_machine_there_must_be_one():
    code, _, err = run("run", POOL, "--no-log", "--live", "0", "--live-bind", "0.0.0.0")
    check(code == 2 and "--live-token" in err, code, err)
    code, _, err = run("run", POOL, "--no-log", "--live", "70000")
    check(code == 2 and "port" in err, code, err)
    for token in ("", "short", "open sesame", "open&sesame", "open-sésame", "100%open"):
        code, _, err = run("run", POOL, "--no-log", "--live", "0", "--live-token", token)
        check(code == 2 and "--live-token" in err, token, code, err)
    with flight("--live-bind", "::1") as f:
        check("http://[::1]:" in f.heard("live  http"), "an address that a browser knows", f.said)
    with flight("--live-bind", "0.0.0.0", "--live-token", "open-sesame") as f:
        port = port_of(f.heard("live  http"))
        check(knock(port) == 401 and knock(port, target="/?token=open-sesamE") == 401, "no token")
        check(http(port)[0] == 401, "nor the page")
        with Client(port, target="/?token=open-sesame") as c:
            c.op("serverInfo")
    with tempfile.TemporaryDirectory() as folder:
        secret = os.path.join(folder, "token")
        code, _, err = run("run", POOL, "--no-log", "--live", "0", "--live-token", "@" + secret)
        check(code == 2 and "--live-token" in err and secret in err, code, err)
        with open(secret, "w") as f:
            f.write("from-a-file\n")
        with flight("--live-bind", "0.0.0.0", "--live-token", "@" + secret) as f:
            port = port_of(f.heard("live  http"))
            check("from-a-file" not in f.said, "nor is it told", f.said)
            check(knock(port, target="/?token=@" + secret) == 401, "the name is no token")
            with Client(port, target="/?token=from-a-file") as c:
                c.op("serverInfo")
    with flight("--live-bind", "0.0.0.0", "--live-token", "open-sesame") as f:
        port = port_of(f.heard("live  http"))
        # the port is taken: said, and the run does not begin
        code, _, err = run("run", POOL, "--no-log", "--live", str(port), "--live-bind", "127.0.0.1")
        check(code == 4 and str(port) in err, code, err)


def test_a_log_is_played_as_it_was():
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, "out")
        code, _, err = run("run", os.path.join(SOURCE, "missions/hover_box.yaml"), "--seed", "3", "--out", log, "-q")
        check(code == 0, err)
        with Program("live", os.path.join(log, "log.mcap"), "--port", "0", "--speed", "20", "--loop") as p:
            port = port_of(p.heard("live  http"))
            with Client(port) as c:
                c.until(lambda: "/pose" in c.channels() or c.hear(), "the channels")
                number = c.subscribe("/pose")
                stamps = [m[1] for m in c.messages(number, 10)]
                check(stamps == sorted(stamps) or 0 < stamps.index(max(stamps)), stamps)
                # the page has what it shows, to be looked at alone
                check(json.loads(c.asset("pintle:vehicle.json"))["propulsors"], "vehicle")
                names = {p["name"]: p["value"] for p in json.loads(c.asset("pintle:parameters.json"))}
                check(len(names) > 20 and c.parameters("body.mass_kg") == {"body.mass_kg": names["body.mass_kg"]}, names)
                c.view(c.subscribe("/view"), lambda v: v["arm"] == "armed")
                check(c.set(body__mass_kg=1)["body.mass_kg"] == names["body.mass_kg"], "nothing can be set")
                c.op("status", lambda m: "a log that is played" in m["message"])
                check(not c.services, c.services)
            check(p.end()[0] == 0, p.said)
        # one that is cut is played as far as it goes, and that it is cut is said
        cut = os.path.join(folder, "cut.mcap")
        with open(os.path.join(log, "log.mcap"), "rb") as whole, open(cut, "wb") as f:
            f.write(whole.read()[:1000000])
        code, _, err = run("live", cut, "--port", "0", "--speed", "100000")
        check(code == 0 and "cut.mcap: " in err, code, err)
        code, _, err = run("live", os.path.join(log, "log.mcap"), "--port", "0", "--speed", "100000")
        check(code == 0 and "log.mcap" not in err, code, err)
        code, _, err = run("live", os.path.join(folder, "nothing.mcap"), "--port", "0")
        check(code == 4 and "nothing.mcap" in err, code, err)


def test_a_page_that_dies_leaves_the_command_to_others_and_that_is_told():
    with tempfile.TemporaryDirectory() as folder:
        at = os.path.join(folder, "s")
        with flight("--listen", at) as f:
            port = port_of(f.heard("live  http"))
            with Client(port) as c:  # it asks for nothing
                view, events = c.subscribe("/view"), c.subscribe("/rosout")
                c.view(view, lambda v: v["phase"] == "running")
                with Client(port) as page, Client(port) as other:
                    for word in ("pause", "resume"):
                        check(page.call("/pintle/" + word)["accepted"], word)
                    check(other.call("/pintle/heartbeat")["accepted"], "another page")
                    c.view(view, lambda v: v["commander"] == "page")
                    code, out, _ = run("command", "cutoff", "--to", at)
                    check(code == 1 and "page commands" in out, code, out)
                    # no goodbye, but the end of the connection
                    page.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    page.socket.close()
                    check(other.call("/pintle/heartbeat")["accepted"], "another page")
                    check(c.view(view)["commander"] == "page", "somebody is there who asks")
                    other.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    other.socket.close()
                c.view(view, lambda v: v["commander"] == "nobody")
                c.until(lambda: any(m[0] == events and b"commander changed: nobody, page is lost" in m[2] for m in c.data), "it is told")
                code, out, _ = run("command", "cutoff", "--to", at)
                check(code == 0 and "cli commands" in out, code, out)


if __name__ == "__main__":
    main(dict(globals()))
