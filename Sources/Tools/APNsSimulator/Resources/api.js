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
  const fields = result?.errors?.map(({ field, reason }) => `${field}: ${reason}`).join(", ");
  const error = new Error(fields ?? result?.title ?? `The simulator responded with ${response.status}`);
  error.type = result?.type;
  throw error;
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
export const rotateToken = (phoneID, activityID) =>
  send("POST", `/api/phones/${phoneID}/activities/${activityID}/rotate`);
export const swipeAway = (phoneID, activityID) => send("DELETE", `/api/phones/${phoneID}/activities/${activityID}`);
