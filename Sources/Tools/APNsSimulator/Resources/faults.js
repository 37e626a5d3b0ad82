// The faults to inject into the next pushes, or into the next requests for channel management.

import * as api from "/page/api.js";
import { element, setText } from "/page/dom.js";

/** The choices of the form; the API accepts more. */
const CHOICES = [
  { name: "Late response", fault: { fault: "latency" } },
  { name: "410 Unregistered", fault: { fault: "rejection", reason: "Unregistered" } },
  { name: "429 TooManyRequests", fault: { fault: "rejection", reason: "TooManyRequests" } },
  { name: "429 TooManyProviderTokenUpdates", fault: { fault: "rejection", reason: "TooManyProviderTokenUpdates" } },
  { name: "500 InternalServerError", fault: { fault: "rejection", reason: "InternalServerError" } },
  { name: "503 ServiceUnavailable", fault: { fault: "rejection", reason: "ServiceUnavailable" } },
  { name: "GOAWAY", fault: { fault: "goAway", reason: "Shutdown" } },
  { name: "Stream reset", fault: { fault: "reset" } },
  { name: "Accepted, but the response is lost", fault: { fault: "lostResponse" } },
  { name: "One stream only", fault: { fault: "oneStream" } },
  { name: "Connection drop", fault: { fault: "connectionDrop" } },
  { name: "No response", fault: { fault: "stall" } },
];

const delay = ({ distribution, milliseconds, toMilliseconds }) =>
  milliseconds !== undefined &&
  [distribution, milliseconds, toMilliseconds !== undefined && `to ${toMilliseconds}`, "ms"].filter(Boolean).join(" ");

const label = (fault) =>
  [
    fault.fault,
    fault.reason,
    delay(fault),
    fault.probability !== undefined && fault.probability < 1 && `at ${Number((fault.probability * 100).toPrecision(4))} %`,
    fault.token && `for ${fault.token.slice(0, 8)}…`,
    fault.endpoint === "channels" && "at channel management",
  ]
    .filter(Boolean)
    .join(" ");

export class Faults {
  constructor(form, list) {
    this.list = list;
    this.error = element("p", { class: "error", role: "alert" });
    form.append(this.error);
    this.form = form;
    const { choice, clear } = form.elements;
    choice.append(...CHOICES.map(({ name }, index) => element("option", { value: index }, name)));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.attempt(() => this.add());
    });
    form.addEventListener("change", () => this.showDelay());
    this.showDelay();
    clear.addEventListener("click", () => this.attempt(api.removeFaults));
  }

  /** Adds a phone to the choices. */
  addPhone({ phoneID, label }) {
    this.form.elements.phone.append(element("option", { value: phoneID }, label));
  }

  /** Shows the delay for latency only, and its upper bound for a uniform distribution only. */
  showDelay() {
    const { choice, delay, distribution, toMilliseconds } = this.form.elements;
    delay.hidden = CHOICES[choice.value].fault.fault !== "latency";
    delay.disabled = delay.hidden;
    toMilliseconds.disabled = distribution.value !== "uniform";
    toMilliseconds.parentElement.hidden = toMilliseconds.disabled;
  }

  /** Adds the fault in the form; for one phone, a fault for each of its current tokens. */
  async add() {
    const { choice, pushes, percent, endpoint, phone, distribution, milliseconds, toMilliseconds } = this.form.elements;
    const fault = {
      ...CHOICES[choice.value].fault,
      endpoint: endpoint.value,
      pushes: pushes.valueAsNumber,
      probability: percent.valueAsNumber / 100,
    };
    if (fault.fault === "latency") {
      Object.assign(fault, { distribution: distribution.value, milliseconds: milliseconds.valueAsNumber });
      if (!toMilliseconds.disabled) fault.toMilliseconds = toMilliseconds.valueAsNumber;
    }
    const tokens = phone.value ? await api.runningTokens(phone.value) : [undefined];
    if (tokens.length === 0) throw new Error("The phone has no running activity");
    for (const token of tokens) await api.addFault({ ...fault, token });
  }

  async attempt(work) {
    try {
      await work();
      await this.update();
      setText(this.error, "");
    } catch (error) {
      setText(this.error, error.message);
    }
  }

  /** Shows the faults and how many requests each has hit. */
  async update() {
    const faults = await api.faults();
    this.list.replaceChildren(
      ...faults.map((fault) =>
        element("li", { class: fault.isOver ? "over" : "" }, `${label(fault)}: hit ${fault.matchedPushes} of ${fault.pushes ?? "all"}`),
      ),
    );
  }
}
