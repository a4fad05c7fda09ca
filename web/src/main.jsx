import { h, render, Fragment } from "preact";
import { useEffect, useRef, useState, useMemo, useCallback } from "preact/hooks";
import { Link } from "./link.js";
import { broken } from "./names.jsx";
import { Tuning } from "./tuning.jsx";
import { Wizard } from "./wizard.jsx";

const kAxisUnits = ["m", "m", "m", "rad", "rad", "rad"];
const words = (s) => (s ?? "").replaceAll("_", " ");
const fixed = (x, digits = 2) => (Number.isFinite(x) ? x.toFixed(digits).replace(/^-(0\.?0*)$/, "$1") : "–");
const degrees = (rad) => (rad * 180) / Math.PI;

function rpy([x, y, z, w]) {
  return [
    Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)),
    Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))),
    Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)),
  ];
}

function Bar({ value, lower, upper, held }) {
  const low = Math.min(0, Number.isFinite(lower) ? lower : -1), high = Math.max(0, Number.isFinite(upper) ? upper : 1);
  const at = (x) => (100 * (Math.min(high, Math.max(low, x)) - low)) / (high - low || 1);
  const zero = at(0), end = at(value || 0);
  return <div class="bar" aria-hidden="true">
    <i class={held ? "held" : ""} style={{ left: `${Math.min(zero, end)}%`, width: `${Math.abs(end - zero)}%` }} />
    <b style={{ left: `${zero}%` }} />
  </div>;
}

const whole = new Promise((done) => (document.readyState === "loading" ? addEventListener("DOMContentLoaded", done) : done()));
const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));

/** three.js is most of the page, and nothing that a hand needs first: read when the rest has been painted. */
async function sceneScript() {
  await whole;
  await painted();
  if (!window.PintleScene) {
    const script = document.createElement("script");
    script.textContent = document.getElementById("scene").textContent;
    document.head.append(script);
  }
  return window.PintleScene;
}

function Scene({ vehicle, moment, newest, dark }) {
  const canvas = useRef(null);
  const [failed, setFailed] = useState(false);
  const given = useRef({});
  given.current = { vehicle, dark };
  useEffect(() => {
    let frame = 0, gone = false;
    const begin = ({ View3D }) => {
      if (gone) return;
      const view = new View3D(canvas.current);
      let shown = null, drawn = null;
      const turn = () => {
        frame = requestAnimationFrame(turn);
        const { vehicle: v, dark: d } = given.current, m = newest.current;
        const at = performance.now();
        if (v && v !== shown) { shown = v; view.vehicle(v); }
        if (m && m !== drawn) { drawn = m; view.moment(m); }
        view.draw(d);
        window.pintleFrame_ms = performance.now() - at;
      };
      turn();
    };
    sceneScript().then(begin).catch(() => setFailed(true));
    return () => { gone = true; cancelAnimationFrame(frame); };
  }, []);
  const p = moment?.p ?? [0, 0, 0], angles = moment ? rpy(moment.q) : [0, 0, 0];
  return <section class="scene">
    <canvas ref={canvas} tabIndex={0} role="img" aria-label="The vehicle in three dimensions; turn with the arrow keys, zoom with plus and minus" />
    <div class="over">
      x {fixed(p[0])}&ensp;y {fixed(p[1])}&ensp;z {fixed(p[2])} m<br />
      roll {fixed(degrees(angles[0]), 0)}°&ensp;pitch {fixed(degrees(angles[1]), 0)}°&ensp;yaw {fixed(degrees(angles[2]), 0)}°
      {failed && <p class="warn">This browser draws nothing in three dimensions (WebGL)</p>}
    </div>
  </section>;
}

function Mission({ vehicle, moment, visited }) {
  if (!vehicle?.has_mission) return null;
  return <section aria-labelledby="mission"><h2 id="mission">Mission: {words(moment.phase)}</h2>
    <ol class="states">{vehicle.states.map((name, i) =>
      <li key={i} aria-current={i === moment.state ? "step" : undefined} class={visited.has(i) ? "was" : ""}>
        {words(name)}{i === moment.state ? ` ${fixed(moment.time_in_state_s, 1)} s` : ""}</li>)}</ol>
  </section>;
}

