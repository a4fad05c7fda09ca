"""Name server, ports and verbs, against a peer that shares no code with them."""
import os
import re
import select
import socket
import struct
import subprocess
import threading
import time

from peer import *


def test_name_server_speaks_as_described(server):
    names = server.names
    check(names.ask("query /nobody") == [], "only the terminator for who is unknown")
    check(names.ask("register /a tcp 127.0.0.1 4242") ==
          ["registration name /a ip 127.0.0.1 port 4242 type tcp"], "register")
    check(names.query("/a") == ("127.0.0.1", 4242), "query")
    check(names.ask("set /a offers tcp text") == ["port /a property offers = tcp text"], "set")
    check(names.ask("get /a offers") == ["port /a property offers = tcp text"], "get")
    check(names.ask("announce /a 0") == ["[ok]"], "announce")
    check(any(" /root " in l for l in names.ask("list")), "it is listed itself")
    got = names.ask("bot query /a")
    check(got == ['port (name "/a") (ip "127.0.0.1") (port_number 4242) (carrier tcp)'], repr(got))
    chosen = names.ask("register ...")[0]
    check("/tmp/port/" in chosen, chosen)
    # the second way in, and the third
    s = dial(names.address)
    s.send(b"NAME_SER" + b"VER query /a\r\n")
    check(s.line().startswith("registration name /a "), "NAME_SER, VER")
    check(s.line().startswith("***"), "terminator")
    s.send(b"VER query /a\r\n")
    check(s.line().startswith("registration name /a "), "a second question on the connection")
    s = dial(names.address)
    s.send(b"CONNECT foo\r\nd\r\nquery /a\r\n")
    check(s.line() == "Welcome /root", "welcome")
    check(s.line().startswith("registration name /a "), "as text on a connection")
    names.ask("unregister /a")
    check(names.query("/a") is None, "unregister")


def test_read_takes_what_a_peer_writes_by_every_carrier(server):
    for carrier in CARRIERS:
        with Program("yarp", "read", "/reader", "--count", "3") as reader:
            address = server.names.wait_for("/reader")
            # exists: connected and left again
            dial(address).close()
            check(admin(address, "[ver]") == ["[ver] 1 2 3"], "[ver]")
            w = Writer(address, carrier)
            w.write([1.5, -2.25, 1e300], "6 1795221647.19194")
            if carrier in ("tcp", "fast_tcp"):
                # what YARP's own vector port takes for nothing and stumbles over
                ints = struct.pack("<iiii", 257, 2, 7, 8)
                w.raw(frame(key_command(b"D") + ints))
            else:
                w.raw(b"D\r\n7 8\r\n")
            w.acknowledged()
            w.write([0.1])
            check(reader.process.wait(PATIENCE) == 0, "it ends after three")
            until(lambda: len(reader.out) == 3, "three lines")
            check(reader.out == ["1.5 -2.25 1e+300", "7 8", "0.1"], repr(reader.out))
        check(server.names.query("/reader") is None, "its name is taken back")


def test_write_reaches_a_peer_by_every_carrier(server):
    for carrier in CARRIERS:
        sink = Port(server.names, "/sink")
        with Program("yarp", "write", "/writer", "/sink", "--carrier", carrier,
                     stdin=subprocess.PIPE) as writer:
            writer.process.stdin.write("1.5 2.5\n0.1 -3.0\n")
            writer.process.stdin.close()
            check(writer.process.wait(PATIENCE) == 0, "it ends with its input: %r" % writer.err)
        sink.wait(lambda m: len(m) == 2, "two messages")
        check(sink.peers == [(carrier, "/writer")], repr(sink.peers))
        if carrier in ("text", "text_ack"):
            check([v for _, v in sink.messages] == [(1.5, 2.5), (0.1, -3.0)], repr(sink.messages))
        else:
            check([v for _, v in sink.messages] == [(1.5, 2.5), (0.1, -3.0)], repr(sink.messages))
        sink.vanish()


