import type { ChatAnswerWriter } from '../shared/chat-answer.ts';
import type { AnswerTranslator } from '../shared/translated-answer.ts';
import { CandidateTeller } from './candidate.ts';
import { reportedError } from './error.ts';
import { chatUsage } from './usage.ts';
import { count, list, text, wire, type Wire } from './wire.ts';

/** OpenAI's most choices: an index beyond it is none. */
const MOST_CANDIDATES = 128;

/**
 * Tells Google's GenerateContentResponse to a writer; each event of a stream is one, and holds what is new.
 * Source: ai.google.dev/api/generate-content, GenerateContentResponse.
 */
export class GeminiAnswer implements AnswerTranslator {
  readonly #writer: ChatAnswerWriter;
  readonly #candidates = new Map<number, CandidateTeller>();
  #isOver = false;

  constructor(writer: ChatAnswerWriter) {
    this.#writer = writer;
  }

  get ended(): boolean {
    if (this.#isOver) return true;
    return this.#candidates.size > 0 && [...this.#candidates.values()].every(({ isFinished }) => isFinished);
  }

  event(event: unknown): void {
    const response = wire(event);
    if (response === null) return;
    const error = reportedError(response);
    if (error) {
      this.#isOver = true;
      this.#writer.error(error);
      return;
    }
    this.#writer.begin({
      id: text(response.responseId) ?? undefined,
      model: text(response.modelVersion) ?? undefined,
      created: secondsOf(response.createTime),
    });
    if (!this.#isOver) this.#tellCandidates(response);
    const usage = chatUsage(response.usageMetadata);
    if (usage) this.#writer.usage(usage);
  }

  document(body: unknown): void {
    this.event(body);
    for (const candidate of this.#candidates.values()) candidate.finish('STOP');
  }

  #tellCandidates(response: Wire): void {
    const block = wire(response.promptFeedback);
    const reason = text(block?.blockReason);
    if (reason !== null && list(response.candidates).length === 0) {
      this.#isOver = true;
      this.#writer.refusal(text(block?.blockReasonMessage) ?? `Google blocked the prompt: ${reason}.`);
      this.#writer.finish('content_filter');
      return;
    }
    for (const [place, given] of list(response.candidates).entries()) {
      const candidate = wire(given);
      const index = count(candidate?.index) ?? place;
      if (candidate !== null && index < MOST_CANDIDATES) this.#teller(index).tell(candidate);
    }
  }

  #teller(index: number): CandidateTeller {
    const known = this.#candidates.get(index);
    if (known) return known;
    const teller = new CandidateTeller(this.#writer, index);
    this.#candidates.set(index, teller);
    return teller;
  }
}

function secondsOf(time: unknown): number | undefined {
  const milliseconds = Date.parse(text(time) ?? '');
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1_000);
}
