/** Shown all bytes that have come from where it left off. @returns how many it is done with, also beyond them; 0 to wait for more */
export type ParseStep = (window: Buffer) => number;

const nothing = Buffer.alloc(0);

/**
 * Shows bytes that come cut anywhere to a parser. It holds what the parser still waits for, which is as long as the parser's
 * longest header; what is passed over is not held.
 */
export class ByteWindow {
  readonly #look: ParseStep;
  #held = nothing;
  #passOver = 0;

  constructor(look: ParseStep) {
    this.#look = look;
  }

  push(bytes: Buffer): void {
    if (this.#passOver >= bytes.length) {
      this.#passOver -= bytes.length;
      return;
    }
    const came = this.#passOver === 0 ? bytes : bytes.subarray(this.#passOver);
    const window = this.#held.length === 0 ? came : Buffer.concat([this.#held, came]);
    this.#passOver = 0;
    let at = 0;
    while (at < window.length) {
      const done = this.#look(at === 0 ? window : window.subarray(at));
      if (done === 0) break;
      at += done;
    }
    this.#passOver = Math.max(0, at - window.length);
    // A copy: a view would keep the socket's whole read buffer alive.
    this.#held = at >= window.length ? nothing : Buffer.from(window.subarray(at));
  }
}
