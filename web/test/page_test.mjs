// The page in a browser, before real flights.
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { browser, check, flight, folder, main, open, patience_ms, source } from "./flight.mjs";

const button = (page, name) => page.getByRole("button", { name, exact: true });
const state = (page, word) => page.locator("header .state", { hasText: new RegExp(`^${word}$`) }).waitFor();
const nothingWrong = (page) => check(page.wrong.length === 0, page.wrong);

/** Nothing is wider than the screen. */
async function fits(page) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  check(wide <= 0, `wider than the screen by ${wide} px`);
}

async function the_pool_is_flown_from_the_page() {
  const f = await flight("run", join(source, "missions/pool.yaml"), "--no-log", "--live", "0");
  const b = await browser(), page = await open(b, f.port);
  await state(page, "armed");
  await state(page, "running");
  check((await page.locator("ol.states li").count()) > 5, "the states");
  check((await page.locator("table").first().locator("tbody tr").count()) === 8, "eight propulsors");
  // the scene is drawn: not one colour alone
  await page.waitForFunction(() => window.pintleFrame_ms !== undefined);
  const picture = await page.locator("canvas").first().screenshot();
  check(picture.length > 5000, "an empty scene", picture.length);
  // STOP pauses, at once and unasked; the key too
  await button(page, "STOP").click();
  await state(page, "paused");
  await button(page, "Resume").click();
  await state(page, "running");
  await page.keyboard.press("Escape");
  await state(page, "paused");
  await page.getByRole("heading", { name: /page commands/ }).waitFor();
  await button(page, "Resume").click();
  await state(page, "running");
  // to its last state, asked back first
  await page.getByLabel("State").selectOption("surface");
  await button(page, "Jump").click();
  await button(page, "No").click();
  await button(page, "Jump").click();
  await button(page, "Yes, jump").click();
  await page.locator('ol.states li[aria-current="step"]', { hasText: "surface" }).waitFor();
  for (const [width, height] of [[390, 800], [1024, 800], [1920, 1080]])
    for (const dark of ["Dark", "Light"]) {
      await page.setViewportSize({ width, height });
      await button(page, dark).click();
      await fits(page);
      // nor is a part wider than its frame, where it would be cut off
      const cut = await page.evaluate(() => [...document.querySelectorAll("section")].filter((s) => s.scrollWidth > s.clientWidth + 1).map((s) => s.innerText.slice(0, 20)));
      check(cut.length === 0, "cut off:", cut);
      await page.evaluate(() => scrollTo(0, 0));
      check((await button(page, "STOP").boundingBox()).y < 50, "STOP is not in the first line", width);
      if (process.env.PINTLE_PICTURES) await page.screenshot({ path: join(process.env.PINTLE_PICTURES, `flight-${width}-${dark}.png`), fullPage: true });
    }
  const { out } = await f.ended;
  check(out.startsWith("pass"), "the verdict", out);
  nothingWrong(page);
  await b.close();
}

async function a_delivery_is_paused_and_landed_from_the_page() {
  const f = await flight("run", join(source, "missions/delivery.yaml"), "--no-log", "--live", "0");
  const b = await browser(), page = await open(b, f.port, { width: 390, height: 800 });
  await state(page, "running");
  await page.getByText("flight controller").first().waitFor();
  // in the air it is paused, not switched off
  await page.locator('ol.states li[aria-current="step"]', { hasText: /take off|climb|fly/ }).waitFor();
  await button(page, "STOP").click();
  await state(page, "paused");
  await fits(page);
  await button(page, "Land").click();
  await button(page, "Yes, land").click();
  await page.locator('ol.states li[aria-current="step"]', { hasText: "land" }).waitFor();
  nothingWrong(page);
  await b.close();
  await f.end();
}

function bench() {
  const at = folder();
  copyFileSync(join(source, "vehicles/bluerov2_heavy.yaml"), join(at, "rov.yaml"));
  copyFileSync(join(source, "worlds/pool.yaml"), join(at, "pool.yaml"));
  const mission = (vehicle, more = "") => `format: pintle/mission/1
name: bench
vehicle: ${vehicle}
control_rate_Hz: 50
control: {scale: 1.0}
world: {file: pool.yaml, start_position_m: [0, 0, -2]}
${more}mission:
  states:
    - {name: stay, go: {z_m: -2}, success: {after_s: 3}, timeout_s: 9}
`;
  writeFileSync(join(at, "mission.yaml"), mission("rov.yaml"));
  return { at, mission };
}

