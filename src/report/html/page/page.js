"use strict";

/* Draws the report from its JSON document. What the document says becomes text, never HTML. */

function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}
function shape(name, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const key of Object.keys(attributes)) made.setAttribute(key, attributes[key]);
  made.append(...children);
  return made;
}
const span = (name, ...children) => element("span", { className: name }, ...children);
const code = text => element("code", { textContent: text });
const note = text => element("p", { className: "note", textContent: text });
function hidden(made) {
  made.setAttribute("aria-hidden", "true");
  return made;
}
/* A coloured box, with places in per cent of a whole. */
function box(name, styles, whole) {
  const made = element("i", { className: name });
  for (const key of Object.keys(styles)) made.style[key] = percent(styles[key], whole, 2) + "%";
  return made;
}
const plural = number => number === 1 ? "" : "s";
/* As printf rounds, which takes the even digit where two are as near. */
function fixed(number, digits) {
  const up = number.toFixed(digits), isTie = number * 2 ** (digits + 1) % 2 === 1;
  return isTie && /[13579]$/.test(up) ? (Number(up) - 10 ** -digits).toFixed(digits) : up;
}
const percent = (part, whole, digits) => fixed(whole > 0 ? 100 * part / whole : 0, digits);

/* A number with its digits in groups that copying and searching do not see. */
function count(number) {
  const digits = String(number), first = digits.length <= 4 ? digits.length : (digits.length - 1) % 3 + 1;
  const made = span("n", digits.slice(0, first));
  for (let at = first; at < digits.length; at += 3) made.append(element("i", { textContent: digits.slice(at, at + 3) }));
  return made;
}
function time(cycles, clock) {
  const units = ["ns", "us", "ms", "s"];
  let value = 1000 * cycles / clock, unit = 0;
  for (; value >= 1000 && unit < 3; unit++) value /= 1000;
  return fixed(value, 2) + " " + units[unit];
}
const dataOf = zeros => zeros ? "zeros in the buffers whose contents are not given" : "the data that the launch gives";
const cycles = (number, clock) => [count(number), " cycle" + plural(number) + " (" + time(number, clock) + ")"];

/* A table whose headings sort it. A cell is a number, a text, elements, or { key, show } of these. */
function table(headings, rows) {
  const shown = value => value.show !== undefined ? value.show : value;
  const cell = value => element("td", { className: typeof value === "number" ? "num" : "" },
    ...(typeof value === "number" ? value === 0 ? [] : [count(value)] : [].concat(shown(value))));
  const lines = rows.map(row => {
    const line = element("tr", {}, ...row.map(cell));
    return { line, keys: row.map((value, column) => keyOf(value, line.children[column].textContent)) };
  });
  const body = element("tbody", {}, ...lines.map(({ line }) => line));
  /* The largest numbers first; places and texts from the first on. */
  const beginsUp = column => rows.some(row => row[column].key !== undefined) || lines.every(({ keys }) => typeof keys[column] === "string");
  const sort = (head, column) => {
    const isUp = head.isUp === undefined ? beginsUp(column) : !head.isUp;
    for (const other of heads) {
      other.isUp = other === head ? isUp : undefined;
      other.setAttribute("aria-sort", other !== head ? "none" : isUp ? "ascending" : "descending");
    }
    lines.sort((a, b) => isUp ? compare(a.keys[column], b.keys[column]) : compare(b.keys[column], a.keys[column]));
    body.append(...lines.map(({ line }) => line));
  };
  const heads = headings.map((heading, column) => {
    const made = element("th", { scope: "col" }, rows.length < 2 ? heading : button(heading, "sort by " + heading, () => sort(made, column)));
    return made;
  });
  const box = element("div", { className: "scroll" }, element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body));
  return Object.assign(box, { lines: lines.map(({ line }) => line) });
}
/* What a cell is sorted by: numbers before texts. */
function keyOf(value, text) {
  if (value.key !== undefined) return value.key;
  return typeof value === "number" ? value : isNaN(parseFloat(text)) ? text : parseFloat(text);
}
function compare(a, b) { return typeof a !== typeof b ? (typeof a === "number" ? -1 : 1) : a < b ? -1 : a > b ? 1 : 0; }

/* The axis of bars, with 4 to 10 marks: 1, 2 or 5 times a power of ten apart. */
function axis(end) {
  let power = 1, i = 0;
  while (power <= end / 100) power *= 10;
  for (; Math.floor(end / ([1, 2, 5][i % 3] * power)) >= 5; i++) if (i % 3 === 2) power *= 10;
  const step = [1, 2, 5][i % 3] * power, track = span("track");
  for (let at = 0; at <= end && end - at >= Math.floor(step / 2); at += step) {
    const mark = element("span", {}, count(at));
    mark.style.left = percent(at, end, 2) + "%";
    track.append(mark);
  }
  return hidden(element("div", { className: "axis" }, track));
}

/* ---- What is said of one analysis ---- */

/* A kernel, or a launch of a stream, whose ids end in "-1", "-2". */
class Analysis {
  constructor(data, suffix, groups, causes) {
    this.data = data;
    this.page = data.page;
    this.suffix = suffix;
    this.groups = groups;
    this.causes = causes;
    this.clock = data.verdict.clock_mhz;
    this.kernel = data.grid || data;
    this.level = suffix === "" ? 2 : 3;
  }
  section(id, title, ...children) {
    const heading = element("h" + this.level, { id: "h-" + id + this.suffix, textContent: title });
    const made = element("section", { id: id + this.suffix }, heading, ...children.flat(Infinity));
    made.setAttribute("aria-labelledby", heading.id);
    return made;
  }
  sub(text) { return element("h" + (this.level + 1), { className: "sub", textContent: text }); }
  cycles(number) { return cycles(number, this.clock); }
  sections() {
    return [this.bounds(), ...this.shares(), ...this.occupancy(), ...this.costs(), ...this.execution(), this.conditions()];
  }

