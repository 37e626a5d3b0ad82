// The Dynamic Island: compact, minimal, or expanded.

import { element, setText } from "/page/dom.js";
import { Fighter, Ring, Stats, ownHero } from "/page/fighter.js";

const avatar = (activity) => ownHero(activity)?.avatar ?? "🧭";
const level = (activity) => activity.contentState?.currentHealthLevel ?? 1;

export class Island {
  constructor() {
    this.leading = element("span", { class: "avatar", "aria-hidden": "true" });
    this.ring = new Ring();
    this.party = element("strong", { class: "party", dir: "auto" });
    this.event = element("p", { class: "event" });
    this.hero = new Fighter("hero");
    this.boss = new Fighter("boss");
    this.stats = new Stats();
    this.open = element(
      "div",
      { class: "expanded" },
      this.party,
      this.stats.node,
      this.hero.node,
      this.boss.node,
      this.event,
    );
    this.pill = element("div", { class: "pill" }, this.leading, this.open, this.ring.node);
    this.second = new Ring();
    this.second.node.classList.add("detached");
    this.node = element("div", { class: "island", role: "group", "aria-label": "Dynamic Island" }, this.pill, this.second.node);
  }

  /** Shows the presentation that the phone reports, for these activities, in the phone's language. */
  update({ presentation, activityIDs }, activities, locale) {
    const [first, second] = activityIDs.map((id) => activities.find(({ activityID }) => activityID === id));
    this.node.dataset.presentation = presentation;
    if (first) {
      setText(this.leading, avatar(first));
      this.ring.update(level(first), locale);
      this.expand(first, locale);
    }
    if (second) this.second.update(level(second), locale, avatar(second));
  }

  /** Updates the expanded presentation, also while it is closed, so that it opens without delay. */
  expand(activity, locale) {
    const hero = ownHero(activity);
    const boss = activity.contentState?.boss;
    setText(this.party, activity.partyName ?? "");
    setText(this.event, activity.eventText ?? "");
    this.stats.update(activity.hero, locale);
    this.hero.node.hidden = !hero;
    if (hero) this.hero.update(hero, locale);
    this.boss.node.hidden = !boss;
    if (boss) this.boss.update(boss, locale);
  }
}
