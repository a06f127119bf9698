"use strict";

/* The timeline of an SM: data as report/html/timeline.c writes it, drawn on a canvas. */
function timeline(box) {
  const data = JSON.parse(document.getElementById(box.dataset.of).textContent);
  const issues = readIssues(data.issues);
  const waits = readWaits(data.waits);
  const rowHeight = data.rows.length > 48 ? 12 : 18, unitHeight = 15, axisHeight = 24, gap = 10;
  const unitsTop = axisHeight + data.rows.length * rowHeight + gap;
  const height = unitsTop + data.units.length * unitHeight + 6;
  const view = { from: 0, to: data.end };
  const canvas = element("canvas", { tabIndex: 0 });
  const tip = element("div", { className: "tip", hidden: true });
  const context = canvas.getContext("2d");
  let marked = null, width = 0, left = 0;

  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "Timeline of " + data.rows.length + " warps and " + data.units.length +
    " units; the sums below say the same in words. Arrow keys move, plus and minus zoom.");
  const scroller = element("div", { className: "view" });
  scroller.append(canvas);
  const hint = element("span", { textContent: "drag to move, Ctrl and wheel or pinch to zoom, point at something to read it" });
  const controls = element("div", { className: "controls" });
  controls.append(button("−", "zoom out", () => zoom(2)), button("+", "zoom in", () => zoom(0.5)),
    button("All", "show all", () => show(0, data.end)), hint);
  box.replaceChildren(controls, scroller, tip);

  function colour(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }
  function x(cycle) { return left + (cycle - view.from) / (view.to - view.from) * (width - left); }
  function cycleAt(px) { return view.from + (px - left) / (width - left) * (view.to - view.from); }

  function show(from, to) {
    const span = Math.min(Math.max(to - from, 8), data.end);
    view.from = Math.min(Math.max(from, 0), data.end - span);
    view.to = view.from + span;
    draw();
  }
  function zoom(factor, at) {
    const middle = at === undefined ? (view.from + view.to) / 2 : at;
    show(middle - (middle - view.from) * factor, middle + (view.to - middle) * factor);
  }

  function label(text, px, room, y, ink) {
    if (room < 34) return;
    context.save();
    context.beginPath();
    context.rect(px, y - 10, room, 20);
    context.clip();
    context.fillStyle = ink;
    context.fillText(text, px + 3, y);
    context.restore();
  }
  function drawAxis() {
    let step = 1;
    while ((view.to - view.from) / step > (width - left) / 90) step *= [2, 2.5, 2][Math.round(Math.log10(step) * 3) % 3];
    context.fillStyle = colour("--dim");
    context.strokeStyle = colour("--line");
    for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
      context.fillText(String(at), x(at) + 3, 12);
      context.beginPath();
      context.moveTo(x(at) + 0.5, 4);
      context.lineTo(x(at) + 0.5, height);
      context.stroke();
    }
  }
  function drawRows() {
    const reasons = data.reasons.map(name => colour("--w-" + name));
    const ink = colour("--ink"), paper = colour("--paper"), busy = colour("--p0");
    for (const wait of waits) {
      if (wait.to < view.from || wait.from > view.to) continue;
      const px = Math.max(x(wait.from), left), room = Math.min(x(wait.to), width) - px, y = axisHeight + wait.row * rowHeight;
      context.fillStyle = reasons[wait.reason];
      context.fillRect(px, y + 3, Math.max(room, 0.3), rowHeight - 6);
      if (rowHeight > 14) label(data.reasons[wait.reason], px, room, y + 12.5, wait.reason === data.reasons.indexOf("end") ? colour("--dim") : "#14171b");
    }
    const cycle = (width - left) / (view.to - view.from);
    for (const issue of issues) {
      if (issue.issue + 1 >= view.from && issue.issue <= view.to) {
        const y = axisHeight + issue.row * rowHeight;
        context.fillStyle = colours.issue;
        context.fillRect(Math.max(x(issue.issue), left), y + 1, Math.max(cycle * 0.9, 0.5), rowHeight - 2);
        if (rowHeight > 14) label(opcode(issue.inst), x(issue.issue), cycle, y + 12.5, paper);
      }
      if (issue.free >= view.from && issue.start <= view.to && issue.free > issue.start) {
        const px = Math.max(x(issue.start), left), room = Math.min(x(issue.free), width) - px, y = unitsTop + issue.unit * unitHeight;
        context.fillStyle = busy;
        context.fillRect(px, y + 2, Math.max(room - (cycle > 3 ? 0.6 : 0), 0.5), unitHeight - 4);
        label(opcode(issue.inst), px, room, y + 11.5, paper);
      }
    }
    context.fillStyle = paper;
    context.fillRect(0, 0, left, height);
    context.fillStyle = ink;
    data.rows.forEach((name, row) => {
      if (rowHeight > 14 || row % 2 === 0) context.fillText(name, 4, axisHeight + row * rowHeight + rowHeight / 2 + 4);
    });
    data.units.forEach((name, unit) => context.fillText(name, 4, unitsTop + unit * unitHeight + 11.5));
  }
  function drawMark() {
    if (marked === null || marked.by === undefined || marked.by < 0) return;
    const issue = issues[marked.by], from = axisHeight + issue.row * rowHeight + rowHeight / 2;
    const to = axisHeight + marked.row * rowHeight + rowHeight / 2;
    context.strokeStyle = colour("--deadline");
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(Math.max(x(issue.issue + 0.5), left), from);
    context.lineTo(x(issue.ready), from === to ? from : to);
    context.lineTo(x(marked.to), to);
    context.stroke();
    context.lineWidth = 1;
  }
  let colours = {};
  function draw() {
    const scale = window.devicePixelRatio || 1;
    width = scroller.clientWidth;
    if (width === 0) return;
    canvas.style.height = height + "px";
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = "11px system-ui, sans-serif";
    left = 8 + Math.max(...data.rows.concat(data.units).map(name => context.measureText(name).width));
    colours = { issue: colour("--w-issue") };
    context.clearRect(0, 0, width, height);
    drawAxis();
    drawRows();
    drawMark();
  }

  function opcode(inst) {
    const words = data.instructions[inst][0].replace(/^@\S+ /, "");
    return words.split(" ", 1)[0];
  }
  /* What is at a place: of what is too narrow to be hit the nearest. */
  function find(px, py) {
    const at = cycleAt(px), near = 3 * (view.to - view.from) / width;
    const row = Math.floor((py - axisHeight) / rowHeight), unit = Math.floor((py - unitsTop) / unitHeight);
    const distance = (from, to) => at < from ? from - at : at >= to ? at - to : 0;
    let best = null, least = near;
    const consider = (item, from, to) => {
      const d = distance(from, to) + (to - from) * 1e-9;
      if (d < least) { least = d; best = item; }
    };
    if (px < left) return null;
    if (unit >= 0 && unit < data.units.length) {
      for (const issue of issues) if (issue.unit === unit) consider(issue, issue.start, issue.free);
    } else if (row >= 0 && row < data.rows.length) {
      for (const issue of issues) if (issue.row === row) consider(issue, issue.issue, issue.issue + 1);
      for (const wait of waits) if (wait.row === row) consider(wait, wait.from, wait.to);
    }
    return best;
  }
  function describe(inst, words) {
    const part = document.createDocumentFragment();
    if (inst >= 0) {
      part.append(element("code", { textContent: data.instructions[inst][0] }));
      if (data.instructions[inst][1]) part.append(element("div", { textContent: data.instructions[inst][1] }));
    }
    part.append(element("div", { textContent: words }));
    return part;
  }
  function text(item) {
    const who = data.rows.length > 0 && !data.rows[item.row].startsWith("warp") ? "slot:warp " + data.rows[item.row] : data.rows[item.row];
    if (item.reason === undefined)
      return describe(item.inst, who + " issues it in cycle " + item.issue + "; " + data.units[item.unit] + " takes it from " +
        item.start + " to " + item.free + "; its result can be read from " + item.ready + " on");
    const length = (item.to - item.from) + " cycle" + (item.to - item.from === 1 ? "" : "s");
    const words = { barrier: "waits at the barrier", result: "waits for a result", fetch: "waits for its next instruction",
      channel: "waits for its memory channel", unit: "waits for room at its unit", turn: "waits for its turn, others issue",
      end: "has ended, its block has not" };
    const part = describe(item.inst, who + " " + words[data.reasons[item.reason]] + ": " + length + " from " + item.from);
    if (item.by >= 0) part.append(element("div", { textContent: "the result is that of" }), describe(issues[item.by].inst, "issued in cycle " + issues[item.by].issue));
    return part;
  }
  function point(event) {
    const bounds = canvas.getBoundingClientRect(), outer = box.getBoundingClientRect();
    const item = find(event.clientX - bounds.left, event.clientY - bounds.top);
    if (item !== marked) { marked = item; draw(); }
    tip.hidden = item === null;
    if (item === null) return;
    tip.replaceChildren(text(item));
    const px = event.clientX - outer.left;
    tip.style.left = Math.max(0, Math.min(px + 14, outer.width - tip.offsetWidth)) + "px";
    tip.style.top = (event.clientY - outer.top + 18) + "px";
  }

  const pointers = new Map();
  canvas.addEventListener("pointerdown", event => {
    pointers.set(event.pointerId, event.clientX);
    canvas.setPointerCapture(event.pointerId);
    point(event);
  });
  canvas.addEventListener("pointermove", event => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) { point(event); return; }
    const bounds = canvas.getBoundingClientRect();
    if (pointers.size === 2) {
      const [a, b] = [...pointers.entries()].map(([id, px]) => [px, id === event.pointerId ? event.clientX : px]);
      const was = Math.abs(a[0] - b[0]), is = Math.abs(a[1] - b[1]);
      if (is > 5) zoom(was / is, cycleAt((a[1] + b[1]) / 2 - bounds.left));
    } else {
      const moved = (before - event.clientX) / (width - left) * (view.to - view.from);
      show(view.from + moved, view.to + moved);
    }
    pointers.set(event.pointerId, event.clientX);
  });
  const lift = event => pointers.delete(event.pointerId);
  canvas.addEventListener("pointerup", lift);
  canvas.addEventListener("pointercancel", lift);
  canvas.addEventListener("pointerleave", () => { marked = null; tip.hidden = true; draw(); });
  canvas.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) return;
    event.preventDefault();
    const bounds = canvas.getBoundingClientRect();
    zoom(event.deltaY + event.deltaX > 0 ? 1.25 : 0.8, cycleAt(event.clientX - bounds.left));
  }, { passive: false });
  canvas.addEventListener("keydown", event => {
    const span = (view.to - view.from) / 5;
    const keys = { ArrowLeft: () => show(view.from - span, view.to - span), ArrowRight: () => show(view.from + span, view.to + span),
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), Home: () => show(0, data.end) };
    if (keys[event.key] === undefined) return;
    event.preventDefault();
    keys[event.key]();
  });
  new ResizeObserver(draw).observe(scroller);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
}