  bounds() {
    const made = this.section("bounds", "Bounds and executions"), scope = this.data.scope;
    if (this.data.grid === undefined) {
      made.append(...this.chart(this.data, true));
      return made;
    }
    made.append(this.sub("The kernel, all blocks"), ...this.chart(this.data.grid, scope === "kernel"));
    made.append(element("details", { className: "block" }, element("summary", { textContent: "A block alone on an SM" }),
      ...this.chart(this.data, scope === "block")));
    return made;
  }
  /* One axis with everything that is known of a kernel or of a block. */
  chart(data, isJudged) {
    const run = data.given || data, best = bestOf(data), marks = { deadline: isJudged ? this.data.verdict.deadline : null };
    if (data.certified !== null && data.certified.lower <= data.certified.upper) marks.band = data.certified;
    const covered = run.simulations.filter(simulation => simulation.work_conserving === conserving(this.data));
    const slowest = Math.max(0, ...covered.map(simulation => simulation.cycles));
    let end = Math.max(slowest, best === null ? 0 : best.cycles);
    const most = end > 0 ? 3 * end : Infinity; // what lies beyond is cut, so that the others can be told apart
    for (const place of [...data.bounds.map(bound => bound.cycles), marks.deadline || 0]) if (place <= most) end = Math.max(end, place);
    end += Math.floor(end / 20) + 1;
    const groups = [
      ["Proven: no execution takes longer", data.bounds.filter(bound => isProven(bound))],
      ["Found: executions that take so long", [...data.bounds.filter(bound => bound.kind === "lower"),
        ...covered.map(simulation => ({ method: simulation.policy, kind: "simulated", cycles: simulation.cycles }))]],
      ["Estimated: published formulas, not proven here", data.bounds.filter(bound => bound.kind === "estimate")],
    ];
    const bars = element("div", { className: "bars" });
    for (const [title, items] of groups.filter(group => group[1].length > 0))
      bars.append(element("p", { className: "group", textContent: title }),
        element("ol", {}, ...items.map(item => this.bar(item, item === best, end, marks))));
    bars.append(axis(end), this.legend(end, marks));
    const notes = data.given !== undefined && data.given !== null ?
      "Proven bounds hold for any data; simulations are of " + dataOf(data.given.zeros) + "." :
      data.given === null ? "The paths cover every execution, whatever the unknown values are: nothing executes all of them, " +
        "so there is no simulation." : null;
    return [bars, ...(notes === null ? [] : [note(notes)]), ...this.parts(best)];
  }
  bar(item, isBest, end, marks) {
    const isCut = item.cycles > end, track = hidden(span("track"));
    if (marks.band) track.append(box("band", { left: marks.band.lower, width: marks.band.upper - marks.band.lower }, end));
    track.append(box("fill", { left: 0, width: isCut ? end : item.cycles }, end));
    if (marks.deadline !== null && marks.deadline <= end) track.append(box("deadline", { left: marks.deadline, width: 0 }, end));
    return element("li", { className: "bar " + item.kind + (isBest ? " best" : "") + (isCut ? " cut" : "") },
      span("name", element("b", { textContent: item.method }), " ", span("kind", item.kind + (isBest ? ", the least" : ""))), " ", track, " ",
      span("value", count(item.cycles), " ", span("time", time(item.cycles, this.clock))));
  }
  /* What the marks of the axis mean, and what of it is cut. */
  legend(end, marks) {
    const made = element("p", { className: "legend" }, "Cycles, from 0. ");
    if (marks.band) made.append(element("i", { className: "key band" }), " The worst case, with latencies as stated, lies between ",
      count(marks.band.lower), " and ", count(marks.band.upper), " cycles. ");
    if (marks.deadline !== null) made.append(element("i", { className: "key deadline" }), " The deadline: ", ...this.cycles(marks.deadline),
      marks.deadline <= end ? ". " : ", beyond the right end. ");
    made.append("Bars with an arrow go on beyond the right end.");
    return made;
  }
  /* What the least proven bound is made of. */
  parts(best) {
    if (best === null || best.parts === undefined) return [];
    const name = part => part.what + (part.unit === null ? "" : " " + part.unit);
    return [this.sub("What the " + best.cycles + " cycles of " + best.method + " are spent on"),
      hidden(element("div", { className: "parts" }, ...best.parts.map(part => this.cause(box("", { width: part.cycles }, best.cycles), name(part))))),
      element("ul", { className: "parts-key" }, ...best.parts.map(part => element("li", {}, this.cause(element("i", {}), name(part), "key "), " ",
        element("b", { textContent: name(part) }), " ", count(part.cycles), " (" + percent(part.cycles, best.cycles, 0) + " %)")))];
  }
  /* Each cause has its colour, with another texture for each nine of them, in all of the report. */
  cause(made, name, also = "") {
    const known = this.causes.indexOf(name), number = known >= 0 ? known : this.causes.push(name) - 1;
    made.className = also + "texture-" + Math.floor(number / 9) % 4;
    made.style.setProperty("--c", "var(--c" + number % 9 + ")");
    return made;
  }

  /* Bounds and executions by the number of SMs. */
  shares() {
    const rows = this.data.shares, deadline = this.data.verdict.deadline;
    if (rows === undefined) return [];
    const width = 640, height = 240, left = 78, bottom = 34, most = rows[rows.length - 1].sms;
    const known = rows.flatMap(row => [row.upper, row.slowest]).concat(deadline).filter(value => value !== null);
    const top = 1.05 * Math.max(...known, 1), x = sms => left + (width - left - 12) * sms / most, y = value => (height - bottom) * (1 - value / top) + 4;
    const line = (x1, y1, x2, y2, name) => shape("line", { x1, y1, x2, y2, class: name });
    const words = (at, up, anchor, text) => {
      const made = shape("text", { x: at, y: up, "text-anchor": anchor });
      made.textContent = text;
      return made;
    };
    const marks = (member, name) => rows.filter(row => row[member] !== null).map(row => shape("circle", { cx: x(row.sms), cy: y(row[member]), r: 4, class: name }));
    const made = shape("svg", { viewBox: "0 0 " + width + " " + height, class: "shares", role: "img", "aria-label": "Bounds by the number of SMs; the table below says the same" },
      line(left, y(0), width, y(0), "scale"), line(left, 0, left, y(0), "scale"), ...[0.25, 0.5, 0.75, 1].map(part => words(left - 6, y(part * top) + 8, "end", time(part * top, this.clock))),
      ...rows.filter((row, at) => at % Math.ceil(rows.length / 16) === 0).map(row => words(x(row.sms), height - 16, "middle", String(row.sms))), words(width, height - 1, "end", "SMs"),
      ...(deadline === null ? [] : [line(left, y(deadline), width, y(deadline), "limit")]), ...marks("slowest", "slowest"), ...marks("upper", "upper"));
    const cell = value => value === null ? "" : { key: value, show: time(value, this.clock) };
    return [this.section("shares", "On some of the SMs", note("As if there were no other SMs; each has its share of memory's rate. Filled: proven; hollow: slowest execution found" +
      (deadline === null ? "." : "; dashed: the deadline.")), made, table(["SMs", "At most", "Slowest found", "Verdict"],
      rows.map(row => [row.sms, cell(row.upper), cell(row.slowest), row.state])))];
  }

