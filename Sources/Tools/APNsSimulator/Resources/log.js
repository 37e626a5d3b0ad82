// The push log beside the phones, the list of violations, and the figures on top.

import * as api from "/page/api.js";
import { element } from "/page/dom.js";
import { direction, tag } from "/page/languages.js";

/** The number of visible pushes; /api/pushes has all. */
const SHOWN = 250;
/** The number of visible violations. The first ones show the cause, later ones repeat it. */
const SHOWN_VIOLATIONS = 50;

export class PushLog {
  constructor(list, violations, violationList, figures) {
    this.list = list;
    this.violations = violations;
    this.violationList = violationList;
    this.figures = figures;
    this.lastNumber = 0;
    /** The rows by push number. */
    this.rows = new Map();
    /** Functions that create the rows of new pushes, by push number. */
    this.pending = new Map();
    this.lastViolation = 0;
    this.moreViolations = element("p", { class: "more", hidden: true });
    violationList.after(this.moreViolations);
    this.totals = { high: 0, low: 0, alerts: 0, rejected: 0, violations: 0 };
    this.showFigures();
  }

  /** Adds or updates a push, and returns whether it is new: pushes arrive over feed and API, and again after a delay. */
  add(push, phone) {
    const isKnown = push.number <= this.lastNumber;
    if (isKnown && !push.reactedAt) return false;
    this.pending.set(push.number, () => row(push, phone));
    if (isKnown) return false;
    this.lastNumber = push.number;
    if (push.status !== 200) this.totals.rejected += push.status === undefined ? 0 : 1;
    else if (push.priority === 10) this.totals.high += 1;
    else this.totals.low += 1;
    if (push.alert) this.totals.alerts += 1;
    // Keeps only as many as are visible.
    if (this.pending.size > SHOWN) this.pending.delete(this.pending.keys().next().value);
    return true;
  }

  /** Shows the pushes since the last call. */
  draw() {
    const numbers = [...this.pending.keys()].sort((a, b) => a - b);
    for (const number of numbers) {
      const node = this.pending.get(number)();
      if (this.rows.has(number)) this.replace(number, node);
      else if (number > (this.newestShown ?? 0)) this.prepend(number, node);
    }
    this.pending.clear();
    this.removeOldest();
    this.showFigures();
  }

  prepend(number, node) {
    this.newestShown = number;
    this.list.prepend(node);
    this.rows.set(number, node);
  }

  removeOldest() {
    for (const [number, node] of this.rows) {
      if (this.rows.size <= SHOWN) return;
      node.remove();
      this.rows.delete(number);
    }
  }

  replace(number, node) {
    const before = this.rows.get(number);
    // An open entry stays open.
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
    const { high, low, alerts, rejected, violations } = this.totals;
    if (!this.moreViolations.hidden) {
      const more = violations - SHOWN_VIOLATIONS;
      this.moreViolations.replaceChildren(`and ${more} more: `, element("a", { href: "/api/violations" }, "/api/violations"));
    }
    this.figures.replaceChildren(
      figure("priority 10", high, "high"),
      figure("priority 5", low, "low"),
      figure("alerts", alerts, "alerts"),
      figure("rejected", rejected, rejected > 0 ? "bad" : ""),
      figure("violations", violations, violations > 0 ? "bad" : ""),
    );
  }
}

function figure(name, value, kind) {
  return element("div", {}, element("dt", {}, name), element("dd", { class: kind }, String(value)));
}

/** The reasons why a phone did not show a push. */
const DROPPED = {
  outdated: "older than the phone's state",
  unreadable: "the phone cannot decode it",
  over: "the activity is over",
  implausible: "the timestamp is too far from the current time",
  overBudget: "the budget for starts is spent",
  tooManyActivities: "the maximum number of activities is running",
  throttled: "the budget for priority 10 is spent",
  offline: "the phone is offline",
  stored: "the phone is offline; APNs stores the push",
  replaced: "the phone was offline, and a newer push replaced it",
  expired: "the push expired while the phone was offline",
  grouped: "it waits for other pushes of priority 5",
};

/** Summarizes the reactions to a broadcast, such as "3 shown, 1 stored". */
function reactionCounts(reactions) {
  const counts = Object.entries(reactions).map(([reaction, count]) => `${count} ${reaction}`);
  return counts.length === 0 ? "the channel has no followers" : counts.join(", ");
}

