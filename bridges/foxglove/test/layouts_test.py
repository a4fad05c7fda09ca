"""What the layouts of docs/layouts name stands in a log of the pool mission, and is a number where it is plotted."""
import json
import os
import re
import subprocess
import tempfile
import xml.etree.ElementTree

import step_figures

COMMAND = os.environ["PINTLE_COMMAND"]
SOURCE = os.environ["PINTLE_SOURCE_DIR"]
LAYOUTS = os.path.join(SOURCE, "docs/layouts")


class Log:
    def __init__(self, path):
        self.path, self.seen = path, {}

    def last(self, topic):
        if topic not in self.seen:
            definition, found = step_figures.messages(self.path, topic)
            assert found, "no message on " + topic
            self.seen[topic] = step_figures.Definition(definition).read(found[-1])
        return self.seen[topic]

    def value(self, topic, fields):
        """fields: names, and numbers of lists."""
        at = self.last(topic)
        for f in fields:
            at = at[f]
        assert isinstance(at, (int, float)), (topic, fields, at)


def split(text, topics, between):
    """The topic that a path begins with, the longest that fits, and the fields behind it."""
    topic = max((t for t in topics if text.startswith(t + between)), key=len, default=None)
    assert topic, "no topic of the log begins " + text
    return topic, [int(p) if p.isdigit() else p for p in re.findall(r"\w+", text[len(topic):])]


def foxglove(log, topics):
    layout = json.load(open(os.path.join(LAYOUTS, "foxglove.json")))
    panels = layout["configById"]

    def leaves(node):
        return [node] if isinstance(node, str) else leaves(node["first"]) + leaves(node["second"])
    assert sorted(leaves(layout["layout"])) == sorted(panels), "a panel without a place, or a place without a panel"
    plotted = 0
    for panel in panels.values():
        for p in panel.get("paths", []):
            log.value(*split(p["value"], topics, "."))
            plotted += 1
        for topic in list(panel.get("topics", {})) + [panel[k] for k in ("topicToRender",) if k in panel]:
            log.last(topic)
    assert plotted > 20, plotted
    frame = panels["3D!craft"]["followTf"]
    assert frame in [t["child_frame_id"] for t in log.last("/tf")["transforms"]], frame


def plotjuggler(log, topics):
    curves = [c.get("name") for c in xml.etree.ElementTree.parse(os.path.join(LAYOUTS, "plotjuggler.xml")).iter("curve")]
    assert len(curves) > 20 and len(set(curves)) == len(curves), curves
    for name in curves:
        log.value(*split(name, topics, "/"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([COMMAND, "run", os.path.join(SOURCE, "missions/pool.yaml"), "--seed", "1", "--out", folder + "/out", "-q"],
                       check=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        log = Log(folder + "/out/log.mcap")
        topics = step_figures.topics(log.path)
        foxglove(log, topics)
        plotjuggler(log, topics)
        # the test itself notices what is not there
        for text, between in (("/pose.pose.position.w", "."), ("/nowhere.x", "."), ("/outputs/actuation/effort[8]", "/")):
            try:
                log.value(*split(text, topics, between))
            except (KeyError, IndexError, AssertionError):
                continue
            raise AssertionError(text + " was found")


main()
