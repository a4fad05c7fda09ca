// A log in Rerun's own viewer, in a browser: what it makes of it, and that the craft stands in its 3D view.
import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { browser, check, folder, main, source } from "./flight.mjs";

const viewer = join(source, "web/node_modules/@rerun-io/web-viewer");
const html = `<!doctype html><link rel="icon" href="data:,"><body style="margin:0"><div id="at"></div><script type="module">
import { WebViewer } from "/index.js";
const viewer = new WebViewer();
window.told = [];
for (const kind of ["recording_open", "selection_change"]) viewer.on(kind, (e) => window.told.push(e));
await viewer.start(location.origin + "/log.mcap", document.getElementById("at"),
  { hide_welcome_screen: true, render_backend: "webgl", width: "900px", height: "600px", theme: "dark" });
for (const panel of ["top", "blueprint", "selection", "time"]) viewer.override_panel_state(panel, "hidden");
</script>`;

async function the_craft_stands_in_reruns_3d_view() {
  const out = join(folder(), "out");
  const run = spawnSync(process.env.PINTLE_COMMAND, ["run", join(source, "missions/hover_box.yaml"), "--seed", "3", "--out", out, "-q"]);
  check(run.status === 0, String(run.stderr));
  const server = createServer((request, answer) => {
    const name = request.url.split("?")[0];
    const [kind, body] = name === "/" ? ["text/html", html]
      : name === "/log.mcap" ? ["application/octet-stream", readFileSync(join(out, "log.mcap"))]
      : name.endsWith(".wasm") ? ["application/wasm", readFileSync(join(viewer, name))]
      : ["text/javascript", readFileSync(join(viewer, name.endsWith(".js") ? name : `${name}.js`))];
    answer.setHeader("content-type", kind);
    answer.end(body);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const b = await browser(), page = await b.newPage({ viewport: { width: 900, height: 600 } });
  page.setDefaultTimeout(120_000);
  const here = `http://127.0.0.1:${server.address().port}/`, wrong = [];
  page.on("request", (r) => { if (!r.url().startsWith(here) && !/^(data|blob):/.test(r.url())) wrong.push(r.url()); });
  await page.goto(here);
  await page.waitForFunction(() => window.told?.some((e) => e.type === "recording_open" && e.source === "McapImporter"));
  // what is under the pointer, all over the picture, until that is the craft at a place of the world
  const end = Date.now() + 120_000;
  let hit;
  while (!hit) {
    for (let y = 45; y < 600 && !hit; y += 60)
      for (let x = 45; x < 900 && !hit; x += 60) {
        check(Date.now() < end, "the craft is not in the picture", await page.evaluate(() => window.told.slice(-5)));
        await page.mouse.click(x, y);
        const items = await page.evaluate(() => window.told.filter((e) => e.type === "selection_change").flatMap((e) => e.items));
        const item = items.find((i) => i.type === "entity" && /visual_geometries/.test(i.entity_path) && i.position);
        if (item) hit = { item, x, y };
      }
  }
  check(hit.item.position.every(Number.isFinite), hit);
  // and it is drawn: many colours there
  const picture = (await page.screenshot({ path: process.env.PINTLE_PICTURES && join(process.env.PINTLE_PICTURES, "rerun.png") })).toString("base64");
  const colours = await page.evaluate(async ([data, x, y]) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data: bytes } = context.getImageData(Math.max(0, x - 60), Math.max(0, y - 60), 120, 120), seen = new Set();
    for (let i = 0; i < bytes.length; i += 4) seen.add((bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2]);
    return seen.size;
  }, [picture, hit.x, hit.y]);
  check(colours > 50, "an empty view", colours);
  check(wrong.length === 0, wrong);
  console.log(`${hit.item.entity_path} at ${hit.item.position.map((v) => v.toFixed(2))}, ${colours} colours`);
  await b.close();
}

await main({ the_craft_stands_in_reruns_3d_view });