  occupancy() {
    const data = this.page.occupancy;
    if (data === undefined) return [];
    const range = (least, most) => least === null || most === null ? "any number" : least === most ? String(most) : least + " to " + most;
    const { resident, resources } = data, limits = resources.filter(resource => resource.binds_most).map(resource => resource.name);
    const words = element("p", {}, "An SM holds " + range(resident.blocks_least, resident.blocks_most) + " block" + plural(resident.blocks_most) + " at a time, " +
      range(resident.warps_least, resident.warps_most) + " warp" + plural(resident.warps_most) +
      (resident.occupancy_percent_most === null ? "" : ": occupancy " + range(fixed(resident.occupancy_percent_least, 1), fixed(resident.occupancy_percent_most, 1)) + " %") +
      (limits.length > 0 ? ", limited by " + limits.join(", ") + "." : "."));
    const rows = resources.map(resource => [resource.binds_most ? element("b", { textContent: resource.name }) : resource.name,
      range(resource.block_least, resource.block_most), resource.sm === null ? "not stated" : String(resource.sm), range(resource.blocks_least, resource.blocks_most)]);
    const steps = data.steps.map(step => element("li", { textContent: step.blocks + " block" + plural(step.blocks) + " with at most " +
      [step.registers === null ? null : step.registers + " registers a thread", step.shared_bytes === null ? null : step.shared_bytes + " bytes of shared memory"]
        .filter(part => part !== null).join(" and ") }));
    return [this.section("occupancy", "Occupancy", words, table(["Resource", "A block takes", "An SM has", "Blocks"], rows),
      steps.length === 0 ? [] : element("details", {}, element("summary", { textContent: "Room for more" }), element("ul", {}, ...steps)))];
  }

  /* ---- Where the cycles go ---- */

  costs() {
    const costs = this.data.page.costs, title = "Where the cycles go";
    if (costs === undefined) return [this.section("source", title, note(this.page.no_costs))];
    const intro = element("p", {}, "The ", count(costs.cycles), " cycles of " + costs.of +
      ", by line and by instruction. Click on a line to find its instructions, or on an instruction to find its line.");
    if (costs.simulation !== null) intro.append(" Beside them what the lines take of the slowest execution found (" + costs.simulation + "), ",
      ...this.cycles(costs.simulated), ".");
    if (this.page.instructions === undefined)
      return [this.section("source", title, note("The code was written by hand: it has no source."))];
    const source = new Source(this, costs);
    return [this.section("source", title, intro, source.hottest(), this.hints(costs), source.panes(), source.others(), source.leftOut(), source.calls()),
      this.section("flow", "Control flow", this.flow(costs))];
  }
  /* What would lower the bound, as far as that is certain. */
  hints(costs) {
    if (costs.hints.length === 0) return [];
    return [this.sub("What would lower it"), element("ul", {}, ...costs.hints.map(hint => element("li", {},
      hint.source_file !== null ? hint.source_file + ":" + hint.source_line + ": " : null, hint.text,
      hint.instruction === null ? null : " ", hint.instruction === null ? null : span("kind", hint.instruction + (hint.address !== undefined ?
        ", " + address(hint.address) : ", PTX line " + hint.code_line) + ", " + percent(hint.cycles, costs.cycles, 1) + " % of the bound"),
      ...(hint.up_to === null ? [] : [", up to ", count(hint.up_to), " cycles less"]))))];
  }
  flow(costs) {
    const flow = withBlocks(this.page.flow), executed = flow.blocks.length, name = block => block === null ? "end" : "B" + block;
    if (flow.nodes.length === 0) return [note("Nothing of the kernel's own function is executed.")];
    const parts = [element("p", { textContent: "The basic blocks that are executed (\u00d7: by how many warps, how often in all), and pale " +
      "those that they could lead to. The darker, the more cycles; dashed edges lead back to the start of a loop. Called functions are not drawn." })];
    if (flow.drawn < executed) parts.push(note("Drawn are " + flow.drawn + " of the " + executed + " blocks that are executed, those " +
      "with at least " + flow.least + " cycles; dotted edges lead through others."));
    const rows = flow.blocks.slice(0, 1000).map(block => [name(block.block), block.executions, block.cycles, percent(block.cycles, costs.cycles, 1) + " %",
      lines(block), block.leads_to.map(name).join(", ")]);
    const folded = element("details", {}, element("summary", { textContent: "The blocks as a table" }),
      table(["Block", "Executed", "Cycles", "Share", "Source", "Leads to"], rows));
    if (executed > 1000) folded.append(note("The first 1000 of " + executed + " blocks that are executed."));
    return [...parts, ...graph(flow, costs.cycles), folded];
  }

  /* ---- The slowest execution ---- */

