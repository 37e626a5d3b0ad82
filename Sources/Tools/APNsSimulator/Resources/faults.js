// What is to go wrong with the next pushes, or with the next requests about channels.

import * as api from "/page/api.js";
import { element } from "/page/dom.js";

/** What can be asked for here; the API takes more. */
const CHOICES = [
  { name: "Answers take their time", fault: { fault: "latency" } },
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

const times = ({ distribution, milliseconds, toMilliseconds }) =>
  milliseconds !== undefined &&
  [distribution, milliseconds, toMilliseconds !== undefined && `to ${toMilliseconds}`, "ms"].filter(Boolean).join(" ");

const label = (fault) =>
  [
    fault.fault,
    fault.reason,
    times(fault),
    fault.probability !== undefined && fault.probability < 1 && `at ${Number((fault.probability * 100).toPrecision(4))} %`,
    fault.token && `for ${fault.token.slice(0, 8)}…`,
    fault.door === "channels" && "of channels",
  ]
    .filter(Boolean)
    .join(" ");

export class Faults {
  /** `tell` shows what went wrong in asking for what is to go wrong. */
  constructor(form, list, tell) {
    this.list = list;
    this.tell = tell;
    this.form = form;
    const { choice, clear } = form.elements;
    choice.append(...CHOICES.map(({ name }, index) => element("option", { value: index }, name)));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.attempt(() => this.add());
    });
    form.addEventListener("change", () => this.offerTimes());
    this.offerTimes();
    clear.addEventListener("click", () => this.attempt(api.removeFaults));
  }

  /** Offers to strike the pushes to that phone only. */
  offerPhone({ phoneID, label }) {
    this.form.elements.phone.append(element("option", { value: phoneID }, label));
  }

  /** Only answers take times, and only a uniform distribution has two of them. */
  offerTimes() {
    const { choice, times, distribution, toMilliseconds } = this.form.elements;
    times.hidden = CHOICES[choice.value].fault.fault !== "latency";
    times.disabled = times.hidden;
    toMilliseconds.disabled = distribution.value !== "uniform";
    toMilliseconds.parentElement.hidden = toMilliseconds.disabled;
  }

  /** Asks for what the form says: for one phone a fault for each token that it has now. */
  async add() {
    const { choice, pushes, percent, door, phone, distribution, milliseconds, toMilliseconds } = this.form.elements;
    const fault = {
      ...CHOICES[choice.value].fault,
      door: door.value,
      pushes: pushes.valueAsNumber,
      probability: percent.valueAsNumber / 100,
    };
    if (fault.fault === "latency") {
      Object.assign(fault, { distribution: distribution.value, milliseconds: milliseconds.valueAsNumber });
      if (!toMilliseconds.disabled) fault.toMilliseconds = toMilliseconds.valueAsNumber;
    }
    const tokens = phone.value ? await api.runningTokens(phone.value) : [undefined];
    if (tokens.length === 0) throw new Error("The phone has no running activity to which a push could go");
    for (const token of tokens) await api.addFault({ ...fault, token });
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
