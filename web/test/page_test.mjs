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

/** Everything of the page fits at every width, light and dark, and can be read. */
async function looked_at(page, name, sizes = [[390, 800], [1024, 800], [1920, 1080]]) {
  for (const [width, height] of sizes)
    for (const dark of ["Dark", "Light"]) {
      await page.setViewportSize({ width, height });
      await button(page, dark).click();
      await fits(page);
      // nor is a part wider than its frame, where it would be cut off
      const cut = await page.evaluate(() => [...document.querySelectorAll("section")].filter((s) => s.scrollWidth > s.clientWidth + 1).map((s) => s.innerText.slice(0, 20)));
      check(cut.length === 0, "cut off:", cut);
      const pale = await page.evaluate(paleTexts);
      check(pale.length === 0, `${name}, ${width}, ${dark}: too little contrast:`, pale);
      await page.evaluate(() => scrollTo(0, 0));
      check((await button(page, "STOP").boundingBox()).y < 50, "STOP is not in the first line", width);
      if (process.env.PINTLE_PICTURES) await page.screenshot({ path: join(process.env.PINTLE_PICTURES, `${name}-${width}-${dark}.png`), fullPage: true });
    }
}

const here = (page, state) => page.locator('ol.states li[aria-current="step"]', { hasText: state });
/** It has come there, however long the browser had no processor to show it. */
const reached = (page, state) => page.locator("ol.states li.was", { hasText: state });
/** Does it until it is shown; what was refused because the machine stood is done again, as a person would. */
async function done(page, it, shown) {
  const until = Date.now() + patience_ms;
  do {
    const late = page.late;
    await it();
    while (page.late === late && !(await shown.isVisible())) {
      check(Date.now() < until, "waited in vain for", String(shown));
      await page.waitForTimeout(20);
    }
  } while (!(await shown.isVisible()));
}
const answer = (page, text) => page.getByRole("status").filter({ hasText: text }).waitFor();

/** What another operator says. */
const command = (f, word) => spawnSync(process.env.PINTLE_COMMAND, ["command", word, "--to", f.said().match(/--to (\S+)/)[1]], { encoding: "utf8" });

async function the_pool_is_flown_from_the_page() {
  const f = await flight("run", join(source, "missions/pool.yaml"), "--no-log", "--live", "0", "--wait", "--speed", "6");
  const b = await browser(), page = await open(b, f.port);
  // nothing moves by itself
  await state(page, "disarmed");
  await state(page, "idle");
  check((await page.locator("ol.states li").count()) > 5, "the states");
  check((await page.locator("table").first().locator("tbody tr").count()) === 8, "eight propulsors");
  await button(page, "Arm").click();
  await answer(page, /^arm: accepted/);
  await state(page, "armed");
  await page.getByRole("heading", { name: /page commands/ }).waitFor();
  await button(page, "Fly the mission").click();
  await button(page, "Yes, free style").click();
  await state(page, "running");
  // the scene is drawn: not one colour alone
  await page.waitForFunction(() => window.pintleFrame_ms !== undefined);
  const picture = await page.locator("canvas").first().screenshot();
  check(picture.length > 5000, "an empty scene", picture.length);
  // STOP pauses, at once and unasked; the key too
  await reached(page, "leg east").waitFor();
  await button(page, "STOP").click();
  await state(page, "paused");
  await looked_at(page, "flight");
  await page.setViewportSize({ width: 1024, height: 800 });
  await button(page, "Resume").click();
  await state(page, "running");
  await page.keyboard.press("Escape");
  await state(page, "paused");
  // somebody else takes over: the page is refused, says who, and takes over again
  check(command(f, "take_over").status === 0, "take over");
  await page.getByRole("heading", { name: /cli commands/ }).waitFor();
  await button(page, "Resume").click();
  await answer(page, /^resume: refused.*cli commands/);
  await button(page, "Take over").click();
  await answer(page, /^take over: accepted/);
  check(command(f, "resume").status === 1, "the other one is refused now");
  await button(page, "Resume").click();
  await state(page, "running");
  // back by a state, asked back first
  await reached(page, "leg north").waitFor();
  await page.getByLabel("State").selectOption("turn_north");
  await button(page, "Jump").click();
  await button(page, "No").click();
  check(!(await page.getByRole("dialog").count()), "it is asked still");
  await button(page, "Jump").click();
  await button(page, "Yes, jump").click();
  await here(page, "turn north").waitFor();
  await button(page, "Hand over").click();
  await page.getByRole("heading", { name: /^Operator\s*$/ }).waitFor();
  // to its end: each state was flown
  await state(page, "passed");
  check((await page.locator("ol.states li.was").count()) === (await page.locator("ol.states li").count()) - 1, "all states but the way out");
  const { code, out } = await f.end();
  check(code === 0 && out.startsWith("pass"), "the verdict", out);
  nothingWrong(page);
  await b.close();
}