  execution() {
    const title = "The slowest execution found";
    if (this.page.timeline === undefined) return [this.section("timeline", title, note(this.page.no_execution))];
    const issues = readIssues(this.page.timeline.issues), waits = readWaits(this.page.timeline.waits);
    const data = nameRows(this.page.timeline, issues), drawn = element("div", { className: "timeline" });
    const caption = element("p", {}, ...this.cycles(data.cycles), " of the " + data.scope + ": " + (data.kind === "simulated" ?
      "simulated under " + data.by + ". " : "found by " + data.by + " (" + data.kind + "). "));
    if (data.longest_by !== null) caption.append(data.longest_by + " knows of one that takes longer, ", ...this.cycles(data.longest),
      ", and keeps no schedule of it: this is the longest that can be shown. ");
    else caption.append("None that takes longer was found. ");
    if (this.kernel.given) caption.append("It is of " + dataOf(this.kernel.given.zeros) + ". ");
    if (data.sms > 1) caption.append("Shown is SM " + data.sm + ", whose last block ends last. ");
    const made = this.section("timeline", title, this.page.no_execution === undefined ? [] : note(this.page.no_execution), caption,
      data.cut ? note("Cut: of the " + data.issued + " instructions that all SMs issue, the first " + issues.length + " of the SM are shown, those " +
        "before cycle " + data.kept_until + " of " + data.cycles + ". warpbound analyze --schedule --format trace writes all.") : [], drawn, this.sums(data, issues, waits));
    this.timeline = () => timeline(drawn, data, issues, waits); // once it has a width
    if (this.page.residents === undefined) return [made];
    return [made, this.section("blocks", "Blocks on the SMs", residents(this.page.residents))];
  }
  /* What the warps do: a bar of all of them, and of each. */
  sums(data, issues, waits) {
    const sums = data.rows.map(() => ({})), all = {};
    const add = (row, reason, number) => { for (const sum of [sums[row], all]) sum[reason] = (sum[reason] || 0) + number; };
    for (const issue of issues) add(issue.row, "issue", 1);
    for (const wait of waits) add(wait.row, data.reasons[wait.reason], wait.to - wait.from);
    const reasons = ["issue", ...data.reasons];
    const bar = (name, sum) => {
      const whole = Object.values(sum).reduce((a, b) => a + b, 0), given = reasons.filter(reason => sum[reason] > 0);
      const most = data.reasons.reduce((a, b) => (sum[b] || 0) > (sum[a] || 0) ? b : a);
      return element("li", { className: "bar" }, span("name", name), " ",
        hidden(span("parts", ...given.map(reason => box("w-" + reason, { width: sum[reason] }, whole)))), " ",
        span("value", "issue " + percent(sum.issue || 0, whole, 0) + " %, " + most + " " + percent(sum[most] || 0, whole, 0) + " %"));
    };
    const meanings = { issue: "issues", barrier: "waits at a barrier", result: "waits for a result", fetch: "waits for its next instruction",
      channel: "waits for its memory channel", unit: "waits for room at its unit", turn: "waits for its turn", end: "has ended" };
    const name = row => data.rows.length <= data.warps ? "warp " + row : "slot " + Math.floor(row / data.warps) + ", warp " + row % data.warps;
    const parts = [this.sub("What the warps do"), element("div", { className: "bars" }, element("ol", {}, bar("all warps", all)))];
    if (data.rows.length > 1) {
      const each = sums.slice(0, 64).map((sum, row) => Object.keys(sum).length > 0 ? bar(name(row), sum) : null);
      const folded = element("details", { className: "warps", open: data.rows.length <= 8 }, element("summary", { textContent: "Each warp" }),
        element("div", { className: "bars" }, element("ol", {}, ...each)));
      if (data.rows.length > 64) folded.append(note("The first 64 of " + data.rows.length + " warps are listed; all of them are in the timeline."));
      parts.push(folded);
    }
    return [...parts, element("ul", { className: "parts-key" }, ...reasons.filter(reason => all[reason] > 0).map(reason =>
      element("li", {}, element("i", { className: "key w-" + reason }), " " + meanings[reason])))];
  }

  /* ---- What the numbers rest on ---- */

  conditions() {
    const best = bestOf(this.kernel);
    const made = this.section("conditions", "What this rests on", best === null ? element("p", { textContent: "No bound is proven." }) :
      [element("p", {}, "The bound of ", count(best.cycles), " cycles (" + best.method + ") holds if"), this.assumptions(best)],
      element("p", { textContent: "Every number with what it rests on:" }), this.numbers(this.kernel));
    if (this.data.grid !== undefined)
      made.append(element("details", {}, element("summary", { textContent: "Numbers of a block alone" }), ...this.numbers(this.data)));
    return made;
  }
  /* Assumptions by their groups, in the order in which these are met. */
  assumptions(bound) {
    const groups = new Map();
    bound.assumption_ids.forEach((id, i) => {
      const group = this.groups[id];
      groups.set(group, [...groups.get(group) || [], element("li", {}, span("id", id), " ", bound.assumptions[i])]);
    });
    return element("dl", { className: "conditions" }, ...[...groups].map(([group, items]) =>
      element("div", {}, element("dt", { textContent: group }), element("dd", {}, element("ul", {}, ...items)))));
  }
  numbers(data) {
    const parts = data.bounds.map(bound => element("details", {},
      element("summary", {}, element("b", { textContent: bound.method }), " ", span("kind", bound.kind)),
      bound.reason === undefined ? null : element("p", { textContent: (bound.kind === "estimate" ? "Not proven: " : "") + bound.reason }),
      this.assumptions(bound)));
    if (data.declined.length > 0) parts.push(element("details", {}, element("summary", { textContent: "Methods and policies without a result" }),
      element("dl", {}, ...data.declined.flatMap(declined => [element("dt", {}, element("b", { textContent: declined.method }), " ",
        span("kind", declined.status)), element("dd", { textContent: declined.reason })]))));
    return parts;
  }
}

const isProven = bound => bound.kind === "upper" || bound.kind === "exact";
const bestOf = data => data.bounds.filter(bound => bound.kind === "upper").reduce((best, bound) => best === null || bound.cycles < best.cycles ? bound : best, null);
/* Bounds are of work-conserving schedulers, or of the scheme's own on a machine with caches. */
function conserving(data) { return data.scheme === undefined || data.page.work_conserving; }
const address = number => "0x" + number.toString(16).padStart(4, "0");
const lines = block => block.lines === undefined ? "" : block.lines[0] === block.lines[1] ? "line " + block.lines[0] :
  "lines " + block.lines[0] + "\u2013" + block.lines[1];

/* Some cycles by what most of them are spent on: "latency 82 %, issue 18 %". */
function shares(share, whole) {
  return Object.entries(share).sort((a, b) => b[1] - a[1]).slice(0, 3).map(([what, part]) => what + " " + percent(part, whole, 0) + " %").join(", ");
}

