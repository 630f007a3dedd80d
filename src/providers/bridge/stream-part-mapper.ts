import type {
  LanguageModelV4FinishReason,
  LanguageModelV4GenerateResult,
  LanguageModelV4Source,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import { SluiceError } from '../../errors/index.ts';
import type { ResponseHead, StreamPartWriter } from '../../protocols/canonical/stream-part-writer.ts';
import type { FinishReason } from '../../protocols/canonical/stream-part.ts';
import { countOf } from '../../protocols/canonical/json-members.ts';
import { modalityTokens } from '../../protocols/gemini/modality-tokens.ts';
import { refusalError } from '../shared/http/upstream-error.ts';
import type { SignedReasoning } from './chat-dialect.ts';
import { CitedSources } from './cited-sources.ts';
import { blockDetails, callDetails, type Metadata } from './signed-reasoning.ts';
import { readStreamError } from './stream-error.ts';
import { ToolCallDeduplicator } from './tool-call-deduplicator.ts';

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  other: 'stop',
};

interface ReasoningBlock {
  text: string;
  metadata: Metadata;
}

/**
 * Maps a package's response to a writer: the parts of a stream, or the content of a complete response. Errors that it
 * throws fail the call.
 */
export class StreamPartMapper {
  readonly #provider: string;
  readonly #writer: StreamPartWriter;
  readonly #reasoning: SignedReasoning | null;
  readonly #blocks = new Map<string, ReasoningBlock>();
  readonly #calls: ToolCallDeduplicator;
  readonly #sources = new CitedSources();
  #textLength = 0;
  /** The offsets in the text at which its blocks begin, by id. */
  readonly #textStarts = new Map<string, number>();
  #hasContent = false;
  #failed = false;
  /** Whether the response is complete: a stream that ends earlier was cut. */
  ended = false;

  constructor(provider: string, writer: StreamPartWriter, reasoning: SignedReasoning | null) {
    this.#provider = provider;
    this.#writer = writer;
    this.#reasoning = reasoning;
    this.#calls = new ToolCallDeduplicator(writer);
  }

