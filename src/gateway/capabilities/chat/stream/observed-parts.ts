import type { StreamPart, UsagePart } from '../../../../protocols/canonical/stream-part.ts';
import { ChatCompletionsStreamEncoder } from '../../../../protocols/chat-completions/encode-stream.ts';
import type { StreamRelayOptions, TokenUsage } from '../../capability.ts';
import { readUsage, servedBy } from '../chat-usage.ts';
import { reportedError } from '../reported-error.ts';
import { ObservedStream } from './observed-stream.ts';
import type { CompletionUpdate } from '../../../../live/events.ts';

/** Observes the parts of a stream: its end, its usage, and what live subscribers receive. */
export abstract class ObservedParts<Output> extends ObservedStream {
  /** Output is estimated by the size of chunks, whatever the client's protocol. */
  protected readonly encoder: ChatCompletionsStreamEncoder;
  protected readonly options: StreamRelayOptions;
  /** Whether a part had output. Before, all are withheld: if the stream breaks, another target can still take over. */
  protected hasContent = false;
  #model = '';

  constructor(options: StreamRelayOptions) {
    super();
    this.options = options;
    this.encoder = new ChatCompletionsStreamEncoder(options.wantsUsage);
  }

  push(): never {
    throw new Error('a stream of parts has no bytes');
  }

  pushParts(parts: readonly StreamPart[]): Output | null {
    if (this.done || this.failure) return null;
    const { watch, watched } = this.options;
    const isWatched = watched();
    for (const part of parts) {
      this.#observe(part);
      this.add(part);
      if (this.done || this.failure) break;
      const update = isWatched ? partUpdate(part) : null;
      if (update !== null) watch(update);
    }
    this.observed.events = this.encoder.eventCount;
    this.observed.envelopeBytes = this.encoder.envelopeBytes;
    return this.take();
  }

  /** Adds a part to the output. */
  protected abstract add(part: StreamPart): void;

  /** @returns the output for the client since the last call; null for none */
  protected abstract take(): Output | null;

  /** @returns null for implausible usage */
  protected observeUsage({ usage }: UsagePart): TokenUsage | null {
    const reported = servedBy(readUsage(usage), this.#model, undefined);
    if (reported !== null) this.observed.onUsage(reported);
    return reported;
  }

  #observe(part: StreamPart): void {
    if (part.type === 'start') this.#model = part.model;
    else if (part.type === 'finish') this.observed.onFinish(part.reason);
    else if (part.type === 'error') this.failure = reportedError(this.options.provider, part.error);
    else if (part.type === 'end') this.done = true;
    this.hasContent ||= hasContent(part);
  }
}

/** Whether a part produces more than the assistant's role. */
function hasContent(part: StreamPart): boolean {
  switch (part.type) {
    case 'text':
    case 'reasoning':
    case 'refusal':
      return part.text !== '';
    case 'tool-call':
    case 'tool-input':
    case 'image':
    case 'finish':
    case 'end':
      return true;
    default:
      return false;
  }
}

/** Converts a part of a stream to an update for live subscribers; null for a part without output. */
export function partUpdate(part: StreamPart): CompletionUpdate | null {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? null : { type: 'delta', choice: part.choice, text: part.text };
    case 'reasoning':
      return part.text === '' ? null : { type: 'reasoning', choice: part.choice, text: part.text };
    case 'tool-call': {
      const { choice, call: index, id, name } = part;
      return { type: 'toolCall', choice, index, id: id || null, name: name || null, arguments: '' };
    }
    case 'tool-input': {
      const { choice, call: index, text } = part;
      return { type: 'toolCall', choice, index, id: null, name: null, arguments: text };
    }
    default:
      return null;
  }
}
