// A device: its Lock Screen with Live Activities and notifications, its Dynamic Island, its widgets, its owner's watch, and
// its controls.

import { LiveActivity } from "/page/activity.js";
import * as api from "/page/api.js";
import { Controls } from "/page/controls.js";
import { element, setText } from "/page/dom.js";
import { labelled } from "/page/fighter.js";
import { Island } from "/page/island.js";
import { direction, tag } from "/page/languages.js";
import { Notifications } from "/page/notifications.js";
import { Presentations } from "/page/presentations.js";
import { texts } from "/page/texts.js";
import { Watch } from "/page/watch.js";
import { Widgets } from "/page/widgets.js";

/** The Lock Screen's clock has no AM or PM. */
const CLOCK = { hour: "numeric", minute: "2-digit", hourCycle: "h23" };
const DATE = { weekday: "long", day: "numeric", month: "long" };

/** The time formats by language, created once: that is the slowest part of a phone. */
const formats = new Map();

function writtenTime(date, locale) {
  if (!formats.has(locale)) {
    const format = (options) => new Intl.DateTimeFormat(locale, options);
    formats.set(locale, { clock: format(CLOCK), date: format(DATE) });
  }
  const format = formats.get(locale);
  // The text changes once a minute and is the same for all phones of a language.
  const minute = Math.floor(date / 60_000);
  if (format.minute !== minute) {
    Object.assign(format, { minute, text: [format.clock.format(date), format.date.format(date)] });
  }
  return format.text;
}

export class Phone {
  /** Creates a phone that shows nothing yet. */
  constructor(view) {
    this.liveActivities = new Map();
    /** The time of the last alert of each activity and of each notification. */
    this.alertTimes = new Map();
    this.time = element("time", { class: "clock" });
    this.date = element("p", { class: "date" });
    this.signal = element("span", { class: "signal", role: "img" });
    this.island = new Island();
    this.stack = element("div", { class: "stack" });
    this.idle = element("p", { class: "idle" });
    this.language = element("span", { title: "Language" });
    this.frequent = element("span");
    this.counts = element("p", { class: "counts" });
    this.budget = element("meter", { min: 0, low: 0.2 });
    this.budgetText = element("span");
    this.watch = new Watch();
    this.notifications = new Notifications();
    this.widgets = new Widgets();
    this.presentations = new Presentations(view, (choice) => this.present(choice));
    this.error = element("p", { class: "error", role: "alert" });
    const showError = (message) => setText(this.error, message);
    this.showError = showError;
    this.controls = new Controls(view, showError);
    this.screen = element(
      "div",
      { class: "screen" },
      this.signal,
      this.island.node,
      this.date,
      this.time,
      this.notifications.node,
      this.stack,
      this.idle,
    );
    const heading = element("h2", { id: `phone-${view.phoneID}` }, view.label);
    this.node = element(
      "article",
      { class: "phone", "aria-labelledby": heading.id, "data-label": view.label, "data-model": view.model },
      element("div", { class: "caption" }, heading, element("p", { class: "flags" }, this.language, this.frequent)),
      element("div", { class: "body" }, this.screen),
      this.presentations.node,
      element(
        "div",
        { class: "beside" },
        this.watch.node,
        element("div", { class: "spent" }, this.counts, element("label", {}, this.budget, this.budgetText)),
      ),
      this.widgets.node,
      this.error,
      this.presentations.select,
      this.controls.node,
    );
    this.node.style.setProperty("--hue", hue(view.phoneID));
    this.present(this.presentations.choice);
  }

  /** Shows the whole phone, or only the pictures of the chosen presentation. */
  present(choice) {
    this.node.dataset.presentation = choice;
  }

  /**
   * Shows a view, unless a newer one overtook it.
   * Returns the alerts that the previous view did not have.
   */
  update(view) {
    if (this.view && view.revision < this.view.revision) return [];
    view = { ...view, activities: view.activities.map(labelled) };
    this.view = view;
    this.locale = tag(view.locale);
    this.screen.lang = this.locale;
    this.screen.dir = direction(view.locale);
    this.watch.node.lang = this.locale;
    this.watch.node.dir = direction(view.locale);
    this.node.dataset.island = view.island.presentation;
    this.node.classList.toggle("offline", !view.isOnline);
    setText(this.language, view.locale);
    const [flag, title] = flags(view);
    setText(this.frequent, flag);
    this.frequent.title = title;
    const { idle, online, offline } = texts(this.locale);
    setText(this.idle, idle);
    setText(this.signal, view.isOnline ? "📶" : "✈️");
    this.signal.title = view.isOnline ? online : offline;
    this.signal.setAttribute("aria-label", this.signal.title);
    this.showSpent(view);
    this.showActivities(view);
    this.island.update(view.island, view.activities, this.locale);
    this.notifications.update(view.notifications);
    this.widgets.update(view.widgets, this.locale);
    this.presentations.update(view, this.locale);
    this.watch.update([...view.activities, ...view.notifications], this.locale);
    this.controls.update(view);
    this.tick(Date.now());
    return this.newAlerts(view);
  }

