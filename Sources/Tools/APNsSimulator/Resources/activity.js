// A Live Activity on the Lock Screen.

import { element, setText, syncChildren } from "/page/dom.js";
import { Fighter, ownHero } from "/page/fighter.js";
import { texts } from "/page/texts.js";

export class LiveActivity {
  /** `swipe` is called when the user swipes the activity away; without it there is no button. */
  constructor(swipe) {
    this.party = element("span", { class: "party", dir: "auto" });
    this.sign = element("span", { class: "sign" });
    this.swipe = element("button", { type: "button", class: "swipe" }, "✕");
    if (swipe) this.swipe.addEventListener("click", swipe);
    this.swipe.hidden = !swipe;
    this.boss = new Fighter("boss");
    this.heroes = element("ul", { class: "heroes" });
    this.event = element("p", { class: "event" });
    this.fighters = new WeakMap();
    this.node = element(
      "section",
      { class: "activity" },
      element("header", {}, this.party, this.sign, this.swipe),
      this.boss.node,
      this.heroes,
      this.event,
    );
  }

  update(activity, locale) {
    this.activity = activity;
    this.locale = locale;
    this.texts = texts(locale);
    const { contentState: state, status } = activity;
    const name = activity.partyName ?? activity.heroName ?? this.texts.activity;
    this.node.dataset.status = status;
    this.node.dataset.activity = activity.activityID;
    this.node.setAttribute("aria-label", `${name}, ${this.texts[status] ?? status}`);
    this.swipe.setAttribute("aria-label", this.texts.swipeAway(name));
    this.swipe.title = this.texts.swipe;
    setText(this.party, name);
    setText(this.event, activity.eventText ?? this.texts.waiting);
    this.boss.node.hidden = !state?.boss;
    const isBossActing = state?.turn !== undefined && state.turn.heroIndex === undefined;
    if (state?.boss) this.boss.update(state.boss, locale, { isActing: isBossActing });
    const own = ownHero(activity);
    syncChildren(
      this.heroes,
      state?.heroes ?? [],
      () => {
        const fighter = new Fighter("hero", "li");
        this.fighters.set(fighter.node, fighter);
        return fighter.node;
      },
      (node, hero, index) =>
        this.fighters.get(node).update(hero, locale, { isActing: state.turn?.heroIndex === index, isOwn: hero === own }),
    );
  }

  /** Updates the remaining time of a turn and the age of a stale state. */
  tick(seconds) {
    setText(this.sign, this.signText(seconds));
  }

  signText(seconds) {
    const { contentState: state, status, timestamp } = this.activity;
    if (status === "ended") return "🏁";
    if (status === "stale") return `⚠️ ${ago(seconds - timestamp, this.locale)}`;
    if (!state) return "";
    const turn = state.turn;
    if (!turn) return `🧭 ${state.tick}`;
    const left = turn.endsEpochSeconds === undefined ? 0 : Math.ceil(turn.endsEpochSeconds - seconds);
    return left > 0 ? `⚔️ ${turn.number} · ${this.texts.seconds(left)}` : `⚔️ ${turn.number}`;
  }
}

/** A relative time such as "2 minutes ago" in a language. */
function ago(seconds, locale) {
  const format = new Intl.RelativeTimeFormat(locale, { style: "short" });
  if (seconds < 60) return format.format(-Math.max(0, Math.round(seconds)), "second");
  if (seconds < 3600) return format.format(-Math.round(seconds / 60), "minute");
  return format.format(-Math.round(seconds / 3600), "hour");
}
