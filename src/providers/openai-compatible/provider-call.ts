import type { Dispatcher } from 'undici';
import { SluiceError } from '../../errors/index.ts';
import type { HeaderMap, Upstream, UpstreamReceiver } from '../contract.ts';
import { upstreamError } from './upstream-error.ts';

const LONGEST_ERROR_BODY = 64 * 1024;
const aborted = new Error('the call was aborted');

/** One call under way: undici's handler on one side, the receiver on the other. */
export class ProviderCall implements Dispatcher.DispatchHandler, Upstream {
  readonly #provider: string;
  readonly #receiver: UpstreamReceiver;
  #controller: Dispatcher.DispatchController | null = null;
  #aborted = false;
  #refusal: { readonly status: number; readonly headers: HeaderMap; body: string } | null = null;
  #answered = false;

  constructor(provider: string, receiver: UpstreamReceiver) {
    this.#provider = provider;
    this.#receiver = receiver;
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
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: HeaderMap): void {
    if (this.#aborted || status < 200) return;
    this.#answered = true;
    if (status >= 300) this.#refusal = { status, headers, body: '' };
    // No encoding was offered: a body that comes compressed all the same is not unpacked, whatever it would grow to.
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
    else if (this.#refusal.body.length < LONGEST_ERROR_BODY) this.#refusal.body += chunk.toString();
  }

  onResponseEnd(): void {
    if (this.#aborted) return;
    if (this.#refusal === null) this.#receiver.onEnd();
    else
      this.#receiver.onFailure(
        upstreamError(this.#provider, this.#refusal.status, this.#refusal.headers, this.#refusal.body),
      );
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    if (this.#aborted) return;
    this.#aborted = true;
    if (this.#refusal)
      this.#receiver.onFailure(
        upstreamError(this.#provider, this.#refusal.status, this.#refusal.headers, this.#refusal.body),
      );
    else
      this.#receiver.onFailure(
        new SluiceError(this.#answered ? 'provider_stream_cut' : 'provider_unreachable', {
          values: { provider: this.#provider },
          cause,
        }),
      );
  }
}
