// How much the page asks of a browser: prints figures as JSON, ends with 1 when they are not as promised.
import { readFileSync, writeFileSync, copyFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { join } from "node:path";
import { browser, flight, folder, open, source } from "./flight.mjs";

const kScript_ms = 4, kFrames = 20, kPaint_ms = 1000, kBundle = 1 << 20;

/** 24 thrusters round a hull: those of the BlueROV2 Heavy, three times, at thrice the distance. */
function craft_of_24() {
  const at = folder();
  const lines = readFileSync(join(source, "vehicles/bluerov2_heavy.yaml"), "utf8").split("\n");
  const text = lines.flatMap((l) => {
    const m = l.match(/^ {2}- \{name: (\w+), (use: T200, position_m: \[)([^\]]*)(\].*)$/);
    return m ? [1, 2, 3].map((k) => `  - {name: ${m[1]}_${k}, ${m[2]}${m[3].split(",").map((v) => (v * k).toFixed(3)).join(", ")}${m[4]}`) : [l];
  });
  writeFileSync(join(at, "rov.yaml"), text.join("\n"));
  copyFileSync(join(source, "worlds/pool.yaml"), join(at, "pool.yaml"));
  writeFileSync(join(at, "mission.yaml"), `format: pintle/mission/1
name: many
vehicle: rov.yaml
control_rate_Hz: 50
world: {file: pool.yaml, start_position_m: [0, 0, -2]}
mission: {states: [{name: stay, go: {x_m: 2, z_m: -2}, success: {after_s: 200}, timeout_s: 300}]}
`);
  return join(at, "mission.yaml");
}

/** Frames a second, and milliseconds of script for each, all of the page's. */
async function frames(page, seconds) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Performance.enable");
  const script = async () => (await cdp.send("Performance.getMetrics")).metrics.find((m) => m.name === "ScriptDuration").value;
  const before = await script();
  const { n, took, scene } = await page.evaluate((s) => new Promise((done) => {
    const begin = performance.now(), scene = [];
    const turn = () => {
      scene.push(window.pintleFrame_ms);
      const took = (performance.now() - begin) / 1000;
      if (took < s) return requestAnimationFrame(turn);
      done({ n: scene.length, took, scene: scene.sort((a, b) => a - b) });
    };
    requestAnimationFrame(turn);
  }), seconds);
  return { rate: n / took, script_ms: (1000 * (await script() - before)) / n, scene_median_ms: scene[n >> 1], scene_p99_ms: scene[Math.floor(0.99 * n)] };
}

const seconds = Number(process.argv[2] ?? 20);
const f = await flight("run", craft_of_24(), "--no-log", "--live", "0");
const b = await browser();
// a page opened by itself: another one that is drawn beside it has the same processor
const paints = [];
for (let i = 0; i < 5; ++i) {
  const fresh = await open(b, f.port, { width: 1920, height: 1080 });
  const paint = await fresh.waitForFunction(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  paints.push(await paint.jsonValue());
  await fresh.close();
}
const page = await open(b, f.port, { width: 1920, height: 1080 });
await page.waitForFunction(() => window.pintleFrame_ms !== undefined);
const rows = await page.locator("table").first().locator("tbody tr").count();
const wide = await frames(page, seconds);
await page.addStyleTag({ content: "canvas { width: 600px !important; height: 300px !important; min-height: 0 !important }" });
await page.waitForFunction(() => document.querySelector("canvas").clientWidth === 600 && document.querySelector("canvas").clientHeight === 300);
const small = await frames(page, seconds);
const bundle = gzipSync(readFileSync(join(source, "web/dist/index.html")), { level: 9 }).length;
const round = (v) => Math.round(100 * v) / 100;
const figures = {
  propulsors: rows, seconds, script_ms_a_frame_1920: round(wide.script_ms), scene_median_ms_1920: round(wide.scene_median_ms), scene_p99_ms_1920: round(wide.scene_p99_ms),
  frames_a_second_1920: round(wide.rate), frames_a_second_600x300: round(small.rate), script_ms_a_frame_600x300: round(small.script_ms),
  first_paint_ms: paints.map(Math.round), bundle_gzipped: bundle, wrong: page.wrong,
};
console.log(JSON.stringify(figures));
await b.close();
await f.end();
process.exit(rows === 24 && wide.script_ms <= kScript_ms && small.rate >= kFrames && Math.max(...paints) <= kPaint_ms && bundle <= kBundle && page.wrong.length === 0 ? 0 : 1);
