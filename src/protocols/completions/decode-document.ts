import { isObject, objectsOf, textIn, textOf } from '../canonical/json-members.ts';
import type { ResponseDecoder } from '../canonical/response-decoder.ts';
import type { FinishReason } from '../canonical/stream-part.ts';
import type { StreamPartWriter } from '../canonical/stream-part-writer.ts';
import type { Usage } from '../canonical/usage.ts';

const reasons: Readonly<Record<string, FinishReason>> = { length: 'length', content_filter: 'content_filter' };

/**
 * Decodes a legacy completion, streamed or not. Source: OpenAI's API document, CreateCompletionResponse.
 */
export class CompletionsDecoder implements ResponseDecoder {
  ended = false;
  readonly #writer: StreamPartWriter;
  readonly #readUsage: (usage: unknown) => Usage | null;

  /** @param readUsage reads OpenAI's `usage` object */
  constructor(writer: StreamPartWriter, readUsage: (usage: unknown) => Usage | null) {
    this.#writer = writer;
    this.#readUsage = readUsage;
  }

  event(event: unknown): void {
    this.document(event);
  }

  document(body: unknown): void {
    if (!isObject(body)) return;
    if (isObject(body.error)) {
      const { message, type, code } = body.error;
      return this.#writer.error({ message: textOf(message) ?? '', type: textOf(type), code: textOf(code) });
    }
    if (!Array.isArray(body.choices)) return;
    this.#writer.begin({ id: textOf(body.id) ?? undefined, model: textOf(body.model) ?? undefined });
    for (const choice of objectsOf(body.choices)) {
      const index = typeof choice.index === 'number' ? choice.index : 0;
      this.#writer.text(textIn(choice, 'text'), index);
      const reason = textOf(choice.finish_reason);
      if (reason !== null) this.#writer.finish(reasons[reason] ?? 'stop', index);
    }
    const usage = this.#readUsage(body.usage);
    if (usage !== null) this.#writer.usage(usage);
  }
}
