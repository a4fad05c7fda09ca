"""Name server, ports and verbs, against a peer that shares no code with them."""
import socket
import struct
import subprocess

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


if __name__ == "__main__":
    main([v for k, v in sorted(globals().items()) if k.startswith("test_")])