/* The source with cycles beside its lines, and beside it the instructions. */
class Source {
  constructor(analysis, costs) {
    this.analysis = analysis;
    this.costs = costs;
    this.page = analysis.page;
    this.texts = new Map(this.page.sources.map(source => [source.file, new Map(source.lines.map((text, i) => [source.first + i, text]))]));
    const lines = new Map();
    const line = row => {
      if (typeof row.source_file !== "string" || !(row.source_line > 0)) return null;
      const key = JSON.stringify([row.source_file, row.source_line]);
      if (!lines.has(key)) lines.set(key, { file: row.source_file, number: row.source_line, text: row.text, cycles: 0, found: 0, rows: [] });
      return lines.get(key);
    };
    for (const row of costs.lines.filter(row => row.about === null)) {
      const at = line(row);
      if (at === null) continue;
      at.cycles += row.cycles;
      at.found += row.simulated || 0;
    }
    const order = (a, b) => a < b ? -1 : a > b ? 1 : 0;
    this.instructions = [...this.page.instructions].sort((a, b) => a.index - b.index).map((row, i) => ({ ...row, id: "instruction-" + i + analysis.suffix, line: line(row) }));
    this.isMachine = this.instructions.some(row => row.address !== undefined);
    this.lines = [...lines.values()].sort((a, b) => order(a.file, b.file) || a.number - b.number);
    this.lines.forEach((at, i) => { at.id = "line-" + i + analysis.suffix; });
    this.most = Math.max(0, ...this.lines.map(at => at.cycles));
  }
  place(row) { return this.isMachine ? address(row.address) : String(row.code_line); }
  hottest() {
    const isCode = this.lines.length === 0, items = isCode ? this.instructions : this.lines;
    const hot = items.filter(item => item.cycles > 0).sort((a, b) => b.cycles - a.cycles).slice(0, 8), most = hot.length > 0 ? hot[0].cycles : 0;
    if (hot.length === 0) return [];
    return element("div", { className: "bars" }, element("ol", {}, ...hot.map(item => element("li", { className: "bar hot" },
      span("name", element("a", { href: "#" + item.id, textContent: isCode ? this.place(item) + " " + item.text : item.file.split("/").pop() + ":" + item.number })),
      " ", hidden(span("track", box("fill", { width: item.cycles }, most))), " ",
      span("value", count(item.cycles), " " + percent(item.cycles, this.costs.cycles, 1) + " %")))));
  }
  name(name) { return name === null ? "a function that is read from a register" : Object.hasOwn(this.page.functions, name) ? this.page.functions[name] : name; }
  /* The lines and the instructions next to each other, with a search in both; the instructions alone where no line is known. */
  panes() {
    const code = this.code(), files = this.files(), all = this.instructions.length;
    const found = span("note", all + " instructions"), input = element("input", { type: "search", placeholder: "search lines and instructions" });
    input.setAttribute("aria-label", "search lines and instructions");
    input.oninput = () => {
      const words = input.value.toLowerCase(), has = text => text.toLowerCase().includes(words);
      let number = 0;
      for (const line of this.lines) line.row.hidden = !has(line.row.textContent) && !line.rows.some(row => has(row.textContent));
      for (const row of this.instructions) {
        row.row.hidden = !has(row.row.textContent) && (row.line === null || !has(row.line.row.textContent));
        number += row.row.hidden ? 0 : 1;
      }
      for (const line of this.quiet) line.hidden = words !== "" && !has(line.textContent);
      found.textContent = words === "" ? all + " instructions" : number + " of " + all + " instructions";
    };
    return [element("div", { className: "controls" }, input, found), element("div", { className: files.length === 0 ? "pair one" : "pair" },
      ...(files.length === 0 ? [] : [element("div", { className: "files" }, ...files)]), code)];
  }
  /* Shows what belongs together, in both panes. */
  mark(line, rows, from) {
    for (const item of [...this.lines, ...this.instructions]) item.row.ariaCurrent = null;
    const show = item => {
      item.ariaCurrent = "true";
      return item;
    };
    const other = from === line ? rows[0] && rows[0].row : line && line.row;
    if (line !== null) show(line.row);
    rows.forEach(row => show(row.row));
    if (!other) return;
    const pane = other.closest(".source"), box = pane.getBoundingClientRect();
    pane.scrollTop += other.getBoundingClientRect().top - box.top - box.height / 3;
  }
  /* All instructions, in the order of the code. */
  code() {
    const withLine = this.lines.length > 0, placed = (line, ...cells) => withLine ? [line, ...cells] : cells;
    const rows = this.instructions.map(row => [{ key: row.index, show: this.place(row) },
      row.cycles > 0 ? percent(row.cycles, this.costs.cycles, 1) + " %" : "", code(row.text),
      ...placed(row.line === null ? "" : { key: row.line.number, show: String(row.line.number) }, row.cycles), row.executions,
      row.unit === null ? "" : row.unit, shares(row.share, row.cycles), row.issue, row.busy, row.requests, row.conflicts]);
    const made = table([this.isMachine ? "Address" : "PTX line", "Share", "Instruction", ...placed("Line", "Cycles"), "Executed", "Unit", "Spent on",
      "Issue", "Unit busy", "Requests", "Conflicts"], rows);
    const most = Math.max(1, ...this.instructions.map(row => row.cycles));
    made.className = "source code";
    this.instructions.forEach((row, i) => {
      row.row = made.lines[i];
      row.row.id = row.id;
      row.row.style.setProperty("--h", (row.cycles / most).toFixed(2));
      if (row.line === null) return;
      row.line.rows.push(row.row);
      row.row.onclick = () => this.mark(row.line, [row], row);
    });
    return made;
  }
  /* A line's number, share, cycles and text; of lines without cycles only the text. */
  cells(number, text, line) {
    const { cycles, simulated } = this.costs;
    return [span("ln", number > 0 ? String(number) : ""), " ", span("share", line && line.cycles > 0 ? percent(line.cycles, cycles, 1) + " %" : ""), " ",
      span("cycles", line && line.cycles > 0 ? count(line.cycles) : ""), " ",
      span("found", line && line.found > 0 ? percent(line.found, simulated, 1) + " %" : ""), " ", code(text)];
  }
  line(line, text) {
    const made = element("div", { className: "line", id: line.id, tabIndex: 0 }, ...this.cells(line.number, text, line));
    const mark = () => this.mark(line, this.instructions.filter(row => row.line === line), line);
    made.style.setProperty("--h", (this.most > 0 ? line.cycles / this.most : 0).toFixed(2));
    made.onclick = mark;
    made.onkeydown = event => { if (event.key === "Enter") mark(); };
    line.row = made;
    return made;
  }
  /* The lines of each file, with those around them. */
  files() {
    const parts = [];
    this.quiet = [];
    for (const file of new Set(this.lines.map(line => line.file))) {
      const group = this.lines.filter(line => line.file === file), texts = this.texts.get(file) || new Map();
      const head = hidden(element("div", { className: "line head" }, span("ln", "line"), " ", span("share", "bound"), " ", span("cycles", "cycles"), " ",
        span("found", this.costs.simulation !== null ? "found" : ""), " ", code(file)));
      const made = element("div", { className: "source" }, head);
      if (texts.size === 0) parts.push(note("The text of this file was not found beside the code: lines stand by their numbers."));
      const quiet = (from, to, isCut) => {
        for (let number = from; number < to && texts.size > 0; number++) {
          if (isCut && to - from > 6 && number === from + 2) {
            this.quiet.push(element("div", { className: "line gap" }, span("ln", "\u22ef")));
            number = to - 3;
          } else if (texts.has(number)) {
            this.quiet.push(element("div", { className: "line" }, ...this.cells(number, texts.get(number))));
          } else {
            continue;
          }
          made.append(this.quiet[this.quiet.length - 1]);
        }
      };
      let next = Math.max(group[0].number - 2, 1);
      group.forEach((line, i) => {
        quiet(next, line.number, i > 0);
        made.append(this.line(line, texts.has(line.number) ? texts.get(line.number) :
          texts.size > 0 && line.text ? line.text : file + ":" + line.number));
        next = line.number + 1;
      });
      quiet(next, next + 2, false);
      parts.push(made);
    }
    return parts;
  }
  /* Who calls whom, from the kernel down. */
  calls() {
    const own = {}, edges = new Map();
    for (const row of this.costs.lines.filter(row => row.about === null)) own[row.function] = (own[row.function] || 0) + row.cycles;
    for (const [caller, callee, executions] of this.page.calls) {
      const key = JSON.stringify([caller, callee]);
      edges.set(key, { caller, callee, executions: executions + (edges.has(key) ? edges.get(key).executions : 0) });
    }
    if (edges.size === 0) return [];
    const all = [...edges.values()], seen = new Set();
    const item = (name, executions) => {
      const made = element("li", {}, code(this.name(name)), executions === null ? "" : " \u00d7" + executions, own[name] > 0 ? ": " : "",
        ...(own[name] > 0 ? [count(own[name]), " cycles of its own, " + percent(own[name], this.costs.cycles, 1) + " %"] : []));
      const calls = all.filter(edge => edge.caller === name);
      if (calls.length > 0 && seen.has(name)) made.append(", as above");
      else if (calls.length > 0) {
        seen.add(name);
        made.append(element("ul", {}, ...calls.map(edge => item(edge.callee, edge.executions))));
      }
      return made;
    };
    const called = new Set(all.map(edge => edge.callee)), roots = [...new Set(all.map(edge => edge.caller))].filter(name => !called.has(name));
    return [this.analysis.sub("Calls"), note("\u00d7: by how many warps, how often in all."),
      element("ul", { className: "calls" }, ...(roots.length > 0 ? roots : [all[0].caller]).map(name => item(name, null)))];
  }
  /* Cycles that belong to no instruction. */
  others() {
    const rows = this.costs.lines.filter(row => row.about !== null && row.cycles > 0);
    if (rows.length === 0) return [];
    const made = note("Of no instruction: ");
    rows.forEach((row, i) => made.append(i > 0 ? ", " : "", row.about + " ", count(row.cycles)));
    made.append(" cycles.");
    return made;
  }
  leftOut() {
    if (this.page.left_out === 0) return [];
    return note(this.page.left_out + " instructions with at most " + this.page.least + " cycles each are left out.");
  }
}

