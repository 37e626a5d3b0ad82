// The presentations of a phone's most relevant Live Activity, each as a picture of its own: the chosen one, or all.

import { LiveActivity } from "/page/activity.js";
import { element, setText } from "/page/dom.js";
import { Glance } from "/page/glance.js";
import { Island } from "/page/island.js";
import { direction } from "/page/languages.js";
import { texts } from "/page/texts.js";

/** The presentations of the system by their names in the address of the page. */
const KINDS = {
  "lock-screen": "Lock Screen",
  compact: "Dynamic Island, compact",
  minimal: "Dynamic Island, minimal",
  expanded: "Dynamic Island, expanded",
  landscape: "Dynamic Island, landscape",
  standby: "StandBy",
  small: "Smart Stack",
};
const CHOICES = { phone: "Whole phone", ...KINDS, all: "All presentations" };

/** An iPad has neither a Dynamic Island nor StandBy nor a watch. */
const kindsOf = (model) => (model === "iPad" ? ["lock-screen"] : Object.keys(KINDS));

/** The choice for new phones: `?presentation=…`. */
const requested = new URLSearchParams(location.search).get("presentation");
const initial = requested in CHOICES ? requested : "phone";

export class Presentations {
  /** `choose` is called with each choice; `phone` stands for the whole phone. */
  constructor({ label, model }, choose) {
    const kinds = kindsOf(model);
    const choices = Object.entries(CHOICES).filter(([kind]) => !(kind in KINDS) || kinds.includes(kind));
    this.kinds = kinds;
    this.pictures = new Map();
    this.node = element("div", { class: "presentations" });
    this.select = element(
      "select",
      { "aria-label": `Presentation of ${label}` },
      ...choices.map(([value, name]) => element("option", { value }, name)),
    );
    this.select.value = choices.some(([kind]) => kind === initial) ? initial : "phone";
    this.select.addEventListener("change", () => {
      this.show();
      choose(this.select.value);
    });
  }

  get choice() {
    return this.select.value;
  }

  update(view, locale) {
    this.view = view;
    this.locale = locale;
    this.show();
  }

  /** Draws the chosen pictures; the others do not exist. */
  show() {
    const chosen = this.kinds.filter((kind) => kind === this.choice || this.choice === "all");
    for (const kind of this.pictures.keys()) {
      if (!chosen.includes(kind)) this.pictures.delete(kind);
    }
    for (const kind of chosen) {
      if (!this.pictures.has(kind)) this.pictures.set(kind, new Picture(kind));
    }
    const nodes = chosen.map((kind) => this.pictures.get(kind).node);
    if (nodes.length !== this.node.children.length || nodes.some((node, i) => node !== this.node.children[i])) {
      this.node.replaceChildren(...nodes);
    }
    this.node.hidden = nodes.length === 0;
    this.pictures.forEach((picture) => picture.update(this.view, this.locale));
  }

  /** Updates the countdown and the age on the Lock Screen. */
  tick(seconds) {
    this.pictures.forEach((picture) => picture.tick(seconds));
  }
}

/** One presentation, with its name as the caption. */
class Picture {
  constructor(kind) {
    this.kind = kind;
    this.drawing = kind === "lock-screen" ? new LiveActivity() : ["standby", "small"].includes(kind) ? new Glance() : new Island();
    this.idle = element("p", { class: "idle" });
    this.stage = element("div", { class: "stage" }, this.drawing.node, this.idle);
    this.node = element("figure", { "data-kind": kind }, this.stage, element("figcaption", {}, KINDS[kind]));
  }

  update({ activities, lockScreen }, locale) {
    const [first, second] = lockScreen.map((id) => activities.find(({ activityID }) => activityID === id));
    this.stage.lang = locale;
    this.stage.dir = direction(locale);
    this.isEmpty = first === undefined;
    this.idle.hidden = !this.isEmpty;
    this.drawing.node.hidden = this.isEmpty;
    setText(this.idle, texts(locale).idle);
    if (this.isEmpty) return;
    if (!(this.drawing instanceof Island)) {
      this.drawing.update(first, locale);
      return;
    }
    // A second activity makes the system show both in their minimal presentation.
    const presentation = this.kind !== "landscape" ? this.kind : second ? "minimal" : "compact";
    const activityIDs = [first, second ?? first].map(({ activityID }) => activityID);
    this.drawing.update({ presentation, activityIDs }, activities, locale);
  }

  tick(seconds) {
    if (!this.isEmpty) this.drawing.tick?.(seconds);
  }
}
