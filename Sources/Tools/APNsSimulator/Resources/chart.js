// The pushes of the last minutes as bars, and the lowest budget of all phones as a line.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 84;
const BUCKETS = 60;
const BUCKET_MILLISECONDS = 5000;

/** Creates a shape of an SVG. */
export function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

export class Chart {
  constructor(svg, caption) {
    this.svg = svg;
    this.caption = caption;
    this.buckets = new Map();
    /** The remaining share of each phone's budget, as of its last push. */
    this.shares = new Map();
    /** The bucket whose lowest budget is not computed yet; with many phones the search is slow. */
    this.open = undefined;
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
  }

  /** Counts a push; `budgetLimit` is its phone's, or undefined. */
  add(push, budgetLimit) {
    // Rejected pushes are in the log only.
    if (push.status !== 200) return;
    const number = Math.floor(Date.parse(push.time) / BUCKET_MILLISECONDS);
    if (number !== this.open) this.close();
    const bucket = this.buckets.get(number) ?? { high: 0, low: 0, lowest: undefined };
    if (push.priority === 10) bucket.high += 1;
    else bucket.low += 1;
    if (budgetLimit > 0 && push.budgetLeft !== undefined) {
      this.shares.set(push.phoneID, push.budgetLeft / budgetLimit);
      this.open = number;
    }
    this.buckets.set(number, bucket);
  }

  /** Computes the lowest budget of the latest bucket. */
  close() {
    const bucket = this.buckets.get(this.open);
    this.open = undefined;
    if (!bucket) return;
    bucket.lowest = 1;
    for (const share of this.shares.values()) bucket.lowest = Math.min(bucket.lowest, share);
  }

  draw(now) {
    this.close();
    const last = Math.floor(now / BUCKET_MILLISECONDS);
    for (const number of this.buckets.keys()) if (number <= last - BUCKETS) this.buckets.delete(number);
    const columns = Array.from({ length: BUCKETS }, (_, index) => this.buckets.get(last - BUCKETS + 1 + index));
    const maxCount = Math.max(4, ...columns.map((column) => (column ? column.high + column.low : 0)));
    const bars = columns.flatMap((column, index) => (column ? bar(column, index, maxCount) : []));
    const points = columns.flatMap((column, index) =>
      column?.lowest === undefined ? [] : [`${((index + 0.5) * WIDTH) / BUCKETS},${(1 - column.lowest) * (HEIGHT - 4) + 2}`],
    );
    const line = shape("polyline", { class: "budget", points: points.join(" ") });
    this.svg.replaceChildren(...bars, ...(points.length > 1 ? [line] : []));
    this.describe(columns);
  }

  describe(columns) {
    const sum = (kind) => columns.reduce((total, column) => total + (column?.[kind] ?? 0), 0);
    const lowest = columns.findLast((column) => column?.lowest !== undefined)?.lowest;
    const budget = lowest === undefined ? "" : `, lowest budget ${Math.round(lowest * 100)}%`;
    const text = `Last 5 minutes: ${sum("high")} at priority 10, ${sum("low")} at priority 5${budget}`;
    if (this.caption.textContent !== text) this.caption.textContent = text;
    this.svg.setAttribute("aria-label", text);
  }
}

/** One bar: priority 10 at the bottom, priority 5 on top. */
function bar({ high, low }, index, maxCount) {
  const width = WIDTH / BUCKETS;
  const unit = HEIGHT / maxCount;
  const part = (kind, count, below) =>
    shape("rect", {
      class: kind,
      x: index * width + 0.5,
      y: HEIGHT - (below + count) * unit,
      width: width - 1,
      height: count * unit,
    });
  return [part("high", high, 0), part("low", low, high)];
}
