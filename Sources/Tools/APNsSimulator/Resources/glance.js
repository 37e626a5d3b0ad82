// A Live Activity at a glance: large in StandBy, small in the watch's Smart Stack.

import { element, setText } from "/page/dom.js";
import { Fighter, Stats, ownHero } from "/page/fighter.js";

export class Glance {
  constructor() {
    this.avatar = element("span", { class: "avatar", "aria-hidden": "true" });
    this.hero = new Fighter("hero");
    this.boss = new Fighter("boss");
    this.stats = new Stats();
    this.event = element("p", { class: "event" });
    this.node = element("div", { class: "glance" }, this.avatar, this.hero.node, this.boss.node, this.stats.node, this.event);
  }

  update(activity, locale) {
    const hero = ownHero(activity);
    const boss = activity.contentState?.boss;
    this.node.dataset.status = activity.status;
    setText(this.avatar, hero?.avatar ?? "🧭");
    setText(this.event, activity.eventText ?? "");
    this.stats.update(activity.hero, locale);
    this.hero.node.hidden = !hero;
    if (hero) this.hero.update(hero, locale);
    this.boss.node.hidden = !boss;
    if (boss) this.boss.update(boss, locale);
  }
}
