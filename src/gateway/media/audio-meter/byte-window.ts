/**
 * Parses the bytes after the last call's.
 * @returns the number of consumed bytes, which may exceed the window; 0 to wait for more
 */
export type ParseStep = (window: Buffer) => number;

const nothing = Buffer.alloc(0);

/**
 * Feeds arbitrarily split bytes to a parser. It buffers what the parser waits for, at most the longest header; skipped
 * bytes are not buffered.
 */
export class ByteWindow {
  readonly #parse: ParseStep;
  #pending = nothing;
  #skipBytes = 0;

  constructor(parse: ParseStep) {
    this.#parse = parse;
  }

  push(bytes: Buffer): void {
    if (this.#skipBytes >= bytes.length) {
      this.#skipBytes -= bytes.length;
      return;
    }
    const received = this.#skipBytes === 0 ? bytes : bytes.subarray(this.#skipBytes);
    const window = this.#pending.length === 0 ? received : Buffer.concat([this.#pending, received]);
    this.#skipBytes = 0;
    let at = 0;
    while (at < window.length) {
      const done = this.#parse(at === 0 ? window : window.subarray(at));
      if (done === 0) break;
      at += done;
    }
    this.#skipBytes = Math.max(0, at - window.length);
    // A copy: a view would retain the socket's entire read buffer.
    this.#pending = at >= window.length ? nothing : Buffer.from(window.subarray(at));
  }
}
