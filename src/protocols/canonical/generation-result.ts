import type { ReportedError } from './reported-error.ts';
import type {
  FinishReason,
  ReasoningDetailPart,
  StartPart,
  StreamPart,
  TokenLogprob,
  UrlCitation,
} from './stream-part.ts';
import type { Usage } from './usage.ts';

/** A complete response. */
export interface GenerationResult {
  readonly start: StartPart;
  /** By their index: sparse where the provider leaves out one. */
  readonly choices: readonly ResultChoice[];
  /** Null if the provider reports none. */
  readonly usage: Usage | null;
}

/** What the parts of a response contain. */
export interface CollectedParts extends Omit<GenerationResult, 'start'> {
  /** Null for a response without output. */
  readonly start: StartPart | null;
  /** Set where the provider reports an error instead of a response. */
  readonly error: ReportedError | null;
}

export interface ResultChoice {
  /** Null where there is no text part. */
  readonly text: string | null;
  readonly refusal: string | null;
  readonly reasoning: string;
  readonly reasoningDetails: readonly ReasoningDetailPart['detail'][];
  readonly logprobs: readonly TokenLogprob[];
  readonly calls: readonly ResultCall[];
  readonly citations: readonly UrlCitation[];
  /** URLs. */
  readonly images: readonly string[];
  readonly finishReason: FinishReason;
  /** As `FinishPart.stopSequence`. */
  readonly stopSequence?: string;
}

export interface ResultCall {
  readonly id: string;
  readonly name: string;
  readonly isCustom: boolean;
  readonly extraContent: object | undefined;
  /** The arguments' JSON, or a custom tool's input. */
  readonly input: string;
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] extends readonly (infer Item)[] ? Item[] : T[Name] };
type Choice = Omit<Mutable<ResultChoice>, 'calls'> & { readonly calls: Mutable<ResultCall>[] };

/** Collects the parts of a response. A choice without a finish reason has stopped. */
export class ResultCollector {
  readonly #choices: Choice[] = [];
  readonly #collected: Mutable<CollectedParts> & { choices: Choice[] } = {
    start: null,
    choices: this.#choices,
    usage: null,
    error: null,
  };

  /** Of the parts so far. */
  get result(): CollectedParts {
    return this.#collected;
  }

  add(parts: readonly StreamPart[]): void {
    const collected = this.#collected;
    for (const part of parts) {
      if (part.type === 'start') collected.start = part;
      else if (part.type === 'usage') collected.usage = part.usage;
      else if (part.type === 'error') collected.error = part.error;
      else if (part.type !== 'end') addTo((this.#choices[part.choice] ??= emptyChoice()), part);
    }
  }
}

/** What all parts of a response contain. */
export function collectResult(parts: readonly StreamPart[]): CollectedParts {
  const collector = new ResultCollector();
  collector.add(parts);
  return collector.result;
}

/** The parts of a complete response: each choice's in the order of a chat message's members. */
export function partsOf({ start, choices, usage }: GenerationResult): StreamPart[] {
  const parts: StreamPart[] = [start];
  choices.forEach((result, choice) => void parts.push(...choiceParts(choice, result)));
  if (usage !== null) parts.push({ type: 'usage', usage });
  return parts;
}

function choiceParts(choice: number, result: ResultChoice): StreamPart[] {
  const { reasoning, text, logprobs, refusal, calls, images, citations, reasoningDetails } = result;
  const parts: StreamPart[] = [];
  if (reasoning !== '') parts.push({ type: 'reasoning', choice, text: reasoning });
  if (text !== null || logprobs.length > 0) parts.push({ type: 'text', choice, text: text ?? '', logprobs });
  if (refusal !== null) parts.push({ type: 'refusal', choice, text: refusal });
  for (const [call, { input, ...named }] of calls.entries()) {
    const { isCustom } = named;
    parts.push({ type: 'tool-call', choice, call, ...named });
    parts.push({ type: 'tool-input', choice, call, isCustom, text: input === '' && !isCustom ? '{}' : input });
  }
  for (const url of images) parts.push({ type: 'image', choice, url });
  for (const citation of citations) parts.push({ type: 'source', choice, citation });
  for (const detail of reasoningDetails) parts.push({ type: 'reasoning-detail', choice, detail });
  const { finishReason: reason, stopSequence } = result;
  parts.push({ type: 'finish', choice, reason, ...(stopSequence !== undefined && { stopSequence }) });
  return parts;
}

function addTo(choice: Choice, part: Extract<StreamPart, { choice: number }>): void {
  switch (part.type) {
    case 'text':
      choice.text = (choice.text ?? '') + part.text;
      for (const token of part.logprobs) choice.logprobs.push(token);
      return;
    case 'refusal':
      choice.refusal = (choice.refusal ?? '') + part.text;
      return;
    case 'reasoning':
      choice.reasoning += part.text;
      return;
    case 'reasoning-detail':
      choice.reasoningDetails.push(part.detail);
      return;
    case 'tool-call': {
      const { id, name, isCustom, extraContent } = part;
      choice.calls[part.call] = { id, name, isCustom, extraContent, input: '' };
      return;
    }
    case 'tool-input': {
      const call = choice.calls[part.call];
      if (call) call.input += part.text;
      return;
    }
    case 'source':
      choice.citations.push(part.citation);
      return;
    case 'image':
      choice.images.push(part.url);
      return;
    case 'finish':
      choice.finishReason = part.reason;
      if (part.stopSequence !== undefined) choice.stopSequence = part.stopSequence;
  }
}

function emptyChoice(): Choice {
  return {
    text: null,
    refusal: null,
    reasoning: '',
    reasoningDetails: [],
    logprobs: [],
    calls: [],
    citations: [],
    images: [],
    finishReason: 'stop',
  };
}
