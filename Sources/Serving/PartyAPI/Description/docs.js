"use strict";

// Commands call the server that served the page.
if (location.protocol.startsWith("http")) {
  for (const code of document.querySelectorAll("pre code")) {
    if (code.textContent.includes("api=http")) {
      code.textContent = code.textContent.replace("http://127.0.0.1:8081", location.origin);
    }
  }
}

// Buttons that copy code. Browsers allow it on https and on this machine only.
if (navigator.clipboard) {
  for (const code of document.querySelectorAll("pre")) {
    const block = code.closest("figure") ?? document.createElement("div");
    if (!block.isConnected) {
      code.replaceWith(block);
      block.append(code);
    }
    block.classList.add("copyable");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent.trimEnd());
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    block.append(button);
  }
}

// The search: everything with an anchor, by title, path and text.
const entries = [];
for (const heading of document.querySelectorAll("h2[id]")) {
  const text = [];
  for (let next = heading.nextElementSibling; next && !next.matches("h2, dl.problems, section"); next = next.nextElementSibling) {
    text.push(next.textContent);
  }
  entries.push({ id: heading.id, title: heading.textContent, detail: text[0] ?? "", text: text.join(" ") });
}
for (const section of document.querySelectorAll(".request, .schema")) {
  const route = section.querySelector(".route")?.textContent.trim();
  entries.push({
    id: section.id,
    title: section.querySelector("h3").textContent,
    detail: route ?? section.querySelector("p")?.textContent ?? "Schema",
    text: section.querySelector(".text")?.textContent ?? section.textContent,
  });
}
for (const term of document.querySelectorAll("dt[id]")) {
  const status = term.querySelector("span").textContent;
  const detail = `${status} ${term.nextElementSibling.textContent}`;
  entries.push({ id: term.id, title: term.id, detail, text: detail });
}
for (const entry of entries) {
  entry.key = entry.title.toLowerCase();
  entry.path = entry.detail.toLowerCase();
  entry.all = `${entry.key} ${entry.path} ${entry.text.toLowerCase()}`;
}

/** Returns the rank of an entry: the lower, the better; Infinity if a word is missing. */
function rank(entry, words) {
  let sum = 0;
  for (const word of words) {
    if (!entry.all.includes(word)) return Infinity;
    sum += entry.key.startsWith(word) ? 0 : entry.key.includes(word) ? 1 : entry.path.includes(word) ? 2 : 3;
  }
  return sum;
}

const search = document.createElement("div");
search.className = "search";
const field = document.createElement("input");
field.type = "search";
field.placeholder = "Search  /";
field.setAttribute("role", "combobox");
field.setAttribute("aria-label", "Search");
field.setAttribute("aria-controls", "results");
field.setAttribute("aria-expanded", "false");
const results = document.createElement("ul");
results.className = "results";
results.id = "results";
results.setAttribute("role", "listbox");
results.hidden = true;
search.append(field, results);
document.querySelector(".name").after(search);
let selected = 0;

function select(index) {
  const links = [...results.querySelectorAll("a")];
  if (!links.length) return;
  selected = (index + links.length) % links.length;
  links.forEach((link, position) => link.setAttribute("aria-selected", position === selected));
  field.setAttribute("aria-activedescendant", links[selected].id);
  links[selected].scrollIntoView({ block: "nearest" });
}

function show(isShown) {
  results.hidden = !isShown;
  field.setAttribute("aria-expanded", isShown);
}

function find() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  results.replaceChildren();
  show(words.length > 0);
  if (!words.length) return;
  const found = entries.map((entry) => [rank(entry, words), entry]).filter(([rank]) => rank < Infinity);
  found.sort(([first], [second]) => first - second);
  for (const [position, [, entry]] of found.slice(0, 12).entries()) {
    const link = document.createElement("a");
    link.href = `#${entry.id}`;
    link.id = `result-${position}`;
    link.tabIndex = -1;
    link.setAttribute("role", "option");
    link.textContent = entry.title;
    const detail = document.createElement("small");
    detail.textContent = entry.detail.trim().slice(0, 120);
    link.append(detail);
    const item = document.createElement("li");
    item.setAttribute("role", "none");
    item.append(link);
    results.append(item);
  }
  if (found.length) {
    select(0);
  } else {
    const item = document.createElement("li");
    item.className = "none";
    item.textContent = `Nothing about “${field.value}”.`;
    results.append(item);
  }
}

field.addEventListener("input", find);
field.addEventListener("focus", find);
field.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") select(selected + 1);
  else if (event.key === "ArrowUp") select(selected - 1);
  else if (event.key === "Enter") results.querySelectorAll("a")[selected]?.click();
  else if (event.key === "Escape") { field.value = ""; show(false); field.blur(); }
  else return;
  event.preventDefault();
});
results.addEventListener("click", () => { show(false); field.blur(); });
document.addEventListener("click", (event) => { if (!search.contains(event.target)) show(false); });
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input")) return;
  event.preventDefault();
  field.focus();
});

// The menu of narrow windows closes when an entry is chosen.
const menu = document.getElementById("menu");
const nav = document.querySelector("nav");
nav.addEventListener("click", (event) => { if (event.target.closest("a")) menu.checked = false; });

// The contents mark the section that is being read.
const links = new Map([...nav.querySelectorAll("a")].map((link) => [link.hash.slice(1), link]));
const visible = new Set();
let current;
const observer = new IntersectionObserver((changes) => {
  for (const { target, isIntersecting } of changes) visible[isIntersecting ? "add" : "delete"](target);
  const first = [...visible].sort((one, other) => one.compareDocumentPosition(other) & 2 ? 1 : -1)[0];
  const link = first && links.get(first.id);
  if (!link || link === current) return;
  current?.removeAttribute("aria-current");
  link.setAttribute("aria-current", "true");
  current = link;
  if (matchMedia("(min-width: 64rem)").matches) {
    // The contents are the offset parent of their links.
    const [top, bottom] = [link.offsetTop, link.offsetTop + link.offsetHeight];
    if (top < nav.scrollTop) nav.scrollTop = top - 40;
    else if (bottom > nav.scrollTop + nav.clientHeight) nav.scrollTop = bottom - nav.clientHeight + 40;
  }
}, { rootMargin: "-80px 0px -55% 0px" });
for (const id of links.keys()) {
  const target = document.getElementById(id);
  if (target) observer.observe(target);
}