function Propulsors({ vehicle, moment }) {
  const said = moment.propulsors.some((p) => p.contact !== undefined);
  return <section aria-labelledby="propulsors"><h2 id="propulsors">Propulsors</h2>
    <table><thead><tr><th scope="col">channel</th><th scope="col" class="n">effort</th><th scope="col">{vehicle.unit}</th>
      <th scope="col">limited by</th>{said && <><th scope="col" class="n">rpm</th><th scope="col" class="n">V</th><th scope="col" class="n">A</th><th scope="col" class="n">°C</th></>}</tr></thead>
      <tbody>{vehicle.channels.map((c, i) => {
        const r = moment.propulsors[c.propulsor] ?? {}, limit = moment.limits[i];
        return <tr key={c.name}><th scope="row">{broken(c.name)}</th><td class="n">{fixed(moment.effort[i])}</td>
          <td><Bar value={moment.effort[i]} lower={c.lower} upper={c.upper} held={limit !== ""} /></td>
          <td class={limit === "health" ? "bad" : "warn"}>{words(limit)}{r.fault ? ` ${r.fault}` : ""}</td>
          {said && <><td class="n">{fixed(r.rpm, 0)}</td><td class="n">{fixed(r.V, 1)}</td><td class="n">{fixed(r.A, 1)}</td><td class="n">{fixed(r.C, 0)}</td></>}</tr>;
      })}</tbody></table>
  </section>;
}

function Axes({ vehicle, moment }) {
  return <section aria-labelledby="axes"><h2 id="axes">Axes <span class="soft">{words(moment.grade)}, margin {fixed(moment.margin, 1)}</span></h2>
    <table><thead><tr><th scope="col">axis</th><th scope="col">follows</th><th scope="col" class="n">wanted</th><th scope="col" class="n">given</th><th scope="col" class="n">missing</th></tr></thead>
      <tbody>{vehicle.axes.map((name, i) => {
        const missing = moment.demand[i] - moment.achieved[i], lost = !((moment.reachable >> i) & 1);
        return <tr key={name}><th scope="row" class={lost ? "bad" : ""}>{name}{lost ? " lost" : ""}</th><td>{words(moment.setpoint.mode[i])}</td>
          <td class="n">{fixed(moment.demand[i])}</td><td class="n">{fixed(moment.achieved[i])}</td>
          <td class={`n ${moment.weight[i] > 0 && Math.abs(missing) > 0.02 * (1 + Math.abs(moment.demand[i])) ? "warn" : "soft"}`}>{moment.weight[i] > 0 ? fixed(missing) : "free"}</td></tr>;
      })}</tbody></table>
  </section>;
}

function Around({ moment }) {
  const rows = Object.entries(moment.ages_s).map(([name, s]) => [name, `${fixed(s, 2)} s ago`, s > 0.5 ? "warn" : ""]);
  if (moment.battery !== undefined) rows.push(["battery", `${fixed(100 * moment.battery, 0)} %`, moment.battery < 0.3 ? "warn" : ""]);
  if (moment.bus_V !== undefined) rows.push(["bus", `${fixed(moment.bus_V, 1)} V`, ""]);
  if (moment.fuel_kg !== undefined) rows.push(["fuel", `${fixed(moment.fuel_kg, 2)} kg`, ""]);
  if (moment.flight !== undefined) rows.push(["flight controller", `${words(moment.flight)}${moment.has_control ? "" : ", does not obey"}`, moment.has_control ? "" : "warn"]);
  if (moment.leak !== undefined) rows.push(["hull", moment.leak ? "water inside" : "dry", moment.leak ? "bad" : ""]);
  return <section aria-labelledby="around"><h2 id="around">Inputs</h2>
    <table><tbody>{rows.map(([name, value, look]) => <tr key={name}><th scope="row">{name}</th><td class={`n ${look}`}>{value}</td></tr>)}</tbody></table>
  </section>;
}

function Alarms({ moment }) {
  if (moment.alarms.length === 0 && !moment.failsafe) return null;
  return <section aria-labelledby="alarms" role="alert"><h2 id="alarms">Alarms</h2>
    {moment.failsafe && <p class="bad">failsafe {words(moment.failsafe)}</p>}
    {moment.alarms.map((a) => <p key={a.text} class={a.severity === "warning" ? "warn" : "bad"}>{words(a.severity)}: {a.text}</p>)}
  </section>;
}

/** What in the air, or while it moves, is asked back first. */
const kAsked = {
  disarm: "Disarm?", abort: "Fly the abort path?", terminate: "Switch off at once, also in the air, and latch?",
  free_style: "Arm, and fly the mission from its start?", cutoff: "End the mission and hold?", land: "Land here?", jump: "Jump to that state?",
};

