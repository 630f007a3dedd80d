import { unixSeconds } from '../../calendar/clock.ts';
import type { ContentSeal } from './encrypted-content/content-seal.ts';
import type { FinishReason, StreamPart } from '../canonical/stream-part.ts';
import type { CalledTools } from './encode-stream/call-item.ts';
import { CompactionOutput } from './encode-stream/compaction-output.ts';
import { OutputEncoder } from './encode-stream/output-encoder.ts';
import type { EmitEvent, NameItem, ResponseOutput } from './encode-stream/response-output.ts';
import {
  endOf,
  isServiceTier,
  responseError,
  usageObject,
  type ResponseError,
  type ResponseObject,
  type ResponseStatus,
} from './response-object.ts';

/** How the output of a response differs from that of a chat. */
export interface OutputForm {
  readonly tools: CalledTools;
  /** Whether it is a summary of the conversation. */
  readonly isCompaction: boolean;
  readonly seal: ContentSeal;
}

/** Encodes the parts of a response as one object. Source: OpenAI's API document, Response. */
export class ResponseEncoder {
  readonly #settings: Record<string, unknown>;
  readonly #output: ResponseOutput;
  #usage: object | null = null;
  #finishReason: FinishReason | null = null;

  /** @param settings members that repeat the request; @param emit receives the events of the output */
  constructor(
    settings: Readonly<Record<string, unknown>>,
    nameItem: NameItem,
    emit: EmitEvent,
    { tools, isCompaction, seal }: OutputForm,
  ) {
    this.#settings = { ...settings };
    this.#output = isCompaction
      ? new CompactionOutput(nameItem, emit, seal)
      : new OutputEncoder(nameItem, emit, { tools, seal });
  }

  /** A response has one choice: parts of others are ignored. */
  add(part: StreamPart): void {
    switch (part.type) {
      case 'start':
        if (part.model !== '') this.#settings.model = part.model;
        if (part.serviceTier !== undefined && isServiceTier(part.serviceTier))
          this.#settings.service_tier = part.serviceTier;
        return;
      case 'usage':
        this.#usage = usageObject(part.usage, part.cost);
        return;
      case 'error':
      case 'end':
        return;
      case 'finish':
        if (part.choice === 0) this.#finishReason = part.reason;
        return;
      default:
        if (part.choice === 0) this.#output.add(part);
    }
  }

  /** Why there is no output although the stream is complete. */
  get failure(): ResponseError | null {
    const { failure } = this.#output;
    return failure === null ? null : responseError(failure);
  }

  /** The response without an output, which failed. */
  failed({ responseCode, message }: ResponseError): ResponseObject {
    return { ...this.interrupted('failed'), error: { code: responseCode, message } };
  }

  /** Completes all items of the output. */
  finish(): void {
    this.#output.finish(endOf(this.#finishReason).status);
  }

  /** The response without its output. */
  withoutOutput(status: ResponseStatus): ResponseObject {
    return this.#object(status, []);
  }

  /** The response with its output so far. */
  interrupted(status: 'failed' | 'cancelled'): ResponseObject {
    return this.#object(status, this.#output.items('incomplete'));
  }

  /** The complete response. */
  complete(): ResponseObject {
    const { status, incomplete_details } = endOf(this.#finishReason);
    return {
      ...this.#object(status, this.#output.items(status)),
      incomplete_details,
      completed_at: status === 'completed' ? unixSeconds() : null,
    };
  }

  #object(status: ResponseStatus, output: readonly object[]): ResponseObject {
    return {
      ...this.#settings,
      status,
      error: null,
      incomplete_details: null,
      completed_at: null,
      output,
      ...(this.#usage && { usage: this.#usage }),
    };
  }
}
