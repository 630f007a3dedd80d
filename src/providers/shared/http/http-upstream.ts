import { type buildConnector, Pool } from 'undici';
import type { WebSocket } from 'ws';
import { SluiceError, toSluiceError, unreachable } from '../../../errors/index.ts';
import type { HeaderMap, UpstreamReceiver } from '../../contract.ts';
import type { Transport } from '../batches/batch-service.ts';
import { traceHeaders } from '../tracing/outbound-trace.ts';
import { TransportDispatcher } from './transport-dispatcher.ts';
import { boundedText } from './bounded-text.ts';
import { connector } from '../sockets/connector.ts';
import { formBody, type FormBody, type FormField } from './form-body.ts';
import { ProviderCall } from './provider-call.ts';
import { readOpenAiError, refusalError, type ReadError } from './upstream-error.ts';
import { parseAnswer } from '../json/json-complexity.ts';
import { isLong, readOnce, wholeBody, type SentBody } from '../sockets/sent-body.ts';
import { joiningSmallWrites } from './small-writes.ts';
import { openWebSocket } from './web-socket.ts';

const LIST_TIMEOUT_MS = 10_000;

/** What a signature covers. */
export interface UnsentRequest {
  /** With its query. */
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer | string;
}

/**
 * Obtains the credentials of one request.
 * @returns names and values in turn of the headers that contain them
 * @throws SluiceError, as the promise's rejection
 */
export type Authorize = (request: UnsentRequest) => Promise<readonly string[]>;

export interface HttpUpstreamOptions {
  readonly provider: string;
  /** With its version path. */
  readonly baseUrl: string;
  /** Header names and values in turn: the credentials. */
  readonly headers: readonly string[];
  /** Of requests that are posted as JSON; JSON and events if absent. */
  readonly accept?: string | undefined;
  /** For credentials that differ between requests: called for each that is posted as JSON. */
  readonly authorize?: Authorize | undefined;
  readonly connectTimeoutMs: number;
  readonly dial?: buildConnector.connector | undefined;
  /** As `ConnectionSettings.transport`. */
  readonly transport?: Transport | undefined;
  /** Parses the provider's errors; defaults to OpenAI's format. */
  readonly readError?: ReadError | undefined;
}

/** A provider's HTTP API: its pool of sockets, its paths, its headers. */
export class HttpUpstream {
  readonly #provider: string;
  readonly #options: HttpUpstreamOptions;
  readonly #dial: buildConnector.connector;
  readonly #pool: Pool;
  readonly #dispatcher: Pick<Pool, 'dispatch'>;
  readonly #basePath: string;
  readonly #postHeaders: string[];
  readonly #getHeaders: string[];
  readonly #readError: ReadError;
  readonly #authorize: Authorize | null;
  /** The operator's own addresses are not shown to clients. */
  readonly #ownHost: string | null;
  /** Requests whose credentials are not there yet. */
  readonly #unsent = new Set<Promise<void>>();

