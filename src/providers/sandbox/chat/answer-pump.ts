import { type Clock, type Timer } from '../../../calendar/clock.ts';
import { toSluiceError, type SluiceError } from '../../../errors/index.ts';
import type { Upstream, UpstreamReceiver } from '../../contract.ts';
import type { Piece } from '../wire.ts';

/** Bytes delivered at once. */
const SLICE_CHARACTERS = 16_384;
/** The maximum time that one slice blocks the event loop, in milliseconds. */
const SLICE_MS = 2;

/**
 * Delivers the pieces of a body at a fixed pace, like a socket: in slices, not while paused, and never after an abort.
 */
export class AnswerPump implements Upstream {
  readonly #receiver: UpstreamReceiver;
  readonly #tokensPerSecond: number;
  readonly #clock: Clock;
  #pieces: Iterator<Piece> | undefined;
  #waiting: Piece | undefined;
  #startedAt = 0;
  #tokensSent = 0;
  #paused = false;
  #ended = false;
  #timer: Timer | undefined;
  #immediate: NodeJS.Immediate | undefined;

  /** @param tokensPerSecond 0 for no delay */
  constructor(receiver: UpstreamReceiver, tokensPerSecond: number, clock: Clock) {
    this.#receiver = receiver;
    this.#tokensPerSecond = tokensPerSecond;
    this.#clock = clock;
  }

  /**
   * Calls `begin` in a later turn, unless aborted; it sends the head and returns the body, or throws the error
   * response.
   */
  start(begin: () => Iterator<Piece>): void {
    if (this.#ended) return;
    this.#immediate = setImmediate(() => {
      this.#immediate = undefined;
      this.#startedAt = this.#clock.monotonic();
      try {
        this.#pieces = begin();
      } catch (error) {
        this.#fail(toSluiceError(error));
        return;
      }
      this.#run();
    });
  }

  pause(): void {
    this.#paused = true;
    this.#cancelTurn();
  }

  resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    if (this.#pieces) this.#nextTurn();
  }

  abort(): void {
    this.#ended = true;
    this.#pieces = undefined;
    this.#cancelTurn();
    clearImmediate(this.#immediate);
  }

  #run(): void {
    if (this.#paused || this.#ended) return;
    const slice = this.#fillSlice();
    if (slice instanceof Error) return this.#fail(slice);
    if (slice.text !== '') this.#receiver.onData(Buffer.from(slice.text));
    if (this.#ended || this.#paused) return;
    if (!slice.isLast) return this.#nextTurn();
    this.#ended = true;
    this.#receiver.onEnd();
  }

  #fillSlice(): { readonly text: string; readonly isLast: boolean } | SluiceError {
    const until = this.#clock.monotonic() + SLICE_MS;
    let text = '';
    try {
      while (text.length < SLICE_CHARACTERS && this.#clock.monotonic() < until) {
        this.#waiting ??= this.#nextPiece();
        if (!this.#waiting) return { text, isLast: true };
        if (this.#delay(this.#waiting) > 0) break;
        text += this.#waiting.text;
        this.#tokensSent += this.#waiting.tokens;
        this.#waiting = undefined;
      }
      return { text, isLast: false };
    } catch (error) {
      return toSluiceError(error);
    }
  }

  #nextPiece(): Piece | undefined {
    const next = this.#pieces?.next();
    return next?.done ? undefined : next?.value;
  }

  /** Milliseconds until a piece is due, relative to the start of the response, so that delays do not add up. */
  #delay(piece: Piece): number {
    if (this.#tokensPerSecond <= 0) return 0;
    const due = this.#startedAt + ((this.#tokensSent + piece.tokens) / this.#tokensPerSecond) * 1_000;
    return due - this.#clock.monotonic();
  }

  #nextTurn(): void {
    const delay = this.#waiting ? this.#delay(this.#waiting) : 0;
    const run = (): void => {
      this.#timer = undefined;
      this.#run();
    };
    this.#cancelTurn();
    if (delay > 0) this.#timer = this.#clock.setTimeout(run, Math.ceil(delay));
    else {
      this.#immediate = setImmediate(() => {
        this.#immediate = undefined;
        this.#run();
      });
    }
  }

  #cancelTurn(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    // Before the head is sent, the pending turn is the start itself, which a pause must not cancel.
    if (this.#pieces) clearImmediate(this.#immediate);
  }

  #fail(error: SluiceError): void {
    this.#ended = true;
    this.#receiver.onFailure(error);
  }
}
