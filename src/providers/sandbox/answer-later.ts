import { toSluiceError } from '../../errors/index.ts';
import type { UpstreamReceiver } from '../contract.ts';

/** Answers with a JSON document in a later turn, as a socket would. */
export function answerLater(receiver: UpstreamReceiver, answer: () => object): void {
  let aborted = false;
  receiver.onConnecting({
    pause: () => undefined,
    resume: () => undefined,
    abort: () => {
      aborted = true;
    },
  });
  setImmediate(() => {
    if (aborted) return;
    try {
      const body = Buffer.from(JSON.stringify(answer()));
      receiver.onHead(200, { 'content-type': 'application/json' });
      receiver.onData(body);
      receiver.onEnd();
    } catch (error) {
      receiver.onFailure(toSluiceError(error));
    }
  });
}