/* The nodes of the picture with what is known of their blocks: of those that are not executed nothing. */
function withBlocks(flow) {
  const blocks = new Map(flow.blocks.map(block => [block.block, block])), none = { executions: 0, cycles: 0 };
  return { ...flow, nodes: flow.nodes.map(node => ({ ...none, ...blocks.get(node.block), ...node })) };
}
/* The control flow as a picture, in layers: edges lead down, or up in lanes on the right. */
function graph(flow, total) {
  const column = 190, boxWidth = 164, boxHeight = 58, layer = 104, lane = 14, margin = 18;
  const middle = x => margin + x * column, top = number => margin + number * layer, fix = number => number.toFixed(0);
  const width = middle(flow.width) + lane * (flow.lanes + 1) + margin, height = top(flow.layers) - (layer - boxHeight) + margin;
  const hottest = Math.max(0, ...flow.nodes.map(node => node.cycles));
  const picture = shape("svg", { viewBox: "0 0 " + fix(width) + " " + fix(height), width: fix(width), height: fix(height), role: "img",
    "aria-label": "Control flow of " + flow.nodes.length + " blocks; the table below says the same" },
  shape("defs", {}, shape("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
    shape("path", { class: "head", d: "M0 0L8 4L0 8Z" }))));
  for (const edge of flow.edges) {
    const from = flow.nodes[edge.from], to = flow.nodes[edge.to];
    let x = middle(from.x), y = top(from.layer) + boxHeight, path;
    if (edge.lane !== null) { // out below the node, to its lane, and in above the other
      const away = 12 + 3 * (edge.lane % 4), shift = boxWidth / 4;
      path = "M" + fix(x + shift) + " " + fix(y) + "V" + fix(y + away) + "H" + fix(middle(flow.width) + lane * (edge.lane + 1)) + "V" +
        fix(top(to.layer) - away) + "H" + fix(middle(to.x) + shift) + "V" + fix(top(to.layer));
    } else {
      path = "M" + fix(x) + " " + fix(y);
      [...edge.bends, to.x].forEach((place, b) => {
        const next = middle(place), end = top(from.layer + 1 + b), half = (end - y) / 2;
        path += "C" + [x, y + half, next, end - half, next, end].map(fix).join(" ");
        x = next;
        y = end + boxHeight;
        if (b < edge.bends.length) path += "V" + fix(y);
      });
    }
    picture.append(shape("path", { class: edge.lane !== null ? "back" : edge.through ? "through" : "", d: path, "marker-end": "url(#arrow)" }));
  }
  for (const node of flow.nodes) {
    const x = middle(node.x) - boxWidth / 2, y = top(node.layer), isExecuted = node.executions > 0 || node.cycles > 0;
    const box = shape("rect", { x: fix(x), y: fix(y), width: boxWidth, height: boxHeight, rx: 5 });
    box.style.setProperty("--h", (hottest > 0 ? node.cycles / hottest : 0).toFixed(2));
    const made = shape("g", { class: isExecuted ? "node" : "node quiet" }, box), text = (name, px, py, ...words) =>
      made.append(shape("text", { x: fix(px), y: fix(py), class: name }, ...words));
    if (node.block === null) {
      text("mid", x + boxWidth / 2, y + 34, "end");
    } else {
      text("", x + 9, y + 17, shape("tspan", { class: "strong" }, "B" + node.block), node.executions > 0 ? " \u00d7" + node.executions : "");
      if (isExecuted) text("", x + 9, y + 34, node.cycles + " cycles, " + percent(node.cycles, total, 1) + " %");
      if (isExecuted) text("dim", x + 9, y + 50, lines(node));
    }
    picture.append(made);
  }
  const scroller = element("div", { className: "graph scroll" }, picture);
  return [enlarge(scroller, picture, width), scroller];
}

