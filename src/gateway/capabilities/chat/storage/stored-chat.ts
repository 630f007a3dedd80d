import { completeDocument } from '../../../../protocols/chat-completions/complete-document.ts';
import type { ChatRequest } from '../../../../protocols/chat-completions/decode-request/schema.ts';
import { isObject, objectsOf, type JsonObject } from '../../../../protocols/canonical/json-members.ts';
import type { StreamPart } from '../../../../protocols/canonical/stream-part.ts';
import type { AnswerRecording, RecordingContext, RecordingSupport } from '../../../answer-recording.ts';
import { eventTime, newEventIds } from '../../../event-id.ts';
import { tryParse } from '../../../json-text.ts';
import { completionIdOf, withCompletionId } from './completion-id.ts';
import { parsedOrNull, StreamedAnswer } from './streamed-answer.ts';

export const chatRecording: RecordingSupport<ChatRequest> = {
  isRequested: ({ store }) => store === true,
  start: (request, context) => new StoredChat(request, context),
};

/** Records the response to a chat whose client asks to store it. */
class StoredChat implements AnswerRecording {
  readonly #request: ChatRequest;
  readonly #context: RecordingContext;
  readonly #id: string;
  readonly #completionId: string;
  #streamed = new StreamedAnswer();

  constructor(request: ChatRequest, context: RecordingContext) {
    this.#request = request;
    this.#context = context;
    ({ eventId: this.#id } = newEventIds(eventTime(context.eventId)));
    this.#completionId = completionIdOf(this.#id);
  }

  restart(): void {
    this.#streamed = new StreamedAnswer();
  }

  append(bytes: Buffer): void {
    this.#streamed.append(bytes);
  }

  appendParts(parts: readonly StreamPart[]): void {
    this.#streamed.appendParts(parts);
  }

  named(output: Buffer, isStream: boolean): Buffer {
    return withCompletionId(output, isStream, this.#completionId);
  }

  store(document: Buffer | null, costNano: bigint | null): void {
    const { eventId, key, store, log } = this.#context;
    try {
      const { model, metadata } = this.#request;
      const answer = document === null ? this.#streamed.document() : parsedOrNull(document);
      const complete = completeDocument(answer, model);
      if (complete === null)
        return log.warn({ event: eventId }, 'a chat completion is invalid or too long to be stored');
      const completion = { ...complete, id: this.#completionId };
      const given = { id: this.#id, key, model, metadata: metadata ?? {}, completion, costNano };
      store.storeSoon({ ...given, messages: this.#messages() });
    } catch (err) {
      log.warn({ err, event: eventId }, 'a chat completion could not be stored');
    }
  }

  #messages(): readonly JsonObject[] {
    const { outlinedBody: body } = this.#context;
    const complete: unknown = body === null ? this.#request : tryParse(body.toString());
    return isObject(complete) ? objectsOf(complete.messages) : [];
  }
}
