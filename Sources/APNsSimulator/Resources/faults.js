// What is to go wrong with the next pushes, or with the next requests about channels.

import * as api from "/page/api.js";
import { element } from "/page/dom.js";

/** What can be asked for here; the API takes more. */
const CHOICES = [
  { name: "Answers take a second", fault: { fault: "latency", milliseconds: 1000 } },
  { name: "410 Unregistered", fault: { fault: "refusal", reason: "Unregistered" } },
  { name: "429 TooManyRequests", fault: { fault: "refusal", reason: "TooManyRequests" } },
  { name: "429 TooManyProviderTokenUpdates", fault: { fault: "refusal", reason: "TooManyProviderTokenUpdates" } },
  { name: "500 InternalServerError", fault: { fault: "refusal", reason: "InternalServerError" } },
  { name: "503 ServiceUnavailable", fault: { fault: "refusal", reason: "ServiceUnavailable" } },
  { name: "GOAWAY", fault: { fault: "goAway", reason: "Shutdown" } },
  { name: "The stream is reset", fault: { fault: "reset" } },
  { name: "Accepted, but the answer is lost", fault: { fault: "lostAnswer" } },
  { name: "One stream only", fault: { fault: "oneStream" } },
  { name: "The connection drops", fault: { fault: "connectionDrop" } },
  { name: "No answer, ever", fault: { fault: "stall" } },
];

const label = ({ fault, reason, milliseconds, door }) =>
  [fault, reason, milliseconds && `${milliseconds} ms`, door === "channels" && "of channels"].filter(Boolean).join(" ");

export class Faults {
  /** `tell` shows what went wrong in asking for what is to go wrong. */
  constructor(form, list, tell) {
    this.list = list;
    this.tell = tell;
    const { choice, pushes, door, clear } = form.elements;
    choice.append(...CHOICES.map(({ name }, index) => element("option", { value: index }, name)));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.attempt(() => api.addFault({ ...CHOICES[choice.value].fault, door: door.value, pushes: pushes.valueAsNumber }));
    });
    clear.addEventListener("click", () => this.attempt(api.removeFaults));
  }

  async attempt(work) {
    try {
      await work();
      await this.update();
      this.tell("");
    } catch (error) {
      this.tell(error.message);
    }
  }

  /** Shows what is asked for, and how many requests each has struck. */
  async update() {
    const faults = await api.faults();
    this.list.replaceChildren(
      ...faults.map((fault) =>
        element("li", { class: fault.isOver ? "over" : "" }, `${label(fault)}: struck ${fault.struck} of ${fault.pushes ?? "all"}`),
      ),
    );
  }
}