  constructor(options: HttpUpstreamOptions) {
    const url = new URL(options.baseUrl);
    this.#provider = options.provider;
    this.#options = options;
    this.#dial = joiningSmallWrites(options.dial ?? connector(options.connectTimeoutMs));
    this.#ownHost = options.dial === undefined ? null : url.host;
    this.#basePath = url.pathname.replace(/\/+$/, '');
    this.#postHeaders = [
      'content-type',
      'application/json',
      'accept',
      options.accept ?? 'application/json, text/event-stream',
      ...options.headers,
    ];
    this.#getHeaders = ['accept', 'application/json', ...options.headers];
    this.#readError = options.readError ?? readOpenAiError;
    this.#authorize = options.authorize ?? null;
    // The gateway checks the time between the parts of a response itself; two timeouts would conflict.
    this.#pool = new Pool(url.origin, {
      connect: this.#dial,
      headersTimeout: 0,
      bodyTimeout: 0,
      pipelining: 1,
      keepAliveTimeout: 30_000,
    });
    this.#dispatcher = options.transport ? new TransportDispatcher(options.transport) : this.#pool;
  }

  /** Full path of an endpoint: built once, used for every call. */
  path(endpoint: string): string {
    return this.#basePath + endpoint;
  }

  /**
   * Posts JSON; the response goes to the receiver, an error to its `onFailure`. `path` is a result of `path()`.
   * @param further names and values in turn of additional headers
   */
  post(path: string, body: SentBody, receiver: UpstreamReceiver, further: readonly string[] = []): void {
    const call = new ProviderCall(this.#provider, receiver, this.#readError, this.#ownHost);
    receiver.onConnecting(call);
    const traced = traceHeaders();
    const headers =
      further.length === 0 && traced.length === 0 ? this.#postHeaders : [...this.#postHeaders, ...further, ...traced];
    if (this.#authorize !== null)
      return this.#postAuthorized(this.#authorize, { path, headers, body: wholeBody(body) }, call);
    this.#send(path, headers, body, call);
  }

  #postAuthorized(authorize: Authorize, request: UnsentRequest, call: ProviderCall): void {
    const { path, body } = request;
    const sending = authorize(request)
      .then((credentials) => {
        const headers = [...request.headers, ...credentials];
        if (!call.isAborted) this.#send(path, headers, body, call);
      })
      .catch((error: unknown) => call.fail(toSluiceError(error)))
      .finally(() => this.#unsent.delete(sending));
    this.#unsent.add(sending);
  }

  #send(path: string, headers: string[], body: SentBody, call: ProviderCall): void {
    if (this.#options.transport || !isLong(body)) {
      this.#dispatcher.dispatch({ path, method: 'POST', headers, body: wholeBody(body) }, call);
      return;
    }
    const { length, stream } = readOnce(body);
    const measured = [...headers, 'content-length', String(length)];
    this.#dispatcher.dispatch({ path, method: 'POST', headers: measured, body: stream }, call);
  }

  /** Posts a form and streams its files; otherwise like `post`. */
  postForm(path: string, fields: readonly FormField[], receiver: UpstreamReceiver): void {
    this.postBytes(path, formBody(fields), receiver);
  }

  /** Posts a stream of known length; otherwise like `post`. */
  postBytes(path: string, { contentType, length, stream }: FormBody, receiver: UpstreamReceiver): void {
    const call = new ProviderCall(this.#provider, receiver, this.#readError, this.#ownHost);
    receiver.onConnecting(call);
    const described = ['content-type', contentType, 'content-length', String(length)];
    const headers = [...this.#getHeaders, ...described, ...traceHeaders()];
    this.#dispatcher.dispatch({ path, method: 'POST', headers, body: stream }, call);
  }

  /** Sends a request without a body, a GET request if nothing else is said; otherwise like `post`. */
  get(path: string, receiver: UpstreamReceiver, method: 'GET' | 'POST' | 'DELETE' = 'GET'): void {
    const call = new ProviderCall(this.#provider, receiver, this.#readError, this.#ownHost);
    receiver.onConnecting(call);
    const traced = traceHeaders();
    const headers = traced.length === 0 ? this.#getHeaders : [...this.#getHeaders, ...traced];
    this.#dispatcher.dispatch({ path, method, headers }, call);
  }

  /** Opens a WebSocket at a path with the provider's credentials; its events report the result. @param further as in `post` */
  openSocket(path: string, further: readonly string[]): WebSocket {
    const { baseUrl, headers, connectTimeoutMs: timeoutMs } = this.#options;
    // Not relative to the base URL: a path that starts with `//` would name another host.
    const url = new URL(new URL(baseUrl).origin + path);
    return openWebSocket({ url, headers: [...headers, ...further], dial: this.#dial, timeoutMs });
  }

  /** The error of a response with another status than 200. */
  refused(status: number, headers: HeaderMap, body: string): SluiceError {
    return refusalError(this.#provider, status, headers, this.#readError(body));
  }

  /**
   * @param further as in `post`
   * @throws SluiceError provider_*
   */
  async getJson(path: string, further: readonly string[] = []): Promise<unknown> {
    let answer;
    let text;
    try {
      const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
      const headers = [...this.#getHeaders, ...further];
      answer = await this.#pool.request({ path, method: 'GET', headers, signal });
      text = await boundedText(answer.body);
    } catch (cause) {
      throw unreachable({ provider: this.#provider, cause, ownHost: this.#ownHost });
    }
    if (answer.statusCode !== 200)
      throw refusalError(this.#provider, answer.statusCode, answer.headers, this.#readError(text));
    try {
      return parseAnswer(text);
    } catch {
      throw new SluiceError('provider_invalid_response', { values: { provider: this.#provider }, detail: 'no JSON' });
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#unsent);
    await this.#pool.close();
  }
}
