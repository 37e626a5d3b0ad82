// The sounds of the alerts, made of the same notes as the files that the app has.

/** By file: frequencies in hertz, and the time between two of them in seconds. */
const MELODIES = {
  "party-sets-out.wav": { notes: [523.25, 587.33, 659.25], step: 0.12 },
  "hero-down.wav": { notes: [880, 587.33], step: 0.25 },
  "own-turn.wav": { notes: [1174.66, 1174.66], step: 0.16 },
  "boss-appeared.wav": { notes: [65.41, 98, 130.81], step: 0.2 },
  "boss-defeated.wav": { notes: [392, 523.25, 659.25, 783.99], step: 0.15 },
  "party-wiped.wav": { notes: [440, 330, 220, 110], step: 0.25 },
  "adventure-over.wav": { notes: [523.25, 783.99, 1046.5], step: 0.12 },
};
/** What a phone plays for `default`, and for a file that the app does not have. */
const DEFAULT = { notes: [1046.5], step: 0.2 };
const NOTE_SECONDS = 0.5;
const LOUDNESS = 0.12;

export class Sound {
  /** Nothing sounds before the visitor has asked for it: browsers want that, and so do visitors. */
  constructor(button) {
    button.addEventListener("click", () => {
      this.context ??= new AudioContext();
      this.isOn = !this.isOn;
      if (this.isOn) this.context.resume();
      button.setAttribute("aria-pressed", String(this.isOn));
      if (this.isOn) this.play("default");
    });
  }

  play(name) {
    if (!this.isOn || name === undefined) return;
    const { notes, step } = MELODIES[name] ?? DEFAULT;
    notes.forEach((frequency, index) => this.note(frequency, this.context.currentTime + index * step));
  }

  note(frequency, start) {
    const tone = new OscillatorNode(this.context, { frequency });
    const volume = new GainNode(this.context, { gain: 0 });
    volume.gain.setValueAtTime(0, start);
    volume.gain.linearRampToValueAtTime(LOUDNESS, start + 0.01);
    volume.gain.exponentialRampToValueAtTime(0.001, start + NOTE_SECONDS);
    tone.connect(volume).connect(this.context.destination);
    tone.start(start);
    tone.stop(start + NOTE_SECONDS);
  }
}
