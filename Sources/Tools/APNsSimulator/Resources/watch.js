// The Apple Watch of a phone's owner, which alone shows an alert's title and body.

import { element, setText } from "/page/dom.js";
import { texts } from "/page/texts.js";

/** How long an alert lights the watch. */
const LIT_MILLISECONDS = 15_000;

export class Watch {
  constructor() {
    this.title = element("strong");
    this.body = element("span");
    this.sound = element("small");
    this.idle = element("span", { class: "quiet" });
    this.screen = element("div", { class: "watch-screen" }, this.idle, this.title, this.body, this.sound);
    this.node = element("div", { class: "watch", role: "group", "aria-label": "Apple Watch" }, this.screen);
  }

  /** Shows the newest alert of all activities, on a phone in this language. */
  update(activities, locale) {
    const [alert] = activities
      .flatMap((activity) => activity.alert ?? [])
      .sort((a, b) => Date.parse(b.time) - Date.parse(a.time));
    this.time = alert && Date.parse(alert.time);
    setText(this.idle, `⌚ ${texts(locale).quiet}`);
    this.idle.hidden = alert !== undefined;
    setText(this.title, alert?.title ?? "");
    setText(this.body, alert?.body ?? "");
    setText(this.sound, alert?.sound ? `♪ ${alert.sound}` : "");
  }

  tick(now) {
    this.node.classList.toggle("lit", this.time !== undefined && now - this.time < LIT_MILLISECONDS);
  }
}
