import type { Readable } from 'node:stream';
import { Agent, request, type buildConnector, type Dispatcher } from 'undici';
import { systemClock } from '../../../calendar/clock.ts';
import { SluiceError, unreachable } from '../../../errors/index.ts';
import type { HeaderMap } from '../../contract.ts';
import { boundedText } from '../http/bounded-text.ts';
import { connector } from '../sockets/connector.ts';
import { formBody, type FormBody, type FormField } from '../http/form-body.ts';
import { readOpenAiError, refusalError, type ReadError } from '../http/upstream-error.ts';
import type { VideoContent, RequestedRange } from './video-jobs.ts';
import { parseAnswer } from '../json/json-complexity.ts';

/** A provider that sends nothing for this time is considered disconnected. Time under back-pressure does not count. */
const SILENCE_MS = 60_000;
const MAX_REDIRECTS = 5;
const CLOSE_MS = 3_000;
const redirects: readonly number[] = [301, 302, 303, 307, 308];
/** The headers of a content that are relayed to the client. */
const contentHeaders = ['content-type', 'content-length', 'content-range', 'etag', 'last-modified'] as const;

export interface JobHttpOptions {
  readonly provider: string;
  /** With its version path. */
  readonly baseUrl: string;
  /** Header names and values in turn: the credentials. Sent only to the origin of `baseUrl`. */
  readonly headers: readonly string[];
  readonly connectTimeoutMs: number;
  readonly dial?: buildConnector.connector | undefined;
  /** For URLs in the provider's responses. If absent, none is requested. */
  readonly foreignDial?: buildConnector.connector | undefined;
  /** Defaults to OpenAI's format. */
  readonly readError?: ReadError | undefined;
}

export interface JobRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly json?: object;
  readonly form?: readonly FormField[];
  /** A body of another kind. */
  readonly body?: FormBody;
  /** Names and values in turn of additional headers. */
  readonly headers?: readonly string[];
  readonly signal: AbortSignal;
}

/**
 * A provider's HTTP API for jobs and their content: awaited requests, and content that is streamed. Redirects are not followed
 * automatically, and credentials are sent only to the provider. All methods throw SluiceError provider_*.
 */
export class JobHttp {
  readonly #options: JobHttpOptions;
  readonly #base: URL;
  #own: Agent | null = null;
  #foreign: Agent | null = null;

  constructor(options: JobHttpOptions) {
    this.#options = options;
    this.#base = new URL(options.baseUrl);
  }

  /** The full URL of an endpoint: `/videos`. */
  url(endpoint: string): string {
    return this.#base.origin + this.#base.pathname.replace(/\/+$/, '') + endpoint;
  }

  /** The full URL of an absolute path. */
  rooted(path: string): string {
    return this.#base.origin + path;
  }

  /** A JSON response; null without a body. */
  async json(url: string, request: JobRequest): Promise<unknown> {
    const { method = 'GET', json, form, signal, headers: further = [] } = request;
    const headers = ['accept', 'application/json', ...this.#options.headers, ...further];
    const sent = form === undefined ? request.body : formBody(form);
    if (json !== undefined) headers.push('content-type', 'application/json');
    if (sent !== undefined) headers.push('content-type', sent.contentType, 'content-length', String(sent.length));
    const body = sent?.stream ?? (json === undefined ? null : JSON.stringify(json));
    const answer = await this.#send(this.#ownAgent(), url, { method, headers, body, signal });
    const text = await boundedText(answer.body).catch((cause: unknown) => {
      throw this.#unreachable(cause);
    });
    if (answer.statusCode < 200 || answer.statusCode >= 300)
      throw this.#refusal(answer.statusCode, answer.headers, text);
    if (text.trim() === '') return null;
    try {
      return parseAnswer(text);
    } catch {
      throw this.invalid('no JSON');
    }
  }

  /** A content at the URL that the provider returned. Null if it does not exist any more. */
  async content(address: string, part: RequestedRange, signal: AbortSignal): Promise<VideoContent | null> {
    let url = address;
    for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
      const answer = await this.#get(url, part, signal);
      const { statusCode: status, headers, body } = answer;
      if (status === 200 || status === 206 || status === 416)
        return { status, headers: contentHeadersOf(headers), body };
      if (status === 404 || status === 410) {
        body.on('error', () => undefined).destroy();
        return null;
      }
      const { location } = headers;
      if (!redirects.includes(status)) throw await this.#contentRefusal(status, headers, body);
      body.on('error', () => undefined).destroy();
      if (typeof location !== 'string' || !URL.canParse(location, url)) throw this.invalid('a redirect to nowhere');
      url = new URL(location, url).href;
    }
    throw this.invalid('too many redirects');
  }

