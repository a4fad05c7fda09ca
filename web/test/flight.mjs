// A flight beside a test, a browser before it, and conditions that are waited for.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export const source = process.env.PINTLE_SOURCE_DIR;
export const patience_ms = 50_000;

export function check(condition, ...words) {
  if (!condition) throw new Error(words.map((w) => (typeof w === "string" ? w : JSON.stringify(w))).join(" "));
}

/** Runs the command; {port, said(), ended, end()} once it says where it is to be seen. */
export async function flight(...args) {
  const child = spawn(process.env.PINTLE_COMMAND, args, { stdio: ["ignore", "pipe", "pipe"] });
  let out = "", said = "";
  child.stdout.on("data", (d) => { out += d; });
  const ended = new Promise((done) => child.on("close", (code) => done({ code, out, said })));
  process.on("exit", () => child.kill("SIGKILL"));
  const port = await new Promise((done, fail) => {
    createInterface({ input: child.stderr }).on("line", (line) => {
      said += line + "\n";
      const at = line.match(/^live {2}http:\/\/[^:]+:(\d+)/);
      if (at) done(Number(at[1]));
    });
    child.on("close", () => fail(new Error(`it ended without a port: ${said}`)));
  });
  return { port, ended, said: () => said, end: () => { child.kill("SIGINT"); return ended; } };
}

export function folder() {
  const path = mkdtempSync(join(tmpdir(), "pintle-page-"));
  process.on("exit", () => rmSync(path, { recursive: true, force: true }));
  return path;
}

export async function browser() {
  return chromium.launch({ executablePath: process.env.PINTLE_CHROMIUM, args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
}

/** A page of that flight, with what went wrong in it. */
export async function open(b, port, size = { width: 1024, height: 800 }) {
  const page = await b.newPage({ viewport: size });
  page.setDefaultTimeout(patience_ms);
  page.wrong = [];
  page.on("pageerror", (e) => page.wrong.push(String(e)));
  page.on("request", (r) => { if (!r.url().startsWith(`http://127.0.0.1:${port}`) && !r.url().startsWith("data:")) page.wrong.push(`asked for ${r.url()}`); });
  // how often the server has stood still, and takes nothing of that time
  page.late = 0;
  page.on("websocket", (ws) => ws.on("framereceived", ({ payload }) => { page.late += typeof payload === "string" && payload.includes("the server stood still") ? 1 : 0; }));
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.getByText("live", { exact: true }).waitFor();
  return page;
}

/** Runs the tests that are named, or all. */
export async function main(tests) {
  const wanted = process.argv.slice(2);
  for (const [name, test] of Object.entries(tests)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.log("==", name);
    await test();
  }
  process.exit(0);
}