/* Which blocks the SMs had when: a row for each slot, or for each SM with how many of its slots are taken. */
function residents(data) {
  const rows = element("ol", {}), bars = element("div", { className: "bars residents" }, rows, axis(data.cycles));
  const row = (name, boxes, blocks) => rows.append(element("li", { className: "bar" }, span("name", name), " ", span("track", ...boxes), " ",
    span("value", blocks + " block" + plural(blocks))));
  const parts = [element("p", {}, count(data.count), " block" + plural(data.count) + " on " + data.sms + " SM" + plural(data.sms) + ", at most " +
    data.slots + " at a time on each, in that execution."), bars];
  if (data.blocks !== undefined) {
    const slots = new Map();
    for (const block of data.blocks) {
      const name = "SM " + block[0] + (data.slots > 1 ? ", slot " + block[1] : "");
      slots.set(name, [...slots.get(name) || [], block]);
    }
    for (const [name, blocks] of slots) row(name, blocks.map(([, , start, end, ...index], i) => {
      const made = box("block " + (i % 2 === 0 ? "even" : "odd"), { left: start, width: end - start }, data.cycles);
      made.title = "block (" + index.join(",") + "): cycles " + start + " to " + end;
      return made;
    }), blocks.length);
    return parts;
  }
  for (const sum of data.sums) {
    const boxes = [], pieces = sum.shades.length;
    for (let from = 0, end; from < pieces; from = end) {
      for (end = from; end < pieces && sum.shades[end] === sum.shades[from];) end++;
      if (sum.shades[from] > 0) boxes.push(box("block shade-" + sum.shades[from], { left: from, width: end - from }, pieces));
    }
    row("SM " + sum.first + (sum.last > sum.first ? " to " + sum.last : ""), boxes, sum.blocks);
  }
  return [...parts, note("Single blocks are not drawn, as there are too many: the darker, the more of the slots are taken (up to a quarter, a half, " +
    "three quarters, all), in pieces of " + Math.floor(data.cycles / 240) + " cycles.")];
}

/* The timeline of an SM, drawn on a canvas. */
function timeline(box, data, issues, waits) {
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
  for (let i = 0; i < numbers.length; i += 9) {
    at += numbers[i + 5];
    issues.push({ row: numbers[i], inst: numbers[i + 1], place: numbers.slice(i + 2, i + 5), issue: at, start: at + numbers[i + 6],
      free: at + numbers[i + 7], ready: at + numbers[i + 8] });
  }
  return issues;
}
/* Names the rows of warps and of the instances of units that something is issued to, in the order of the machine. */
function nameRows(data, issues) {
  const order = (a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
  const places = [...new Map(issues.map(issue => [issue.place.join(), issue.place])).values()].sort(order);
  const rows = new Map(places.map((place, row) => [place.join(), row]));
  const several = i => places.some(place => place[i] > 0);
  for (const issue of issues) issue.unit = rows.get(issue.place.join());
  return {
    ...data,
    rows: Array.from({ length: data.row_count }, (_, row) => data.row_count <= data.warps ? "warp " + row :
      Math.floor(row / data.warps) + ":" + row % data.warps),
    units: places.map(([unit, subCore, instance]) => data.units[unit] + (several(1) ? "." + subCore : "") + (several(2) ? "#" + instance : "")),
  };
}
function readWaits(numbers) {
  const waits = [];
  for (let i = 0; i < numbers.length; i += 6)
    waits.push({ row: numbers[i], reason: numbers[i + 1], inst: numbers[i + 2], from: numbers[i + 3],
      to: numbers[i + 3] + numbers[i + 4], by: numbers[i + 5] });
  return waits;
}
function button(text, title, act) {
  const made = element("button", { type: "button", textContent: text, title: title, onclick: act });
  made.setAttribute("aria-label", title);
  return made;
}

/* Buttons that enlarge a picture, which its box then scrolls. */
function enlarge(box, picture, width) {
  let scale = 1;
  const set = to => {
    scale = Math.min(Math.max(to, 0.25), 4);
    picture.style.width = width * scale + "px";
    picture.style.height = "auto";
  };
  const controls = element("div", { className: "controls" });
  controls.append(button("−", "smaller", () => set(scale / 1.4)), button("+", "larger", () => set(scale * 1.4)),
    button("Fit", "as wide as the page", () => set((box.clientWidth - 12) / width)));
  return controls;
}

/* What is folded is printed unfolded, but for the rows of many warps. */
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll("details:not(.warps, [open])")];
  unfolded.forEach(part => { part.open = true; });
});
addEventListener("afterprint", () => unfolded.forEach(part => { part.open = false; }));

/* ---- The report ---- */

