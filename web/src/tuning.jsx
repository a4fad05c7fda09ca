// Live parameters with their range and unit, undo and redo, and how an axis answers to a step.
import { h, Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import { broken } from "./names.jsx";
import { Save } from "./save.jsx";

const kSeconds = 20;
const look = (dark) => ({
  ink: dark ? "#a4b3c1" : "#52606d", grid: { stroke: dark ? "#2d3c4a" : "#d3dae1" },
  blue: dark ? "#4aa3df" : "#0072b2", orange: dark ? "#ff9d5c" : "#d55e00",
});

function Strip({ listeners, axis, dark, hidden }) {
  const box = useRef(null), unseen = useRef(hidden);
  unseen.current = hidden;
  useEffect(() => {
    const data = [[], [], []];
    const { ink, grid, blue, orange } = look(dark);
    const plot = new uPlot({
      width: box.current.clientWidth || 300, height: 260, scales: { x: { time: false } },
      axes: [{ stroke: ink, grid, label: "s" }, { stroke: ink, grid }],
      series: [{ label: "time" }, { label: "wanted", stroke: orange, width: 2, dash: [6, 4] }, { label: "is", stroke: blue, width: 2 }],
    }, data, box.current);
    scoped(box.current);
    const size = fitted(plot, box.current);
    const take = (m) => {
      const [wanted, is] = pair(m, axis);
      data[0].push(m.time_s); data[1].push(wanted); data[2].push(is);
      while (data[0].length > 0 && m.time_s - data[0][0] > kSeconds) for (const d of data) d.shift();
      if (!unseen.current) plot.setData(data);
    };
    listeners.add(take);
    return () => { listeners.delete(take); size.disconnect(); plot.destroy(); };
  }, [axis, dark]);
  return <div class="plot" ref={box} />;
}

function rpy([x, y, z, w]) {
  return [Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))), Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))];
}
/** The rows of a plot's legend say what they are of. */
const scoped = (box) => { for (const th of box.querySelectorAll("th")) th.scope = "row"; };
/** As wide as its place is, while that is shown. */
function fitted(plot, place) {
  const size = new ResizeObserver(() => place.clientWidth > 0 && plot.setSize({ width: place.clientWidth, height: plot.height }));
  size.observe(place);
  return size;
}
/** Wanted and actual, of what the axis follows. */
function pair(m, axis) {
  const mode = m.setpoint.mode[axis], turn = axis > 2, i = axis % 3;
  if (mode === "velocity") return turn ? [m.setpoint.w[i], m.w[i]] : [m.setpoint.v[i], m.V[i]];
  if (mode === "wrench") return [m.setpoint.F[axis], m.achieved[axis]];
  return turn ? [rpy(m.setpoint.q)[i], rpy(m.q)[i]] : [m.setpoint.p[i], m.p[i]];
}

const number = (x, digits = 3) => (Number.isFinite(x) ? Number(x.toPrecision(digits)).toString() : "never");
const kFigures = [["rise_s", "rise", "s", 1], ["overshoot", "overshoot", "%", 100], ["settling_s", "settling", "s", 1], ["error", "left over", "", 1]];

/** Step responses laid over each other, each from the moment and the place of its step. */
function Steps({ runs, dark }) {
  const box = useRef(null);
  useEffect(() => {
    const { ink, grid, blue, orange } = look(dark);
    const moved = runs.map(({ figures: f, samples: s }) => [s.t_s.map((t) => t - f.at_s), s.is.map((y) => (y - f.from) / f.size)]);
    const data = moved.length > 0 ? uPlot.join(moved) : [[]];
    const plot = new uPlot({
      width: box.current.clientWidth || 300, height: 220, scales: { x: { time: false } },
      axes: [{ stroke: ink, grid, label: "s after the step" }, { stroke: ink, grid, label: "share of the step" }],
      series: [{ label: "time" }, ...runs.map((r, i) => ({ label: r.name, stroke: [blue, orange][i], width: 2, spanGaps: true }))],
    }, data, box.current);
    scoped(box.current);
    const size = fitted(plot, box.current);
    return () => { size.disconnect(); plot.destroy(); };
  }, [runs, dark]);
  return <div class="plot" ref={box} />;
}

/** Of two runs: which parameters were not the same. */
function Differences({ runs }) {
  const [a, b] = runs;
  const names = [...a.parameters.keys()].filter((n) => a.parameters.get(n) !== b.parameters.get(n));
  if (names.length === 0) return <p class="soft">Both with the same parameters.</p>;
  return <table class="differences"><thead><tr><th scope="col">parameter</th>{runs.map((r) => <th scope="col" class="n" key={r.number}>run {r.number}</th>)}</tr></thead>
    <tbody>{names.map((n) => <tr key={n}><th scope="row">{n}</th>{runs.map((r) => <td class="n" key={r.number}>{String(r.parameters.get(n))}</td>)}</tr>)}</tbody></table>;
}