async function tuning_is_undone_and_saved_and_a_step_is_measured() {
  const { at } = bench();
  const f = await flight("run", join(at, "mission.yaml"), "--planner", "--no-log", "--live", "0");
  const b = await browser(), page = await open(b, f.port);
  await state(page, "armed");
  await button(page, "Tuning").click();
  const gain = page.locator('input[id="p-control.position.x.kp"]');
  await gain.waitFor();
  await gain.fill("75");
  await gain.press("Tab");
  await page.getByText("was 60").waitFor();
  await button(page, "Undo").click();
  await page.waitForFunction(() => document.getElementById("p-control.position.x.kp").value === "60");
  await button(page, "Redo").click();
  await page.getByText("was 60").waitFor();
  // shown first, then written
  await button(page, "Show the change").click();
  await page.locator(".diff", { hasText: "kp: 75" }).waitFor();
  check(!readFileSync(join(at, "rov.yaml"), "utf8").includes("kp: 75"), "written unasked");
  await button(page, "Write it").click();
  await page.getByText(/^written: /).waitFor();
  check(readFileSync(join(at, "rov.yaml"), "utf8").includes("x: {kp: 75, ki: 6"), "not in the file");
  // two steps, beside each other
  await page.locator("section[aria-labelledby=step] input").nth(1).fill("3");
  for (const run of [1, 2]) {
    await button(page, "Step").click();
    await page.locator("table.figures th", { hasText: `run ${run}` }).waitFor();
  }
  const figures = await page.locator("table.figures tbody tr").allInnerTexts();
  check(/rise\s+[\d.]+ s\s+[\d.]+ s/.test(figures[0]), figures);
  for (const width of [390, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await fits(page);
    if (process.env.PINTLE_PICTURES) await page.screenshot({ path: join(process.env.PINTLE_PICTURES, `tuning-${width}.png`), fullPage: true });
  }
  nothingWrong(page);
  await b.close();
  await f.end();
}

async function the_wizard_finds_three_faults_and_writes_the_mend() {
  const { at, mission } = bench();
  // what the pool really has: the front ones in each other's place, one turned, one without power
  const lines = readFileSync(join(at, "rov.yaml"), "utf8").split("\n");
  const line = (name) => lines.findIndex((l) => l.includes(`name: ${name},`));
  const [a, c, up] = [line("front_right"), line("front_left"), line("vertical_front_left")];
  [lines[a], lines[c]] = [lines[c].replace("front_left", "front_right"), lines[a].replace("front_right", "front_left")];
  lines[up] = lines[up].replace("}", ", flipped: true}");
  writeFileSync(join(at, "really.yaml"), lines.join("\n"));
  writeFileSync(join(at, "truth.yaml"), mission("really.yaml", "faults: [{propulsor: vertical_back_right, kind: dead, at_s: 0, announced: false}]\n"));
  const f = await flight("run", join(at, "mission.yaml"), "--truth", join(at, "truth.yaml"), "--planner", "--no-log", "--live", "0");
  const b = await browser(), page = await open(b, f.port);
  await state(page, "armed");
  await button(page, "Directions").click();
  const all = button(page, "Push one after the other");
  check(await all.isDisabled(), "it pushes before the conditions are met");
  for (const box of await page.locator("section[aria-labelledby=conditions] input[type=checkbox]").all()) await box.check();
  const seen = (name) => page.getByLabel(`${name} pushed`, { exact: true });
  const pushed = (name) => page.waitForFunction((n) => document.querySelector(`select[aria-label="${n} pushed"]`).value !== "", name);
  // by itself until it is stopped, the others one by one or by hand
  await all.click();
  await pushed("front_right");
  await button(page, "Stop test").click();
  await page.getByText("front_left: stopped by the operator").waitFor();
  for (const name of ["front_left", "vertical_front_left", "vertical_back_right"]) {
    await page.locator("table.found tr", { has: page.getByRole("rowheader", { name, exact: true }) }).getByRole("button", { name: "Push" }).click();
    await pushed(name);
  }
  for (const name of ["back_right", "back_left", "vertical_front_right", "vertical_back_left"]) await seen(name).selectOption("good");
  check((await seen("vertical_front_left").inputValue()) === "reversed", "the reversed one");
  check((await seen("vertical_back_right").inputValue()) === "dead", "the dead one");
  check((await seen("front_right").inputValue()) === "like front_left", "the swapped one");
  check((await seen("back_left").inputValue()) === "good", "a good one");
  await button(page, "Show the change").click();
  await page.getByText("swapped: front_right and front_left").waitFor();
  await button(page, "Write it").click();
  await page.getByText(/^written: /).waitFor();
  check(readFileSync(join(at, "rov.yaml"), "utf8") === lines.join("\n"), "the file is not as the craft is");
  await page.setViewportSize({ width: 390, height: 900 });
  await fits(page);
  if (process.env.PINTLE_PICTURES) await page.screenshot({ path: join(process.env.PINTLE_PICTURES, "directions-390.png"), fullPage: true });
  nothingWrong(page);
  await b.close();
  await f.end();
}

async function a_report_is_read_zoomed_and_compared() {
  const at = folder();
  for (const name of ["a", "b"]) {
    const more = name === "b" ? ["--set", "control.scale=0.8"] : [];
    const run = spawnSync(process.env.PINTLE_COMMAND, ["run", join(source, "missions/pool.yaml"), "--seed", "3", "-q", "--out", join(at, name), ...more]);
    check(run.status === 0 || name === "b", String(run.stderr));
  }
  const b = await browser();
  for (const scripts of [true, false]) {
    const page = await (await b.newContext({ javaScriptEnabled: scripts, viewport: { width: 390, height: 800 } })).newPage();
    const wrong = [];
    page.on("pageerror", (e) => wrong.push(String(e)));
    page.on("request", (r) => { if (!r.url().startsWith("file:")) wrong.push(r.url()); });
    await page.goto(`file://${join(at, "a", "report.html")}`);
    check(await page.locator("#axes svg").first().isVisible() !== scripts, "pictures without script alone");
    if (scripts) {
      await fits(page);
      await page.setViewportSize({ width: 1200, height: 900 });
      // values under the pointer in all plots
      const over = page.locator("#axes .u-over").first();
      await over.scrollIntoViewIfNeeded();
      const box = await over.boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      const values = page.locator("#channels .u-legend .u-value");
      await page.waitForFunction(() => [...document.querySelectorAll("#channels .u-legend .u-value")].every((v) => /\d/.test(v.textContent)));
      check((await values.count()) >= 16, await values.count());
      // drag: all show that stretch; then the whole again
      const middle = await values.first().innerText();
      await page.mouse.move(box.x + 0.25 * box.width, box.y + 20);
      await page.mouse.down();
      await page.mouse.move(box.x + 0.5 * box.width, box.y + 20, { steps: 4 });
      await page.mouse.up();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.waitForFunction((before) => document.querySelector("#channels .u-legend .u-value").textContent !== before, middle);
      await page.locator("#axes .reset").click();
      await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.waitForFunction((before) => document.querySelector("#channels .u-legend .u-value").textContent === before, middle);
      await page.getByRole("link", { name: "Propulsors" }).click();
      check(page.url().endsWith("#channels"), page.url());
    }
    check(wrong.length === 0, wrong);
    if (process.env.PINTLE_PICTURES) await page.screenshot({ path: join(process.env.PINTLE_PICTURES, `report-${scripts}.png`), fullPage: true });
  }
  const run = spawnSync(process.env.PINTLE_COMMAND, ["report", join(at, "a/log.mcap"), join(at, "b/log.mcap")]);
  check(run.status === 0, String(run.stderr));
  const page = await b.newPage({ viewport: { width: 390, height: 800 } });
  await page.goto(`file://${String(run.stdout).trim()}`);
  check((await page.getByRole("row").count()) > 15, "rows");
  await fits(page);
  await b.close();
}

await main({ a_report_is_read_zoomed_and_compared, the_pool_is_flown_from_the_page, a_delivery_is_paused_and_landed_from_the_page,
  tuning_is_undone_and_saved_and_a_step_is_measured, the_wizard_finds_three_faults_and_writes_the_mend });