/* What is found, below the line of the verdict. */
function verdict(data) {
  const verdict = data.verdict, clock = verdict.clock_mhz, slowest = verdict.slowest;
  const figure = (name, ...children) => element("div", {}, element("dt", { textContent: name }), element("dd", {}, ...children));
  const figures = [figure("Proven, at most", ...(verdict.bound === null ? ["nothing"] : cycles(verdict.bound, clock)),
    verdict.bound !== null && verdict.method !== null ? ", by " + verdict.method : null)];
  if (verdict.deadline !== null) figures.push(figure("Deadline", ...cycles(verdict.deadline, clock)));
  figures.push(slowest === null ? figure("Slowest execution found", "none") : figure("Slowest execution found", ...cycles(slowest.cycles, clock),
    slowest.how === null ? null : ", " + (slowest.kind === "simulated" ? "simulated under " : "by ") + slowest.how,
    slowest.with_data ? ", with " + dataOf(slowest.with_zeros) : null));
  if (verdict.launch_overhead > 0) figures.push(figure("Launch overhead, in none of these", ...cycles(verdict.launch_overhead, clock)));
  return [...data.page.sentences.map(sentence => element("p", { textContent: sentence })), element("dl", { className: "figures" }, ...figures)];
}
function verdictBox(data) {
  const line = data.page.line, state = line.indexOf(":") + 1;
  return element("div", { className: "verdict " + data.verdict.state }, element("p", { className: "word" },
    element("strong", { textContent: line.slice(0, state) }), line.slice(state)), ...verdict(data));
}
/* The lines of a text report's heading, "key      value", as a list; a line without a key goes on with the one before it. */
function heading(text) {
  const made = element("dl", { className: "about" });
  for (const line of text.split("\n").filter(line => line !== "")) {
    const [, key, value] = line.match(/^(\S*) *(.*)$/);
    if (key !== "") made.append(element("div", {}, element("dt", { textContent: key }), element("dd", { textContent: value })));
    else made.lastChild.lastChild.append(element("br", {}), value);
  }
  return made;
}
/* The launches of a stream: of each its bound, with its share of the whole. */
function launches(data) {
  const clock = data.verdict.clock_mhz, rows = data.launches.map((launch, i) => {
    const best = bestOf(launch.grid || launch), name = launch.page === undefined ? launch.kernel || "by hand" : launch.page.name;
    return [String(i + 1), launch.page === undefined ? name : element("a", { href: "#launch-" + (i + 1), textContent: name }),
      launch.launch === null ? "" : launch.launch.grid.join("\u00d7"), best === null ? "nothing" : cycles(best.cycles, clock),
      best === null ? "" : best.method, best === null || data.verdict.bound === null ? "" : percent(best.cycles, data.verdict.bound, 1) + " %"];
  });
  const words = element("p", {}, rows.length + " kernel" + plural(rows.length) + ", one after another");
  if (data.overhead > 0) words.append("; the sum has the launch overheads of all of them, ", ...cycles(data.overhead, clock));
  if (data.carried > 0) words.append(", and what earlier kernels leave to be written back, ", ...cycles(data.carried, clock));
  words.append(". A kernel starts when the one before has ended, and finds the memory that its launch describes.");
  return [table(["Launch", "Kernel", "Blocks", "Proven", "Method", "Share"], rows), words];
}
/* What was given, and how the report is made again. */
function origin(data) {
  const made = element("section", { id: "origin" }, element("h2", { id: "h-origin", textContent: "Where this comes from" }),
    element("p", { textContent: "Written by Warpbound " + data.warpbound + " from" }),
    table(["Input", "File", "Bytes", "SHA-256"], data.inputs.map(input => [input.role, code(input.path), input.bytes,
      element("code", { className: "sum", textContent: input.sha256 })])));
  made.setAttribute("aria-labelledby", "h-origin");
  const settings = data.machine.settings;
  if (settings.length > 0) made.append(element("p", {}, "Of the machine, set to other values: ",
    ...settings.flatMap((setting, i) => i > 0 ? [", ", code(setting)] : [code(setting)])));
  if (data.page.command !== null) made.append(element("p", { textContent: "and made again by" }),
    element("pre", { className: "command" }, code(data.page.command)));
  return made;
}

function draw(data) {
  const main = document.querySelector("main"), first = document.getElementById("verdict"), groups = data.page.groups;
  const title = data.verdict.deadline === null ? "Result" : "Verdict", analyses = [];
  const contents = [["verdict", "Verdict"]];
  first.prepend(element("h2", { id: "h-verdict", textContent: title }));
  first.setAttribute("aria-labelledby", "h-verdict");
  first.querySelector(".verdict").append(...verdict(data));
  if (data.launches === undefined) {
    const analysis = new Analysis(data, "", groups, data.page.causes);
    analyses.push(analysis);
    first.append(heading(data.page.heading));
    main.append(...analysis.sections());
    contents.push(["bounds", "Bounds"]);
    if (data.shares !== undefined) contents.push(["shares", "SMs"]);
    if (data.page.occupancy !== undefined) contents.push(["occupancy", "Occupancy"]);
    contents.push(["source", "Source"], ["flow", "Control flow"], ["timeline", "Slowest execution"],
      ["conditions", "Assumptions"]);
  } else {
    const shown = data.launches.filter(launch => launch.page !== undefined);
    first.append(...launches(data));
    shown.forEach((launch, i) => {
      const analysis = new Analysis(launch, "-" + (i + 1), groups, data.page.causes);
      analyses.push(analysis);
      main.append(element("article", { id: "launch-" + (i + 1) }, element("h2", { textContent: "Launch " + (i + 1) + ": " + launch.page.name }),
        analysis.section("verdict", "Result", verdictBox(launch), heading(launch.page.heading)), ...analysis.sections()));
    });
    if (shown.length < data.launches.length) main.append(note("The first " + shown.length + " of " + data.launches.length +
      " launches have sections of their own; --json has all of them."));
  }
  contents.push(["origin", "Origin"]);
  main.append(origin(data));
  const nav = element("nav", {}, element("ul", {}, ...contents.map(([id, name]) => element("li", {}, element("a", { href: "#" + id, textContent: name })))));
  nav.setAttribute("aria-label", "Contents");
  first.before(nav);
  for (const analysis of analyses) if (analysis.timeline !== undefined) analysis.timeline();
}

draw(JSON.parse(document.getElementById("document").textContent));
