import { unixSeconds } from '../../../calendar/clock.ts';
import { SluiceError } from '../../../errors/index.ts';
import {
  annotationObject,
  completionId,
  usageObject,
  type AnswerHead,
  type ChatAnswerWriter,
  type ChatUsage,
  type FinishReason,
  type TokenLogprob,
  type UrlCitation,
} from '../chat/chat-answer.ts';
import type { KeepReasoning, ReasoningDetail } from '../chat/reasoning-details.ts';
import { reportedWithin, type ReportedError } from '../http/upstream-error.ts';

interface Choice {
  content: string | null;
  refusal: string | null;
  reasoning: string;
  readonly details: ReasoningDetail[];
  readonly logprobs: TokenLogprob[];
  readonly calls: {
    readonly id: string;
    readonly name: string;
    readonly custom: boolean;
    readonly extraContent?: object | undefined;
    arguments: string;
  }[];
  readonly citations: Record<string, unknown>[];
  readonly images: string[];
  finishReason: FinishReason;
}

/** Writes a response as OpenAI's `chat.completion` document. Source: OpenAI's API document, CreateChatCompletionResponse. */
export class DocumentWriter implements ChatAnswerWriter {
  readonly #model: string;
  readonly #provider: string;
  readonly #keepReasoning: KeepReasoning | undefined;
  #head: AnswerHead | null = null;
  readonly #choices: Choice[] = [];
  #usage: ChatUsage | null = null;

  constructor(provider: string, model: string, keepReasoning?: KeepReasoning) {
    this.#provider = provider;
    this.#model = model;
    this.#keepReasoning = keepReasoning;
  }

  begin(head: AnswerHead): void {
    this.#head ??= head;
  }

  text(piece: string, choice = 0, logprobs: readonly TokenLogprob[] = []): void {
    const to = this.#choice(choice);
    to.content = (to.content ?? '') + piece;
    for (const token of logprobs) to.logprobs.push(token);
  }

  refusal(piece: string, choice = 0): void {
    const to = this.#choice(choice);
    to.refusal = (to.refusal ?? '') + piece;
  }

  reasoning(piece: string, choice = 0): void {
    this.#choice(choice).reasoning += piece;
  }

  reasoningDetail(detail: ReasoningDetail, choice = 0): void {
    this.#choice(choice).details.push(detail);
  }

  toolCall(id: string, name: string, choice = 0, extraContent?: object): number {
    return this.#choice(choice).calls.push({ id, name, custom: false, extraContent, arguments: '' }) - 1;
  }

  customToolCall(id: string, name: string, choice = 0): number {
    return this.#choice(choice).calls.push({ id, name, custom: true, arguments: '' }) - 1;
  }

  toolArguments(call: number, piece: string, choice = 0): void {
    const to = this.#choice(choice).calls[call];
    if (to) to.arguments += piece;
  }

  citation(citation: UrlCitation, choice = 0): void {
    this.#choice(choice).citations.push(annotationObject(citation));
  }

  image(dataUrl: string, choice = 0): void {
    this.#choice(choice).images.push(dataUrl);
  }

  finish(reason: FinishReason, choice = 0): void {
    this.#choice(choice).finishReason = reason;
  }

  usage(usage: ChatUsage): void {
    this.#usage = usage;
  }

  /** @throws SluiceError if the response is an error */
  error(error: ReportedError): never {
    throw reportedWithin(this.#provider, error);
  }

  /** @throws SluiceError provider_invalid_response where nothing was written */
  document(): Buffer {
    if (this.#choices.length === 0)
      throw new SluiceError('provider_invalid_response', { values: { provider: this.#provider }, detail: 'no answer' });
    for (const choice of this.#choices) if (choice.details.length > 0) this.#keepReasoning?.(choice);
    return Buffer.from(
      JSON.stringify({
        id: completionId(this.#head?.id),
        object: 'chat.completion',
        created: this.#head?.created ?? unixSeconds(),
        model: this.#head?.model ?? this.#model,
        choices: this.#choices.map((choice, index) => ({
          index,
          message: messageObject(choice),
          logprobs: choice.logprobs.length > 0 ? { content: choice.logprobs, refusal: null } : null,
          finish_reason: choice.finishReason,
        })),
        ...(this.#usage && { usage: usageObject(this.#usage) }),
      }),
    );
  }

  #choice(index: number): Choice {
    return (this.#choices[index] ??= {
      content: null,
      refusal: null,
      reasoning: '',
      details: [],
      logprobs: [],
      calls: [],
      citations: [],
      images: [],
      finishReason: 'stop',
    });
  }
}

function messageObject(choice: Choice): Record<string, unknown> {
  return {
    role: 'assistant',
    content: choice.content,
    refusal: choice.refusal,
    ...(choice.reasoning !== '' && { reasoning_content: choice.reasoning }),
    ...(choice.details.length > 0 && { reasoning_details: choice.details }),
    ...(choice.calls.length > 0 && {
      tool_calls: choice.calls.map(callObject),
    }),
    ...(choice.images.length > 0 && {
      images: choice.images.map((url) => ({ type: 'image_url', image_url: { url } })),
    }),
    ...(choice.citations.length > 0 && { annotations: choice.citations }),
  };
}

function callObject({
  id,
  name,
  custom,
  extraContent,
  arguments: input,
}: Choice['calls'][number]): Record<string, unknown> {
  if (custom) return { id, type: 'custom', custom: { name, input } };
  const called = { name, arguments: input === '' ? '{}' : input };
  return { id, type: 'function', ...(extraContent && { extra_content: extraContent }), function: called };
}
