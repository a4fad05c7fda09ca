// The report's plots over time, made to be looked into: values under the pointer in all of them at
// once, drag to zoom, reset. Without this script the page has them as pictures.
import uPlot from "uplot";

const text = document.getElementById("plots");
const { t, groups } = JSON.parse(text.textContent);
const css = getComputedStyle(document.documentElement);
const colour = (name) => css.getPropertyValue(name).trim();
const all = [];
let moving = false;

/** All of them show the same stretch of time. */
function together(from, min, max) {
  if (moving) return;
  moving = true;
  for (const p of all) if (p !== from) p.setScale("x", { min, max });
  moving = false;
}
function whole() {
  for (const p of all) { p.setScale("x", { min: t[0], max: t[t.length - 1] }); break; }
}

const shown = (digits) => (u, v) => (v === null || v === undefined ? "–" : v.toFixed(digits));
const sync = uPlot.sync("time");
for (const { section, plots } of groups) {
  const at = document.getElementById(section);
  if (!at) continue;
  const pictures = at.querySelector(".grid.two, .strip");
  const box = document.createElement("div");
  box.className = section === "channels" ? "looked one" : "looked";
  pictures.before(box);
  pictures.classList.add("picture");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "reset";
  button.textContent = "Whole flight";
  button.addEventListener("click", whole);
  box.before(button);
  for (const { title, series } of plots) {
    const cell = document.createElement("div");
    cell.setAttribute("role", "img");
    cell.setAttribute("aria-label", `${title} over time`);
    box.append(cell);
    const ink = colour("--dim"), grid = { stroke: colour("--line"), width: 1 };
    const values = series.flatMap((s) => s.values).filter((v) => v !== null);
    const span = Math.max(...values.map(Math.abs), 1e-9), digits = Math.max(0, Math.min(4, 2 - Math.floor(Math.log10(span))));
    const plot = new uPlot({
      title, width: cell.clientWidth, height: section === "channels" ? 130 : 210,
      scales: { x: { time: false } },
      cursor: { sync: { key: sync.key }, drag: { x: true, y: false } },
      axes: [{ stroke: ink, grid, ticks: grid }, { stroke: ink, grid, ticks: grid, size: 56 }],
      series: [{ label: "t, s", value: shown(2) }, ...series.map((s) => ({
        label: s.name, stroke: colour(s.name === "wanted" ? "--orange" : "--blue"), width: s.name === "wanted" ? 3 : 1.5, value: shown(digits), spanGaps: false }))],
      hooks: { setScale: [(u, key) => { if (key === "x") together(u, u.scales.x.min, u.scales.x.max); }] },
    }, [t, ...series.map((s) => s.values)], cell);
    for (const th of cell.querySelectorAll("th")) th.scope = "row";
    all.push(plot);
    new ResizeObserver(() => { if (cell.clientWidth > 0 && cell.clientWidth !== plot.width) plot.setSize({ width: cell.clientWidth, height: plot.height }); }).observe(cell);
  }
}
