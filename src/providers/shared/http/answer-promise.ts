import { toSluiceError } from '../../../errors/index.ts';
import type { UpstreamReceiver } from '../../contract.ts';

export interface CompleteAnswer {
  readonly contentType: string;
  readonly body: Buffer | string;
}

/**
 * Reports a response that is a promise to a receiver. An abort reaches `signal`; nothing is reported after it.
 * Anything that `answer` throws becomes the call's failure.
 */
export function answerPromise(
  receiver: UpstreamReceiver,
  answer: (signal: AbortSignal) => Promise<CompleteAnswer>,
): void {
  const controller = new AbortController();
  const { signal } = controller;
  receiver.onConnecting({ pause: () => undefined, resume: () => undefined, abort: () => controller.abort() });
  receiver.onSent?.();
  // One turn later: the sender must know the dropped parameters before the response arrives.
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
