// The push log beside the phones, the list of violations, and the figures on top.

import { element } from "/page/dom.js";

/** As many as anyone scrolls through; /api/pushes has all. */
const SHOWN = 250;

export class PushLog {
  constructor(list, violations, violationList, figures) {
    this.list = list;
    this.violations = violations;
    this.violationList = violationList;
    this.figures = figures;
    this.lastNumber = 0;
    this.lastViolation = 0;
    this.totals = { high: 0, low: 0, alerts: 0, refused: 0, violations: 0 };
    this.showFigures();
  }

  /** Adds a push, if it is not there yet; they come by two ways. */
  add(push, phoneName) {
    if (push.number <= this.lastNumber) return;
    this.lastNumber = push.number;
    if (push.status !== 200) this.totals.refused += 1;
    else if (push.priority === 10) this.totals.high += 1;
    else this.totals.low += 1;
    if (push.alert) this.totals.alerts += 1;
    this.list.prepend(row(push, phoneName));
    while (this.list.children.length > SHOWN) this.list.lastElementChild.remove();
    this.showFigures();
  }

  addViolation(violation) {
    if (violation.number <= this.lastViolation) return;
    this.lastViolation = violation.number;
    this.totals.violations += 1;
    this.violations.hidden = false;
    this.violationList.append(element("li", {}, element("strong", {}, violation.kind), ` ${violation.detail}`));
    this.showFigures();
  }

  showFigures() {
    const { high, low, alerts, refused, violations } = this.totals;
    this.figures.replaceChildren(
      ...figure("priority 10", high, "high"),
      ...figure("priority 5", low, "low"),
      ...figure("alerts", alerts, "alerts"),
      ...figure("refused", refused, refused > 0 ? "bad" : ""),
      ...figure("violations", violations, violations > 0 ? "bad" : ""),
    );
  }
}

function figure(name, value, kind) {
  return [element("dt", {}, name), element("dd", { class: kind }, String(value))];
}

function row(push, phoneName) {
  const note = push.status === 200 ? push.alert && `🔔 ${push.alert.title}` : push.reason;
  const summary = element(
    "summary",
    {},
    element("time", { dateTime: push.time }, new Date(push.time).toLocaleTimeString("en-GB")),
    element("span", { class: `priority p${push.priority ?? 0}`, title: "Priority" }, String(push.priority ?? "–")),
    element("span", { class: "who" }, phoneName ?? "nobody"),
    element("span", { class: "what" }, push.status === 200 ? push.event ?? "?" : String(push.status)),
    element("span", { class: "size" }, `${push.size} B`),
  );
  const details = element("details", { class: push.status === 200 ? "" : "refused" }, summary);
  if (note) summary.append(element("span", { class: "note" }, note));
  // The payload is written out when someone wants to see it.
  details.addEventListener("toggle", () => {
    if (details.children.length > 1) return;
    details.append(
      element("p", {}, `apns-id ${push.apnsID}${push.reaction ? ` · the phone: ${push.reaction}` : ""}`),
      element("pre", {}, readable(push.payload)),
    );
  });
  return element("li", {}, details);
}

function readable(payload) {
  try {
    return JSON.stringify(JSON.parse(payload), null, 2);
  } catch {
    return payload;
  }
}
