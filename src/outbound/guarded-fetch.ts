import { Agent, request } from 'undici';
import { SluiceError } from '../errors/index.ts';
import type { OutboundGuard } from './guard.ts';
import { guardedDial, type ResolveName } from './guarded-dial.ts';

const MAX_BYTES = 1024 * 1024;
/** Statuses whose answers have no body. */
const bodiless = new Set([101, 204, 205, 304]);

export interface GuardedFetchOptions {
  readonly guard: OutboundGuard;
  readonly connectTimeoutMs: number;
  /** For a whole request, the connection included. */
  readonly timeoutMs: number;
  /** The domain name system where absent. */
  readonly resolve?: ResolveName;
}

/** What callers of `fetch` say of a request, as far as it counts here. */
export interface FetchInit {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** `fetch` for libraries that take one, to small documents: dials only what the guard lets pass, and follows no redirect. */
export class GuardedFetch {
  readonly #options: GuardedFetchOptions;
  readonly #agent: Agent;

  constructor(options: GuardedFetchOptions) {
    this.#options = options;
    const { guard, connectTimeoutMs, resolve } = options;
    this.#agent = new Agent({ connect: guardedDial({ guard, connectTimeoutMs, ...(resolve && { resolve }) }) });
  }

  /** @throws SluiceError outbound_refused, or what the connection failed by */
  readonly fetch = async (
    url: string,
    { method = 'GET', headers = {}, body, signal }: FetchInit,
  ): Promise<Response> => {
    const checked = this.#options.guard.checkUrl(url);
    const timeout = AbortSignal.timeout(this.#options.timeoutMs);
    const answer = await request(checked, {
      dispatcher: this.#agent,
      method,
      headers,
      body: textOf(body),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of answer.body) {
      if (!Buffer.isBuffer(part)) continue;
      size += part.length;
      if (size > MAX_BYTES) throw new Error(`an answer of more than ${MAX_BYTES} bytes`);
      parts.push(part);
    }
    const told = Object.entries(answer.headers).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value ?? '']).map((each): [string, string] => [name, each]),
    );
    return new Response(bodiless.has(answer.statusCode) ? null : Buffer.concat(parts), {
      status: answer.statusCode,
      headers: told,
    });
  };

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

function textOf(body: unknown): string | null {
  if (body === undefined || body === null) return null;
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  throw new SluiceError('internal_error', { detail: 'a body that is no text' });
}
