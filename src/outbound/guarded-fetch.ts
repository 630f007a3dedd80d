import { Agent, request } from 'undici';
import { SluiceError } from '../errors/index.ts';
import type { OutboundGuard } from './guard.ts';
import { guardedDial, type ResolveName } from './guarded-dial.ts';

const MAX_BYTES = 1024 * 1024;
/** Statuses of responses without a body. */
const bodiless = new Set([101, 204, 205, 304]);

export interface GuardedFetchOptions {
  readonly guard: OutboundGuard;
  readonly connectTimeoutMs: number;
  /** For a complete request including the connection. */
  readonly timeoutMs: number;
  /** Defaults to DNS. */
  readonly resolve?: ResolveName;
}

/** The options of `fetch` that are supported. */
export interface FetchInit {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** `fetch` for libraries that accept a custom one, for small documents. Dials only what the guard allows, and follows no redirects. */
export class GuardedFetch {
  readonly #options: GuardedFetchOptions;
  readonly #agent: Agent;

  constructor(options: GuardedFetchOptions) {
    this.#options = options;
    const { guard, connectTimeoutMs, resolve } = options;
    this.#agent = new Agent({ connect: guardedDial({ guard, connectTimeoutMs, ...(resolve && { resolve }) }) });
  }

  /** @throws SluiceError outbound_refused, or the error of the connection */
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
      if (size > MAX_BYTES) throw new Error(`the response is larger than ${MAX_BYTES} bytes`);
      parts.push(part);
    }
    const responseHeaders = Object.entries(answer.headers).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value ?? '']).map((each): [string, string] => [name, each]),
    );
    return new Response(bodiless.has(answer.statusCode) ? null : Buffer.concat(parts), {
      status: answer.statusCode,
      headers: responseHeaders,
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
  throw new SluiceError('internal_error', { detail: 'the body is not text' });
}
