import { renderOpenAiError, type SluiceError } from '../../errors/index.ts';
import { partsOf, type GenerationResult } from '../canonical/generation-result.ts';
import type { ResponseEncoder } from '../canonical/protocol.ts';
import { refusedReason, type FinishReason, type StreamPart, type TokenLogprob } from '../canonical/stream-part.ts';
import { usageObject, type Usage } from '../canonical/usage.ts';

const NANO_PER_USD = 1e9;
const DONE = 'data: [DONE]\n\n';

export interface CompletionsOptions {
  readonly id: string;
  readonly model: string;
  /** Seconds since 1970. */
  readonly created: number;
  /** The prompts with which choices begin; empty for none. */
  readonly echo: readonly string[];
  /** The choices of each prompt. */
  readonly choices: number;
  readonly wantsUsage: boolean;
}

interface Choice {
  /** Of the choice so far, in characters. */
  length: number;
  reason: FinishReason | null;
  isRefused: boolean;
}

/** The log probabilities of a text. Source: OpenAI's API document, CreateCompletionResponse. */
interface LegacyLogprobs {
  readonly tokens: string[];
  readonly token_logprobs: number[];
  readonly top_logprobs: Record<string, number>[];
  readonly text_offset: number[];
}

/**
 * Encodes a response as OpenAI's legacy completion, streamed or not. Reasoning and tool calls have no place in it. Source: OpenAI's
 * API document, CreateCompletionResponse.
 */
export class CompletionsEncoder implements ResponseEncoder {
  readonly contentType = 'text/event-stream; charset=utf-8';
  readonly #options: CompletionsOptions;
  #model: string;
  readonly #choices: Choice[] = [];
  #usage: Usage | null = null;

  constructor(options: CompletionsOptions) {
    this.#options = options;
    this.#model = options.model;
  }

  encode(parts: readonly StreamPart[]): Buffer {
    return Buffer.from(parts.map((part) => this.#events(part)).join(''));
  }

  end(costNano: bigint | null): Buffer {
    const usage = this.#options.wantsUsage ? this.#chunk([], { usage: this.#usageWithCost(costNano) }) : '';
    return Buffer.from(usage + DONE);
  }

  document(result: GenerationResult, costNano: bigint | null): Buffer {
    const texts: { text: string; logprobs: TokenLogprob[] }[] = [];
    for (const part of partsOf(result)) {
      this.#read(part);
      if (!('choice' in part)) continue;
      const choice = (texts[part.choice] ??= { text: this.#promptOf(part.choice), logprobs: [] });
      if (part.type === 'text' || part.type === 'refusal') choice.text += part.text;
      if (part.type === 'text') choice.logprobs.push(...part.logprobs);
    }
    const choices = texts.map(({ text, logprobs }, index) => ({
      text,
      index,
      logprobs: legacyLogprobs(logprobs, 0),
      finish_reason: reasonOf(this.#choice(index)),
    }));
    return Buffer.from(JSON.stringify({ ...this.#head(), choices, usage: this.#usageWithCost(costNano) }));
  }

  fail(error: SluiceError): Buffer {
    return Buffer.from(completionFailure(error));
  }

  #events(part: StreamPart): string {
    this.#read(part);
    if (part.type === 'text' || part.type === 'refusal') {
      const logprobs = part.type === 'text' ? part.logprobs : [];
      if (part.text === '' && logprobs.length === 0) return '';
      const echo = this.#echoOf(part.choice);
      const choice = this.#choice(part.choice);
      const offset = choice.length;
      choice.length += part.text.length;
      return echo + this.#textChunk(part.choice, part.text, legacyLogprobs(logprobs, offset));
    }
    if (part.type !== 'finish') return '';
    const echo = this.#echoOf(part.choice);
    return (
      echo +
      this.#chunk([
        { text: '', index: part.choice, logprobs: null, finish_reason: reasonOf(this.#choice(part.choice)) },
      ])
    );
  }

  #read(part: StreamPart): void {
    if (part.type === 'start' && part.model !== '') this.#model = part.model;
    if (part.type === 'usage') this.#usage = part.usage;
    if (part.type === 'refusal' && part.text !== '') this.#choice(part.choice).isRefused = true;
    if (part.type === 'finish') this.#choice(part.choice).reason = part.reason;
  }

  /** The event of the prompt, before the first text of a choice. */
  #echoOf(index: number): string {
    const echo = this.#promptOf(index);
    const choice = this.#choice(index);
    if (echo === '' || choice.length > 0) return '';
    choice.length = echo.length;
    return this.#textChunk(index, echo, null);
  }

  #promptOf(index: number): string {
    const { echo, choices } = this.#options;
    return echo[Math.floor(index / choices)] ?? '';
  }

  #textChunk(index: number, text: string, logprobs: LegacyLogprobs | null): string {
    return this.#chunk([{ text, index, logprobs, finish_reason: null }]);
  }

  #chunk(choices: readonly object[], members: object = this.#options.wantsUsage ? { usage: null } : {}): string {
    return `data: ${JSON.stringify({ ...this.#head(), choices, ...members })}\n\n`;
  }

  #head(): object {
    const { id, created } = this.#options;
    return { id, object: 'text_completion', created, model: this.#model };
  }

  #choice(index: number): Choice {
    return (this.#choices[index] ??= { length: 0, reason: null, isRefused: false });
  }

  #usageWithCost(costNano: bigint | null): object {
    const usage = usageObject(this.#usage ?? { inputTokens: 0, outputTokens: 0 });
    return costNano === null ? usage : { ...usage, cost: Number(costNano) / NANO_PER_USD };
  }
}

/** The last event of a stream that fails. */
export function completionFailure(error: SluiceError): string {
  return `data: ${renderOpenAiError(error)}\n\n`;
}

/** A text ends like any other where its model called a tool. */
function reasonOf({ reason, isRefused }: Choice): string {
  if (isRefused) return refusedReason(reason) ?? 'content_filter';
  return reason === null || reason === 'tool_calls' ? 'stop' : reason;
}

/** @param offset of the text in its choice */
function legacyLogprobs(logprobs: readonly TokenLogprob[], offset: number): LegacyLogprobs | null {
  if (logprobs.length === 0) return null;
  let at = offset;
  const offsets = logprobs.map(({ token }) => {
    const start = at;
    at += token.length;
    return start;
  });
  return {
    tokens: logprobs.map(({ token }) => token),
    token_logprobs: logprobs.map(({ logprob }) => logprob),
    top_logprobs: logprobs.map(({ top_logprobs: top }) =>
      Object.fromEntries(top.map(({ token, logprob }) => [token, logprob])),
    ),
    text_offset: offsets,
  };
}
