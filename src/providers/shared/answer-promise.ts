import { toSluiceError } from '../../errors/index.ts';
import type { UpstreamReceiver } from '../contract.ts';

export interface CompleteAnswer {
  readonly contentType: string;
  readonly body: Buffer | string;
}

/**
 * Tells a receiver of an answer that comes as a promise. An abort reaches `signal`, and nothing is told after it.
 * Everything that `answer` throws is the call's failure.
 */
export function answerPromise(
  receiver: UpstreamReceiver,
  answer: (signal: AbortSignal) => Promise<CompleteAnswer>,
): void {
  const controller = new AbortController();
  const { signal } = controller;
  receiver.onConnecting({ pause: () => undefined, resume: () => undefined, abort: () => controller.abort() });
  receiver.onSent?.();
  // A turn later: whoever sends is to know what was sent before it is answered.
  void Promise.resolve()
    .then(() => answer(signal))
    .then(
      ({ contentType, body }) => {
        if (signal.aborted) return;
        receiver.onHead(200, { 'content-type': contentType });
        receiver.onData(typeof body === 'string' ? Buffer.from(body) : body);
        receiver.onEnd();
      },
      (error: unknown) => {
        if (!signal.aborted) receiver.onFailure(toSluiceError(error));
      },
    );
}