const kRuns = 20;

/** A step of one axis, watched; any two of the last runs beside each other. */
function StepTest({ link, vehicle, parameters, dark, setAxis }) {
  const [wish, setWish] = useState({ axis: "x", size: 0.5, seconds: 10, velocity: false });
  const [runs, setRuns] = useState([]);
  const [pair, setPair] = useState([0, 0]); // numbers of runs; 0: none
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const shown = useMemo(() => pair.map((n) => runs.find((r) => r.number === n)).filter(Boolean), [runs, pair]);
  if (vehicle.has_mission) return <section aria-labelledby="step"><h2 id="step">Step test</h2>
    <p class="soft">Only without a mission; start it with  pintle run MISSION --planner --live</p></section>;
  const turn = vehicle.axes.indexOf(wish.axis) > 2, unit = (turn ? "rad" : "m") + (wish.velocity ? "/s" : "");
  const put = (key, value) => setWish({ ...wish, [key]: value });
  const run = async (e) => {
    e.preventDefault();
    setBusy(true);
    setSaid("under way");
    setAxis(vehicle.axes.indexOf(wish.axis));
    const set = new Map([...parameters].map(([n, p]) => [n, p.value]));
    const got = await link.call("step_test", wish).catch((error) => ({ accepted: false, answer: error.message }));
    setBusy(false);
    setSaid(got.accepted && !got.figures ? "nothing moved" : got.answer);
    if (!got.accepted || !got.figures) return;
    const number = (runs.at(-1)?.number ?? 0) + 1;
    setRuns([...runs.slice(1 - kRuns), { ...got, number, name: `run ${number}: ${wish.axis} by ${wish.size} ${unit}`, unit, parameters: set }]);
    setPair(([, last]) => [last, number]);
  };
  const choose = (i, label) => <label>{label} <select value={pair[i]} onChange={(e) => setPair(pair.map((n, k) => (k === i ? Number(e.currentTarget.value) : n)))}>
    <option value={0}>none</option>{runs.map((r) => <option key={r.number} value={r.number}>{r.name}</option>)}</select></label>;
  return <section aria-labelledby="step"><h2 id="step">Step test</h2>
    <form class="row" onSubmit={run}>
      <label>Axis <select value={wish.axis} onChange={(e) => put("axis", e.currentTarget.value)}>{vehicle.axes.map((a) => <option key={a}>{a}</option>)}</select></label>
      <label>of <select value={wish.velocity ? "velocity" : "pose"} onChange={(e) => put("velocity", e.currentTarget.value === "velocity")}><option>pose</option><option>velocity</option></select></label>
      <label>by <input class="short" type="number" step="any" value={wish.size} onInput={(e) => put("size", e.currentTarget.valueAsNumber)} /> {unit}</label>
      <label>for <input class="short" type="number" min="1" max="60" step="any" value={wish.seconds} onInput={(e) => put("seconds", e.currentTarget.valueAsNumber)} /> s</label>
      <button disabled={busy}>Step</button><button type="button" disabled={!busy} onClick={() => link.call("stop_test", {})}>Stop test</button>
    </form>
    <p role="status" class="soft">{said}</p>
    {runs.length > 1 && <div class="row">{choose(0, "Compare")}{choose(1, "with")}</div>}
    {shown.length > 0 && <><Steps runs={shown} dark={dark} />
      <table class="figures"><thead><tr><th scope="col">figure</th>{shown.map((r) => <th scope="col" class="n" key={r.number}>{r.name}</th>)}</tr></thead>
        <tbody>{kFigures.map(([key, name, u, by]) => <tr key={key}><th scope="row">{name}</th>{shown.map((r) =>
          <td class="n" key={r.number}>{r.figures[key] === null ? "never" : `${number(by * r.figures[key])} ${u || r.unit}`}</td>)}</tr>)}</tbody></table></>}
    {shown.length === 2 && <Differences runs={shown} />}
  </section>;
}