  /**
   * Unknown types are ignored.
   * @throws SluiceError for an error that the provider reports
   */
  part(part: LanguageModelV4StreamPart): void {
    if (this.#failed || this.ended) return;
    switch (part.type) {
      case 'response-metadata':
        return this.#writer.begin(headOf(part));
      case 'text-start':
        this.#textStarts.set(part.id, this.#textLength);
        return;
      case 'text-delta':
        return this.#text(part.delta);
      case 'text-end':
        return this.#sources.cite(part.citations ?? [], this.#textStarts.get(part.id) ?? 0);
      case 'reasoning-start':
      case 'reasoning-delta':
        return this.#reason(part.id, part.type === 'reasoning-delta' ? part.delta : '', part.providerMetadata);
      case 'reasoning-end':
        this.#reason(part.id, '', part.providerMetadata);
        return this.#endReasoning(part.id);
      case 'tool-input-start':
        this.#hasContent = true;
        if (!part.providerExecuted) this.#calls.begin(part.id, part.toolName);
        return;
      case 'tool-input-delta':
        return this.#calls.input(part.id, part.delta);
      case 'finish':
        for (const id of this.#blocks.keys()) this.#endReasoning(id);
        return this.#finish(part.finishReason, part.usage, part.finishReason.raw === undefined);
      case 'error':
        return this.#error(part.error);
      default:
        return this.#content(part);
    }
  }

  document(answer: LanguageModelV4GenerateResult): void {
    if (answer.response) this.#writer.begin(headOf(answer.response));
    for (const part of answer.content) {
      if (part.type === 'text') {
        const start = this.#textLength;
        this.#text(part.text);
        this.#sources.cite(part.citations ?? [], start);
      } else if (part.type === 'reasoning') {
        this.#reason('', part.text, part.providerMetadata);
        this.#endReasoning('');
      } else this.#content(part);
    }
    this.#finish(answer.finishReason, answer.usage, false);
  }

  /** Parts that a stream and a complete response have in common. */
  #content(part: { readonly type: string } & LanguageModelV4StreamPart): void {
    if (part.type === 'tool-call' && !part.providerExecuted) {
      this.#hasContent = true;
      this.#calls.complete(part.toolCallId, part.toolName, part.input);
      if (this.#reasoning)
        for (const detail of callDetails(this.#reasoning, part.toolCallId, part.providerMetadata))
          this.#writer.reasoningDetail(detail);
    } else if (part.type === 'source') this.#source(part);
    else if (part.type === 'file' && part.mediaType.startsWith('image/')) {
      this.#hasContent = true;
      this.#writer.image(urlOf(part.mediaType, part.data));
    }
  }

  #text(piece: string): void {
    this.#hasContent = true;
    this.#textLength += piece.length;
    this.#writer.text(piece);
  }

  #reason(id: string, piece: string, metadata: Metadata): void {
    this.#hasContent = true;
    const block = this.#blocks.get(id);
    if (block === undefined) this.#blocks.set(id, { text: piece, metadata });
    else {
      block.text += piece;
      if (metadata) block.metadata = merged(block.metadata, metadata);
    }
    this.#writer.reasoning(piece);
  }

  #endReasoning(id: string): void {
    const block = this.#blocks.get(id);
    this.#blocks.delete(id);
    if (block === undefined || this.#reasoning === null) return;
    for (const detail of blockDetails(this.#reasoning, block.text, block.metadata))
      this.#writer.reasoningDetail(detail);
  }

  #source(source: LanguageModelV4Source): void {
    this.#sources.add(source);
  }

  #finish({ unified, raw }: LanguageModelV4FinishReason, usage: LanguageModelV4Usage, isUnfinished: boolean): void {
    this.#writeUsage(usage);
    // The packages always finish their streams: the reason shows whether the provider did.
    if (unified === 'interrupted' || (unified === 'other' && isUnfinished)) return;
    if (unified === 'error' && isUnfinished) throw this.#invalidResponse('the stream held what is not understood');
    this.ended = true;
    if (unified === 'error') {
      const message = `The provider ${this.#provider} ended its answer with an error.`;
      this.#writer.error({ message, type: 'server_error', code: raw?.slice(0, 100) ?? null });
      return;
    }
    for (const citation of this.#sources.citations()) this.#writer.citation(citation);
    this.#calls.end();
    this.#writer.finish(finishReasons[unified] ?? 'stop');
  }

  /** The packages count text and reasoning only: image and audio tokens are read from Google's usage. */
  #writeUsage({ inputTokens, outputTokens, raw }: LanguageModelV4Usage): void {
    const input = countOf(inputTokens.total);
    const output = countOf(outputTokens.total);
    // Without plausible totals it is estimated.
    if (input === null || output === null) return;
    this.#writer.usage({
      inputTokens: input,
      outputTokens: output,
      cachedTokens: Math.min(countOf(inputTokens.cacheRead) ?? 0, input),
      cacheWriteTokens: Math.min(countOf(inputTokens.cacheWrite) ?? 0, input),
      reasoningTokens: Math.min(countOf(outputTokens.reasoning) ?? 0, output),
      ...modalityTokens(raw),
    });
  }

  #error(error: unknown): void {
    const reported = readStreamError(error);
    if (reported === 'unknown event') return;
    if (reported === 'broken event') throw this.#invalidResponse('an event is no JSON');
    // An error status before the first part is treated like an error response: another target may be tried.
    if (reported.status !== null && !this.#hasContent)
      throw refusalError(this.#provider, reported.status, {}, { ...reported, param: null, code: null });
    this.#failed = true;
    this.ended = true;
    this.#writer.error({ message: reported.message, type: reported.type, code: null, status: reported.status });
  }

  #invalidResponse(detail: string): SluiceError {
    return new SluiceError('provider_invalid_response', { values: { provider: this.#provider }, detail });
  }
}

function headOf(part: { readonly id?: string; readonly timestamp?: Date; readonly modelId?: string }): ResponseHead {
  const created = part.timestamp === undefined ? Number.NaN : Math.floor(part.timestamp.getTime() / 1_000);
  return { id: part.id, model: part.modelId, created: Number.isFinite(created) ? created : undefined };
}

function merged(before: Metadata, more: NonNullable<Metadata>): Metadata {
  const all = { ...before };
  for (const [namespace, members] of Object.entries(more)) all[namespace] = { ...all[namespace], ...members };
  return all;
}

function urlOf(
  mediaType: string,
  data: { readonly type: 'data'; readonly data: Uint8Array | string } | { readonly type: 'url'; readonly url: URL },
): string {
  if (data.type === 'url') return data.url.href;
  const base64 = typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64');
  return `data:${mediaType};base64,${base64}`;
}
