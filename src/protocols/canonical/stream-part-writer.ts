import { unixSeconds } from '../../calendar/clock.ts';
import type { StoreReasoning, ReasoningDetail } from './reasoning-details.ts';
import type { ReportedError } from './reported-error.ts';
import type { FinishReason, StreamPart, TokenLogprob, UrlCitation } from './stream-part.ts';
import type { Usage } from './usage.ts';

/** The metadata of a response, as far as the provider reports it. */
export interface ResponseHead {
  readonly id?: string | undefined;
  readonly model?: string | undefined;
  /** Seconds since 1970. */
  readonly created?: number | undefined;
}

interface Choice {
  readonly calls: { readonly id: string; readonly name: string; readonly isCustom: boolean; hasInput: boolean }[];
  readonly details: ReasoningDetail[];
  /** Only where reasoning is stored. */
  text: string;
  hasFinished: boolean;
}

const NO_LOGPROBS: readonly TokenLogprob[] = [];

/**
 * Collects the parts of a response. Each decoder of a provider's protocol writes to one, whether the response is streamed or
 * a document. `choice` counts from 0.
 */
export class StreamPartWriter {
  readonly #model: string;
  readonly #storeReasoning: StoreReasoning | undefined;
  readonly #choices: Choice[] = [];
  #parts: StreamPart[] = [];
  #hasStarted = false;
  #hasFailed = false;
  #usage: Usage | null = null;
  #writtenUsage: Usage | null = null;

  /** @param model reported if the provider does not name its model */
  constructor(model: string, storeReasoning?: StoreReasoning) {
    this.#model = model;
    this.#storeReasoning = storeReasoning;
  }

  /** Called first; later calls are ignored. */
  begin(head: ResponseHead): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const { id = '', model = this.#model, created = unixSeconds() } = head;
    this.#parts.push({ type: 'start', id: id === '' ? generatedId() : id, model, created });
  }

  /** `logprobs` of the piece's tokens, if the client requested them. */
  text(text: string, choice = 0, logprobs = NO_LOGPROBS): void {
    if (this.#storeReasoning !== undefined) this.#choice(choice).text += text;
    const part = { type: 'text', choice, text, logprobs } as const;
    if (text === '' && logprobs.length === 0) this.#pushSilent(part);
    else this.#push(part);
  }

  refusal(text: string, choice = 0): void {
    if (text === '') this.#pushSilent({ type: 'refusal', choice, text });
    else this.#push({ type: 'refusal', choice, text });
  }

  reasoning(text: string, choice = 0): void {
    if (text === '') this.#pushSilent({ type: 'reasoning', choice, text });
    else this.#push({ type: 'reasoning', choice, text });
  }

  /** What the provider must receive again in the next turn of a tool round trip. */
  reasoningDetail(detail: ReasoningDetail, choice = 0): void {
    this.#choice(choice).details.push(detail);
    this.#pushSilent({ type: 'reasoning-detail', choice, detail });
  }

  /**
   * Starts a tool call.
   * @param extraContent members that the provider's own OpenAI-compatible API adds to the call
   * @returns its number within the choice, for `toolArguments`
   */
  toolCall(id: string, name: string, choice = 0, extraContent?: object): number {
    return this.#beginCall(id, name, choice, false, extraContent);
  }

  /** Starts a call of a custom tool, whose input is free text. @returns as `toolCall` */
  customToolCall(id: string, name: string, choice = 0): number {
    return this.#beginCall(id, name, choice, true, undefined);
  }

  /** A piece of the arguments' JSON, or of a custom tool's input. A function call without arguments gets `{}`. */
  toolArguments(call: number, text: string, choice = 0): void {
    const state = this.#choice(choice).calls[call];
    if (text === '' || state === undefined) return;
    state.hasInput = true;
    this.#push({ type: 'tool-input', choice, call, isCustom: state.isCustom, text });
  }

  citation(citation: UrlCitation, choice = 0): void {
    this.#pushSilent({ type: 'source', choice, citation });
  }

  /** An image in the response, as a data: URL. */
  image(url: string, choice = 0): void {
    this.#push({ type: 'image', choice, url });
  }

  /** @param stopSequence the one that ended it; null where that is not known */
  finish(reason: FinishReason, choice = 0, stopSequence: string | null = null): void {
    const state = this.#choice(choice);
    if (state.hasFinished) return;
    state.hasFinished = true;
    for (const [call, { isCustom, hasInput }] of state.calls.entries())
      if (!isCustom && !hasInput) this.toolArguments(call, '{}', choice);
    if (state.details.length > 0) this.#storeReasoning?.(state);
    this.#push({ type: 'finish', choice, reason, ...(stopSequence !== null && { stopSequence }) });
  }

  /**
   * The last call applies. The first usage with input tokens becomes a part immediately: an interrupted stream is metered by
   * it. Later ones would be a part with each event of some providers.
   */
  usage(usage: Usage): void {
    this.#usage = usage;
    if (this.#writtenUsage === null && usage.inputTokens !== 0) this.writeUsage();
  }

  /** Writes the usage reported so far, unless it is already written. */
  writeUsage(): void {
    if (this.#usage === null || this.#usage === this.#writtenUsage) return;
    this.#writtenUsage = this.#usage;
    this.#push({ type: 'usage', usage: this.#usage });
  }

  /** The provider reported an error within its response: nothing follows. */
  error(error: ReportedError): void {
    if (this.#hasFailed) return;
    this.writeUsage();
    this.#parts.push({ type: 'error', error });
    this.#hasFailed = true;
  }

  /** Writes the usage and the end. */
  end(): void {
    if (this.#usage !== null) this.#push({ type: 'usage', usage: this.#usage });
    this.#push({ type: 'end' });
  }

  /** @returns the parts written since the last call, owned by the caller; null for none */
  take(): StreamPart[] | null {
    if (this.#parts.length === 0) return null;
    const parts = this.#parts;
    this.#parts = [];
    return parts;
  }

  #beginCall(id: string, name: string, choice: number, isCustom: boolean, extraContent: object | undefined): number {
    const call = this.#choice(choice).calls.push({ id, name, isCustom, hasInput: false }) - 1;
    this.#push({ type: 'tool-call', choice, call, id, name, isCustom, extraContent });
    return call;
  }

  #push(part: StreamPart): void {
    if (this.#hasFailed) return;
    if (!this.#hasStarted) this.begin({});
    this.#parts.push(part);
  }

  /** For parts without output of their own: the provider may still report its metadata. */
  #pushSilent(part: StreamPart): void {
    if (!this.#hasFailed) this.#parts.push(part);
  }

  #choice(index: number): Choice {
    return (this.#choices[index] ??= { calls: [], details: [], text: '', hasFinished: false });
  }
}

function generatedId(): string {
  return crypto.randomUUID().replaceAll('-', '');
}
