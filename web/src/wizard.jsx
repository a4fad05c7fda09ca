// Which way does each propulsor push? One after the other alone, seen by hand or by odometry.
import { h, Fragment } from "preact";
import { useRef, useState } from "preact/hooks";
import { broken } from "./names.jsx";
import { Save } from "./save.jsx";

const kSays = { good: "as the file says", reversed: "the other way", dead: "nothing", like: "as another one", unclear: "not clear" };
const kConditions = ["It is in the water (or the propellers are off, and I look at the shafts)", "It has room for two metres each way, and a tether or somebody beside it", "Nobody's hands are near the propellers"];

/** Where it is to push the craft, in words: the largest parts of its direction. */
function toWhere(p) {
  const names = [["forward", "backward"], ["left", "right"], ["up", "down"]];
  return p.direction.map((d, i) => [Math.abs(d), names[i][d > 0 ? 0 : 1]]).filter(([d]) => d > 0.3).sort((a, b) => b[0] - a[0]).map(([, n]) => n).join(" and ");
}

export function Wizard({ link, vehicle, arm, hidden }) {
  const [agreed, setAgreed] = useState(kConditions.map(() => false));
  const [share, setShare] = useState(0.2);
  const [found, setFound] = useState({});
  const [busy, setBusy] = useState("");
  const [said, setSaid] = useState("");
  const stopped = useRef(false);
  if (!vehicle || !arm) return <main hidden={hidden}><section><p>Waiting for the craft.</p></section></main>;
  if (vehicle.has_mission || !link.has("push_test")) return <main hidden={hidden}><section><h2>Directions</h2>
    <p>Only without a mission; start it with  pintle run MISSION --planner --live</p></section></main>;
  const push = async (name) => {
    setBusy(name);
    const got = await link.call("push_test", { propulsor: name, share }).catch((e) => ({ accepted: false, answer: e.message }));
    setBusy("");
    setSaid(`${name}: ${got.accepted ? kSays[got.verdict] + (got.like ? ` (${got.like})` : "") : got.answer}`);
    if (got.accepted) setFound((all) => ({ ...all, [name]: { propulsor: name, verdict: got.verdict, like: got.like, reversed: got.reversed, share: got.share } }));
    return got.accepted;
  };
  const all = async () => {
    stopped.current = false;
    for (const p of vehicle.propulsors) if (stopped.current || !(await push(p.name))) return;
  };
  const stop = () => { stopped.current = true; link.call("stop_test", {}); };
  const say = (name, verdict, like) => setFound((all) => ({ ...all, [name]: { propulsor: name, verdict, like, byHand: true } }));
  const ready = agreed.every(Boolean) && arm === "armed" && !busy;
  return <main hidden={hidden}>
    <div class="column"><section aria-labelledby="conditions"><h2 id="conditions">Before anything turns</h2>
      {kConditions.map((c, i) => <p key={i}><label><input type="checkbox" checked={agreed[i]} onChange={(e) => setAgreed(agreed.map((a, k) => (k === i ? e.currentTarget.checked : a)))} /> {c}</label></p>)}
      <div class="row"><label>Thrust <input type="range" min="0.05" max="0.5" step="0.05" value={share} onInput={(e) => setShare(e.currentTarget.valueAsNumber)} /> {Math.round(100 * share)} %</label>
        <button disabled={!ready} onClick={all}>Push one after the other</button><button disabled={!busy} onClick={stop}>Stop test</button></div>
      {arm !== "armed" && <p class="warn">Not armed</p>}
      <p role="status">{busy ? `${busy} pushes` : said}</p></section>
      <section aria-labelledby="found"><h2 id="found">Which way did it push?</h2>
        <table class="found"><thead><tr><th scope="col">propulsor</th><th scope="col">is to push</th><th scope="col">pushed</th><th scope="col"></th></tr></thead>
          <tbody>{vehicle.propulsors.map((p) => { const f = found[p.name]; return <tr key={p.name}><th scope="row">{broken(p.name)}</th><td>{toWhere(p)}</td>
            <td><select aria-label={`${p.name} pushed`} value={f ? (f.verdict === "like" ? `like ${f.like}` : f.verdict) : ""}
              onChange={(e) => { const v = e.currentTarget.value; v.startsWith("like ") ? say(p.name, "like", v.slice(5)) : say(p.name, v); }}>
              <option value="" disabled>not seen yet</option>{["good", "reversed", "dead", "unclear"].map((v) => <option key={v} value={v}>{kSays[v]}</option>)}
              {vehicle.propulsors.filter((o) => o !== p).map((o) => <option key={o.name} value={`like ${o.name}`}>as {o.name}</option>)}</select>
              {f && !f.byHand && <span class="soft"> {Math.round(100 * f.share)} %</span>}</td>
            <td><button disabled={!ready} onClick={() => push(p.name)}>Push</button></td></tr>; })}</tbody></table></section></div>
    <div class="column"><Save id="mend" title="The vehicle file" link={link} service="directions" request={{ findings: Object.values(found).map(({ byHand, share: s, ...f }) => f) }}
      about="What is reversed is flipped, a pair that is swapped changes places; what is dead needs a hand" /></div>
  </main>;
}
