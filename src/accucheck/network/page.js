"use strict";
// The tree is made as it is unfolded: what is folded costs nothing, however much it is.
const data = JSON.parse(document.getElementById("data").textContent);
const { cells, weights, words, marks } = data;
const BATCH = 300, FOUND = 20;
const by = id => document.getElementById(id);
const made = (tag, kind, text) => {
  const one = document.createElement(tag);
  if (kind) one.className = kind;
  if (text) one.textContent = text;
  return one;
};

for (const cell of cells) { cell.below = []; cell.own = []; }
cells.forEach((cell, number) => { // each comes after the one that holds it
  const above = number ? cells[cell.p] : null;
  cell.name = above === null ? "" : above.name ? `${above.name}.${cell.l}` : cell.l;
  if (above !== null) above.below.push(number);
});
weights.forEach((weight, number) => cells[weight.c].own.push(number));

// --- the tree ------------------------------------------------------------------------------------------------------
const tree = by("tree");
const rows = new Map(), groups = new Map();
let chosen = null;
const key = (isWeight, number) => (isWeight ? "w" : "c") + number;

function badge(mark, count) {
  const [id, word] = marks[mark];
  return made("span", `mark m-${id}${count ? " inner" : ""}`, count ? `${word} ×${count}` : word);
}

function rowOf(isWeight, number, depth) {
  const one = isWeight ? weights[number] : cells[number];
  const row = made("div", `row ${isWeight ? "weight" : "cell"}`);
  row.setAttribute("role", "treeitem");
  row.setAttribute("aria-level", depth + 1);
  row.tabIndex = -1;
  for (let step = 0; step < depth; step++) row.append(made("span", "fold"));
  const opens = !isWeight && (one.below.length || one.own.length);
  row.append(made("span", "fold", opens ? "▸" : ""));
  if (opens) row.setAttribute("aria-expanded", "false");
  row.append(made("span", "name", (isWeight ? one.n.slice(one.n.lastIndexOf(".") + 1) : one.l) || "/"));
  for (const [kind, text] of [["kind", one.k], ["flow", one.f], ["held", one.h], ["there", one.t && `⇔ ${one.t}`]])
    if (text) row.append(made("span", kind, text));
  for (const mark of one.m || []) row.append(badge(mark));
  if (!isWeight) for (const [mark, count] of one.w || []) row.append(badge(mark, count));
  row.dataset.key = key(isWeight, number);
  rows.set(row.dataset.key, row);
  return row;
}

function fill(group, number, depth, from) {
  const cell = cells[number];
  const all = [...cell.own.map(each => [true, each]), ...cell.below.map(each => [false, each])];
  for (const [isWeight, each] of all.slice(from, from + BATCH)) group.append(rowOf(isWeight, each, depth));
  const left = all.length - from - BATCH;
  if (left > 0) {
    const more = made("button", "more", words.more.replace("{count}", left));
    more.addEventListener("click", () => { more.remove(); fill(group, number, depth, from + BATCH); });
    group.append(more);
  }
}

function unfold(number, on) {
  const row = rows.get(key(false, number));
  if (!row || !row.hasAttribute("aria-expanded")) return;
  const open = row.getAttribute("aria-expanded") === "true";
  if (open === on) return;
  row.setAttribute("aria-expanded", String(on));
  const signs = row.querySelectorAll(".fold");
  signs[signs.length - 1].textContent = on ? "▾" : "▸";
  if (!groups.has(number)) {
    const group = made("div", "group");
    group.setAttribute("role", "group");
    groups.set(number, group);
    row.after(group);
    fill(group, number, Number(row.getAttribute("aria-level")), 0);
  }
  groups.get(number).hidden = !on;
}

function show(isWeight, number, quiet) {
  const way = [];
  for (let at = isWeight ? weights[number].c : cells[number].p; at >= 0; at = cells[at].p) way.unshift(at);
  for (const each of way) {
    unfold(each, true);
    const wanted = each === way[way.length - 1] ? key(isWeight, number) : key(false, way[way.indexOf(each) + 1]);
    while (!rows.has(wanted)) {
      const more = groups.get(each)?.querySelector(":scope > button.more");
      if (!more) break;
      more.click();
    }
  }
  choose(rows.get(key(isWeight, number)), quiet);
}

function choose(row, quiet) {
  if (!row) return;
  if (chosen) { chosen.removeAttribute("aria-selected"); chosen.tabIndex = -1; }
  chosen = row;
  row.setAttribute("aria-selected", "true");
  row.tabIndex = 0;
  row.scrollIntoView({ block: "nearest" });
  if (!quiet) row.focus({ preventScroll: true });
  const isWeight = row.dataset.key[0] === "w", number = Number(row.dataset.key.slice(1));
  details(isWeight ? weights[number] : cells[number]);
  history.replaceState(null, "", `#${encodeURIComponent(isWeight ? weights[number].n : cells[number].name)}`);
}

function details(one) {
  const list = by("details");
  list.replaceChildren();
  for (const [word, value] of one.d) {
    list.append(made("dt", "", data.labels[word]));
    const told = made("dd", "name");
    const parts = data.linked.includes(word) ? value.split(", ") : null;
    if (!parts) told.textContent = value;
    for (const [at, part] of (parts || []).entries()) {
      const hit = named.get(part);
      const link = hit ? made("a", "", part) : document.createTextNode(part);
      if (hit) link.addEventListener("click", () => show(...hit));
      told.append(at ? ", " : "", link);
    }
    list.append(told);
  }
}

