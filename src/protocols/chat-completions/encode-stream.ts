import type {
  ReasoningDetailPart,
  StartPart,
  StreamPart,
  TextStreamPart,
  ToolCallPart,
  ToolInputPart,
} from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import { annotationObject, completionId } from './response-members.ts';

export const DONE_EVENT = 'data: [DONE]\n\n';

/** Bytes of an event beside its data. */
const FRAME_BYTES = 'data: \n\n'.length;

interface Choice {
  hasBegun: boolean;
  readonly details: ReasoningDetailPart['detail'][];
  readonly annotations: Record<string, unknown>[];
}

/**
 * Encodes a response as OpenAI's `chat.completion.chunk` events. The JSON is concatenated by hand: this runs once per token.
 * Citations and reasoning details are sent in one delta each before the finish reason, so that accumulating clients, the
 * official SDK's among them, keep them whole. Source: OpenAI's API document, chat completion chunks.
 */
export class ChatCompletionsStreamEncoder {
  /** Events so far, without those with usage. */
  eventCount = 0;
  /** Bytes of the first event's data, which has almost no content; 0 before it. */
  envelopeBytes = 0;
  readonly #close: string;
  readonly #choices: Choice[] = [];
  #open = '';

  /** @param hasUsage whether the client requested usage in the stream: each chunk then has `usage: null` */
  constructor(hasUsage: boolean) {
    this.#close = hasUsage ? '}],"usage":null}\n\n' : '}]}\n\n';
  }

  /**
   * The events of a part; empty for none. Errors, usage and the end have none: their event depends on more than the part.
   */
  encode(part: StreamPart): string {
    switch (part.type) {
      case 'text':
        return this.#text(part);
      case 'reasoning':
        return part.text === '' ? '' : this.#delta(part.choice, `"reasoning_content":${JSON.stringify(part.text)}`);
      case 'refusal':
        return part.text === '' ? '' : this.#delta(part.choice, `"refusal":${JSON.stringify(part.text)}`);
      case 'tool-input':
        return this.#toolInput(part);
      case 'tool-call':
        return this.#toolCall(part);
      case 'image':
        return this.#delta(
          part.choice,
          `"images":[{"type":"image_url","image_url":{"url":${JSON.stringify(part.url)}}}]`,
        );
      case 'reasoning-detail':
        this.#choice(part.choice).details.push(part.detail);
        return '';
      case 'source':
        this.#choice(part.choice).annotations.push(annotationObject(part.citation));
        return '';
      case 'start':
        this.#start(part);
        return '';
      case 'usage':
        return this.#roleBefore(part.usage);
      case 'finish':
        return this.#finish(part.choice, part.reason);
      default:
        return '';
    }
  }

  /** An event with usage alone. @param usage OpenAI's `usage` object */
  usageEvent(usage: Record<string, unknown>): string {
    return `${this.#open}],"usage":${JSON.stringify(usage)}}\n\n`;
  }

  #start({ id, model, created }: StartPart): void {
    this.#open =
      `data: {"id":${JSON.stringify(completionId(id))},"object":"chat.completion.chunk","created":${created}` +
      `,"model":${JSON.stringify(model)},"choices":[`;
  }

  #text({ text, choice, logprobs }: TextStreamPart): string {
    if (logprobs.length > 0) {
      const json = JSON.stringify({ content: logprobs, refusal: null });
      return this.#delta(choice, `"content":${JSON.stringify(text)}`, json);
    }
    return text === '' ? '' : this.#delta(choice, `"content":${JSON.stringify(text)}`);
  }

  #toolCall({ choice, call, id, name, isCustom, extraContent }: ToolCallPart): string {
    const named = `"name":${JSON.stringify(name)}`;
    const extra = extraContent === undefined ? '' : `"extra_content":${JSON.stringify(extraContent)},`;
    const members = isCustom
      ? `"type":"custom","custom":{${named},"input":""}`
      : `"type":"function",${extra}"function":{${named},"arguments":""}`;
    return this.#delta(choice, `"tool_calls":[{"index":${call},"id":${JSON.stringify(id)},${members}}]`);
  }

  #toolInput({ choice, call, isCustom, text }: ToolInputPart): string {
    const json = JSON.stringify(text);
    const member = isCustom ? `"custom":{"input":${json}}` : `"function":{"arguments":${json}}`;
    return this.#delta(choice, `"tool_calls":[{"index":${call},${member}}]`);
  }

  /** Usage that is known before all output is sent after a chunk with the role. */
  #roleBefore({ inputTokens }: Usage): string {
    const first = this.#choice(0);
    if (first.hasBegun || inputTokens === 0) return '';
    first.hasBegun = true;
    return this.#event(0, '{"role":"assistant"}', 'null');
  }

  #finish(choice: number, reason: string): string {
    const { annotations, details } = this.#choice(choice);
    let events = '';
    if (annotations.length > 0) events += this.#delta(choice, `"annotations":${JSON.stringify(annotations)}`);
    if (details.length > 0) events += this.#delta(choice, `"reasoning_details":${JSON.stringify(details)}`);
    // An empty response has a role, too.
    return events + this.#event(choice, this.#choice(choice).hasBegun ? '{}' : '{"role":"assistant"}', `"${reason}"`);
  }

  #choice(index: number): Choice {
    return (this.#choices[index] ??= { hasBegun: false, details: [], annotations: [] });
  }

  #delta(choice: number, members: string, logprobs = 'null'): string {
    const state = this.#choice(choice);
    const role = state.hasBegun ? '' : '"role":"assistant",';
    state.hasBegun = true;
    return this.#event(choice, `{${role}${members}}`, 'null', logprobs);
  }

  #event(choice: number, delta: string, finishReason: string, logprobs = 'null'): string {
    this.eventCount++;
    const event = `${this.#open}{"index":${choice},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finishReason}${this.#close}`;
    if (this.envelopeBytes === 0) this.envelopeBytes = Buffer.byteLength(event) - FRAME_BYTES;
    return event;
  }
}
