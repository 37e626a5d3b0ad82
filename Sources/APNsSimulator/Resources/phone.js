// One phone: its Lock Screen with Live Activities, its Dynamic Island, and the alert that has just come.

import { element, setText, syncChildren } from "/page/dom.js";

/** How long an alert keeps the island open, in milliseconds; about what an iPhone does. */
const ALERT_MILLISECONDS = 7000;
/** Without the half of the day, which the clock of a Lock Screen leaves out. */
const CLOCK = { hour: "numeric", minute: "2-digit", hourCycle: "h23" };
const RIGHT_TO_LEFT = new Set(["ar", "fa", "he", "ur"]);

/** As the original app: red at or below a fifth. */
const isCritical = (level) => level <= 0.2;
const percent = (level) => `${Math.round(level * 100)}%`;

export class Phone {
  constructor(view) {
    this.cards = new Map();
    this.time = element("time", { class: "clock" });
    this.date = element("p", { class: "date" });
    this.island = new Island();
    this.stack = element("div", { class: "stack" });
    this.idle = element("p", { class: "idle" }, "No Live Activity");
    this.counts = element("p", { class: "counts" });
    const name = element("h3", {}, view.label);
    const flags = element(
      "p",
      { class: "flags" },
      element("span", { title: "Language" }, view.locale),
      element(
        "span",
        { title: view.frequentPushesEnabled ? "Frequent pushes are allowed" : "Frequent pushes are off" },
        view.frequentPushesEnabled ? "⚡ frequent" : "standard",
      ),
    );
    const screen = element(
      "div",
      { class: "screen", lang: view.locale },
      this.island.node,
      this.date,
      this.time,
      this.stack,
      this.idle,
    );
    this.direction = RIGHT_TO_LEFT.has(view.locale.split(/[-_]/)[0]) ? "rtl" : "ltr";
    this.locale = view.locale.replace("_", "-");
    screen.style.setProperty("--hue", hue(view.phoneID));
    this.node = element(
      "article",
      { class: "phone", "aria-label": `${view.label}'s phone` },
      element("div", { class: "caption" }, name, flags),
      element("div", { class: "body" }, screen),
      this.counts,
    );
    this.update(view);
  }

  /** Takes a newer view; older ones, which cross newer ones on the way, are left alone. */
  update(view) {
    if (this.view && view.revision < this.view.revision) return;
    this.view = view;
    const total = view.activities.reduce(
      (sum, { pushes }) => ({
        high: sum.high + pushes.highPriority,
        low: sum.low + pushes.lowPriority,
        alerts: sum.alerts + pushes.withAlert,
      }),
      { high: 0, low: 0, alerts: 0 },
    );
    this.counts.replaceChildren(
      element("span", { class: "high", title: "Pushes at priority 10" }, `${total.high} × 10`),
      element("span", { class: "low", title: "Pushes at priority 5" }, `${total.low} × 5`),
      element("span", { title: "Pushes with an alert" }, `🔔 ${total.alerts}`),
    );
    const remembered = new Set(view.activities.map(({ activityID }) => activityID));
    for (const activityID of this.cards.keys()) {
      if (!remembered.has(activityID)) this.cards.delete(activityID);
    }
    for (const activity of view.activities) {
      if (!this.cards.has(activity.activityID)) this.cards.set(activity.activityID, new Card(this.direction));
      this.cards.get(activity.activityID).update(activity);
    }
    this.tick(Date.now());
  }

  /** What time alone changes: clock, stale sign, countdown, dismissal, and the alert that goes. */
  tick(now) {
    setText(this.time, new Date(now).toLocaleTimeString(this.locale, CLOCK));
    setText(
      this.date,
      new Date(now).toLocaleDateString(this.locale, { weekday: "long", day: "numeric", month: "long" }),
    );
    const seconds = now / 1000;
    const visible = this.view.activities
      .map((activity, order) => ({ activity, order, status: status(activity, seconds) }))
      .filter(({ status }) => status !== "dismissed")
      .sort(
        (a, b) =>
          Number(a.status === "ended") - Number(b.status === "ended") ||
          b.activity.relevanceScore - a.activity.relevanceScore ||
          a.order - b.order,
      );
    const nodes = visible.map(({ activity, status }) => {
      const card = this.cards.get(activity.activityID);
      card.tick(status, seconds);
      return card.node;
    });
    if (nodes.length !== this.stack.children.length || nodes.some((node, i) => node !== this.stack.children[i])) {
      this.stack.replaceChildren(...nodes);
    }
    this.idle.hidden = nodes.length > 0;
    const first = visible.find(({ status }) => status === "active" || status === "stale");
    const alert = visible
      .map(({ activity }) => activity.alert)
      .filter((alert) => alert && now - Date.parse(alert.time) < ALERT_MILLISECONDS)
      .sort((a, b) => Date.parse(b.time) - Date.parse(a.time))[0];
    this.island.update(first?.activity, alert);
    this.node.classList.toggle("alerting", alert !== undefined);
  }
}