/** Creates a row; `phone` is the view of the push's phone, undefined for a broadcast or an unknown token. */
function row(push, phone) {
  const dropped = DROPPED[push.reaction];
  const isAccepted = push.status === 200;
  const title = isAccepted && !dropped && push.alert?.title;
  const result = dropped ? `🚫 ${dropped}` : title && "🔔 ";
  const followers = push.reactions && `📡 ${reactionCounts(push.reactions)}`;
  const note = [push.fault && `⚡ ${push.fault}`, push.reason, followers, isAccepted && result].filter(Boolean).join(" · ");
  const summary = element(
    "summary",
    {},
    element("time", { dateTime: push.time }, new Date(push.time).toLocaleTimeString("en-GB")),
    element("span", { class: `priority p${push.priority ?? 0}`, title: "Priority" }, String(push.priority ?? "–")),
    element("span", { class: "who" }, phone?.label ?? (push.channelID ? "a channel" : "unknown")),
    element("span", { class: "what" }, isAccepted ? push.event ?? "?" : String(push.status ?? "no response")),
    element("span", { class: "size" }, `${push.size} B`),
  );
  const details = element("details", { class: isAccepted ? "" : "rejected" }, summary);
  // The title is in the phone's language and direction, the note in the page's.
  const localizedTitle = title && element("bdi", { lang: tag(phone?.locale ?? "en"), dir: direction(phone?.locale ?? "en") }, title);
  if (note) summary.append(element("span", { class: "note" }, note, localizedTitle || null));
  // The payload is formatted when the entry is opened.
  details.addEventListener("toggle", () => {
    if (details.children.length > 1) return;
    const facts = [
      element("p", {}, `Response: ${push.status ?? "none"}${push.reason ? ` ${push.reason}` : ""}, apns-id ${push.apnsID}`),
      push.reaction && element("p", {}, `Phone: ${dropped ?? push.reaction}${later(push)}`),
      push.reactions && element("p", {}, `Phones: ${reactionCounts(push.reactions)}${later(push)}`),
      push.activityID && explanation(push),
      element("pre", { class: "headers" }, push.headers.map(({ name, value }) => `${name}: ${value}`).join("\n")),
      element("pre", {}, readable(push.payload)),
    ];
    details.append(...facts.filter(Boolean));
  });
  return element("li", {}, details);
}

/** The number of decisions before a push that explain its time and content. */
const DECISIONS = 4;

/** The server's decisions about a push, if the simulator has access to them, else a command that prints them. */
function explanation(push) {
  const reasons = element("ol", { class: "decisions" });
  const title = element("p", {}, "Decisions of the server: ");
  const reload = element("button", { type: "button", hidden: true }, "Reload");
  title.append(reload);
  const shown = element("div", { class: "explain" }, title, reasons);
  const load = async () => {
    try {
      const decisions = (await api.decisions(push.activityID)).filter(({ at }) => Date.parse(at) <= Date.parse(push.time));
      const recent = decisions.slice(-DECISIONS).map(decision);
      reasons.replaceChildren(...(recent.length > 0 ? recent : [element("li", {}, "No decisions are recorded.")]));
      reload.hidden = false;
    } catch (error) {
      if (error.type?.startsWith("no-")) shown.replaceChildren(command(push.activityID));
      else reasons.replaceChildren(element("li", {}, error.message));
    }
  };
  reload.addEventListener("click", load);
  load();
  return shown;
}

/** Formats a decision, such as "12:03:01 Ada was hit. Sent at priority 10 – her turn is next". */
function decision({ at, happened, decided, why, until }) {
  const end = until ? ` until ${new Date(until).toLocaleTimeString("en-GB")}` : "";
  const time = element("time", { dateTime: at }, new Date(at).toLocaleTimeString("en-GB"));
  return element("li", {}, time, ` ${happened}. ${decided}${end}${why ? ` – ${why}` : ""}.`);
}

/** The command with which an operator reads the decisions. */
function command(activityID) {
  const command = `rangersctl activity explain ${activityID}`;
  const copy = element("button", { type: "button" }, "Copy");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(command);
      copy.textContent = "Copied";
    } catch {
      // Without the permission, or without TLS on another machine, the user copies it by hand.
      getSelection().selectAllChildren(copy.previousElementSibling);
    }
  });
  return element("p", {}, "Decisions of the server: ", element("code", {}, command), " ", copy);
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
