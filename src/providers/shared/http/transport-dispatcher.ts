import type { Dispatcher } from 'undici';
import type { HttpAnswer, Transport } from '../batches/batch-service.ts';

/** Gives requests to a transport, and its answers to their handlers as if they had arrived over HTTP. */
export class TransportDispatcher {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  dispatch({ path, headers, body }: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const text = Buffer.isBuffer(body) ? body.toString() : body;
    if (typeof text !== 'string') return true;
    const names = Array.isArray(headers) ? headers.map(String) : [];
    const answer = this.#transport({ path, headers: names, body: text });
    // The sender must know the dropped parameters before the response arrives.
    if (answer !== null) queueMicrotask(() => respond(handler, answer));
    return true;
  }
}

function respond(handler: Dispatcher.DispatchHandler, { status, body }: HttpAnswer): void {
  const controller = new Controller();
  handler.onRequestStart?.(controller, undefined);
  if (!controller.aborted) handler.onResponseStart?.(controller, status, { 'content-type': 'application/json' });
  if (!controller.aborted) handler.onResponseData?.(controller, Buffer.from(body));
  if (!controller.aborted) handler.onResponseEnd?.(controller, {});
}

/** The whole response is there: a pause has nothing to hold back. */
class Controller implements Dispatcher.DispatchController {
  readonly paused = false;
  reason: Error | null = null;

  get aborted(): boolean {
    return this.reason !== null;
  }

  abort(reason: Error): void {
    this.reason = reason;
  }

  pause(): void {}

  resume(): void {}
}