/** The strip at the top: the hero and its health; open, with title and text, while an alert is fresh. */
class Island {
  constructor() {
    this.avatar = element("span", { class: "avatar" });
    this.ring = element("span", { class: "ring" });
    this.title = element("strong");
    this.text = element("span");
    this.alert = element("div", { class: "alert", role: "alert" }, this.title, this.text);
    this.node = element("div", { class: "island" }, this.avatar, this.alert, this.ring);
  }

  update(activity, alert) {
    const state = activity?.contentState;
    this.node.classList.toggle("empty", !state);
    this.node.classList.toggle("open", alert !== undefined);
    if (state) {
      setText(this.avatar, ownHero(activity)?.avatar ?? "🧭");
      setText(this.ring, String(Math.round(state.currentHealthLevel * 100)));
      this.ring.style.setProperty("--level", state.currentHealthLevel);
      this.ring.classList.toggle("critical", isCritical(state.currentHealthLevel));
    }
    setText(this.title, alert?.title ?? "");
    setText(this.text, alert?.body ?? "");
  }
}

/** The Live Activity on the Lock Screen. */
class Card {
  constructor(direction) {
    this.party = element("span", { class: "party" });
    this.sign = element("span", { class: "sign" });
    this.boss = new Bar("boss");
    this.heroes = element("ul", { class: "heroes" });
    this.event = element("p", { class: "event" });
    this.bars = new WeakMap();
    this.node = element(
      "section",
      { class: "card", dir: direction },
      element("header", {}, this.party, this.sign),
      this.boss.node,
      this.heroes,
      this.event,
    );
  }

  update(activity) {
    this.activity = activity;
    const state = activity.contentState;
    setText(this.party, activity.partyName ?? activity.heroName ?? "Live Activity");
    setText(this.event, activity.eventText ?? "waiting for the first push …");
    this.boss.node.hidden = !state?.boss;
    if (state?.boss) this.boss.update(state.boss, { isActing: state.turn !== undefined && state.turn.heroIndex === undefined });
    const own = ownHero(activity);
    syncChildren(
      this.heroes,
      state?.heroes ?? [],
      () => {
        const bar = new Bar("hero", "li");
        this.bars.set(bar.node, bar);
        return bar.node;
      },
      (node, hero, index) =>
        this.bars.get(node).update(hero, { isActing: state.turn?.heroIndex === index, isOwn: hero === own }),
    );
  }

  tick(status, seconds) {
    this.node.dataset.status = status;
    setText(this.sign, this.signText(status, seconds));
  }

  signText(status, seconds) {
    const state = this.activity.contentState;
    if (status === "ended") return state?.outcome ? `🏁 ${words(state.outcome)}` : "🏁";
    if (status === "stale") return "⚠️ out of date";
    if (!state) return "";
    const turn = state.turn;
    if (!turn) return `🧭 ${state.tick}`;
    const left = turn.endsEpochSeconds === undefined ? undefined : Math.ceil(turn.endsEpochSeconds - seconds);
    return left > 0 ? `⚔️ ${turn.number} · ${left} s` : `⚔️ ${turn.number}`;
  }
}

/** Someone with health: avatar, name, bar. */
class Bar {
  constructor(kind, tag = "div") {
    this.avatar = element("span", { class: "avatar", "aria-hidden": "true" });
    this.name = element("span", { class: "name" });
    this.fill = element("span", { class: "fill" });
    this.meter = element("span", { class: "bar", role: "meter", "aria-valuemin": "0", "aria-valuemax": "100" }, this.fill);
    this.level = element("span", { class: "level", "aria-hidden": "true" });
    this.node = element(tag, { class: `fighter ${kind}` }, this.avatar, this.name, this.meter, this.level);
  }

  update(fighter, { isActing = false, isOwn = false }) {
    setText(this.avatar, fighter.avatar);
    setText(this.name, fighter.name);
    setText(this.level, percent(fighter.healthLevel));
    this.fill.style.setProperty("--level", fighter.healthLevel);
    this.meter.setAttribute("aria-valuenow", Math.round(fighter.healthLevel * 100));
    this.meter.setAttribute("aria-label", `${fighter.name}'s health`);
    this.node.classList.toggle("critical", isCritical(fighter.healthLevel));
    this.node.classList.toggle("down", fighter.isDown === true);
    this.node.classList.toggle("acting", isActing);
    this.node.classList.toggle("own", isOwn);
    this.node.dataset.phase = fighter.phase ?? "";
  }
}

/** The server tells the status too, but time goes on without a push. */
function status(activity, seconds) {
  if (activity.dismissalDate !== undefined) return seconds >= activity.dismissalDate ? "dismissed" : "ended";
  return activity.staleDate !== undefined && seconds >= activity.staleDate ? "stale" : "active";
}

function ownHero({ heroName, contentState }) {
  return contentState?.heroes.find((hero) => hero.name === heroName);
}

/** "bossDefeated" as people write it. */
const words = (name) => name.replace(/([A-Z])/g, " $1").toLowerCase();

/** A wallpaper's colour that stays a phone's own: from teal over blue to rose, where white text reads well. */
const hue = (id) => String(170 + (parseInt(id.slice(0, 4), 16) % 170));