async function a_delivery_is_flown_from_the_page() {
  // seen slowly: before it was carried by hand, which proves the frame, it is not to be armed, and the page says why
  const slow = await flight("run", join(source, "missions/delivery.yaml"), "--no-log", "--live", "0", "--wait", "--speed", "0.05");
  const other = await browser(), early = await open(other, slow.port);
  await early.getByText(/Not to be armed: /).waitFor();
  check(await button(early, "Arm").isDisabled(), "to be armed before the frame is proved");
  await other.close();
  await slow.end();
  const f = await flight("run", join(source, "missions/delivery.yaml"), "--no-log", "--live", "0", "--wait", "--speed", "4");
  const b = await browser(), page = await open(b, f.port, { width: 390, height: 800 });
  await page.getByText("flight controller").first().waitFor();
  await page.waitForFunction(() => [...document.querySelectorAll("button")].some((x) => x.textContent === "Arm" && !x.disabled));
  await button(page, "Fly the mission").click();
  await button(page, "Yes, free style").click();
  await state(page, "running");
  // in the air it is paused, not switched off; disarming is asked back, and refused
  await here(page, "fly to car").waitFor();
  await button(page, "STOP").click();
  await state(page, "paused");
  await fits(page);
  await button(page, "Disarm").click();
  await button(page, "Yes, disarm").click();
  await answer(page, /^disarm: refused/);
  await state(page, "armed");
  await button(page, "Resume").click();
  await state(page, "running");
  await here(page, "fly back").waitFor();
  await state(page, "passed");
  const { code, out } = await f.end();
  check(code === 0 && out.startsWith("pass"), "the verdict", out);
  nothingWrong(page);
  await b.close();
}

/** By keys alone, as somebody does who sees no pointer: what has the focus shows it. */
async function the_page_is_operated_by_keys() {
  const f = await flight("run", join(source, "missions/pool.yaml"), "--no-log", "--live", "0", "--wait", "--speed", "4");
  const b = await browser(), page = await open(b, f.port);
  await state(page, "disarmed");
  const reach = async (name) => {
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => {
        const e = document.activeElement, style = getComputedStyle(e);
        if (e === document.body) return { name: "", ring: true };
        return { is: e.localName, name: e.getAttribute("aria-label") ?? (e.labels?.[0] ?? e).innerText.trim(), ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 };
      });
      check(at.ring, "the focus is not seen at", at.name);
      if (at.is !== "div" && at.name.startsWith(name)) return;
    }
    throw new Error(`Tab does not reach ${name}`);
  };
  const dialog = (word) => page.waitForFunction((w) => document.activeElement.closest("dialog")?.innerText.includes(w), word);
  await reach("STOP");
  await reach("Arm");
  await page.keyboard.press("Enter");
  await state(page, "armed");
  await reach("Fly the mission");
  await page.keyboard.press("Space");
  // the question has the focus, its harmless answer first
  await dialog("No");
  check((await page.evaluate(() => document.activeElement.innerText)) === "No", "the focus is not on No");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await state(page, "running");
  await reach("State");
  await page.keyboard.type("roll");
  await reach("Jump");
  await page.keyboard.press("Enter");
  await dialog("No");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await here(page, "roll").waitFor();
  await page.keyboard.press("Escape");
  await state(page, "paused");
  // the view in three dimensions turns
  await reach("The vehicle in three dimensions");
  const picture = () => page.locator("canvas").first().screenshot();
  await page.waitForFunction(() => window.pintleFrame_ms !== undefined);
  const before = await picture();
  for (let i = 0; i < 8; ++i) await page.keyboard.press("ArrowLeft");
  const turned = await picture();
  check(!turned.equals(before), "it does not turn");
  await reach("Tuning");
  await page.keyboard.press("Enter");
  await reach("Named");
  await page.keyboard.press("Control+A");
  await page.keyboard.type("control.scale");
  await page.getByText(/^1 of /).waitFor();
  await done(page, async () => {
    await reach("control.scale");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("0.9");
    await page.keyboard.press("Enter");
  }, page.getByText("was 1"));
  nothingWrong(page);
  await b.close();
  await f.end();
}

