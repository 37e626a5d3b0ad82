// A client for the simulator's API.

const JSON_TYPE = { "content-type": "application/json" };

/** Returns a random UUID; `crypto.randomUUID` exists on loopback and HTTPS pages only. */
function randomUUID() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // Version 4 and the variant of RFC 9562.
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const digits = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** A problem that the simulator reports, with the invalid fields of the request, if any. */
class SimulatorError extends Error {
  constructor(status, { type, title, detail, errors = [] } = {}) {
    const problem = title ? [`${title}.`, detail].filter(Boolean).join(" ") : `The simulator responded with ${status}.`;
    super(errors.length > 0 ? errors.map(fieldText).join(" ") : problem);
    this.type = type;
    this.fields = errors.map(({ field }) => field);
  }
}

/** Names a field as its label does: `inviteCode` is "Invite code". */
function fieldText({ field, reason }) {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words[0].toUpperCase()}${words.slice(1)}: ${reason}.`;
}

/** Sends a request and returns the response; throws an error with the text of the simulator's problem. */
async function send(method, path, body) {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? {} : JSON_TYPE,
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  const result = text === "" ? undefined : JSON.parse(text);
  if (response.ok) return result;
  throw new SimulatorError(response.status, result);
}

/** The addresses for senders, and the app. */
export const endpoints = () => send("GET", "/api/endpoints");

export const phones = async () => (await send("GET", "/api/phones")).phones;
export const pushes = (after) => send("GET", `/api/pushes?after=${after}`);
export const violations = async () => (await send("GET", "/api/violations")).violations;

export const addPhone = (phone) => send("POST", "/api/phones", phone);
export const changePhone = (phoneID, change) => send("PATCH", `/api/phones/${phoneID}`, change);

/** Whether players can be attached, and the attached ones. */
export const players = () => send("GET", "/api/players");
export const attachPlayer = (phoneID, player) => send("POST", `/api/phones/${phoneID}/player`, player);
export const detachPlayer = (phoneID) => send("DELETE", `/api/phones/${phoneID}/player`);

/** The parties of the phones' Live Activities and players. */
export const parties = async () => (await send("GET", "/api/parties")).parties;

/** The game's raids, also those that have ended. */
export const raids = async () => (await send("GET", "/api/raids")).raids;
/** A page of a raid's rounds after a number, or from the first one. */
export const raidRounds = (raidID, after) =>
  send("GET", `/api/raids/${raidID}/rounds${after === undefined ? "" : `?after=${after}`}`);
/** The first hundred parties of a raid. */
export const raidRanking = async (raidID) => (await send("GET", `/api/raids/${raidID}/ranking`)).parties;

/** The game server's latest decisions about pushes to an activity, oldest first. */
export const decisions = async (activityID) => (await send("GET", `/api/activities/${activityID}/decisions`)).decisions;

/** The push tokens of a phone's running activities. */
export const runningTokens = async (phoneID) =>
  (await send("GET", `/api/phones/${phoneID}/running-activities`)).activities.map(({ pushToken }) => pushToken);

export const faults = async () => (await send("GET", "/api/faults")).faults;
export const addFault = (fault) => send("POST", "/api/faults", fault);
export const removeFaults = () => send("DELETE", "/api/faults");

export const startActivity = (phoneID) =>
  send("POST", `/api/phones/${phoneID}/activities`, {
    activityID: randomUUID(),
    adventureID: randomUUID(),
  });
/** Renews a token of the app: `device-token` for notifications, `widget-token` for widgets. */
export const renewToken = (phoneID, kind) => send("POST", `/api/phones/${phoneID}/${kind}`);
export const rotateToken = (phoneID, activityID) =>
  send("POST", `/api/phones/${phoneID}/activities/${activityID}/rotate`);
export const swipeAway = (phoneID, activityID) => send("DELETE", `/api/phones/${phoneID}/activities/${activityID}`);
