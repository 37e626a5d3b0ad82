// A hero or boss with a health bar, and the health ring of the Dynamic Island.

import { element, setText } from "/page/dom.js";
import { texts } from "/page/texts.js";

/** Red at or below a fifth, as in the original app. */
const isCritical = (level) => level <= 0.2;
const whole = (level) => Math.round(level * 100);

export class Fighter {
  constructor(kind, tag = "div") {
    this.avatar = element("span", { class: "avatar", "aria-hidden": "true" });
    this.name = element("span", { class: "name", dir: "auto" });
    this.fill = element("span", { class: "fill" });
    this.meter = element("span", { class: "bar", role: "meter", "aria-valuemin": "0", "aria-valuemax": "100" }, this.fill);
    this.level = element("span", { class: "level", "aria-hidden": "true" });
    this.node = element(tag, { class: `fighter ${kind}` }, this.avatar, this.name, this.level, this.meter);
  }

  /** Shows a fighter on a phone in this language. */
  update(fighter, locale, { isActing = false, isOwn = false } = {}) {
    const { percent, healthOfName } = texts(locale);
    setText(this.avatar, fighter.avatar);
    const name = fighter.label ?? fighter.name;
    setText(this.name, name);
    setText(this.level, percent(fighter.healthLevel));
    this.fill.style.setProperty("--level", fighter.healthLevel);
    this.meter.setAttribute("aria-valuenow", whole(fighter.healthLevel));
    this.meter.setAttribute("aria-label", healthOfName(name));
    this.node.classList.toggle("critical", isCritical(fighter.healthLevel));
    this.node.classList.toggle("down", fighter.isDown === true);
    this.node.classList.toggle("acting", isActing);
    this.node.setAttribute("aria-current", String(isActing));
    this.node.classList.toggle("own", isOwn);
    this.node.dataset.phase = fighter.phase ?? "";
  }
}

/** Health as a ring around the percentage or an avatar. */
export class Ring {
  constructor() {
    this.node = element("span", { class: "ring", role: "img" });
  }

  update(level, locale, inside) {
    const { percent, health } = texts(locale);
    setText(this.node, inside ?? String(whole(level)));
    this.node.setAttribute("aria-label", `${health} ${percent(level)}`);
    this.node.style.setProperty("--level", level);
    this.node.classList.toggle("critical", isCritical(level));
  }
}

/** A hero's level, experience and power, as far as they are known. */
export class Stats {
  constructor() {
    this.node = element("p", { class: "stats" });
  }

  update(hero, locale) {
    const { statsOf } = texts(locale);
    setText(this.node, hero ? statsOf(hero) : "");
    this.node.hidden = this.node.textContent === "";
  }
}

/** Labels fighters as the app does: by player where two heroes are alike, otherwise by name in the phone's language. */
export function labelled(activity) {
  const { contentState: state, names, playerNames = [] } = activity;
  if (!state) return activity;
  const label = (fighter, player) => ({ ...fighter, label: player || (names[fighter.name] ?? fighter.name) });
  const heroes = state.heroes.map((hero, index) => label(hero, playerNames[index]));
  return { ...activity, contentState: { ...state, heroes, boss: state.boss && label(state.boss) } };
}

/** The hero of the phone's owner, by the name that the app has set and, among equal names, by health. */
export function ownHero({ heroName, contentState: state }) {
  const named = state?.heroes.filter(({ name }) => name === heroName) ?? [];
  return named.find(({ healthLevel }) => healthLevel === state.currentHealthLevel) ?? named[0];
}
