/* node draw_report.js REPORT.html [ACTION ...]: prints the page as its script draws it, with as much of a browser's document
 * as that script uses. An action is "search WORDS", or the title of a button that is pressed. Elements and attributes are written as a browser writes them; setting HTML from text is not possible. */
"use strict";
const fs = require("fs"), vm = require("vm");

const page = fs.readFileSync(process.argv[2], "utf8");
const escape = text => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
const unescape = text => text.replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&quot;/g, '"').replace(/&#39;/g, "'").replace(/&amp;/g, "&");
const VOID = new Set(["br", "meta"]);

class Node {
  constructor(tag) {
    this.tag = tag;
    this.children = [];
    this.attributes = {};
    this.values = {};
    this.style = { setProperty: (name, value) => { this.style[name] = value; } };
  }
  get clientWidth() { return 800; }
  get offsetWidth() { return 100; }
  get lastChild() { return this.children[this.children.length - 1]; }
  set innerHTML(text) { throw new Error("HTML is made from a text: " + text); }
  set outerHTML(text) { throw new Error("HTML is made from a text: " + text); }
  insertAdjacentHTML(where, text) { throw new Error("HTML is made from a text: " + text); }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  addEventListener() {}
  setPointerCapture() {}
  getBoundingClientRect() { return { left: 0, top: 0, width: 800, height: 100 }; }
  getContext() {
    return new Proxy({}, { get: (_, name) => name === "measureText" ? text => ({ width: 6 * text.length }) : () => {}, set: () => true });
  }
  take(items) {
    return items.flatMap(item => item instanceof Node && item.tag === null ? item.children : [item]).map(item => {
      if (item === undefined || item === null) throw new Error("nothing is appended to " + this.tag);
      if (!(item instanceof Node)) return String(item);
      if (item.parent !== undefined) item.parent.children = item.parent.children.filter(child => child !== item);
      item.parent = this;
      return item;
    });
  }
  append(...items) { this.children.push(...this.take(items)); }
  prepend(...items) { this.children.unshift(...this.take(items)); }
  replaceChildren(...items) { this.children = this.take(items); }
  before(...items) { this.parent.children.splice(this.parent.children.indexOf(this), 0, ...this.parent.take(items)); }
  set textContent(text) { this.children = text === "" ? [] : [String(text)]; }
  get textContent() { return this.children.map(child => child instanceof Node ? child.textContent : child).join(""); }
  all() { return this.children.flatMap(child => child instanceof Node ? [child, ...child.all()] : []); }
  matches(selector) {
    if (selector.startsWith("#")) return this.attributes.id === selector.slice(1);
    if (selector.startsWith(".")) return (this.attributes.class || "").split(" ").includes(selector.slice(1));
    return this.tag === selector;
  }
  querySelectorAll(selector) { return this.all().filter(node => node.matches(selector)); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] || null; }
  html() {
    const style = Object.entries(this.style).filter(([, value]) => typeof value === "string").map(([name, value]) => name + ":" + value).join(";");
    const given = { ...this.attributes, ...(style === "" ? {} : { style }) };
    const attributes = Object.entries(given).map(([name, value]) => " " + name + '="' + escape(value) + '"').join("");
    if (VOID.has(this.tag)) return "<" + this.tag + attributes + ">";
    const raw = this.tag === "script" || this.tag === "style";
    const inside = this.children.map(child => child instanceof Node ? child.html() : raw ? child : escape(child)).join("");
    return "<" + this.tag + attributes + ">" + inside + "</" + this.tag + ">\n";
  }
}
/* Properties that are attributes. */
for (const [property, attribute] of Object.entries({ id: "id", className: "class", title: "title", href: "href", scope: "scope", type: "type",
  open: "open", hidden: "hidden", tabIndex: "tabindex" }))
  Object.defineProperty(Node.prototype, property, {
    get() { return this.attributes[attribute]; },
    set(value) { if (value !== false && value !== "") this.attributes[attribute] = value === true ? "" : String(value); },
  });

/* What the page is before its script runs. */
function parse(text) {
  const root = new Node("root");
  let at = root, rest = text.replace(/^<!DOCTYPE html>\n/, "");
  while (rest !== "") {
    const raw = at.tag === "script" || at.tag === "style";
    const [whole, words, tag] = rest.match(raw ? new RegExp("^([^]*?)(</" + at.tag + ">)") : /^([^<]*)(<[^>]*>|$)/);
    if (words !== "") at.append(raw ? words : unescape(words));
    rest = rest.slice(whole.length);
    if (tag === "") break;
    if (tag.startsWith("</")) {
      if (tag !== "</" + at.tag + ">") throw new Error(tag + " closes " + at.tag);
      at = at.parent;
      continue;
    }
    const node = new Node(tag.match(/[a-z0-9]+/)[0]);
    for (const [, name, value] of tag.matchAll(/ ([a-z-]+)="([^"]*)"/g)) node.attributes[name] = unescape(value);
    at.append(node);
    if (!VOID.has(node.tag)) at = node;
  }
  if (at !== root) throw new Error(at.tag + " is open at the end");
  return root;
}

const root = parse(page);
const document = {
  documentElement: root,
  createElement: tag => new Node(tag),
  createElementNS: (_, tag) => new Node(tag),
  createDocumentFragment: () => new Node(null),
  getElementById: id => root.querySelector("#" + id),
  querySelector: selector => root.querySelector(selector),
  querySelectorAll: selector => root.querySelectorAll(selector),
};
const scripts = root.querySelectorAll("script");
if (scripts.length !== 2) throw new Error(scripts.length + " scripts");
const window = { devicePixelRatio: 1 };
vm.runInNewContext(scripts[1].textContent, {
  document, window, addEventListener: () => {}, getComputedStyle: () => ({ getPropertyValue: () => "#000" }),
  matchMedia: () => ({ addEventListener: () => {} }), ResizeObserver: class { observe() {} },
});
for (const action of process.argv.slice(3)) {
  if (action.startsWith("search ")) {
    const input = root.querySelector("input");
    input.value = action.slice(7);
    input.oninput();
  } else {
    root.querySelectorAll("button").find(made => made.title === action).onclick();
  }
}
scripts[1].children = []; // what is left is drawn, but for the document
fs.writeFileSync(1, "<!DOCTYPE html>\n" + root.querySelector("html").html());