def test_connect_list_disconnect_ping_describe(server):
    sink = Port(server.names, "/sink")
    with Program("yarp", "write", "/source", stdin=subprocess.PIPE) as source:
        address = server.names.wait_for("/source")
        lines = admin(address, None, "*")
        check(lines[0] == "This is /source at tcp://%s:%d/" % address, repr(lines))
        check("There are no outgoing connections" in lines, repr(lines))
        check("There are no incoming connections" in lines, repr(lines))
        check(admin(address, '[list] [out] "/sink"') == [""], "not connected")
        for carrier in CARRIERS:
            got = admin(address, '[add] "%s://sink"' % carrier)
            check(got == ['0 "Added connection from /source to %s://sink\\r\\n"' % carrier], repr(got))
            check(admin(address, '[list] [out] "/sink"') ==
                  ['(from "/source") (to "/sink") (carrier %s)' % carrier
                   if "_" not in carrier else '(from "/source") (to "/sink") (carrier %s)' % carrier],
                  "listed")
            check(admin(address, "[list] [out]") == ['"/sink"'], "listed in short")
            n = len(sink.messages)
            source.process.stdin.write("4.0 5.0\n")
            source.process.stdin.flush()
            sink.wait(lambda m: len(m) > n, "data by " + carrier)
            check("There is an output connection from /source to /sink using " + carrier in
                  admin(address, None, "*"), "described")
            check(run("yarp", "ping", "/source")[1].startswith("This is /source at tcp://"), "ping")
            got = admin(address, '[del] "/sink"')
            check(got[0].startswith('0 "Removed connection from /source'), repr(got))
        check(admin(address, '[add] "tcp://nobody"')[0].startswith('-1 "Cannot connect'), "unknown")
        check(admin(address, '[add] "mcast://sink"')[0].startswith("-1"), "another carrier")
        check(admin(address, "[what]") == ['[fail] "send [help] for list of valid commands"'], "fail")
        check(admin(address, '[prop] [get] "/source"')[0].startswith("(sched"), "properties")
        # plain words do as well, and binary bottles
        check(admin(address, 'list out')[0] == "", "words")
        w = Writer(address, "tcp", "/rpc")
        w.raw(frame(key_command(b"a") + struct.pack("<iii", 256 | 9, 1, 0x726576)))
        check(w.stream.read(4 + 4 + 4 * 8) == struct.pack("<iiiiiiiiii", 256, 4, 9, 0x726576, 1, 1,
                                                          1, 2, 1, 3), "[ver] as bytes")
        w.acknowledged()
        # the verbs
        check(run("yarp", "connect", "/source", "/sink", "text_ack")[0] == 0, "connect")
        check(sink.peers[-1] == ("text_ack", "/source"), "by the carrier asked for")
        check(run("yarp", "disconnect", "/source", "/sink")[0] == 0, "disconnect")
        code, _, err = run("yarp", "disconnect", "/source", "/sink")
        check(code == 1 and "connection" in err, "nothing to disconnect: %d %s" % (code, err))
        code, out, _ = run("yarp", "list", "/so")
        check(code == 0 and out.startswith("/source 127.0.0.1:") and out.count("\n") == 1, out)
        check(run("yarp", "ping", "/nobody")[0] == 4, "ping nobody")


def test_reverse_connections_read(server):
    with Program("yarp", "write", "/source", stdin=subprocess.PIPE) as source:
        address = server.names.wait_for("/source")
        for carrier in CARRIERS:
            w = Writer(address, carrier, "/taker")
            w.raw(frame(text_command("r")) if carrier in ("tcp", "fast_tcp") else b"r\r\n")
            w.acknowledged()
            until(lambda: "/taker" in "".join(admin(address, "[list] [out]")), "turned round")
            source.process.stdin.write("1.25 2.5\n")
            source.process.stdin.flush()
            if carrier in ("tcp", "fast_tcp"):
                check(w.stream.read(8) == INDEX, "a frame")
                blocks = w.stream.read(2)[0]
                w.stream.read(8)
                sizes = struct.unpack("<%di" % (blocks + 1), w.stream.read(4 * (blocks + 1)))
                payload = w.stream.read(sum(sizes))
                check(payload[8:] == vector([1.25, 2.5]), "a vector: %r" % payload)
                if carrier == "tcp":
                    w.raw(ACK)
            else:
                check([w.stream.line(), w.stream.line()] == ["D", "1.25 2.5"], "text")
                if carrier == "text_ack":
                    w.raw(b"<ACK>\r\n")
            w.close()
            until(lambda: "/taker" not in "".join(admin(address, "[list] [out]")), "gone")


