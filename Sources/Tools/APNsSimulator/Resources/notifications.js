// The ordinary notifications on a phone's Lock Screen.

import { element, setText, syncChildren } from "/page/dom.js";

/** The number of visible groups; the phone keeps more. */
const SHOWN = 3;

const SIGNS = { passive: "🔕", "time-sensitive": "⏱" };

export class Notifications {
  constructor() {
    this.cards = new WeakMap();
    this.node = element("ul", { class: "notifications" });
  }

  /** Shows the newest notification of each group; the list has the newest first. */
  update(notifications) {
    const groups = Map.groupBy(notifications, ({ threadID, apnsID }) => threadID ?? apnsID);
    this.node.hidden = groups.size === 0;
    syncChildren(
      this.node,
      [...groups.values()].slice(0, SHOWN),
      () => {
        const card = new Card();
        this.cards.set(card.node, card);
        return card.node;
      },
      (node, [newest, ...older]) => this.cards.get(node).update(newest, older.length),
    );
  }
}

class Card {
  constructor() {
    this.title = element("strong");
    this.sign = element("span", { class: "sign" });
    this.body = element("p");
    this.node = element("li", { class: "notification" }, element("p", {}, this.title, this.sign), this.body);
  }

  update({ alert, interruptionLevel }, olderCount) {
    setText(this.title, alert.title);
    setText(this.body, alert.body ?? "");
    setText(this.sign, [SIGNS[interruptionLevel], olderCount > 0 && `+${olderCount}`].filter(Boolean).join(" "));
    this.sign.title = olderCount > 0 ? `${interruptionLevel}, with ${olderCount} older` : interruptionLevel;
  }
}
