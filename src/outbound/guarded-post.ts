import { Agent, request } from 'undici';
import { SluiceError } from '../errors/index.ts';
import type { OutboundGuard } from './guard.ts';
import { guardedDial, type ResolveName } from './guarded-dial.ts';

export interface GuardedPostOptions {
  readonly guard: OutboundGuard;
  readonly connectTimeoutMs: number;
  /** For a complete request including the connection. */
  readonly timeoutMs: number;
  /** Defaults to DNS. */
  readonly resolve?: ResolveName;
}

/** A failed delivery. The message contains neither the address nor details of the receiver. */
export class PostFailure extends Error {}

/** Posts to URLs of tenants. Redirects are not followed, and the response body is not read. */
export class GuardedPost {
  readonly #guard: OutboundGuard;
  readonly #agent: Agent;
  readonly #timeoutMs: number;

  constructor({ guard, connectTimeoutMs, timeoutMs, resolve }: GuardedPostOptions) {
    this.#guard = guard;
    this.#timeoutMs = timeoutMs;
    // Receivers are called rarely, so sockets are not reused.
    this.#agent = new Agent({
      connect: guardedDial({ guard, connectTimeoutMs, ...(resolve && { resolve }) }),
      pipelining: 0,
    });
  }

  /** @throws SluiceError outbound_refused */
  checkUrl(url: string, param: string): void {
    this.#guard.checkUrl(url, param);
  }

  /** @returns the status of the response. @throws PostFailure if there is none */
  async post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<number> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    try {
      const checked = this.#guard.checkUrl(url);
      const answer = await request(checked, { dispatcher: this.#agent, method: 'POST', headers, body, signal });
      answer.body.on('error', () => undefined).destroy();
      return answer.statusCode;
    } catch (cause) {
      if (cause instanceof SluiceError) throw new PostFailure('requests to its address are not allowed');
      throw new PostFailure(signal.aborted ? 'it did not respond in time' : 'it could not be reached');
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