def test_garbage_breaks_only_its_own_connection(server):
    with Program("yarp", "read", "/reader", "--count", "2") as reader:
        address = server.names.wait_for("/reader")
        good = Writer(address, "tcp", "/good")
        good.write([1.0])
        s = dial(address)
        s.send(b"GET / HTTP/1.1\r\n\r\n")
        check(s.line().startswith("* Error. Protocol not found."), "it says what is wrong")
        for bytes_ in (b"YA\xff\xff\xff\xffRP", b"\x00" * 64,
                       MAGIC["tcp"] + struct.pack("<i", -1),
                       MAGIC["tcp"] + struct.pack("<i", 2) + b"/\x00" + b"\xff" * 64,
                       MAGIC["tcp"] + struct.pack("<i", 2) + b"/\x00" + INDEX + b"\x01\x01" +
                       b"\xff" * 8 + struct.pack("<ii", 0x7fffffff, 0),
                       MAGIC["text"] + b"x" * 5000 + b"\r\n"):
            s = dial(address)
            s.send(bytes_)
            end = time.monotonic() + PATIENCE
            try:
                while time.monotonic() < end and s.sock.recv(65536):
                    pass
            except OSError:
                pass
        # sound frames with nonsense in them: acknowledged, and nothing after them is lost
        for payload in (b"", b"123", b"\xff" * 40, key_command(b"D") + b"\x14\x01\x00\x00\xff\xff\xff\x7f",
                        struct.pack("<i", 10 ** 9) + b"~\x00\x00\x01", key_command(b"z")):
            good.raw(frame(payload))
            good.acknowledged()
        good.write([2.0])
        check(reader.process.wait(PATIENCE) == 0, "two good messages")
        until(lambda: reader.out == ["1.0", "2.0"], "both: %r" % reader.out)


def test_a_second_writer_of_a_name_takes_the_place_of_the_first(server):
    with Program("yarp", "read", "/reader") as reader:
        address = server.names.wait_for("/reader")
        first = Writer(address, "tcp", "/twin")
        first.write([1.0])
        second = Writer(address, "tcp", "/twin")
        second.write([2.0])
        until(lambda: first.stream.sock.recv(10) == b"", "the first is hung up on")
        check(reader.heard("2.0"), "the second is heard")


def test_ports_survive_a_name_server_that_is_started_anew(server):
    with Program("yarp", "write", "/source", stdin=subprocess.PIPE) as source:
        server.names.wait_for("/source")
        check(server.end() == 0, "it ends")
        with NameServer(server.port) as again:
            again.names.wait_for("/source")
            # somebody else asks for a name that is in use
            code, _, err = run("yarp", "write", "/source", given="")
            check(code == 4 and "a program that runs has this port" in err, err)
            code, out, _ = run("yarp", "server", "--port", str(server.port))
            check(code == 0 and "answers at" in out, "the one that is there is preferred")
        source.heard("told to the name server again")


class ScriptedNames:
    """A name server that answers as a test says, and keeps what it was asked."""

    def __init__(self, answer):
        self.asked, self.answer = [], answer
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        threading.Thread(target=self._serve, daemon=True).start()

    def contact(self):
        with open(os.path.join(os.environ["YARP_CONFIG_HOME"], "yarp.conf"), "w") as f:
            f.write("127.0.0.1 %d yarp\n" % self.listener.getsockname()[1])

    def _serve(self):
        while True:
            try:
                stream = Stream(self.listener.accept()[0])
            except OSError:
                return
            threading.Thread(target=self._one, args=(stream,), daemon=True).start()

    def _one(self, stream):
        try:
            command = stream.line().removeprefix("NAME_SERVER ")
            self.asked.append(command)
            answer = self.answer(command)
            if answer is None:
                stream.read(1)  # it never says anything
            stream.send((answer + "*** end of message\r\n").encode())
        except (OSError, EOFError):
            pass


def full_pipe():
    """A pipe into which nothing goes any more: a terminal that was stopped with Ctrl-S."""
    reads, writes = os.pipe()
    os.set_blocking(writes, False)
    for size in (65536, 1):
        try:
            while True:
                os.write(writes, b"." * size)
        except BlockingIOError:
            pass
    os.set_blocking(writes, True)
    return reads, writes


def jets_ini():
    path = os.path.join(os.environ["YARP_CONFIG_HOME"], "jets.ini")
    with open(path, "w") as f:
        f.write("input-port-name /jets/input:i\nthrust-port-name /jets/thrust:o\nlink-jets (a, b)\n"
                "max-thrust-in-N (1.0, 1.0)\ninverse-time-constant-in-one-over-seconds 0.0\n"
                "jet-axis ((0.0 0.0 1.0), (0.0 0.0 1.0))\n")
    return path


