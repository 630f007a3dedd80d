import type { SluiceError } from '../../errors/index.ts';
import { partsOf, type GenerationResult } from '../canonical/generation-result.ts';
import type { ResponseEncoder } from '../canonical/protocol.ts';
import {
  refusedReason,
  type FinishReason,
  type ReasoningDetailPart,
  type StreamPart,
  type ToolCallPart,
} from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import { carriedSignature } from './carried-signature.ts';
import { usageMetadata } from './encode-stream/usage-metadata.ts';
import { renderGeminiError } from './errors.ts';

/** How the chunks of a stream are joined: as server-sent events, or as a JSON array. */
export type GeminiFraming = 'events' | 'array';

interface Candidate {
  /** Parts that are not sent yet. */
  parts: object[];
  /** The call whose arguments are still arriving. */
  call: { readonly part: ToolCallPart; json: string } | null;
  /** Reasoning that belongs to what follows it. */
  details: ReasoningDetailPart['detail'][];
  reason: FinishReason | null;
  isRefused: boolean;
}

const reasons: Readonly<Record<FinishReason, string>> = {
  stop: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  content_filter: 'SAFETY',
};

/**
 * Encodes a response as chunks of Google's GenerateContentResponse. A call is one part: it is sent once its arguments are
 * complete. Source: ai.google.dev/api/generate-content.
 */
export class GeminiEncoder implements ResponseEncoder {
  readonly contentType: string;
  readonly #isArray: boolean;
  readonly #id: string;
  #model: string;
  readonly #candidates: Candidate[] = [];
  #usage: Usage | null = null;
  #hasBegun = false;

  constructor({ id, model }: { readonly id: string; readonly model: string }, framing: GeminiFraming) {
    this.#id = id;
    this.#model = model;
    this.#isArray = framing === 'array';
    this.contentType = this.#isArray ? 'application/json; charset=utf-8' : 'text/event-stream; charset=utf-8';
  }

  encode(parts: readonly StreamPart[]): Buffer {
    for (const part of parts) this.#add(part);
    return Buffer.from(this.#chunk(false));
  }

  end(): Buffer {
    for (const candidate of this.#candidates) this.#complete(candidate);
    return Buffer.from(this.#chunk(true) + (this.#isArray ? ']' : ''));
  }

  document(result: GenerationResult): Buffer {
    for (const part of partsOf(result)) this.#add(part);
    for (const candidate of this.#candidates) this.#complete(candidate);
    return Buffer.from(JSON.stringify(this.#response(true)));
  }

  fail(error: SluiceError): Buffer {
    return Buffer.from(this.#framed(renderGeminiError(error)) + (this.#isArray ? ']' : ''));
  }

  #add(part: StreamPart): void {
    if (part.type === 'start') {
      if (part.model !== '') this.#model = part.model;
      return;
    }
    if (part.type === 'usage') this.#usage = part.usage;
    if (!('choice' in part)) return;
    const candidate = (this.#candidates[part.choice] ??= {
      parts: [],
      call: null,
      details: [],
      reason: null,
      isRefused: false,
    });
    switch (part.type) {
      case 'text':
      case 'refusal':
        candidate.isRefused ||= part.type === 'refusal' && part.text !== '';
        if (part.text !== '') this.#push(candidate, { text: part.text });
        return;
      case 'reasoning':
        if (part.text !== '') this.#push(candidate, { text: part.text, thought: true });
        return;
      case 'reasoning-detail':
        candidate.details.push(part.detail);
        return;
      case 'tool-call':
        this.#closeCall(candidate);
        candidate.call = { part, json: '' };
        return;
      case 'tool-input':
        if (candidate.call !== null) candidate.call.json += part.text;
        return;
      case 'image':
        return this.#image(candidate, part.url);
      case 'finish':
        candidate.reason = part.reason;
        return;
      default:
    }
  }

  #push(candidate: Candidate, part: object): void {
    this.#closeCall(candidate);
    candidate.parts.push(part);
  }

  /** Google's own signatures belong to the call of their id; those of others travel with the next call. */
  #closeCall(candidate: Candidate): void {
    const { call, details } = candidate;
    if (call === null) return;
    candidate.call = null;
    const { id, name } = call.part;
    const own = details.find((detail) => detail.format === 'google-gemini-v1' && detail.id === id);
    const signature = own !== undefined && 'data' in own ? String(own.data) : null;
    const carried = details.filter((detail) => detail !== own && !isOfLaterCall(detail));
    candidate.details = details.filter((detail) => detail !== own && !carried.includes(detail));
    const thoughtSignature = signature ?? (carried.length > 0 ? carriedSignature(carried) : null);
    const functionCall = { id, name, args: argumentsOf(call.json) };
    candidate.parts.push({ functionCall, ...(thoughtSignature !== null && { thoughtSignature }) });
  }

  /** Only images that the response itself contains. */
  #image(candidate: Candidate, url: string): void {
    const [, mimeType, data] = /^data:([^;,]+);base64,(.+)$/s.exec(url) ?? [];
    if (mimeType !== undefined && data !== undefined) this.#push(candidate, { inlineData: { mimeType, data } });
  }

  #complete(candidate: Candidate): void {
    this.#closeCall(candidate);
    const { details } = candidate;
    candidate.details = [];
    if (details.length > 0) candidate.parts.push({ text: '', thoughtSignature: carriedSignature(details) });
  }

  /** Empty where nothing is to be sent. */
  #chunk(isLast: boolean): string {
    if (!isLast && this.#candidates.every(({ parts }) => parts.length === 0)) return '';
    return this.#framed(JSON.stringify(this.#response(isLast)));
  }

  #framed(json: string): string {
    if (!this.#isArray) return `data: ${json}\n\n`;
    const before = this.#hasBegun ? ',\n' : '[';
    this.#hasBegun = true;
    return before + json;
  }

  #response(isLast: boolean): object {
    const candidates = [...this.#candidates.entries()].map(([index, candidate]) => {
      const { parts, reason, isRefused } = candidate;
      candidate.parts = [];
      const shown = parts.length === 0 ? [{ text: '' }] : parts;
      const finishReason = isLast
        ? { finishReason: reasons[(isRefused ? refusedReason(reason) : reason) ?? 'stop'] }
        : {};
      return { content: { parts: shown, role: 'model' }, ...finishReason, index };
    });
    return {
      candidates,
      ...(isLast && { usageMetadata: usageMetadata(this.#usage) }),
      modelVersion: this.#model,
      responseId: this.#id,
    };
  }
}

/** A detail of Google's names the call that it belongs to. */
function isOfLaterCall({ format, id }: ReasoningDetailPart['detail']): boolean {
  return format === 'google-gemini-v1' && typeof id === 'string' && !/^(?:text|part|image):/.test(id);
}

/** Arguments that a limit cut off are no JSON. */
function argumentsOf(json: string): object {
  try {
    const args: unknown = JSON.parse(json === '' ? '{}' : json);
    return typeof args === 'object' && args !== null && !Array.isArray(args) ? args : { value: args };
  } catch {
    return { INVALID_JSON: json };
  }
}
