import { unixSeconds } from '../../../calendar/clock.ts';
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
import type { ReportedError } from '../http/upstream-error.ts';

interface Lane {
  begun: boolean;
  readonly calls: { readonly id: string; readonly name: string; readonly custom: boolean; hasArguments: boolean }[];
  readonly details: ReasoningDetail[];
  readonly citations: Record<string, unknown>[];
  ended: boolean;
}

/**
 * Writes a response as OpenAI's `chat.completion.chunk` events. The JSON is concatenated by hand: this runs once per
 * token. Source: OpenAI's API document, chat completion chunks.
 */
export class ChunkWriter implements ChatAnswerWriter {
  readonly #model: string;
  readonly #close: string;
  readonly #keepReasoning: KeepReasoning | undefined;
  #open = '';
  #out = '';
  readonly #lanes: Lane[] = [];
  #usage: ChatUsage | null = null;
  #writtenUsage: ChatUsage | null = null;
  #failed = false;

  /**
   * @param model reported if the provider does not name its model
   * @param wantsUsage whether the client requested usage in the stream: each chunk then has `usage: null`
   */
  constructor(model: string, wantsUsage: boolean, keepReasoning?: KeepReasoning) {
    this.#model = model;
    this.#keepReasoning = keepReasoning;
    this.#close = wantsUsage ? '}],"usage":null}\n\n' : '}]}\n\n';
  }

  begin(head: AnswerHead): void {
    if (this.#open !== '') return;
    const created = head.created ?? unixSeconds();
    this.#open =
      `data: {"id":${JSON.stringify(completionId(head.id))},"object":"chat.completion.chunk","created":${created}` +
      `,"model":${JSON.stringify(head.model ?? this.#model)},"choices":[`;
  }

  text(piece: string, choice = 0, logprobs: readonly TokenLogprob[] = []): void {
    if (piece === '' && logprobs.length === 0) return;
    const json = logprobs.length === 0 ? 'null' : JSON.stringify({ content: logprobs, refusal: null });
    this.#delta(choice, `"content":${JSON.stringify(piece)}`, json);
  }

  refusal(piece: string, choice = 0): void {
    if (piece !== '') this.#delta(choice, `"refusal":${JSON.stringify(piece)}`);
  }

  reasoning(piece: string, choice = 0): void {
    if (piece !== '') this.#delta(choice, `"reasoning_content":${JSON.stringify(piece)}`);
  }

  reasoningDetail(detail: ReasoningDetail, choice = 0): void {
    this.#lane(choice).details.push(detail);
  }

  toolCall(id: string, name: string, choice = 0, extraContent?: object): number {
    const call = this.#lane(choice).calls.push({ id, name, custom: false, hasArguments: false }) - 1;
    const extra = extraContent === undefined ? '' : `"extra_content":${JSON.stringify(extraContent)},`;
    const called = `{"name":${JSON.stringify(name)},"arguments":""}`;
    this.#delta(
      choice,
      `"tool_calls":[{"index":${call},"id":${JSON.stringify(id)},"type":"function",${extra}"function":${called}}]`,
    );
    return call;
  }

  customToolCall(id: string, name: string, choice = 0): number {
    const call = this.#lane(choice).calls.push({ id, name, custom: true, hasArguments: false }) - 1;
    const custom = `{"name":${JSON.stringify(name)},"input":""}`;
    this.#delta(
      choice,
      `"tool_calls":[{"index":${call},"id":${JSON.stringify(id)},"type":"custom","custom":${custom}}]`,
    );
    return call;
  }

  toolArguments(call: number, piece: string, choice = 0): void {
    const state = this.#lane(choice).calls[call];
    if (piece === '' || state === undefined) return;
    state.hasArguments = true;
    const text = JSON.stringify(piece);
    const member = state.custom ? `"custom":{"input":${text}}` : `"function":{"arguments":${text}}`;
    this.#delta(choice, `"tool_calls":[{"index":${call},${member}}]`);
  }

  citation(citation: UrlCitation, choice = 0): void {
    this.#lane(choice).citations.push(annotationObject(citation));
  }

  image(dataUrl: string, choice = 0): void {
    this.#delta(choice, `"images":[{"type":"image_url","image_url":{"url":${JSON.stringify(dataUrl)}}}]`);
  }

  finish(reason: FinishReason, choice = 0): void {
    const lane = this.#lane(choice);
    if (lane.ended) return;
    lane.ended = true;
    for (const [call, { custom, hasArguments }] of lane.calls.entries())
      if (!custom && !hasArguments) this.toolArguments(call, '{}', choice);
    if (lane.citations.length > 0) this.#delta(choice, `"annotations":${JSON.stringify(lane.citations)}`);
    if (lane.details.length > 0) {
      this.#delta(choice, `"reasoning_details":${JSON.stringify(lane.details)}`);
      this.#keepReasoning?.(lane);
    }
    // An empty response has a role, too.
    this.#event(choice, lane.begun ? '{}' : '{"role":"assistant"}', `"${reason}"`);
  }

  /** The first usage with input tokens is written immediately: an interrupted stream is metered by it. */
  usage(usage: ChatUsage): void {
    this.#usage = usage;
    if (this.#writtenUsage !== null || usage.inputTokens === 0) return;
    const lane = this.#lane(0);
    if (!lane.begun) {
      lane.begun = true;
      this.#event(0, '{"role":"assistant"}', 'null');
    }
    this.writeUsage();
  }

  /** Writes the usage reported so far, unless it is already written. */
  writeUsage(): void {
    if (this.#failed || this.#usage === this.#writtenUsage) return;
    this.#writtenUsage = this.#usage;
    this.#writeUsage();
  }

  error(error: ReportedError): void {
    if (this.#failed) return;
    this.writeUsage();
    this.#failed = true;
    this.#out += `data: ${JSON.stringify({ error: { param: null, ...error } })}\n\n`;
  }

  /** Writes the usage and the end mark. */
  end(): void {
    if (this.#failed) return;
    this.begin({});
    this.#writeUsage();
    this.#out += 'data: [DONE]\n\n';
  }

  /** @returns the events written since the last call; null where there are none */
  drain(): Buffer | null {
    if (this.#out === '') return null;
    const bytes = Buffer.from(this.#out);
    this.#out = '';
    return bytes;
  }

  #writeUsage(): void {
    if (this.#usage === null) return;
    this.begin({});
    this.#out += `${this.#open}],"usage":${JSON.stringify(usageObject(this.#usage))}}\n\n`;
  }

  #lane(choice: number): Lane {
    return (this.#lanes[choice] ??= { begun: false, calls: [], details: [], citations: [], ended: false });
  }

  #delta(choice: number, members: string, logprobs = 'null'): void {
    const lane = this.#lane(choice);
    const role = lane.begun ? '' : '"role":"assistant",';
    lane.begun = true;
    this.#event(choice, `{${role}${members}}`, 'null', logprobs);
  }

  #event(choice: number, delta: string, finishReason: string, logprobs = 'null'): void {
    if (this.#failed) return;
    if (this.#open === '') this.begin({});
    this.#out += `${this.#open}{"index":${choice},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finishReason}${this.#close}`;
  }
}