function Row({ p, first, set, readonly }) {
  // what is being typed stands while news comes in
  const [draft, setDraft] = useState(null);
  if (readonly) return <tr><td title={p.meaning}>{broken(p.name)}<div class="soft">{p.meaning}</div></td><td class="n">{p.choices ? p.choices[p.value] : p.bool ? (p.value ? "yes" : "no") : String(p.value)}</td><td>{p.unit}</td></tr>;
  const changed = p.value !== first;
  // a slider over what is near, where the range has no end worth one
  const near = Math.max(2 * Math.abs(first), 1);
  const bound = (limit, other) => (limit !== undefined && Math.abs(limit) <= 1e3 * near ? limit : other);
  const low = bound(p.minimum, p.minimum >= 0 ? 0 : -near), high = bound(p.maximum, near);
  const range = high > low && !p.bool && !p.choices;
  const id = `p-${p.name}`;
  return <tr class={changed ? "changed" : ""}>
    <td><label for={id} title={p.meaning}>{broken(p.name)}</label><div class="soft">{p.meaning}</div></td>
    <td>{p.bool ? <input id={id} type="checkbox" checked={p.value !== 0} onChange={(e) => set(p, e.currentTarget.checked)} />
      : p.choices ? <select id={id} value={p.choices[p.value]} onChange={(e) => set(p, e.currentTarget.value)}>{p.choices.map((c) => <option key={c}>{c}</option>)}</select>
      : <><input id={id} type="number" step="any" value={draft ?? p.value} min={p.minimum} max={p.maximum} onInput={(e) => setDraft(e.currentTarget.value)}
        onChange={(e) => set(p, e.currentTarget.valueAsNumber)} onBlur={() => setDraft(null)} />
        {range && <input type="range" aria-label={`${p.name}, slider`} min={low} max={high} step={p.whole ? 1 : (high - low) / 200} value={p.value} onChange={(e) => set(p, e.currentTarget.valueAsNumber)} />}</>} {p.unit}</td>
    <td class="soft n">{changed ? `was ${first}` : ""}</td></tr>;
}

export function Tuning({ link, vehicle, parameters, listeners, dark, hidden }) {
  const [filter, setFilter] = useState("control.");
  const [axis, setAxis] = useState(2);
  const [done, setDone] = useState([]);
  const [undone, setUndone] = useState([]);
  const first = useRef(null);
  if (parameters && !first.current) first.current = new Map([...parameters].map(([n, p]) => [n, p.value]));
  const shown = useMemo(() => [...(parameters?.values() ?? [])].filter((p) => p.name.includes(filter)).slice(0, 200), [parameters, filter]);
  const asWritten = (p, value) => (p.choices && typeof value === "number" ? p.choices[value] : p.bool && typeof value === "number" ? value !== 0 : value);
  const send = async (p, value) => {
    const now = await link.set([[p.name, asWritten(p, value)]]);
    const got = now.find((q) => q.name === p.name);
    return got !== undefined && got.value === asWritten(p, value);
  };
  const set = async (p, value) => {
    if (typeof value === "number" && !Number.isFinite(value)) return;
    const before = p.value;
    if (await send(p, value)) {
      setDone((all) => [...all.slice(-199), { name: p.name, before, after: value }]);
      setUndone([]);
    }
  };
  const back = async () => {
    const last = done.at(-1);
    if (last && (await send(parameters.get(last.name), last.before))) { setDone(done.slice(0, -1)); setUndone([...undone, last]); }
  };
  const again = async () => {
    const last = undone.at(-1);
    if (last && (await send(parameters.get(last.name), last.after))) { setUndone(undone.slice(0, -1)); setDone([...done, last]); }
  };
  const readonly = !link.has("save");
  if (!parameters || !vehicle) return <main hidden={hidden}><section><p>Nothing to tune: this can only be looked at.</p></section></main>;
  return <main hidden={hidden}>
    <div class="column"><section aria-labelledby="parameters"><h2 id="parameters">Parameters</h2>
      <div class="row"><label>Named <input value={filter} onInput={(e) => setFilter(e.currentTarget.value)} /></label>
        <button disabled={readonly || done.length === 0} onClick={back}>Undo</button><button disabled={readonly || undone.length === 0} onClick={again}>Redo</button>
        <span class="soft">{shown.length} of {parameters.size}</span></div>
      <div class="params" tabIndex={0}><table><tbody>{shown.map((p) => <Row key={p.name} p={p} first={first.current.get(p.name)} set={set} readonly={readonly} />)}</tbody></table></div>
    </section></div>
    <div class="column"><section aria-labelledby="answer"><h2 id="answer">How it follows</h2>
      <div class="row"><label>Axis <select value={axis} onChange={(e) => setAxis(Number(e.currentTarget.value))}>{vehicle.axes.map((a, i) => <option key={a} value={i}>{a}</option>)}</select></label></div>
      <Strip listeners={listeners} axis={axis} dark={dark} hidden={hidden} /></section>
      {!readonly && <StepTest link={link} vehicle={vehicle} parameters={parameters} dark={dark} setAxis={setAxis} />}
      {!readonly && <Save id="save" title="Save" link={link} service="save" request={{}} about="What has been changed since the start, into mission and vehicle file" />}
      <section aria-labelledby="history"><h2 id="history">Changes</h2><div class="log" tabIndex={0}>{[...done].reverse().map((c, i) => <p key={i}>{c.name}: {String(c.before)} → {String(c.after)}</p>)}</div></section>
    </div>
  </main>;
}
