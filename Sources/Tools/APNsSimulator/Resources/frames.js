// Puts together what comes between two frames, so that thousands of pushes a second cost no more than their last picture.

/** How often a page that nobody sees takes in what has come; browsers draw no frames for it. */
const HIDDEN_MILLISECONDS = 250;

export class Frames {
  /** `draw` is called once for everything that came before a frame. */
  constructor(draw) {
    this.draw = draw;
    document.addEventListener("visibilitychange", () => this.isWanted && this.flush());
  }

  /** Something is to be drawn. */
  want() {
    if (this.isWanted) return;
    this.isWanted = true;
    if (document.hidden) setTimeout(() => this.flush(), HIDDEN_MILLISECONDS);
    else requestAnimationFrame(() => this.flush());
  }

  flush() {
    if (!this.isWanted) return;
    this.isWanted = false;
    this.draw();
  }
}
