// The app's languages and their writing directions.

const TAGS = ["ar", "de", "en", "es", "fr", "ja", "ko", "ru", "vi", "zh-Hans"];
const RIGHT_TO_LEFT = new Set(["ar", "fa", "he", "ur"]);

/** Returns a language tag that JavaScript accepts: `pt-BR` for `pt_BR`, and English for an invalid tag. */
export function tag(locale) {
  const written = locale.replaceAll("_", "-");
  try {
    Intl.getCanonicalLocales(written);
    return written;
  } catch {
    return "en";
  }
}

export const direction = (locale) => (RIGHT_TO_LEFT.has(tag(locale).split("-")[0]) ? "rtl" : "ltr");

/** The app's languages by their own names, and the phone's current one. */
export function choices(current) {
  const tags = current === undefined || TAGS.includes(current) ? TAGS : [...TAGS, current];
  return tags.map((value) => ({ value, name: name(value) }));
}

function name(value) {
  try {
    return new Intl.DisplayNames([tag(value)], { type: "language" }).of(tag(value)) ?? value;
  } catch {
    return value;
  }
}
