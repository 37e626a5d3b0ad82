// The alerts' sounds, from the app's own files.

/** The sound for `default`, and for a file that the app does not have. */
const DEFAULT_HERTZ = 1046.5;
const NOTE_SECONDS = 0.5;
const LOUDNESS = 0.12;

export class Sound {
  /** Sounds are off until the user turns them on, as browsers require. */
  constructor(button) {
    this.files = new Map();
    button.addEventListener("click", () => {
      this.context ??= new AudioContext();
      this.isOn = !this.isOn;
      if (this.isOn) this.context.resume();
      button.setAttribute("aria-pressed", String(this.isOn));
      if (this.isOn) this.play("default");
    });
  }

  async play(name) {
    if (!this.isOn || name === undefined) return;
    const file = name === "default" ? undefined : await this.file(name);
    if (!this.isOn) return;
    if (!file) {
      this.note();
      return;
    }
    const player = new AudioBufferSourceNode(this.context, { buffer: file });
    player.connect(this.context.destination);
    player.start();
  }

  /** Returns a file, fetched once; undefined if the app does not have it. */
  file(name) {
    if (!this.files.has(name)) this.files.set(name, this.load(name));
    return this.files.get(name);
  }

  async load(name) {
    const response = await fetch(`/page/sounds/${encodeURIComponent(name)}`).catch(() => undefined);
    return response?.ok ? this.context.decodeAudioData(await response.arrayBuffer()) : undefined;
  }

  note() {
    const start = this.context.currentTime;
    const tone = new OscillatorNode(this.context, { frequency: DEFAULT_HERTZ });
    const volume = new GainNode(this.context, { gain: 0 });
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(LOUDNESS, start + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.001, start + NOTE_SECONDS);
    tone.connect(volume).connect(this.context.destination);
    tone.start(start);
    tone.stop(start + NOTE_SECONDS);
  }
}
