// The push log beside the phones, the list of violations, and the figures on top.

import * as api from "/page/api.js";
import { element } from "/page/dom.js";
import { direction, tag } from "/page/languages.js";

/** As many as anyone scrolls through; /api/pushes has all. */
const SHOWN = 250;
/** The first ones: they show the cause, later ones repeat it. */
const SHOWN_VIOLATIONS = 50;

export class PushLog {
  constructor(list, violations, violationList, figures) {
    this.list = list;
    this.violations = violations;
    this.violationList = violationList;
    this.figures = figures;
    this.lastNumber = 0;
    /** The rows by the numbers of their pushes. */
    this.rows = new Map();
    /** What has come since the list was drawn: functions that make the rows, by the numbers of the pushes. */
    this.fresh = new Map();
    this.lastViolation = 0;
    this.moreViolations = element("p", { class: "more", hidden: true });
    violationList.after(this.moreViolations);
    this.totals = { high: 0, low: 0, alerts: 0, refused: 0, violations: 0 };
    this.showFigures();
  }

  /** Adds a push, if it is not there yet, and says whether: they come by two ways, and again when they had to wait. */
  add(push, phone) {
    const isKnown = push.number <= this.lastNumber;
    if (isKnown && !push.reactedAt) return false;
    this.fresh.set(push.number, () => row(push, phone));
    if (isKnown) return false;
    this.lastNumber = push.number;
    if (push.status !== 200) this.totals.refused += push.status === undefined ? 0 : 1;
    else if (push.priority === 10) this.totals.high += 1;
    else this.totals.low += 1;
    if (push.alert) this.totals.alerts += 1;
    // No more is kept than is shown.
    if (this.fresh.size > SHOWN) this.fresh.delete(this.fresh.keys().next().value);
    return true;
  }

  /** Shows what has come since it was last called. */
  draw() {
    const numbers = [...this.fresh.keys()].sort((a, b) => a - b);
    for (const number of numbers) {
      const node = this.fresh.get(number)();
      if (this.rows.has(number)) this.replace(number, node);
      else if (number > (this.newestShown ?? 0)) this.prepend(number, node);
    }
    this.fresh.clear();
    this.forgetOldest();
    this.showFigures();
  }

  prepend(number, node) {
    this.newestShown = number;
    this.list.prepend(node);
    this.rows.set(number, node);
  }

  forgetOldest() {
    for (const [number, node] of this.rows) {
      if (this.rows.size <= SHOWN) return;
      node.remove();
      this.rows.delete(number);
    }
  }

  replace(number, node) {
    const before = this.rows.get(number);
    // What someone is reading stays open.
    node.firstElementChild.open = before.firstElementChild.open;
    before.replaceWith(node);
    this.rows.set(number, node);
  }

  addViolation(violation) {
    if (violation.number <= this.lastViolation) return;
    this.lastViolation = violation.number;
    this.totals.violations += 1;
    this.violations.hidden = false;
    if (this.violationList.children.length < SHOWN_VIOLATIONS) {
      this.violationList.append(element("li", {}, element("strong", {}, violation.kind), ` ${violation.detail}`));
      return;
    }
    this.moreViolations.hidden = false;
  }

  showFigures() {
    const { high, low, alerts, refused, violations } = this.totals;
    if (!this.moreViolations.hidden) {
      const more = violations - SHOWN_VIOLATIONS;
      this.moreViolations.replaceChildren(`and ${more} more: `, element("a", { href: "/api/violations" }, "/api/violations"));
    }
    this.figures.replaceChildren(
      figure("priority 10", high, "high"),
      figure("priority 5", low, "low"),
      figure("alerts", alerts, "alerts"),
      figure("refused", refused, refused > 0 ? "bad" : ""),
      figure("violations", violations, violations > 0 ? "bad" : ""),
    );
  }
}

function figure(name, value, kind) {
  return element("div", {}, element("dt", {}, name), element("dd", { class: kind }, String(value)));
}

/** What a phone made of a push, where it is not what the sender hoped for. */
const LOST = {
  outdated: "older than what the phone shows",
  unreadable: "the phone cannot read it",
  over: "the activity is over",
  implausible: "its timestamp is too far from now",
  overBudget: "the budget of starts is spent",
  tooManyActivities: "as many activities run as may",
  throttled: "the budget of priority 10 is spent",
  offline: "the phone is offline",
  stored: "the phone is offline; APNs keeps the push",
  replaced: "the phone was offline, and another push took its place",
  expired: "the phone was offline for too long",
  grouped: "it waits for others of priority 5",
};