/** In the page: texts, and the edges of what is typed into, that stand out too little (WCAG 2.2 AA: 1.4.3, 1.4.11). */
function paleTexts() {
  const parse = (c) => { const m = c.match(/[\d.]+/g).map(Number); return c.startsWith("color(srgb") ? [m[0] * 255, m[1] * 255, m[2] * 255, m[3] ?? 1] : [m[0], m[1], m[2], m[3] ?? 1]; };
  const over = ([r, g, b, a], under) => [r, g, b].map((v, i) => v * a + under[i] * (1 - a));
  const behind = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
    return layers.reverse().reduce((under, layer) => over(layer, under), [255, 255, 255]);
  };
  const light = (c) => { const [r, g, b] = c.map((v) => (v / 255 <= 0.04045 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4)); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
  const pale = [];
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const e = node.parentElement;
    if (!node.textContent.trim() || !e.checkVisibility() || e.closest("script, style, option, :disabled")) continue;
    const style = getComputedStyle(e), size = parseFloat(style.fontSize), ground = behind(e);
    const needs = size >= 24 || (size >= 18.66 && style.fontWeight >= 700) ? 3 : 4.5;
    const has = ratio(over(parse(style.color), ground), ground);
    if (has < needs) pale.push(`${node.textContent.trim().slice(0, 30)}: ${has.toFixed(2)}`);
  }
  for (const e of document.querySelectorAll("input:not([type=range], [type=checkbox]), select, button")) {
    if (!e.checkVisibility() || e.disabled) continue;
    const ground = behind(e.parentElement), style = getComputedStyle(e);
    const has = Math.max(ratio(over(parse(style.borderTopColor), ground), ground), ratio(behind(e), ground));
    if (has < 3) pale.push(`the edge of ${e.innerText || e.id}: ${has.toFixed(2)}`);
  }
  for (const e of document.querySelectorAll(".bar i")) {
    const ground = behind(e.parentElement), has = ratio(parse(getComputedStyle(e).backgroundColor), ground);
    if (has < 3) pale.push(`a bar: ${has.toFixed(2)}`);
  }
  return pale;
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

/** Of a stack in real time whose vehicle file has failsafes: heartbeat. The page is closed afterwards. */
async function who_closes_the_page_is_gone(b, f, page) {
  const other = await open(b, f.port);
  await button(page, "Flight").click();
  await button(page, "Heartbeat").click();
  // it is said again and again: nothing comes of three times the three seconds that the vehicle file allows
  const time_s = await other.evaluate(() => parseFloat([...document.querySelectorAll("header .soft")].map((e) => e.textContent).find((t) => / s$/.test(t))));
  await other.waitForFunction((t) => [...document.querySelectorAll("header .soft")].some((e) => parseFloat(e.textContent) > t), time_s + 9);
  const events = other.locator("section[aria-labelledby=events]");
  check(!(await events.innerText()).includes("heartbeat"), "gone, and the page is open", await events.innerText());
  await page.close();
  await events.getByText("failsafe: heartbeat").waitFor();
  nothingWrong(other);
}

