// Live parameters with their range and unit, undo and redo, and how an axis answers to a step.
import { h, Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import uPlot from "uplot";

const kSeconds = 20;

function Strip({ listeners, axis, dark }) {
  const box = useRef(null);
  useEffect(() => {
    const data = [[], [], []];
    const ink = dark ? "#a4b3c1" : "#52606d", grid = { stroke: dark ? "#2d3c4a" : "#d3dae1" };
    const plot = new uPlot({
      width: box.current.clientWidth, height: 260, scales: { x: { time: false } },
      axes: [{ stroke: ink, grid, label: "s" }, { stroke: ink, grid }],
      series: [{ label: "time" }, { label: "wanted", stroke: "#d55e00", width: 2, dash: [6, 4] }, { label: "is", stroke: "#0072b2", width: 2 }],
    }, data, box.current);
    const size = new ResizeObserver(() => plot.setSize({ width: box.current.clientWidth, height: 260 }));
    size.observe(box.current);
    const take = (m) => {
      const [wanted, is] = pair(m, axis);
      data[0].push(m.time_s); data[1].push(wanted); data[2].push(is);
      while (data[0].length > 0 && m.time_s - data[0][0] > kSeconds) for (const d of data) d.shift();
      plot.setData(data);
    };
    listeners.add(take);
    return () => { listeners.delete(take); size.disconnect(); plot.destroy(); };
  }, [axis, dark]);
  return <div class="plot" ref={box} />;
}

function rpy([x, y, z, w]) {
  return [Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)), Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x)))), Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z))];
}
/** Wanted and actual, of what the axis follows. */
function pair(m, axis) {
  const mode = m.setpoint.mode[axis], turn = axis > 2, i = axis % 3;
  if (mode === "velocity") return turn ? [m.setpoint.w[i], m.w[i]] : [m.setpoint.v[i], m.V[i]];
  if (mode === "wrench") return [m.setpoint.F[axis], m.achieved[axis]];
  return turn ? [rpy(m.setpoint.q)[i], rpy(m.q)[i]] : [m.setpoint.p[i], m.p[i]];
}

function Row({ p, first, set }) {
  const changed = p.value !== first;
  // a slider over what is near, where the range has no end worth one
  const near = Math.max(2 * Math.abs(first), 1);
  const bound = (limit, other) => (limit !== undefined && Math.abs(limit) <= 1e3 * near ? limit : other);
  const low = bound(p.minimum, p.minimum >= 0 ? 0 : -near), high = bound(p.maximum, near);
  const range = high > low && !p.bool && !p.choices;
  const id = `p-${p.name}`;
  return <tr class={changed ? "changed" : ""}>
    <td><label for={id} title={p.meaning}>{p.name}</label><div class="soft">{p.meaning}</div></td>
    <td>{p.bool ? <input id={id} type="checkbox" checked={p.value !== 0} onChange={(e) => set(p, e.currentTarget.checked)} />
      : p.choices ? <select id={id} value={p.choices[p.value]} onChange={(e) => set(p, e.currentTarget.value)}>{p.choices.map((c) => <option key={c}>{c}</option>)}</select>
      : <><input id={id} type="number" step="any" value={p.value} min={p.minimum} max={p.maximum} onChange={(e) => set(p, e.currentTarget.valueAsNumber)} />
        {range && <input type="range" aria-label={`${p.name}, slider`} min={low} max={high} step={p.whole ? 1 : (high - low) / 200} value={p.value} onChange={(e) => set(p, e.currentTarget.valueAsNumber)} />}</>} {p.unit}</td>
    <td class="soft n">{changed ? `was ${first}` : ""}</td></tr>;
}

export function Tuning({ link, vehicle, parameters, listeners, dark }) {
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
  if (!parameters || !vehicle) return <main><section><p>Nothing to tune: this can only be looked at.</p></section></main>;
  return <main>
    <div class="column"><section aria-labelledby="parameters"><h2 id="parameters">Parameters</h2>
      <div class="row"><label>Named <input value={filter} onInput={(e) => setFilter(e.currentTarget.value)} /></label>
        <button disabled={done.length === 0} onClick={back}>Undo</button><button disabled={undone.length === 0} onClick={again}>Redo</button>
        <span class="soft">{shown.length} of {parameters.size}</span></div>
      <div class="params" tabIndex={0}><table><tbody>{shown.map((p) => <Row key={p.name} p={p} first={first.current.get(p.name)} set={set} />)}</tbody></table></div>
    </section></div>
    <div class="column"><section aria-labelledby="answer"><h2 id="answer">How it follows</h2>
      <div class="row"><label>Axis <select value={axis} onChange={(e) => setAxis(Number(e.currentTarget.value))}>{vehicle.axes.map((a, i) => <option key={a} value={i}>{a}</option>)}</select></label></div>
      <Strip listeners={listeners} axis={axis} dark={dark} /></section>
      <section aria-labelledby="history"><h2 id="history">Changes</h2><div class="log" tabIndex={0}>{[...done].reverse().map((c, i) => <p key={i}>{c.name}: {String(c.before)} → {String(c.after)}</p>)}</div></section>
    </div>
  </main>;
}
