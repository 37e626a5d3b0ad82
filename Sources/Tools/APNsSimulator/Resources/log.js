// The push log beside the phones, the list of violations, and the figures on top.

import * as api from "/page/api.js";
import { copyable } from "/page/copyable.js";
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
  activitiesOff: "Live Activities are off",
  overBudget: "the budget for starts is spent",
  overReloadBudget: "the budget for reloads of widgets is spent",
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
    element("span", { class: "what" }, isAccepted ? push.event ?? (push.pushType === "liveactivity" ? "?" : push.pushType) : String(push.status ?? "no response")),
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

/** The number of decisions that explain a push: the one that sent it, and those before it. */
const DECISIONS = 4;
/** The interval of requests for a decision that the server has not written yet; it writes them every ten seconds. */
const RETRY_MILLISECONDS = 2000;
/** The age of a push from which its decision is no longer to come. */
const UNKNOWN_AGE_MILLISECONDS = 30_000;

/** The server's decisions about a push, if the simulator has access to them, else a command that prints them. */
function explanation(push) {
  const reasons = element("ol", { class: "decisions" });
  const note = element("p", { role: "status" });
  const shown = element("div", { class: "explain" }, element("p", {}, "Decisions of the server:"), note, reasons);
  const load = async () => {
    try {
      const decisions = await api.decisions(push.activityID);
      const isFresh = Date.now() - Date.parse(push.time) < UNKNOWN_AGE_MILLISECONDS;
      const sending = sendingOf(push, decisions, isFresh);
      const earlier = decisions.filter(({ at }) => Date.parse(at) <= Date.parse(sending?.at ?? push.time));
      reasons.replaceChildren(...earlier.slice(-DECISIONS).map((entry) => decision(entry, entry === sending)));
      // The server keeps only the latest decisions of an activity.
      const isEvicted = decisions.length > 0 && decisions.every(({ at }) => seconds(at) > push.timestamp);
      const missing = `The decision about this push is ${isEvicted ? "no longer kept" : isFresh ? "not known yet" : "not recorded"}.`;
      note.textContent = sending ? "" : missing + (earlier.length > 0 ? " Earlier ones:" : "");
      if (!sending && !isEvicted && isFresh && shown.isConnected) setTimeout(load, RETRY_MILLISECONDS);
    } catch (error) {
      if (error.type?.startsWith("no-")) shown.replaceChildren(command(push.activityID, await server()));
      else note.textContent = error.message;
    }
  };
  load();
  return shown;
}

/**
 * The decision that has sent a push: both have the time of sending by the server's clock, the push in seconds.
 *
 * The first timestamp of a node may be two seconds ahead. The decision of a fresh push may be still to come, so no other is
 * taken for it.
 */
function sendingOf(push, decisions, isFresh) {
  const sent = decisions.filter(({ decision }) => ["sent", "demoted"].includes(decision));
  const ahead = ({ at }) => push.timestamp - seconds(at);
  const exact = sent.findLast((entry) => ahead(entry) === 0);
  return exact ?? (isFresh ? undefined : sent.findLast((entry) => ahead(entry) > 0 && ahead(entry) <= 2));
}

const seconds = (time) => Math.floor(Date.parse(time) / 1000);

/** Formats a decision, such as "12:03:01 Ada was hit. Sent at priority 10 – her turn is next", and marks that of the push. */
function decision({ at, trigger, action, reason, until }, isSending) {
  const end = until ? ` until ${new Date(until).toLocaleTimeString("en-GB")}` : "";
  const time = element("time", { dateTime: at }, new Date(at).toLocaleTimeString("en-GB"));
  const text = ` ${trigger}. ${action}${end}${reason ? ` – ${reason}` : ""}.`;
  const mark = isSending ? element("span", { class: "mark" }, " ← this push") : null;
  return element("li", isSending ? { class: "sending" } : {}, time, text, mark);
}

/** The command with which an operator reads the decisions; `server` is the game server's address, if known. */
function command(activityID, server) {
  const command = copyable("Copy the command");
  command.update(`rangersctl activity explain ${activityID}${server ? ` --server ${server}` : ""}`);
  const needs = server ? "" : "the server's address in RANGERS_SERVER and ";
  const hint = `The command needs ${needs}the token of an operator, role viewer, in RANGERS_OPERATOR_TOKEN.`;
  return element("p", {}, "Decisions of the server: ", command.node, ` ${hint}`);
}

/** The game server's address; undefined without one, and without a response. */
const server = () => api.players().then(({ server }) => server, () => undefined);

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