/** What the followers of a channel made of a broadcast, such as "3 shown, 1 stored". */
function told(reactions) {
  const counts = Object.entries(reactions).map(([reaction, count]) => `${count} ${reaction}`);
  return counts.length === 0 ? "nobody follows the channel" : counts.join(", ");
}

/** `phone` is the view of the phone that the push was for; absent when it was for none, or for many. */
function row(push, phone) {
  const lost = LOST[push.reaction];
  const isAccepted = push.status === 200;
  const title = isAccepted && !lost && push.alert?.title;
  const news = lost ? `🚫 ${lost}` : title && "🔔 ";
  const followers = push.reactions && `📡 ${told(push.reactions)}`;
  const note = [push.fault && `⚡ ${push.fault}`, push.reason, followers, isAccepted && news].filter(Boolean).join(" · ");
  const summary = element(
    "summary",
    {},
    element("time", { dateTime: push.time }, new Date(push.time).toLocaleTimeString("en-GB")),
    element("span", { class: `priority p${push.priority ?? 0}`, title: "Priority" }, String(push.priority ?? "–")),
    element("span", { class: "who" }, phone?.label ?? (push.channelID ? "a channel" : "nobody")),
    element("span", { class: "what" }, isAccepted ? push.event ?? "?" : String(push.status ?? "unheard")),
    element("span", { class: "size" }, `${push.size} B`),
  );
  const details = element("details", { class: isAccepted ? "" : "refused" }, summary);
  // The note is ours, the title the phone's: in its language, and in the direction of that.
  const said = title && element("bdi", { lang: tag(phone?.locale ?? "en"), dir: direction(phone?.locale ?? "en") }, title);
  if (note) summary.append(element("span", { class: "note" }, note, said || null));
  // The payload is written out when someone wants to see it.
  details.addEventListener("toggle", () => {
    if (details.children.length > 1) return;
    const facts = [
      element("p", {}, `The answer: ${push.status ?? "none"}${push.reason ? ` ${push.reason}` : ""}, apns-id ${push.apnsID}`),
      push.reaction && element("p", {}, `The phone: ${lost ?? push.reaction}${later(push)}`),
      push.reactions && element("p", {}, `The phones: ${told(push.reactions)}${later(push)}`),
      push.activityID && explanation(push),
      element("pre", { class: "headers" }, push.headers.map(({ name, value }) => `${name}: ${value}`).join("\n")),
      element("pre", {}, readable(push.payload)),
    ];
    details.append(...facts.filter(Boolean));
  });
  return element("li", {}, details);
}

/** So many decisions before a push say why it came then, and looks as it does. */
const DECISIONS = 4;

/** Why the server has sent a push: in its own words, if the simulator may ask it, else how to ask it. */
function explanation(push) {
  const reasons = element("ol", { class: "decisions" });
  const title = element("p", {}, "Why the server decided so: ");
  const again = element("button", { type: "button", hidden: true }, "Ask again");
  title.append(again);
  const shown = element("div", { class: "explain" }, title, reasons);
  const ask = async () => {
    try {
      const decisions = (await api.decisions(push.activityID)).filter(({ at }) => Date.parse(at) <= Date.parse(push.time));
      const said = decisions.slice(-DECISIONS).map(decision);
      reasons.replaceChildren(...(said.length > 0 ? said : [element("li", {}, "Nothing is on record yet, or no more.")]));
      again.hidden = false;
    } catch (error) {
      if (error.type?.startsWith("no-")) shown.replaceChildren(command(push.activityID));
      else reasons.replaceChildren(element("li", {}, error.message));
    }
  };
  again.addEventListener("click", ask);
  ask();
  return shown;
}

/** Such as "12:03:01 Ada was hit. Sent at priority 10 – her turn is next". */
function decision({ at, happened, decided, why, until }) {
  const end = until ? ` until ${new Date(until).toLocaleTimeString("en-GB")}` : "";
  const time = element("time", { dateTime: at }, new Date(at).toLocaleTimeString("en-GB"));
  return element("li", {}, time, ` ${happened}. ${decided}${end}${why ? ` – ${why}` : ""}.`);
}

/** How to ask the server, whose operators alone may know, why it has sent what. */
function command(activityID) {
  const command = `rangersctl activity explain ${activityID}`;
  const copy = element("button", { type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(command);
      copy.textContent = "Copied";
    } catch {
      // Without the permission, or without TLS from another machine, the visitor copies it by hand.
      getSelection().selectAllChildren(copy.previousElementSibling);
    }
  });
  return element("p", {}, "Why the server decided so: ", element("code", {}, command), " ", copy);
}

function later({ reactedAt }) {
  return reactedAt ? `, at ${new Date(reactedAt).toLocaleTimeString("en-GB")}` : "";
}

function readable(payload) {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2);
  } catch {
    return payload;
  }
}
