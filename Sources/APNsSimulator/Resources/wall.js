// Draws the wall of phones and keeps it up to date by Server-Sent Events.

import * as api from "/page/api.js";
import { Chart } from "/page/chart.js";
import { element, setText } from "/page/dom.js";
import { Faults } from "/page/faults.js";
import { choices } from "/page/languages.js";
import { PushLog } from "/page/log.js";
import { Phone } from "/page/phone.js";
import { Sound } from "/page/sound.js";

const byID = (id) => document.getElementById(id);
const wall = byID("wall");
const link = byID("link");
const phones = new Map();
const log = new PushLog(byID("log"), byID("violations"), byID("violation-list"), byID("figures"));
const chart = new Chart(byID("chart"), byID("chart-caption"));
const sound = new Sound(byID("sound"));

/** How long to wait before following again, where the browser does not do so by itself. */
const RETRY_MILLISECONDS = 2000;
/** How often the clocks on the wall are looked at. */
const TICK_MILLISECONDS = 500;

/** How long a struck fault may go untold. */
const FAULTS_MILLISECONDS = 2000;

const tell = (trouble) => setText(byID("trouble"), trouble);
const faults = new Faults(byID("fault-form"), byID("fault-list"), tell);

function showPhone(view) {
  const phone = phones.get(view.phoneID);
  if (phone) {
    phone.update(view);
    return;
  }
  if (phones.size === 0) wall.replaceChildren();
  const added = new Phone(view, tell);
  phones.set(view.phoneID, added);
  wall.append(added.node);
}

/** Puts a push into the log and the chart. */
function showPush(push) {
  const view = phones.get(push.phoneID)?.view;
  if (log.add(push, view?.label)) chart.add(push, view?.budgetLimit);
}

/** Lets an alert that has just come be heard, by ear or by screen reader. */
function announce({ phoneID, alert, reaction }) {
  if (!alert || reaction !== "shown") return;
  sound.play(alert.sound);
  setText(byID("spoken"), `${phones.get(phoneID)?.view.label ?? ""}: ${alert.title} ${alert.body ?? ""}`);
}

function showNobody() {
  const nobody = byID("nobody").content.cloneNode(true);
  nobody.getElementById("hint").textContent = [
    `api=${location.origin}/api`,
    `curl -d '{"label":"Mina","locale":"ko"}' $api/phones`,
    "uuid=/proc/sys/kernel/random/uuid",
    `curl -d '{"adventureID":"'$(cat $uuid)'","activityID":"'$(cat $uuid)'"}' \\`,
    "  $api/phones/PHONE_ID/activities",
  ].join("\n");
  wall.replaceChildren(nobody);
}

/** Reads everything that happened while nobody listened. */
async function catchUp() {
  (await api.phones()).forEach(showPhone);
  if (phones.size === 0) showNobody();
  for (;;) {
    const { pushes, last } = await api.pushes(log.lastNumber);
    // Another simulator at this address: begin anew.
    if (last < log.lastNumber) return location.reload();
    pushes.forEach(showPush);
    if (pushes.length === 0 || log.lastNumber >= last) break;
  }
  (await api.violations()).forEach((violation) => log.addViolation(violation));
}

function follow() {
  const events = new EventSource("/api/events");
  // Events that come while the past is being read wait for it, or their numbers would hide it.
  let past = Promise.resolve();
  const startOver = () => {
    events.close();
    setTimeout(follow, RETRY_MILLISECONDS);
  };
  events.addEventListener("open", () => {
    link.textContent = "live";
    link.className = "link live";
    past = catchUp().catch(startOver);
  });
  events.addEventListener("error", () => {
    link.textContent = "the simulator is away, trying again …";
    link.className = "link lost";
    if (events.readyState === EventSource.CLOSED) startOver();
  });
  const on = (name, show) => events.addEventListener(name, ({ data }) => past.then(() => show(JSON.parse(data))));
  on("phone", showPhone);
  on("push", (push) => {
    showPush(push);
    announce(push);
  });
  on("violation", (violation) => log.addViolation(violation));
}

function offerPhones(form) {
  form.elements.locale.append(
    ...choices().map(({ value, name }) => element("option", { value, selected: value === "en" }, name)),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const { label, locale, frequent } = form.elements;
    try {
      await api.addPhone({ label: label.value, locale: locale.value, frequentPushesEnabled: frequent.checked });
      label.value = "";
      tell("");
    } catch (error) {
      tell(error.message);
    }
  });
}

offerPhones(byID("add"));
follow();
setInterval(() => {
  // While the simulator is away, the page says so elsewhere.
  if (byID("faults").open) faults.update().catch(() => {});
}, FAULTS_MILLISECONDS);
setInterval(() => {
  const now = Date.now();
  phones.forEach((phone) => phone.tick(now));
  chart.draw(now);
}, TICK_MILLISECONDS);