  /** Returns the new alerts; a passive notification is none. */
  newAlerts({ activities, notifications }) {
    const ringing = notifications.filter(({ interruptionLevel }) => interruptionLevel !== "passive");
    const alerting = [...activities, ...ringing].filter(({ alert }) => alert);
    const id = ({ activityID, apnsID }) => activityID ?? apnsID;
    const alerts = alerting.filter((item) => this.alertTimes.get(id(item)) !== item.alert.time);
    this.alertTimes = new Map(alerting.map((item) => [id(item), item.alert.time]));
    return alerts.map(({ alert }) => alert);
  }

  /** Updates the parts that change with time between two views: clock, countdown, age. */
  tick(now) {
    const [time, date] = writtenTime(now, this.locale);
    setText(this.time, time);
    setText(this.date, date);
    this.liveActivities.forEach((liveActivity) => liveActivity.tick(now / 1000));
    this.presentations.tick(now / 1000);
    this.watch.tick(now);
  }

  showSpent({ activities, budgetLimit, budgetLeft }) {
    const sum = (count) => activities.reduce((total, { pushes }) => total + pushes[count], 0);
    this.counts.replaceChildren(
      element("span", { class: "high", title: "Pushes at priority 10" }, `${sum("highPriority")} × 10`),
      element("span", { class: "low", title: "Pushes at priority 5" }, `${sum("lowPriority")} × 5`),
      element("span", { title: "Pushes with an alert" }, `🔔 ${sum("withAlert")}`),
    );
    this.budget.parentElement.hidden = budgetLimit === undefined;
    if (budgetLimit === undefined) return;
    this.budget.value = budgetLimit === 0 ? 0 : budgetLeft / budgetLimit;
    setText(this.budgetText, ` ${budgetLeft} of ${budgetLimit} left`);
    this.budget.parentElement.title = "Budget of priority 10 for this hour";
  }

  /** Shows the Lock Screen's activities in order; each keeps its element, so that it animates. */
  showActivities({ phoneID, activities, lockScreen }) {
    for (const activityID of this.liveActivities.keys()) {
      if (!lockScreen.includes(activityID)) this.liveActivities.delete(activityID);
    }
    const nodes = lockScreen.map((activityID) => {
      if (!this.liveActivities.has(activityID)) {
        const swipe = () => api.swipeAway(phoneID, activityID).catch((error) => this.showError(error.message));
        this.liveActivities.set(activityID, new LiveActivity(swipe));
      }
      const liveActivity = this.liveActivities.get(activityID);
      liveActivity.update(activities.find((activity) => activity.activityID === activityID), this.locale);
      return liveActivity.node;
    });
    if (nodes.length !== this.stack.children.length || nodes.some((node, i) => node !== this.stack.children[i])) {
      this.showStack(nodes);
    }
    this.idle.hidden = nodes.length > 0 || !this.notifications.node.hidden;
  }

  /** Orders the activities; the focus stays in its activity, or moves to the one in its place. */
  showStack(nodes) {
    const focused = this.stack.contains(document.activeElement) ? document.activeElement : undefined;
    const index = [...this.stack.children].findIndex((node) => node.contains(focused ?? null));
    this.stack.replaceChildren(...nodes);
    if (!focused) return;
    const next = this.stack.contains(focused) ? focused : nodes.at(Math.min(index, nodes.length - 1))?.querySelector("button");
    (next ?? this.controls.summary).focus();
  }
}

/** The phone's setting for pushes to Live Activities. */
function flags({ liveActivitiesEnabled, frequentPushesEnabled }) {
  if (!liveActivitiesEnabled) return ["🚫 no activities", "Live Activities are off"];
  return frequentPushesEnabled ? ["⚡ frequent", "Frequent pushes are allowed"] : ["standard", "Frequent pushes are off"];
}

/** A fixed wallpaper hue for each phone, from teal over blue to rose, on which white text is legible. */
const hue = (id) => String(170 + (parseInt(id.slice(0, 4), 16) % 170));
