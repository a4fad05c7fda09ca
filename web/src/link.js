// The server's side of the page: the Foxglove WebSocket protocol, as far as the page needs it.

const kProtocols = ["foxglove.sdk.v1", "foxglove.websocket.v1"];
const kData = 1, kTime = 2, kServiceAnswer = 3, kAsset = 4;
const kServiceCall = 2;

/** Talks to the server this page came from, and comes back when it was gone. */
export class Link {
  constructor(hear) {
    this.hear = hear; // {connected, view, line, parameters, note}
    this.waiting = new Map();
    this.number = 1;
    this.connect();
  }

  connect() {
    this.channels = new Map();
    this.services = new Map();
    this.subscribed = new Map();
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const token = new URLSearchParams(location.search).get("token");
    const query = token ? `/?token=${encodeURIComponent(token)}` : "/";
    this.socket = new WebSocket(`${scheme}://${location.host}${query}`, kProtocols);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => this.hear.connected(true);
    this.socket.onmessage = ({ data }) =>
      typeof data === "string" ? this.text(JSON.parse(data)) : this.binary(new DataView(data));
    this.socket.onclose = () => {
      this.hear.connected(false);
      for (const { fail } of this.waiting.values()) fail(new Error("the connection was lost"));
      this.waiting.clear();
      setTimeout(() => this.connect(), 1000);
    };
  }

  send(object) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(object));
  }

  text(m) {
    if (m.op === "serverInfo") {
      this.hear.ready();
    } else if (m.op === "advertise") {
      for (const c of m.channels) {
        this.channels.set(c.id, c);
        if (c.topic !== "/view" && c.topic !== "/rosout") continue;
        const id = this.number++;
        this.subscribed.set(id, c.topic);
        this.send({ op: "subscribe", subscriptions: [{ id, channelId: c.id }] });
      }
    } else if (m.op === "advertiseServices") {
      for (const s of m.services) this.services.set(s.name, s.id);
    } else if (m.op === "parameterValues") {
      this.hear.parameters(m.parameters);
      this.settle(m.id, m.parameters);
    } else if (m.op === "serviceCallFailure") {
      this.settle(`call ${m.callId}`, { accepted: false, answer: m.message });
    } else if (m.op === "status") {
      this.hear.note(m.level, m.message);
    }
  }

  binary(v) {
    const op = v.getUint8(0);
    if (op === kData) {
      const topic = this.subscribed.get(v.getUint32(1, true));
      const bytes = new Uint8Array(v.buffer, 13);
      if (topic === "/view") this.hear.view(JSON.parse(new TextDecoder().decode(bytes)));
      if (topic === "/rosout") this.hear.line(logLine(v.buffer.slice(13)));
    } else if (op === kServiceAnswer) {
      const call = v.getUint32(5, true), n = v.getUint32(9, true);
      const text = new TextDecoder().decode(new Uint8Array(v.buffer, 13 + n));
      this.settle(`call ${call}`, JSON.parse(text));
    } else if (op === kAsset) {
      const number = v.getUint32(1, true), n = v.getUint32(6, true);
      const text = new TextDecoder().decode(new Uint8Array(v.buffer, 10 + n));
      this.settle(`asset ${number}`, v.getUint8(5) === 0 ? JSON.parse(text) : null);
    } else if (op !== kTime) {
      console.warn("a message of an unknown kind", op);
    }
  }

  settle(key, value) {
    const entry = this.waiting.get(key);
    if (!entry) return;
    this.waiting.delete(key);
    entry.done(value);
  }
  wait(key) {
    return new Promise((done, fail) => this.waiting.set(key, { done, fail }));
  }

  /** A word of `pintle command`: {accepted, answer}. */
  command(word, argument = "") {
    return this.call(word, { argument });
  }
  has(service) {
    return this.services.has(`/pintle/${service}`);
  }
  /** Any service, with what it wants. */
  call(service, request) {
    const id = this.services.get(`/pintle/${service}`);
    if (id === undefined) return Promise.resolve({ accepted: false, answer: "this can only be looked at" });
    const call = this.number++;
    const body = new TextEncoder().encode(JSON.stringify(request));
    const encoding = new TextEncoder().encode("json");
    const bytes = new Uint8Array(13 + encoding.length + body.length);
    const v = new DataView(bytes.buffer);
    v.setUint8(0, kServiceCall);
    v.setUint32(1, id, true);
    v.setUint32(5, call, true);
    v.setUint32(9, encoding.length, true);
    bytes.set(encoding, 13);
    bytes.set(body, 13 + encoding.length);
    if (this.socket.readyState !== WebSocket.OPEN)
      return Promise.resolve({ accepted: false, answer: "not connected" });
    this.socket.send(bytes);
    return this.wait(`call ${call}`);
  }

  asset(uri) {
    const requestId = this.number++;
    this.send({ op: "fetchAsset", uri, requestId });
    return this.wait(`asset ${requestId}`);
  }

  /** Sets and answers with what stands then. */
  set(changes) {
    const id = `set ${this.number++}`;
    this.send({ op: "setParameters", id, parameters: changes.map(([name, value]) => ({ name, value })) });
    return this.wait(id);
  }
  follow(names) {
    this.send({ op: "subscribeParameterUpdates", parameterNames: names });
  }
}

/** rcl_interfaces/Log: stamp, level, name, msg. */
function logLine(buffer) {
  const v = new DataView(buffer);
  let at = 4;
  const align = (n) => { at = 4 + Math.ceil((at - 4) / n) * n; };
  const u32 = () => { align(4); at += 4; return v.getUint32(at - 4, true); };
  const text = () => {
    const n = u32();
    const t = new TextDecoder().decode(new Uint8Array(buffer, at, Math.max(0, n - 1)));
    at += n;
    return t;
  };
  const time_s = u32() + 1e-9 * u32();
  const level = v.getUint8(at++);
  text();
  return { time_s, level, text: text() };
}
