"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const { runs, words } = data;
// Told apart by people with any colour vision: Okabe and Ito; and by their dashes.
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#808080"];
const DASHES = ["", "7 3", "2 2", "8 3 2 3"];
const SVG = "http://www.w3.org/2000/svg";
const W = 420, H = 210, LEFT = 58, RIGHT = 10, TOP = 8, LOW = 28;
const off = new Set();
const made = (tag, kind, text) => {
  const one = document.createElement(tag);
  if (kind) one.className = kind;
  if (text) one.textContent = text;
  return one;
};
const drawn = (tag, attributes, text) => {
  const one = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) one.setAttribute(key, value);
  if (text !== undefined) one.textContent = text;
  return one;
};
const short = value => (value === 0 ? "0" : Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3 ? value.toExponential(1) : String(+value.toPrecision(4)));
const style = number => ({ stroke: COLOURS[number % COLOURS.length], "stroke-dasharray": DASHES[Math.floor(number / COLOURS.length) % DASHES.length] });

function draw(chart, svg, log) {
  svg.replaceChildren();
  const shown = chart.series.filter(([number]) => !off.has(number));
  const fits = value => typeof value === "number" && (!log || value > 0);
  const xs = shown.flatMap(([, , places, values]) => places.filter((_, at) => fits(values[at])));
  const ys = shown.flatMap(([, , , values]) => values.filter(fits)).map(value => (log ? Math.log10(value) : value));
  if (!ys.length) return;
  const least = list => list.reduce((a, b) => Math.min(a, b)), most = list => list.reduce((a, b) => Math.max(a, b));
  const x0 = least(xs), x1 = most(xs), y0 = least(ys), y1 = most(ys);
  const x = value => LEFT + (W - LEFT - RIGHT) * (x1 > x0 ? (value - x0) / (x1 - x0) : 0.5);
  const y = value => TOP + (H - TOP - LOW) * (1 - (y1 > y0 ? (value - y0) / (y1 - y0) : 0.5));
  for (const share of y1 > y0 ? [0, 0.5, 1] : [0.5]) {
    const level = y0 + share * (y1 - y0), value = log ? 10 ** level : level;
    svg.append(drawn("line", { class: "axis", x1: LEFT, x2: W - RIGHT, y1: y(level), y2: y(level) }));
    svg.append(drawn("text", { x: LEFT - 4, y: y(level) + 4, "text-anchor": "end" }, short(value)));
  }
  for (const [share, anchor] of [[0, "start"], [1, "end"]])
    svg.append(drawn("text", { x: share ? W - RIGHT : LEFT, y: H - 10, "text-anchor": anchor }, short(x0 + share * (x1 - x0))));
  svg.append(drawn("text", { x: (W + LEFT) / 2, y: H - 10, "text-anchor": "middle" }, words[shown[0][1]]));
  for (const [number, , places, values] of shown) {
    let path = "", pen = false;
    values.forEach((value, at) => {
      if (fits(value)) path += `${pen ? "L" : "M"}${x(places[at]).toFixed(1)} ${y(log ? Math.log10(value) : value).toFixed(1)}`;
      else if (typeof value !== "number" && x(places[at]) >= LEFT && x(places[at]) <= W)
        svg.append(drawn("text", { class: "bad", x: x(places[at]), y: TOP + 8, "text-anchor": "middle" }, "×"));
      pen = fits(value);
    });
    const line = drawn("path", { d: path, fill: "none", "stroke-width": 1.6, ...style(number) });
    line.append(drawn("title", {}, runs[number]));
    svg.append(line);
    const only = values.length === 1 && fits(values[0]);
    if (only) svg.append(drawn("circle", { cx: x(places[0]), cy: y(log ? Math.log10(values[0]) : values[0]), r: 3, fill: style(number).stroke }));
  }
}

const redraw = [];
for (const chart of data.charts) {
  const figure = made("figure"), caption = made("figcaption", "", ""), svg = drawn("svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": chart.name });
  const label = made("label"), box = made("input");
  box.type = "checkbox";
  label.append(box, ` ${words.logarithmic}`);
  caption.append(made("span", "", chart.name), label);
  figure.append(caption, svg);
  figure.dataset.name = chart.name.toLowerCase();
  document.getElementById("charts").append(figure);
  const again = () => draw(chart, svg, box.checked);
  box.addEventListener("change", again);
  redraw.push(again);
  again();
}
for (const heat of data.heats) {
  const figure = made("figure", "wide"), known = heat.values.flat().filter(value => typeof value === "number" && value > 0).map(Math.log10);
  const low = known.reduce((a, b) => Math.min(a, b), 0), high = known.reduce((a, b) => Math.max(a, b), low);
  const side = Math.max(8, Math.min(24, 700 / heat.columns.length)), tall = 15, names = 260;
  const across = names + side * heat.columns.length + 10;
  const svg = drawn("svg", { viewBox: `0 0 ${across} ${tall * heat.rows.length + 22}`, role: "img", "aria-label": heat.title });
  svg.style.maxWidth = `${across}px`; // few steps are not drawn as large as many
  const wrong = new Set(heat.marked.map(([row, column]) => `${row} ${column}`));
  heat.rows.forEach((name, row) => {
    svg.append(drawn("text", { x: names - 6, y: tall * row + 11, "text-anchor": "end" }, name.length > 40 ? `…${name.slice(-39)}` : name));
    heat.values[row].forEach((value, column) => {
      const at = { x: names + side * column, y: tall * row, width: side, height: tall };
      if (wrong.has(`${row} ${column}`)) {
        svg.append(drawn("text", { class: "bad", x: at.x + side / 2, y: at.y + 11, "text-anchor": "middle" }, "×"));
      } else if (typeof value === "number") {
        const share = value > 0 ? (high > low ? (Math.log10(value) - low) / (high - low) : 1) : 0;
        const square = drawn("rect", { ...at, fill: `hsl(${220 - 170 * share} ${45 + 40 * share}% ${25 + 40 * share}%)` });
        square.append(drawn("title", {}, `${name}, ${words.step} ${heat.columns[column]}: ${short(value)}`));
        svg.append(square);
      }
    });
  });
  const last = heat.columns.length - 1, foot = tall * heat.rows.length + 15;
  svg.append(drawn("text", { x: names, y: foot }, `${words.step} ${heat.columns[0]}`), drawn("text", { x: names + side * (last + 1), y: foot, "text-anchor": "end" }, heat.columns[last]));
  const caption = made("figcaption", "", "");
  caption.append(made("span", "", heat.title), made("span", "", known.length ? `${short(10 ** low)} … ${short(10 ** high)}` : ""));
  figure.append(caption, svg);
  document.getElementById("charts").append(figure);
}
runs.forEach((name, number) => {
  const label = made("label"), box = made("input"), key = drawn("svg", { viewBox: "0 0 40 10" });
  key.append(drawn("line", { x1: 0, x2: 40, y1: 5, y2: 5, "stroke-width": 3, ...style(number) }));
  box.type = "checkbox";
  box.checked = true;
  box.addEventListener("change", () => { if (box.checked) off.delete(number); else off.add(number); redraw.forEach(again => again()); });
  label.append(box, key, name);
  document.getElementById("runs").append(label);
});
document.getElementById("filter").addEventListener("input", event => {
  const asked = event.target.value.toLowerCase();
  for (const figure of document.querySelectorAll("figure[data-name]")) figure.hidden = !figure.dataset.name.includes(asked);
});
document.body.dataset.ready = "yes";
