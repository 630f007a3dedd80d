import { searchesUsed } from '../canonical/usage.ts';
import type { StreamPartWriter } from '../canonical/stream-part-writer.ts';
import type { ResponseDecoder } from '../canonical/response-decoder.ts';
import { CandidateMapper } from './decode-stream/candidate.ts';
import { reportedError } from './errors.ts';
import { isEachSearchBilled } from './model-traits.ts';
import { chatUsage } from './usage.ts';
import { countOf, listOf, objectOf, textOf, type JsonObject } from '../canonical/json-members.ts';

/** OpenAI's maximum number of choices: larger indexes are ignored. */
const MAX_CANDIDATES = 128;

/**
 * Decodes Google's GenerateContentResponse; each event of a stream is one, with new content only. Source:
 * ai.google.dev/api/generate-content, GenerateContentResponse.
 */
export class GeminiDecoder implements ResponseDecoder {
  readonly #writer: StreamPartWriter;
  readonly #candidates = new Map<number, CandidateMapper>();
  readonly #billsEachSearch: boolean | null;
  #model = '';
  #isOver = false;

  /** @param traits null where the response says which model it is of */
  constructor(writer: StreamPartWriter, traits: { readonly billsEachSearch: boolean } | null) {
    this.#writer = writer;
    this.#billsEachSearch = traits === null ? null : traits.billsEachSearch;
  }

  get ended(): boolean {
    if (this.#isOver) return true;
    return this.#candidates.size > 0 && [...this.#candidates.values()].every(({ isFinished }) => isFinished);
  }

  event(event: unknown): void {
    const response = objectOf(event);
    if (response === null) return;
    const error = reportedError(response);
    if (error) {
      this.#isOver = true;
      this.#writer.error(error);
      return;
    }
    this.#writer.begin({
      id: textOf(response.responseId) ?? undefined,
      model: textOf(response.modelVersion) ?? undefined,
      created: secondsOf(response.createTime),
    });
    this.#model = textOf(response.modelVersion) ?? this.#model;
    if (!this.#isOver) this.#mapCandidates(response);
    const usage = chatUsage(response.usageMetadata);
    if (usage) this.#writer.usage({ ...usage, hostedTools: searchesUsed(this.#searches()) });
  }

  document(body: unknown): void {
    this.event(body);
    for (const candidate of this.#candidates.values()) candidate.finish('STOP');
  }

  #mapCandidates(response: JsonObject): void {
    const block = objectOf(response.promptFeedback);
    const reason = textOf(block?.blockReason);
    if (reason !== null && listOf(response.candidates).length === 0) {
      this.#isOver = true;
      this.#writer.refusal(textOf(block?.blockReasonMessage) ?? `Google blocked the prompt: ${reason}.`);
      this.#writer.finish('content_filter');
      return;
    }
    for (const [position, rawCandidate] of listOf(response.candidates).entries()) {
      const candidate = objectOf(rawCandidate);
      const index = countOf(candidate?.index) ?? position;
      if (candidate !== null && index < MAX_CANDIDATES) this.#mapperOf(index).map(candidate);
    }
  }

  #searches(): number {
    const each = [...this.#candidates.values()].map(({ searches }) => searches);
    const all = each.reduce((sum, searches) => sum + searches, 0);
    return (this.#billsEachSearch ?? isEachSearchBilled(this.#model)) ? all : Math.min(all, 1);
  }

  #mapperOf(index: number): CandidateMapper {
    const known = this.#candidates.get(index);
    if (known) return known;
    const mapper = new CandidateMapper(this.#writer, index);
    this.#candidates.set(index, mapper);
    return mapper;
  }
}

function secondsOf(time: unknown): number | undefined {
  const milliseconds = Date.parse(textOf(time) ?? '');
  return Number.isNaN(milliseconds) ? undefined : Math.floor(milliseconds / 1_000);
}