function readIssues(numbers) {
  const issues = [];
  let at = 0;
  for (let i = 0; i < numbers.length; i += 7) {
    at += numbers[i + 3];
    issues.push({ row: numbers[i], inst: numbers[i + 1], unit: numbers[i + 2], issue: at, start: at + numbers[i + 4],
      free: at + numbers[i + 5], ready: at + numbers[i + 6] });
  }
  return issues;
}
function readWaits(numbers) {
  const waits = [];
  for (let i = 0; i < numbers.length; i += 6)
    waits.push({ row: numbers[i], reason: numbers[i + 1], inst: numbers[i + 2], from: numbers[i + 3],
      to: numbers[i + 3] + numbers[i + 4], by: numbers[i + 5] });
  return waits;
}
function element(name, properties) { return Object.assign(document.createElement(name), properties); }
function button(text, title, act) {
  const made = element("button", { type: "button", textContent: text, title: title, onclick: act });
  made.setAttribute("aria-label", title);
  return made;
}

/* Buttons that enlarge a picture, which its box then scrolls. */
function enlarge(box) {
  const picture = box.querySelector("svg"), width = picture.width.baseVal.value;
  let scale = 1;
  const set = to => {
    scale = Math.min(Math.max(to, 0.25), 4);
    picture.style.width = width * scale + "px";
    picture.style.height = "auto";
  };
  const controls = element("div", { className: "controls" });
  controls.append(button("−", "smaller", () => set(scale / 1.4)), button("+", "larger", () => set(scale * 1.4)),
    button("Fit", "as wide as the page", () => set((box.clientWidth - 12) / width)));
  box.before(controls);
}

/* What is folded is printed unfolded, but for the instructions under each line and the rows of many warps. */
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("details:not(.line, .warps, [open])")];
  unfolded.forEach(part => { part.open = true; });
});
addEventListener("afterprint", () => unfolded.forEach(part => { part.open = false; }));

document.querySelectorAll(".timeline").forEach(timeline);
document.querySelectorAll(".graph").forEach(enlarge);
