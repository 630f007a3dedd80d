import { Agent, request } from 'undici';
import { SluiceError } from '../errors/index.ts';
import type { OutboundGuard } from './guard.ts';
import { guardedDial, type ResolveName } from './guarded-dial.ts';

export interface GuardedPostOptions {
  readonly guard: OutboundGuard;
  readonly connectTimeoutMs: number;
  /** For a whole request, the connection included. */
  readonly timeoutMs: number;
  /** The domain name system where absent. */
  readonly resolve?: ResolveName;
}

/** Why nobody answered, in words that hold nothing of the address or of who is there. */
export class PostFailure extends Error {}

/** Posts to addresses that somebody else named. No redirect is followed, and what is answered is not read. */
export class GuardedPost {
  readonly #guard: OutboundGuard;
  readonly #agent: Agent;
  readonly #timeoutMs: number;

  constructor({ guard, connectTimeoutMs, timeoutMs, resolve }: GuardedPostOptions) {
    this.#guard = guard;
    this.#timeoutMs = timeoutMs;
    // A receiver is called seldom: its sockets are not kept.
    this.#agent = new Agent({
      connect: guardedDial({ guard, connectTimeoutMs, ...(resolve && { resolve }) }),
      pipelining: 0,
    });
  }

  /** @throws SluiceError outbound_refused */
  checkUrl(url: string, param: string): void {
    this.#guard.checkUrl(url, param);
  }

  /** @returns the status of the answer. @throws PostFailure where there is none */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const checked = this.#guard.checkUrl(url);
      const answer = await request(checked, { dispatcher: this.#agent, method: 'POST', headers, body, signal });
      answer.body.on('error', () => undefined).destroy();
      return answer.statusCode;
    } catch (cause) {
      if (cause instanceof SluiceError) throw new PostFailure('its address may not be called');
      throw new PostFailure(signal.aborted ? 'it did not answer in time' : 'it could not be reached');
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