async function tuning_is_undone_and_saved_and_a_step_is_measured() {
  const { at } = bench();
  const f = await flight("run", join(at, "mission.yaml"), "--planner", "--no-log", "--live", "0");
  const b = await browser(), page = await open(b, f.port);
  await state(page, "armed");
  await button(page, "Tuning").click();
  const gain = page.locator('input[id="p-control.position.x.kp"]');
  await gain.waitFor();
  await done(page, async () => { await gain.fill("75"); await gain.press("Tab"); }, page.getByText("was 60"));
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
  await page.getByText("Both with the same parameters").waitFor();
  // a third one with another gain, beside the first
  await button(page, "Undo").click();
  await page.waitForFunction(() => document.getElementById("p-control.position.x.kp").value === "60");
  await button(page, "Step").click();
  await page.locator("table.figures th", { hasText: "run 3" }).waitFor();
  await page.getByLabel("Compare").selectOption({ index: 1 });
  await page.locator("table.figures th", { hasText: "run 1" }).waitFor();
  const differs = await page.locator("table.differences").innerText();
  check(/control\.position\.x\.kp\s+75\s+60\s*$/.test(differs), differs);
  // what was done is still there after a look at the flight
  await button(page, "Flight").click();
  await page.locator("canvas").first().waitFor();
  await button(page, "Tuning").click();
  check(await button(page, "Redo").isEnabled(), "what can be done again was forgotten");
  check((await page.locator("table.differences").count()) === 1, "the step tests were forgotten");
  await looked_at(page, "tuning");
  nothingWrong(page);
  await who_closes_the_page_is_gone(b, f, page);
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
  await button(page, "Flight").click();
  await button(page, "Directions").click();
  check((await seen("vertical_back_right").inputValue()) === "dead", "what was found was forgotten");
  await looked_at(page, "directions");
  nothingWrong(page);
  await b.close();
  await f.end();
}

/** Of a log nothing is commanded: the page says so, and offers nothing. */
async function a_log_is_looked_at() {
  const at = folder(), mission = join(source, "missions/pool.yaml");
  check(spawnSync(process.env.PINTLE_COMMAND, ["run", mission, "--quiet", "--out", join(at, "run")]).status === 0, "the run");
  const f = await flight("live", join(at, "run/log.mcap"), "--port", "0", "--loop");
  const b = await browser(), page = await open(b, f.port);
  await state(page, "running");
  await page.getByText("A log is played").waitFor();
  check((await page.locator("section[aria-labelledby=operator] button").count()) === 0, "buttons that cannot do anything");
  check((await button(page, "STOP").count()) === 0, "nothing can be stopped");
  // a look into the numbers and back
  await button(page, "Tuning").click();
  await page.getByText("control.position.x.kp").waitFor();
  await button(page, "Directions").click();
  await page.getByText("--planner --live").waitFor();
  await button(page, "Flight").click();
  nothingWrong(page);
  await b.close();
  await f.end();
}