function Operator({ vehicle, moment, ask, there, setThere }) {
  const [state, setState] = useState("");
  const moving = ["running", "aborting"].includes(moment.phase);
  const button = (word, label, on = true, argument) =>
    <button key={word} disabled={!on} onClick={() => ask(word, argument)}>{label}</button>;
  return <section aria-labelledby="operator"><h2 id="operator">Operator <span class="soft">{moment.commander === "nobody" ? "" : `${moment.commander} commands`}</span></h2>
    <div class="row">
      {moment.arm === "latched_safe" ? button("reset_latch", "Reset latch") : moment.arm === "armed" ? button("disarm", "Disarm") : button("arm", "Arm", !moment.obstacles)}
      {vehicle.has_mission && <>
        {button("free_style", "Fly the mission", !moving)}
        {moment.phase === "paused" ? button("resume", "Resume") : button("pause", "Pause", moving)}
        {button("abort", "Abort", moving || moment.phase === "paused")}
        {button("land", "Land")}
        {button("cutoff", "Cut off", moving || moment.phase === "paused")}
      </>}
      {moment.commander === "page" ? button("hand_over", "Hand over") : button("take_over", "Take over")}
      <button aria-pressed={there} onClick={() => setThere(!there)}
        title="Says each second that you are there. Once begun, its end, or that of this page, is the failsafe of an operator who is gone (failsafes: heartbeat)">Heartbeat</button>
    </div>
    {vehicle.has_mission && <form class="row" style={{ marginTop: ".4rem" }} onSubmit={(e) => { e.preventDefault(); if (state) ask("jump", state); }}>
      <label>State <select value={state} onChange={(e) => setState(e.currentTarget.value)}><option value="">choose</option>
        {vehicle.states.map((name) => <option key={name} value={name}>{words(name)}</option>)}</select></label>
      <button disabled={!state}>Jump</button>
      <button type="button" disabled={!state} onClick={() => ask("step", state)}>Step</button>
    </form>}
    {moment.arm !== "armed" && moment.obstacles && <p class="warn">Not to be armed: {moment.obstacles}</p>}
  </section>;
}

/** Numbers are read ten times a second, no faster; the scene moves with each moment, and what these say is shown at once. */
const kRead_ms = 95, kHeartbeat_ms = 1000, kAtOnce = ["arm", "phase", "state", "commander", "obstacles", "failsafe", "aloft"];
const takeFocus = (element) => element?.focus();
const kLook = { 20: "", 30: "warn", 40: "bad", 50: "bad" };