def hover():
    return os.path.join(os.environ.get("PINTLE_SOURCE_DIR", os.path.join(os.path.dirname(__file__),
                                                                         "../../..")),
                        "missions/hover_box.yaml")


def elsewhere():
    return ("run", hover(), "--on", "yarp", "--world", "elsewhere", "--listen", "none", "--no-log")


def test_talk_that_nobody_reads_holds_up_nobody(server):
    for arguments, rpc in ((("run", jets_ini(), "--on", "yarp"), "/jets/rpc:i"),
                           (elsewhere(), "/flying_box/stack/rpc:i")):
        reads, writes = full_pipe()
        process = subprocess.Popen([PINTLE, *arguments], stderr=writes, stdout=subprocess.DEVNULL)
        try:
            os.close(writes)
            w = Writer(server.names.wait_for(rpc), "text_ack", "/asks")
            w.raw(b"d\r\nstatus\r\n")
            check(w.stream.line() != "" and w.stream.line() == "<ACK>", "it serves")
            process.terminate()
            process.wait(PATIENCE)
        finally:
            process.kill()
            process.wait()
            os.close(reads)
    # what does not fit is counted, and told when there is room again
    reads, writes = full_pipe()
    process = subprocess.Popen([PINTLE, "yarp", "read", "/reader"], stderr=writes)
    try:
        os.close(writes)
        w = Writer(server.names.wait_for("/reader"), "text_ack")
        for _ in range(400):
            w.raw(b"D\r\n)(\r\n")
            w.acknowledged()
        heard, end = b"", time.monotonic() + PATIENCE
        while b"lines are missing here: nobody read them" not in heard:
            check(select.select([reads], [], [], end - time.monotonic())[0], "told: %r" % heard[-200:])
            heard += os.read(reads, 65536)
        said = heard.count(b"/reader: ")
        missing = int(re.search(rb"(\d+) lines are missing", heard).group(1))
        check(said >= 256 and said + missing == 400, "%d and %d" % (said, missing))
        process.terminate()
        check(process.wait(PATIENCE) == 0, "it ends")
    finally:
        process.kill()
        process.wait()
        os.close(reads)


def test_a_silent_name_server_is_asked_once_and_then_done_without(server):
    silent = ScriptedNames(lambda command: None)
    silent.contact()
    for arguments in (("run", jets_ini(), "--on", "yarp"), elsewhere()):
        del silent.asked[:]
        with Program(*arguments) as program:
            program.heard("no name server answers")
            check(all(c.startswith("query ") for c in silent.asked), repr(silent.asked))
            program.process.send_signal(2)
            program.process.wait(PATIENCE)


