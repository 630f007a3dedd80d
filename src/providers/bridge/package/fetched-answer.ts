import type { Dispatcher } from 'undici';
import { SluiceError, unreachable } from '../../../errors/index.ts';
import type { HeaderMap } from '../../contract.ts';

/** A package that received this many bytes without emitting a part gets no more: the event is too large for a chat. */
const MAX_UNREPORTED_BYTES = 64 * 1024 * 1024;
/** The maximum of a chat response: the packages and the stream mapper retain parts of it. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
/** The maximum number of bytes read of an error body. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** Statuses for which `Response` does not accept a body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

/** The observer of a call's request on the network. */
export interface FetchWatch {
  /** Bytes received since the package emitted its last part. */
  unreportedBytes: number;
  /** The request is on a socket. */
  onSent(): void;
}

/** undici's handler on one side, the platform's `Response` on the other. Its body is read with back-pressure. */
export class FetchedAnswer implements Dispatcher.DispatchHandler {
  readonly response: Promise<Response>;
  readonly #provider: string;
  readonly #signal: AbortSignal | null;
  readonly #watch: FetchWatch | undefined;
  readonly #settle: PromiseWithResolvers<Response>;
  readonly #onAbort = (): void => this.#abort();
  #controller: Dispatcher.DispatchController | null = null;
  #body: ReadableStreamDefaultController<Uint8Array> | null = null;
  #refusalRoom = MAX_REFUSAL_BYTES;
  #received = 0;
  #refused = false;
  #answered = false;
  #over = false;

  constructor(provider: string, signal: AbortSignal | null, watch: FetchWatch | undefined) {
    this.#provider = provider;
    this.#signal = signal;
    this.#watch = watch;
    this.#settle = Promise.withResolvers<Response>();
    this.response = this.#settle.promise;
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(abortion);
    else this.#watch?.onSent();
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: HeaderMap): void {
    if (this.#over || status < 200) return;
    const encoding = headers['content-encoding'];
    // No encoding was offered: a compressed body is not decompressed, as its size is unbounded.
    if (encoding !== undefined && encoding !== 'identity') return this.#refuse('content-encoding');
    if (status > 599) return this.#refuse('status');
    this.#answered = true;
    this.#refused = status >= 300;
    const body = bodiless.has(status) ? null : this.#makeBody();
    this.#settle.resolve(new Response(body, { status, headers: headersOf(headers) }));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const body = this.#body;
    // undici emits an empty chunk each time it resumes a response without a length: pausing for it would never end.
    if (this.#over || body === null || chunk.length === 0) return;
    if (this.#watch !== undefined) this.#watch.unreportedBytes += chunk.length;
    if (this.#refused) return this.#receiveErrorBody(body, chunk);
    this.#received += chunk.length;
    if (this.#watch !== undefined && this.#isTooLong(this.#watch)) return this.#refuse('too long');
    body.enqueue(chunk);
    if ((body.desiredSize ?? 0) <= 0) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#end();
    this.#body?.close();
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.#over) return;
    const provider = this.#provider;
    if (this.#answered) this.#fail(new SluiceError('provider_stream_cut', { values: { provider }, cause }));
    else this.#fail(unreachable({ provider, cause }));
  }

  #makeBody(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (body) => {
          this.#body = body;
        },
        pull: () => this.#controller?.resume(),
        cancel: () => this.#abort(),
      },
      { highWaterMark: 1 },
    );
  }

  #receiveErrorBody(body: ReadableStreamDefaultController<Uint8Array>, chunk: Buffer): void {
    body.enqueue(chunk.subarray(0, this.#refusalRoom));
    this.#refusalRoom -= chunk.length;
    if (this.#refusalRoom > 0) return;
    this.#end();
    body.close();
    this.#controller?.abort(abortion);
  }

  #isTooLong({ unreportedBytes }: FetchWatch): boolean {
    return unreportedBytes > MAX_UNREPORTED_BYTES || this.#received > MAX_ANSWER_BYTES;
  }

  #refuse(detail: string): void {
    this.#fail(new SluiceError('provider_invalid_response', { values: { provider: this.#provider }, detail }));
    this.#controller?.abort(abortion);
  }

  #fail(error: SluiceError): void {
    this.#end();
    if (this.#body) this.#body.error(error);
    else this.#settle.reject(error);
  }

  #abort(): void {
    if (this.#over) return;
    this.#end();
    const reason: unknown = this.#signal?.aborted ? this.#signal.reason : abortion;
    if (this.#body) this.#body.error(reason);
    else this.#settle.reject(reason);
    this.#controller?.abort(abortion);
  }

  #end(): void {
    this.#over = true;
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}

const abortion = new Error('the call was aborted');

function headersOf(received: HeaderMap): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received))
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) headers.append(name, each);
  return headers;
}
