// The server met by the client that the protocol's authors publish, and logs read by MCAP's own reader.
import { readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import protocol from "@foxglove/ws-protocol";
import { parse } from "@foxglove/rosmsg";
import { MessageReader } from "@foxglove/rosmsg2-serialization";
import { McapStreamReader } from "@mcap/core";
import { decompress } from "fzstd";
import WebSocket from "ws";
import { check, flight, folder, main, source } from "./flight.mjs";

const { FoxgloveClient } = protocol;

/** Resolves with the event's first argument for which that is true. */
const event = (client, name, condition = () => true) => new Promise((done) => {
  const hear = (e) => { if (condition(e)) { client.off(name, hear); done(e); } };
  client.on(name, hear);
});

/** What reads a message of that channel. */
function reader(channel) {
  if (channel.encoding === "json") return (data) => JSON.parse(new TextDecoder().decode(data));
  check(channel.encoding === "cdr" && channel.schemaEncoding === "ros2msg", channel);
  const messages = new MessageReader(parse(channel.schema, { ros2: true }));
  return (data) => messages.readMessage(data);
}

/** No part of it is missing; numbers that are none stand for what is not known. */
function isWhole(value) {
  if (value === undefined || value === null) return false;
  if (ArrayBuffer.isView(value) || typeof value !== "object") return true;
  return Object.values(value).every(isWhole);
}

async function the_authors_client_sees_every_channel_sets_a_parameter_and_calls_a_service() {
  const f = await flight("run", join(source, "missions/pool.yaml"), "--no-log", "--live", "0");
  for (const name of ["foxglove.sdk.v1", "foxglove.websocket.v1"]) {
    const client = new FoxgloveClient({ ws: new WebSocket(`ws://127.0.0.1:${f.port}`, [name]) });
    const [info, channels, services] = await Promise.all([event(client, "serverInfo"), event(client, "advertise"), event(client, "advertiseServices")]);
    check(info.name === "pintle" && info.capabilities.includes("services"), info);
    // a message of each channel, read by the schema that came with it, to its last byte
    const waiting = new Map(channels.map((c) => [client.subscribe(c.id), { topic: c.topic, read: reader(c) }]));
    check(waiting.size > 10, channels);
    await new Promise((done, fail) => client.on("message", (m) => {
      const channel = waiting.get(m.subscriptionId);
      if (!channel) return;
      try {
        check(isWhole(channel.read(m.data)), channel.topic, "is not all read");
      } catch (e) {
        fail(new Error(`${channel.topic}: ${e.message}`));
      }
      waiting.delete(m.subscriptionId);
      // an event comes when there is one
      if ([...waiting.values()].every((c) => c.topic === "/rosout")) done();
    }));
    const set = event(client, "parameterValues", (v) => v.id === "set");
    client.setParameters([{ name: "control.scale", value: 0.9 }], "set");
    check((await set).parameters.some((p) => p.name === "control.scale" && p.value === 0.9), "set");
    const service = services.find((s) => s.name === "/pintle/take_over");
    const answer = event(client, "serviceCallResponse", (a) => a.callId === 7);
    client.sendServiceCallRequest({ serviceId: service.id, callId: 7, encoding: "json", data: new DataView(new TextEncoder().encode("{}").buffer) });
    check(JSON.parse(new TextDecoder().decode((await answer).data)).accepted, "take over");
    client.close();
  }
  await f.end();
}

async function logs_are_read_whole_and_cut() {
  const out = join(folder(), "out");
  const run = spawnSync(process.env.PINTLE_COMMAND, ["run", join(source, "missions/hover_box.yaml"), "--seed", "3", "--out", out, "-q"]);
  check(run.status === 0, String(run.stderr));
  const whole = readFileSync(join(out, "log.mcap"));
  const read = (bytes) => {
    const reader = new McapStreamReader({ decompressHandlers: { zstd: (b, size) => decompress(b, new Uint8Array(Number(size))) } });
    reader.append(bytes);
    const count = new Map(), channels = new Map();
    for (let r; (r = reader.nextRecord()) !== undefined;) {
      if (r.type === "Channel") channels.set(r.id, r.topic);
      if (r.type === "Message") count.set(channels.get(r.channelId), (count.get(channels.get(r.channelId)) ?? 0) + 1);
    }
    return { count, done: reader.done() };
  };
  const all = read(whole);
  check(all.done && all.count.get("/outputs") > 1000, [...all.count]);
  for (const topic of ["/tf", "/pose", "/twist", "/efforts", "/scene"]) check(all.count.get(topic) > 0, topic, [...all.count]);
  const half = read(whole.subarray(0, Math.floor(whole.length / 2)));
  check(!half.done && half.count.get("/outputs") > 0.3 * all.count.get("/outputs"), [...half.count]);
}

await main({ the_authors_client_sees_every_channel_sets_a_parameter_and_calls_a_service, logs_are_read_whole_and_cut });
