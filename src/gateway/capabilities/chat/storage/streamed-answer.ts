import { ResultCollector } from '../../../../protocols/canonical/generation-result.ts';
import type { JsonObject } from '../../../../protocols/canonical/json-members.ts';
import type { StreamPart } from '../../../../protocols/canonical/stream-part.ts';
import { ChunkCollector } from '../../../../protocols/chat-completions/collect-chunks.ts';
import { responseObject } from '../../../../protocols/chat-completions/encode-response.ts';
import { parseAnswer } from '../../../../providers/shared/json/json-complexity.ts';
import { SseEvents } from '../../../../providers/shared/sse/sse-events.ts';

/** As long as an unstreamed response may be. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A streamed response, collected into what it would have been without `stream`. */
export class StreamedAnswer {
  /** Whether it is too long to be collected. */
  isTooLong = false;
  #chunks: ChunkCollector | null = new ChunkCollector();
  readonly #events = new SseEvents((data) => this.#chunks?.add(parsedOrNull(data)));
  #parts: ResultCollector | null = null;
  #bytes = 0;

  append(bytes: Buffer): void {
    if (this.isTooLong) return;
    this.#bytes += bytes.length;
    try {
      if (this.#bytes <= MAX_BYTES) return this.#events.push(bytes);
    } catch {
      // An event without an end.
    }
    this.isTooLong = true;
    this.#chunks = null;
  }

  appendParts(parts: readonly StreamPart[]): void {
    (this.#parts ??= new ResultCollector()).add(parts);
  }

  /** Null for a stream without a response, and for one that is too long. */
  document(): JsonObject | null {
    if (this.#parts === null) {
      if (!this.isTooLong) this.#events.end();
      return this.#chunks?.document() ?? null;
    }
    const { start, choices, usage } = this.#parts.result;
    return start === null ? null : responseObject({ start, choices, usage });
  }
}

/** Null for what is no JSON: the end mark, too. */
export function parsedOrNull(json: string | Buffer): unknown {
  try {
    return parseAnswer(json);
  } catch {
    return null;
  }
}
