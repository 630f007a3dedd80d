import { z } from 'zod';
import { toSluiceError, type SluiceError } from '../../../errors/index.ts';
import { isObject, objectsOf } from '../../../protocols/canonical/json-members.ts';
import {
  decodeGeminiEmbeddings,
  geminiBatchEmbeddingSchema,
  geminiEmbeddingSchema,
} from '../../../protocols/gemini/decode-embeddings.ts';
import { namedObjects, objectRules } from '../../../protocols/gemini/provider-objects.ts';
import type { ChatReceiver, Connection, GeminiEmbeddingsMethod } from '../../../providers/contract.ts';
import { estimatedTokens } from '../../../providers/shared/embeddings/embedding-inputs.ts';
import type { EmbeddingsRequest } from '../../../providers/shared/embeddings/embeddings-request.ts';
import type { NamedObject } from '../../../protocols/canonical/protocol.ts';
import { embeddings } from '../embeddings/embeddings.ts';
import type { Capability, ParsedResponse, ProviderCall, TokenUsage } from '../capability.ts';
import { embeddingsUsed, parseEmbeddingsResponse } from '../embeddings/embeddings-answer.ts';
import { knownMembers } from '../known-members.ts';
import { refuseForeignObjects } from '../foreign-objects.ts';
import { textsOf } from '../text/texts-of.ts';
import { parseRelayedEmbeddings, type GeminiEmbeddingsSummary } from './gemini-embeddings-answer.ts';

export { geminiBatchEmbeddingSchema, geminiEmbeddingSchema };
export type { GeminiEmbeddingsMethod };

/** None: Google accepts two spellings of each. */
const members = knownMembers(z.looseObject({}), {}, objectRules);

/** A request that can be converted, and Google's own members. */
interface ConvertibleRequest extends EmbeddingsRequest {
  readonly input: readonly string[];
  readonly own: { readonly task_type?: string; readonly title?: readonly (string | null)[] };
  /** Number of requests of the batch. */
  readonly count: number;
}

interface GeminiEmbeddingsRequest extends ConvertibleRequest {
  /** Why it can only be relayed; null where it can be converted. */
  readonly refusal: SluiceError | null;
  readonly providerObjects: readonly NamedObject[];
}

type GeminiEmbeddingsCapability = Capability<GeminiEmbeddingsRequest, GeminiEmbeddingsSummary>;

/**
 * Google's `embedContent` and `batchEmbedContents`, for every model of embeddings; one object per request. Each attempt relays
 * bytes where its provider has the method, and converts where it does not.
 */
export class GeminiEmbeddings implements GeminiEmbeddingsCapability {
  readonly name = embeddings.name;
  readonly members = members;
  readonly maxResponseBytes = embeddings.maxResponseBytes;
  readonly #model: string;
  readonly #method: GeminiEmbeddingsMethod;
  #isRelayed = false;

  /** @param model the path names it */
  constructor(model: string, method: GeminiEmbeddingsMethod) {
    this.#model = model;
    this.#method = method;
  }

  /** Whether the last attempt's response has Google's format already. */
  get isRelayed(): boolean {
    return this.#isRelayed;
  }

  modelName(): string {
    return this.#model;
  }

  parse(value: unknown): GeminiEmbeddingsRequest {
    const providerObjects = namedObjects(value);
    try {
      return { ...this.#decode(value), providerObjects, refusal: null };
    } catch (thrown) {
      const refusal = toSluiceError(thrown);
      if (refusal.code === 'internal_error' || !isObject(value)) throw refusal;
      const requests = this.#isBatch ? objectsOf(value.requests) : [value];
      const input = requests.map(({ content }) => textsOf(content).texts.join(''));
      return { model: this.#model, input, own: {}, count: requests.length, providerObjects, refusal };
    }
  }

  #decode(value: unknown): ConvertibleRequest {
    const { texts, dimensions, inputType, taskType, titles } = decodeGeminiEmbeddings(value, this.#isBatch);
    const request = {
      model: this.#model,
      input: texts,
      encoding_format: 'float' as const,
      ...(dimensions !== null && { dimensions }),
      ...(inputType !== null && { input_type: inputType }),
    };
    // Checks what the providers rely on.
    embeddings.parse(request);
    const task = taskType === null || inputType !== null ? {} : { task_type: taskType };
    return { ...request, count: texts.length, own: { ...task, ...(titles !== null && { title: titles }) } };
  }

  summarize({ input, count }: GeminiEmbeddingsRequest): GeminiEmbeddingsSummary {
    return { documents: count, estimatedTokens: estimatedTokens(input) };
  }

  streamed(): boolean {
    return false;
  }

  wantsUsage(): boolean {
    return true;
  }

  outputReserve(): number {
    return 0;
  }

  cacheable(): null {
    return null;
  }

  endUser(): null {
    return null;
  }

  send(
    connection: Connection,
    { own, count, refusal, providerObjects, ...request }: GeminiEmbeddingsRequest,
    call: ProviderCall,
    receiver: ChatReceiver,
  ): readonly string[] {
    const native = connection.nativeEmbeddings?.(this.#method, call.model, count) ?? null;
    this.#isRelayed = native !== null && call.body !== null;
    if (native !== null && call.body !== null) {
      refuseForeignObjects(connection, providerObjects);
      const { model, body, requestId, parameters } = call;
      return native({ model, body, requestId, stream: false, headers: [], query: '', parameters }, receiver);
    }
    if (refusal !== null) throw refusal;
    // Of a batch that is too long to be forwarded, Google receives its own members, too.
    const hasOwn = (connection.nativeEmbeddings?.(this.#method, call.model, 1) ?? null) !== null;
    const sent = hasOwn ? { ...request, ...own } : request;
    const body = Buffer.from(JSON.stringify({ ...sent, model: call.model }));
    const dropped = embeddings.send(connection, sent, { ...call, body }, receiver);
    return hasOwn ? dropped : [...dropped, ...Object.keys(own)];
  }

  relayStream(): null {
    return null;
  }

  parseResponse(provider: string, body: Buffer, summary: GeminiEmbeddingsSummary): ParsedResponse {
    return this.#isRelayed
      ? parseRelayedEmbeddings(provider, body, summary)
      : parseEmbeddingsResponse(provider, body, summary);
  }

  usageWithoutResponse(summary: GeminiEmbeddingsSummary, inputTokens: number): TokenUsage {
    return embeddingsUsed(summary, inputTokens);
  }

  get #isBatch(): boolean {
    return this.#method === 'batchEmbedContents';
  }
}