const named = new Map();
cells.forEach((cell, number) => named.has(cell.name) || named.set(cell.name, [false, number]));
weights.forEach((weight, number) => named.has(weight.n) || named.set(weight.n, [true, number]));

tree.addEventListener("click", event => {
  const row = event.target.closest(".row");
  if (!row) return;
  choose(row);
  if (row.hasAttribute("aria-expanded")) unfold(Number(row.dataset.key.slice(1)), row.getAttribute("aria-expanded") !== "true");
});
tree.addEventListener("keydown", event => {
  if (!chosen) return;
  const inSight = [...tree.querySelectorAll(".row")].filter(row => row.offsetParent !== null);
  const at = inSight.indexOf(chosen), number = Number(chosen.dataset.key.slice(1));
  const open = chosen.getAttribute("aria-expanded");
  const level = Number(chosen.getAttribute("aria-level"));
  if (event.key === "ArrowDown") choose(inSight[at + 1]);
  else if (event.key === "ArrowUp") choose(inSight[at - 1]);
  else if (event.key === "Home") choose(inSight[0]);
  else if (event.key === "End") choose(inSight[inSight.length - 1]);
  else if (event.key === "ArrowRight" && open === "false") unfold(number, true);
  else if (event.key === "ArrowRight" && open === "true") choose(inSight[at + 1]);
  else if (event.key === "ArrowLeft" && open === "true") unfold(number, false);
  else if (event.key === "ArrowLeft") choose(inSight.slice(0, at).reverse().find(row => Number(row.getAttribute("aria-level")) < level));
  else if ((event.key === "Enter" || event.key === " ") && open) unfold(number, open !== "true");
  else return;
  event.preventDefault();
});

// --- search: as tree.py has it -------------------------------------------------------------------------------------
const sought = [];
cells.forEach((cell, number) => {
  sought.push([false, number, cell.name, (cell.k || "").toLowerCase()]);
  for (const each of cell.own) sought.push([true, each, weights[each].n, ""]);
});
for (const one of sought) one.push(one[2].toLowerCase());

function abbreviates(word, name) {
  const starts = new Set();
  for (const found of name.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g)) starts.add(found.index);
  const low = name.toLowerCase();
  let reached = null;
  for (const letter of word) {
    const next = new Set();
    const lowest = reached === null ? -1 : Math.min(...reached);
    for (let at = low.indexOf(letter); at >= 0; at = low.indexOf(letter, at + 1))
      if ((starts.has(at) && at > lowest) || (reached !== null && reached.has(at - 1))) next.add(at);
    if (!next.size) return false;
    reached = next;
  }
  return true;
}
function rank(word, name, kind, low) {
  if (word === kind || low.split(".").includes(word)) return 0;
  if (low.includes(word) || kind.includes(word)) return 1;
  return abbreviates(word, name.slice(0, 256)) ? 2 : null;
}
function find(query) {
  const asked = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  if (asked.length) sought.forEach(([isWeight, number, name, kind, low], order) => {
    const ranks = asked.map(word => rank(word, name, kind, low));
    if (!ranks.includes(null)) found.push([Math.max(...ranks), name.length, order, isWeight, number, name]);
  });
  return found.sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
}
window.accucheckFind = query => find(query).map(each => each[5]);

const search = by("search"), list = by("found");
let hits = [], picked = 0;
function pick(at) {
  picked = Math.max(0, Math.min(at, list.children.length - 1));
  [...list.children].forEach((each, place) => each.setAttribute("aria-selected", String(place === picked)));
  list.children[picked]?.scrollIntoView({ block: "nearest" });
  if (hits[picked]) show(hits[picked][3], hits[picked][4], true);
}
search.addEventListener("input", () => {
  const all = find(search.value);
  hits = all.slice(0, FOUND);
  list.replaceChildren(...hits.map(([, , , isWeight, number, name], place) => {
    const item = made("li");
    item.setAttribute("role", "option");
    item.append(made("span", "name", name || "/"), made("span", "kind", isWeight ? weights[number].f : cells[number].k));
    item.addEventListener("click", () => { pick(place); chosen.focus(); });
    return item;
  }));
  list.hidden = !search.value.trim();
  by("count").textContent = search.value.trim() ? words.hits.replace("{count}", all.length) : "";
  if (hits.length) pick(0);
});
search.addEventListener("keydown", event => {
  if (event.key === "ArrowDown") pick(picked + 1);
  else if (event.key === "ArrowUp") pick(picked - 1);
  else if (event.key === "Enter") { list.hidden = true; chosen?.focus(); }
  else if (event.key === "Escape") { search.value = ""; list.hidden = true; by("count").textContent = ""; chosen?.focus(); }
  else return;
  event.preventDefault();
});
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== search) { search.focus(); search.select(); event.preventDefault(); }
});

for (const { id, count, first } of data.marked) {
  const button = made("button", "", "");
  button.append(badge(id, count));
  let at = 0;
  button.addEventListener("click", () => { show(...first[at % first.length]); at++; });
  by("marks").append(button);
}
if (cells.length) {
  tree.append(rowOf(false, 0, 0));
  unfold(0, true);
  const wanted = (location.hash.length > 1 && named.get(decodeURIComponent(location.hash.slice(1)))) || data.open;
  show(...(wanted || [false, 0]), true);
}
document.body.dataset.ready = "yes";
