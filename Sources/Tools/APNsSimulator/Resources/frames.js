// Combines all changes between two frames, so that thousands of pushes a second cost one redraw.

/** The interval of updates for a hidden page, for which browsers draw no frames. */
const HIDDEN_MILLISECONDS = 250;

export class Frames {
  /** `draw` is called once for all changes before a frame. */
  constructor(draw) {
    this.draw = draw;
    document.addEventListener("visibilitychange", () => this.isRequested && this.flush());
  }

  /** Requests a redraw. */
  request() {
    if (this.isRequested) return;
    this.isRequested = true;
    if (document.hidden) setTimeout(() => this.flush(), HIDDEN_MILLISECONDS);
    else requestAnimationFrame(() => this.flush());
  }

  flush() {
    if (!this.isRequested) return;
    this.isRequested = false;
    this.draw();
  }
}
