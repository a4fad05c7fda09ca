#!/usr/bin/python3
"""Generates C++ headers and Python modules of one ROS package with ROS's own generators.

The generators' command lines take one file per process, and most of that time goes into starting
Python; here one process does a package.

An action becomes seven messages; they are written to --messages, where ROS's tools look for them.

usage: generate.py PACKAGE_FOLDER --cpp FOLDER --python FOLDER [--messages FOLDER] [-I name:folder ...]
"""
import argparse
import contextlib
import importlib.util
import io
import pathlib
import sys
from unittest import mock

import genmsg.command_line
import genmsg.template_tools
import genpy.generate_initpy
import genpy.generator


def expand(action, folder):
    """By actionlib's own generator, which is a program and not a module."""
    spec = importlib.util.spec_from_file_location("genaction", "/usr/lib/actionlib_msgs/genaction.py")
    genaction = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(genaction)
    arguments = ["genaction.py", str(action), "-o", str(folder)]
    with mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(io.StringIO()):
        genaction.main()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("package", type=pathlib.Path)
    parser.add_argument("--cpp", type=pathlib.Path, required=True)
    parser.add_argument("--python", type=pathlib.Path, required=True)
    parser.add_argument("--messages", type=pathlib.Path)
    parser.add_argument("-I", dest="include", action="append", default=[])
    a = parser.parse_args()
    name = a.package.name
    folder = a.messages or a.package / "msg"
    for action in sorted((a.package / "action").glob("*.action")):
        expand(action, folder)
    messages = sorted(str(f) for f in folder.glob("*.msg"))
    services = sorted(str(f) for f in (a.package / "srv").glob("*.srv"))
    include = a.include + [f"{name}:{folder}"]

    for file in messages + services:
        genmsg.template_tools.generate_from_file(
            file, name, str(a.cpp / name), "/usr/share/gencpp", include,
            {"msg.h.template": "@NAME@.h"}, {"srv.h.template": "@NAME@.h"})

    search = genmsg.command_line.includepath_to_dict(include)
    modules = a.python / name
    modules.mkdir(parents=True, exist_ok=True)
    (modules / "__init__.py").write_text("")
    for kind, files, generator in (("msg", messages, genpy.generator.MsgGenerator()),
                                   ("srv", services, genpy.generator.SrvGenerator())):
        if not files:
            continue
        folder = modules / kind
        folder.mkdir(exist_ok=True)
        if generator.generate_messages(name, files, str(folder), search):
            sys.exit(1)
        genpy.generate_initpy.write_modules(str(folder))


if __name__ == "__main__":
    main()