function App() {
  const [connected, setConnected] = useState(false);
  const [vehicle, setVehicle] = useState(null);
  const [moment, setMoment] = useState(null);
  const [lines, setLines] = useState([]);
  const [answer, setAnswer] = useState(null);
  const [question, setQuestion] = useState(null);
  const [parameters, setParameters] = useState(null);
  const [tab, setTab] = useState("flight");
  const [dark, setDark] = useState(() => (localStorage.getItem("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark");
  const visited = useRef(new Set());
  const listeners = useRef(new Set());
  const newest = useRef(null), shown = useRef(null);
  const arrived = useRef(0);
  const [silent, setSilent] = useState(false);
  const [there, setThere] = useState(false);

  const link = useMemo(() => new Link({
    connected: (yes) => { setConnected(yes); if (!yes) { newest.current = null; setMoment(null); } },
    ready: async () => {
      visited.current.clear();
      setVehicle(await link.asset("pintle:vehicle.json"));
      const all = await link.asset("pintle:parameters.json");
      if (!all) return;
      setParameters(new Map(all.map((p) => [p.name, p])));
      link.follow(all.map((p) => p.name));
    },
    view: (m) => {
      if (m.state >= 0) visited.current.add(m.state);
      arrived.current = performance.now();
      newest.current = m;
      const was = shown.current;
      if (!was || kAtOnce.some((k) => was.m[k] !== m[k]) || arrived.current - was.at >= kRead_ms) {
        shown.current = { m, at: arrived.current };
        setMoment(m);
      }
      for (const l of listeners.current) l(m);
    },
    line: (l) => setLines((all) => [...all.slice(-299), l]),
    parameters: (some) => setParameters((all) => {
      if (!all) return all;
      const next = new Map(all);
      for (const { name, value } of some) if (next.has(name)) {
        const before = next.get(name);
        next.set(name, { ...before, value: typeof value === "string" ? before.choices.indexOf(value) : Number(value) });
      }
      return next;
    }),
    note: (level, text) => setAnswer({ accepted: level === 0, answer: text }),
  }), []);

  const command = useCallback(async (word, argument) => {
    const said = `${words(word)}${argument ? ` ${argument}` : ""}`;
    try {
      const a = await link.command(word, argument);
      setAnswer({ ...a, answer: `${said}: ${a.answer}` });
    } catch (e) {
      setAnswer({ accepted: false, answer: `${said}: ${e.message}` });
    }
  }, [link]);
  const ask = useCallback((word, argument) => {
    if (kAsked[word]) setQuestion({ word, argument, text: kAsked[word] });
    else command(word, argument);
  }, [command]);
  // what stops is never asked back: pause where a mission moves, else disarm; by the newest moment, never by one that was
  const stop = useCallback(() => {
    const moving = ["running", "aborting"].includes(newest.current?.phase);
    setQuestion(null);
    command(moving || newest.current?.aloft ? "pause" : "disarm");
  }, [command]);

  useEffect(() => {
    const key = (e) => { if (e.key === "Escape") { e.preventDefault(); stop(); } };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, [stop]);
  useEffect(() => {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    localStorage.setItem("theme", dark ? "dark" : "light");
  }, [dark]);
  useEffect(() => {
    const timer = setInterval(() => setSilent(performance.now() - arrived.current > 1000), 250);
    return () => clearInterval(timer);
  }, []);

  useEffect(() => {
    if (!there) return;
    const beat = () => link.command("heartbeat").catch(() => {});
    beat();
    const timer = setInterval(beat, kHeartbeat_ms);
    return () => clearInterval(timer);
  }, [there, link]);

  // once opened they stay, hidden: what was changed, measured and found there is not forgotten
  const opened = useRef(new Set());
  opened.current.add(tab);
  const tuning = useMemo(() => opened.current.has("tuning") &&
    <Tuning link={link} vehicle={vehicle} parameters={parameters} listeners={listeners.current} dark={dark} hidden={tab !== "tuning"} />, [vehicle, parameters, dark, tab]);
  const directions = useMemo(() => opened.current.has("directions") &&
    <Wizard link={link} vehicle={vehicle} arm={moment?.arm} hidden={tab !== "directions"} />, [vehicle, moment?.arm, tab]);
  const armLook = { armed: "go", disarmed: "soft", latched_safe: "bad" }[moment?.arm] ?? "soft";
  const ready = vehicle && moment, lookedAt = ready && !link.has("pause");
  return <>
    <header>
      <h1>{vehicle?.name ?? "Pintle"}</h1>
      <span class={`state ${connected ? (silent ? "bad" : "go") : "bad"}`} role="status">{connected ? (silent ? "no news" : "live") : "not connected"}</span>
      {ready && <span class={`state ${armLook}`}>{words(moment.arm)}</span>}
      {ready && <span class="state">{words(moment.phase)}</span>}
      {ready && <span class="soft">{fixed(moment.time_s, 1)} s</span>}
      <span class="grow" />
      <nav class="row">
        <button aria-pressed={tab === "flight"} onClick={() => setTab("flight")}>Flight</button>
        <button aria-pressed={tab === "tuning"} onClick={() => setTab("tuning")}>Tuning</button>
        <button aria-pressed={tab === "directions"} onClick={() => setTab("directions")}>Directions</button>
        <button aria-pressed={dark} onClick={() => setDark(!dark)}>{dark ? "Light" : "Dark"}</button>
      </nav>
      {!lookedAt && <button class="stop" onClick={stop} title="Pauses a mission that moves, holds what flies, else disarms (Esc)">STOP</button>}
    </header>
    {answer && <p role="status" class={answer.accepted ? "go" : "bad"} style={{ margin: ".5rem .8rem 0" }}>{answer.answer} <button onClick={() => setAnswer(null)} aria-label="dismiss">×</button></p>}
    <main hidden={tab !== "flight"}>
      <div class="column">
        <Scene vehicle={vehicle} moment={moment} newest={newest} dark={dark} />
        {ready && <Mission vehicle={vehicle} moment={moment} visited={visited.current} />}
        {ready && <Propulsors vehicle={vehicle} moment={moment} />}
      </div>
      <div class="column">
        {ready && (lookedAt ? <section><p>A log is played: nothing can be commanded.</p></section> : <Operator vehicle={vehicle} moment={moment} ask={ask} there={there} setThere={setThere} />)}
        {ready && <Alarms moment={moment} />}
        {ready && <Axes vehicle={vehicle} moment={moment} />}
        {ready && <Around moment={moment} />}
        <section aria-labelledby="events"><h2 id="events">Events</h2><div class="log" tabIndex={0}>
          {lines.slice(-100).reverse().map((l, i) => <p key={lines.length - i} class={kLook[l.level] ?? ""}><span class="soft">{fixed(l.time_s)}</span> {l.text}</p>)}
        </div></section>
        {!ready && <section><p>{connected ? "Waiting for the first tick." : "Connecting …"}</p></section>}
      </div>
    </main>
    {tuning}
    {directions}
    {question && <dialog open aria-label={question.text}><p>{question.text}</p><div class="row">
      <button ref={takeFocus} onClick={() => setQuestion(null)}>No</button>
      <button onClick={() => { const q = question; setQuestion(null); command(q.word, q.argument); }}>Yes, {words(question.word)}</button></div></dialog>}
  </>;
}

render(<App />, document.getElementById("app"));