  /** Waits for open requests, up to `CLOSE_MS`. */
  async close(): Promise<void> {
    const agents = [this.#own, this.#foreign].filter((each) => each !== null);
    const closed = Promise.all(agents.map((each) => each.close()));
    await Promise.race([closed, new Promise<void>((resolve) => systemClock.setTimeout(resolve, CLOSE_MS).unref())]);
    await Promise.all(agents.map((each) => each.destroy()));
  }

  invalid(detail: string): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#options.provider }, detail });
  }

  #get(address: string, part: RequestedRange, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const url = URL.canParse(address) ? new URL(address) : null;
    if (url === null || !/^https?:$/.test(url.protocol)) throw this.invalid('no HTTP address of a content');
    const headers = ['accept', '*/*', 'accept-encoding', 'identity'];
    if (part.range !== undefined) headers.push('range', part.range);
    if (part.range !== undefined && part.ifRange !== undefined) headers.push('if-range', part.ifRange);
    const isOwn = url.origin === this.#base.origin;
    if (isOwn) headers.push(...this.#options.headers);
    // A user name in an address would be sent to it.
    url.username = '';
    url.password = '';
    const agent = isOwn ? this.#ownAgent() : this.#foreignAgent();
    return this.#send(agent, url.href, { method: 'GET', headers, body: null, signal });
  }

  async #send(
    dispatcher: Dispatcher,
    url: string,
    options: {
      method: 'GET' | 'POST' | 'PUT' | 'DELETE';
      headers: string[];
      body: string | Readable | null;
      signal: AbortSignal;
    },
  ): Promise<Dispatcher.ResponseData> {
    try {
      return await request(url, { dispatcher, ...options });
    } catch (cause) {
      if (cause instanceof SluiceError) throw this.invalid('a content at an address that may not be called');
      throw this.#unreachable(cause);
    }
  }

  #ownAgent(): Agent {
    const { dial, connectTimeoutMs } = this.#options;
    return (this.#own ??= agent(dial ?? connector(connectTimeoutMs)));
  }

  #foreignAgent(): Agent {
    const { foreignDial } = this.#options;
    if (foreignDial === undefined) throw this.invalid('a content at an address of another server');
    return (this.#foreign ??= agent(foreignDial));
  }

  async #contentRefusal(status: number, headers: HeaderMap, body: Readable): Promise<SluiceError> {
    const text = await boundedText(body).catch(() => '');
    return this.#refusal(status, headers, text);
  }

  #refusal(status: number, headers: HeaderMap, text: string): SluiceError {
    return refusalError(this.#options.provider, status, headers, (this.#options.readError ?? readOpenAiError)(text));
  }

  #unreachable(cause: unknown): SluiceError {
    return unreachable({ provider: this.#options.provider, cause });
  }
}

function agent(connect: buildConnector.connector): Agent {
  return new Agent({
    connect,
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
    pipelining: 1,
    keepAliveTimeout: 30_000,
  });
}

function contentHeadersOf(headers: HeaderMap): Record<string, string> {
  return Object.fromEntries(
    contentHeaders.flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}