/** Names that are HTML or script are shown as they stand, in the page and in the report; what a terminal would obey is refused by the reader. */
async function names_are_inert() {
  const { at } = bench();
  const nasty = '<img src=x onerror=pwned=1>', script = "</script><script>pwned=1</script>";
  writeFileSync(join(at, "nasty.yaml"), readFileSync(join(at, "rov.yaml"), "utf8").replace("name: front_right,", `name: "${nasty}",`).replace(/^name: .*/m, `name: "${script}"`));
  const mission = (name) => `format: pintle/mission/1
name: "${name}"
description: "${script}"
vehicle: nasty.yaml
control_rate_Hz: 50
world: {file: pool.yaml, start_position_m: [0, 0, -2]}
mission: {states: [{name: "${nasty}", note: "${nasty}", go: {z_m: -2}, success: {after_s: 2}, timeout_s: 9}]}
`;
  writeFileSync(join(at, "inert.yaml"), mission(script));
  const run = spawnSync(process.env.PINTLE_COMMAND, ["run", join(at, "inert.yaml"), "--out", join(at, "out")], { encoding: "utf8" });
  check(run.status === 0, run.stderr);
  const b = await browser(), report = await b.newPage();
  await report.goto(`file://${join(at, "out", "report.html")}`);
  await report.locator("#channels .u-title", { hasText: nasty }).waitFor();
  const f = await flight("run", join(at, "inert.yaml"), "--no-log", "--live", "0", "--wait");
  const page = await open(b, f.port);
  await page.getByRole("heading", { name: script, exact: true }).waitFor();
  await page.getByRole("rowheader", { name: nasty, exact: true }).waitFor();
  await button(page, "Fly the mission").click();
  await button(page, "Yes, free style").click();
  await page.locator(".log p", { hasText: `state entered: ${nasty}` }).waitFor();
  await button(page, "Directions").click();
  for (const p of [report, page]) {
    check(await p.evaluate(() => window.pwned === undefined && document.querySelectorAll("img").length === 0), "a name was obeyed");
    check((await p.title()).length > 0, "the title");
  }
  nothingWrong(page);
  await b.close();
  await f.end();
  for (const text of ["\\e[2J", "\\x9b2J", "\u001b[2J"]) {
    writeFileSync(join(at, "escape.yaml"), mission(text));
    const refused = spawnSync(process.env.PINTLE_COMMAND, ["run", join(at, "escape.yaml"), "--no-log"], { encoding: "utf8" });
    check(refused.status === 3 && !/[\u001b\u009b]/.test(refused.stdout + refused.stderr), refused.stderr);
  }
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
    const pale = await page.evaluate(paleTexts).catch(() => []);
    check(pale.length === 0, "too little contrast in the report:", pale);
    if (process.env.PINTLE_PICTURES) await page.screenshot({ path: join(process.env.PINTLE_PICTURES, `report-${scripts}.png`), fullPage: true });
  }
  // a landing that went well cries for nobody, says fins in degrees, folds what repeats, and fits a phone
  const landed = spawnSync(process.env.PINTLE_COMMAND, ["run", join(source, "missions/rocket_landing.yaml"), "--seed", "1", "-q", "--out", join(at, "rocket")]);
  check(landed.status === 0, String(landed.stderr));
  for (const colorScheme of ["light", "dark"]) {
    const page = await b.newPage({ viewport: { width: 390, height: 800 }, colorScheme });
    await page.goto(`file://${join(at, "rocket", "report.html")}`);
    check((await page.locator("#events tr.bad").count()) <= 5, "it cries wolf");
    check((await page.locator("th:not([scope])").count()) === 0, "headers of no column or row");
    await page.locator("#channels .u-title", { hasText: "fin_east, °" }).waitFor();
    await page.locator("#events td", { hasText: /; \d+ times, last at/ }).first().waitFor();
    await fits(page);
    const pale = await page.evaluate(paleTexts);
    check(pale.length === 0, "too little contrast in the report:", pale);
    if (process.env.PINTLE_PICTURES) await page.screenshot({ path: join(process.env.PINTLE_PICTURES, `rocket-${colorScheme}.png`) });
    await page.close();
  }
  const run = spawnSync(process.env.PINTLE_COMMAND, ["report", join(at, "a/log.mcap"), join(at, "b/log.mcap")]);
  check(run.status === 0, String(run.stderr));
  const page = await b.newPage({ viewport: { width: 390, height: 800 } });
  await page.goto(`file://${String(run.stdout).trim()}`);
  check((await page.getByRole("row").count()) > 15, "rows");
  await fits(page);
  await b.close();
}

await main({ names_are_inert, a_report_is_read_zoomed_and_compared, the_pool_is_flown_from_the_page, a_delivery_is_flown_from_the_page, the_page_is_operated_by_keys,
  tuning_is_undone_and_saved_and_a_step_is_measured, the_wizard_finds_three_faults_and_writes_the_mend, a_log_is_looked_at });
