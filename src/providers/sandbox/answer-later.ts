import type { UpstreamReceiver } from '../contract.ts';
import { answerPromise } from '../shared/answer-promise.ts';

/** Answers with a JSON document in a later turn, as a socket would. */
export function answerLater(receiver: UpstreamReceiver, answer: () => object): void {
  answerPromise(receiver, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    return { contentType: 'application/json', body: JSON.stringify(answer()) };
  });
}
