import type { Dispatcher } from 'undici';
import { SluiceError, unreachable } from '../../../errors/index.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../../contract.ts';
import { refusalError, type ReadError } from './upstream-error.ts';

const MAX_ERROR_BODY_BYTES = 64 * 1024;
const aborted = new Error('the call was aborted');

interface Refusal {
  readonly status: number;
  readonly headers: HeaderMap;
  body: string;
}

/** One call in progress: undici's handler on one side, the receiver on the other. */
export class ProviderCall implements Dispatcher.DispatchHandler, Upstream {
  readonly #provider: string;
  readonly #receiver: UpstreamReceiver;
  readonly #readError: ReadError;
  readonly #ownHost: string | null;
  #controller: Dispatcher.DispatchController | null = null;
  #aborted = false;
  #refusal: Refusal | null = null;
  #answered = false;
  #headers: HeaderMap | null = null;

  /** @param ownHost as that of `Unreachable` */
  constructor(provider: string, receiver: UpstreamReceiver, readError: ReadError, ownHost: string | null) {
    this.#provider = provider;
    this.#receiver = receiver;
    this.#readError = readError;
    this.#ownHost = ownHost;
  }

  /** False while its socket is being connected. */
  get isSent(): boolean {
    return this.#controller !== null;
  }

  get responseHeaders(): HeaderMap | null {
    return this.#headers;
  }

  /** Whether it ended without a response. */
  get isAborted(): boolean {
    return this.#aborted;
  }

  /** Ends a call that was not sent. */
  fail(error: SluiceError): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#receiver.onFailure(error);
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort(aborted);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#aborted) controller.abort(aborted);
    else this.#receiver.onSent?.();
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: HeaderMap): void {
    if (this.#aborted || status < 200) return;
    this.#answered = true;
    this.#headers = headers;
    // They would retain the bytes that the head arrived in until the response ends.
    controller.rawHeaders = null;
    if (status >= 300) this.#refusal = { status, headers, body: '' };
    // No encoding was offered: a compressed body is not decompressed, as its size is unbounded.
    else if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity') {
      this.#aborted = true;
      controller.abort(aborted);
      this.#receiver.onFailure(
        new SluiceError('provider_invalid_response', {
          values: { provider: this.#provider },
          detail: 'content-encoding',
        }),
      );
    } else this.#receiver.onHead(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#aborted) return;
    if (this.#refusal === null) this.#receiver.onData(chunk);
    else if (this.#refusal.body.length < MAX_ERROR_BODY_BYTES) this.#refusal.body += chunk.toString();
  }

  onResponseEnd(): void {
    if (this.#aborted) return;
    if (this.#refusal === null) this.#receiver.onEnd();
    else this.#receiver.onFailure(this.#refused(this.#refusal));
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.#aborted) return;
    this.#aborted = true;
    if (this.#refusal) this.#receiver.onFailure(this.#refused(this.#refusal));
    else
      this.#receiver.onFailure(
        this.#answered
          ? new SluiceError('provider_stream_cut', { values: { provider: this.#provider }, cause })
          : unreachable({ provider: this.#provider, cause, ownHost: this.#ownHost }),
      );
  }

  #refused({ status, headers, body }: Refusal): SluiceError {
    return refusalError(this.#provider, status, headers, this.#readError(body));
  }
}