def test_ctrl_c_ends_a_stack_whose_peer_trickles(server):
    dialled = threading.Event()
    listener = socket.create_server(("127.0.0.1", 0))

    def trickle(stream):
        try:
            stream.send(b"Welcome /flying_box/state:o\r\n")
            dialled.set()
            while True:
                stream.send(b"x\r\n")
                time.sleep(1)
        except OSError:
            pass

    def serve():
        while True:
            threading.Thread(target=trickle, args=(Stream(listener.accept()[0]),), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    server.names.ask("register /flying_box/state:o tcp 127.0.0.1 %d" % listener.getsockname()[1])
    with Program(*elsewhere()) as stack:
        check(dialled.wait(PATIENCE), "it is dialled")
        stack.process.send_signal(2)
        stack.process.wait(PATIENCE)


def test_a_reader_that_is_gone_is_not_dialled_under_its_name_again(server):
    first = Port(server.names, "/reader", register=False)
    stranger = Port(server.names, "/reader", register=False)
    now = [first]

    def answer(command):
        verb, name = command.split()[:2]
        if (verb, name) != ("query", "/reader"):
            return ""
        at = now[0]
        # unknown once; the next who asks would meet a stranger
        now[0] = at or stranger
        return "registration name /reader ip 127.0.0.1 port %d type tcp\r\n" % at.address[1] if at else ""

    names = ScriptedNames(answer)
    names.contact()
    with Program("yarp", "write", "/source", "/reader", stdin=subprocess.PIPE) as source:
        until(lambda: first.peers, "the first is connected")
        now[0] = None
        first.vanish(unregister=False)
        until(lambda: now[0] is stranger, "its name is looked up")
        # what looks after the port's own name every two seconds is the clock
        n = names.asked.count("query /source")
        until(lambda: names.asked.count("query /source") > n + 2, "time goes on")
        check(not stranger.peers, "the stranger hears nothing")
        source.process.stdin.close()


def test_a_name_server_that_moves_is_found_again(server):
    with Program("yarp", "read", "/reader") as reader:
        server.names.wait_for("/reader")
        server.end("kill")
        with NameServer(0) as other:
            other.names.wait_for("/reader")
            check(other.port != server.port, "it has moved")
            check(reader.end() == 0, "it ends")
            check(other.names.query("/reader") is None, "its name is taken back there")


def test_a_contact_file_left_behind_is_replaced(server):
    server.end("kill")
    old = open(server.contact).read()
    with Program("yarp", "server", "--port", "0") as again:
        again.heard("led to 127.0.0.1:%d, where nobody answers: replaced" % server.port)
        again.heard("name server at")
        check(open(server.contact).read() != old, "replaced")
        check(run("yarp", "list")[0] == 0, "and leads there")
        again.end()
    check(not os.path.exists(server.contact), "it is taken back")
    with open(server.contact, "w") as f:
        f.write("\nsomewhere\n")
    code, _, err = run("yarp", "list")
    check(code != 0 and server.contact + ":2: expected" in err, err)


def test_names_that_would_be_commands_are_refused(server):
    names = server.names
    names.ask("register /victim tcp 127.0.0.1 1234")
    with Program("yarp", "write", "/source", stdin=subprocess.PIPE) as source:
        address = names.wait_for("/source")
        w = Writer(address, "tcp", "/asks")
        for name in (b"/x\nunregister /victim", b"/x /y", b"/"):
            body = struct.pack("<iii", 256 | 4, 2, 3) + b"add" + struct.pack("<i", len(name)) + name
            w.raw(frame(key_command(b"a") + body))
            # a list of a number and a text, then the acknowledgement
            check(w.stream.read(16) == struct.pack("<iiii", 256, 2, 1, -1), "refused")
            why = w.stream.read(struct.unpack("<ii", w.stream.read(8))[1])
            check(b"the name of a port" in why, "before anybody is asked: %r" % why)
            w.acknowledged()
            w.raw(frame(text_command(name.decode())))
            w.acknowledged()
        check(names.query("/victim") == ("127.0.0.1", 1234), "nobody was unregistered")
        s = dial(address)
        raw = b"/\x1b]0;owned\x07\r\nfake\x00"
        s.send(MAGIC["tcp"] + struct.pack("<i", len(raw)) + raw)
        check("control characters" in s.line(), "a name that a terminal would obey")


def test_carrier_as_a_word_and_what_a_port_is(server):
    with Program("run", jets_ini(), "--on", "yarp") as jets:
        thrust = server.names.wait_for("/jets/thrust:o")
        rpc = server.names.wait_for("/jets/rpc:i")
        sink = Port(server.names, "/sink")
        check(admin(thrust, '[add] "/sink" text')[0].startswith("0 "), "added")
        until(lambda: sink.peers == [("text", "/jets/thrust:o")], "by text")
        check(admin(thrust, '[add] "/sink" mcast')[0].startswith("-1"), "no such carrier")
        check("(is_rpc 0)" in admin(thrust, "[prop] [get] /jets/thrust:o")[0], "data")
        check("(is_rpc 1)" in admin(rpc, "[prop] [get] /jets/rpc:i")[0], "rpc")
        for carrier in ("tcp", "fast_tcp"):
            w = Writer(rpc, carrier, "<ping>")
            w.raw(frame(text_command("*")))
            check(w.stream.line() == "This is /jets/rpc:i at tcp://%s:%d/" % rpc, "described")
        w = Writer(rpc, "text_ack", "/asks")
        for words, answer in (("jump", "[fail]"), ("restart now", "[fail]"), ("status", "(phase waiting)"),
                              ("restart", "[ok]"), ("help", '"restart')):
            w.raw(b"d\r\n" + words.encode() + b"\r\n")
            check(w.stream.line().startswith(answer), words)
            check(w.stream.line() == "<ACK>", "acknowledged")
        jets.end()


if __name__ == "__main__":
    main([v for k, v in sorted(globals().items()) if k.startswith("test_")])
