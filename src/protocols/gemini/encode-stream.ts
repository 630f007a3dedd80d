import type { SluiceError } from '../../errors/index.ts';
import { partsOf, type GenerationResult } from '../canonical/generation-result.ts';
import type { ResponseEncoder } from '../canonical/protocol.ts';
import { refusedReason, type FinishReason, type StreamPart } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import { Candidate } from './encode-stream/candidate.ts';
import { usageMetadata } from './encode-stream/usage-metadata.ts';
import { renderGeminiError } from './errors.ts';

/** How the chunks of a stream are joined: as server-sent events, or as a JSON array. */
export type GeminiFraming = 'events' | 'array';

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
    for (const candidate of this.#candidates) candidate.complete();
    return Buffer.from(this.#chunk(true) + (this.#isArray ? ']' : ''));
  }

  document(result: GenerationResult): Buffer {
    for (const part of partsOf(result)) this.#add(part);
    for (const candidate of this.#candidates) candidate.complete();
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
    const candidate = (this.#candidates[part.choice] ??= new Candidate());
    switch (part.type) {
      case 'text':
      case 'refusal':
        candidate.isRefused ||= part.type === 'refusal' && part.text !== '';
        if (part.text !== '') candidate.addText(part.text);
        return;
      case 'reasoning':
        if (part.text !== '') candidate.add({ text: part.text, thought: true });
        return;
      case 'reasoning-detail':
        candidate.addReasoning(part.detail);
        return;
      case 'tool-call':
        candidate.beginCall(part);
        return;
      case 'tool-input':
        candidate.addInput(part.text);
        return;
      case 'image':
        return this.#image(candidate, part.url);
      case 'finish':
        candidate.reason = part.reason;
        return;
      default:
    }
  }

  /** Only images that the response itself contains. */
  #image(candidate: Candidate, url: string): void {
    const [, mimeType, data] = /^data:([^;,]+);base64,(.+)$/s.exec(url) ?? [];
    if (mimeType !== undefined && data !== undefined) candidate.add({ inlineData: { mimeType, data } });
  }

  /** Empty where nothing is to be sent. */
  #chunk(isLast: boolean): string {
    if (!isLast && this.#candidates.every(({ isEmpty }) => isEmpty)) return '';
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
      const { reason, isRefused } = candidate;
      const parts = candidate.takeParts();
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
