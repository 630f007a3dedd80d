/**
 * Google's Gemini API: `models/{model}:generateContent` and `:streamGenerateContent?alt=sse`.
 *
 * Reasoning. Thoughts (parts with `thought: true`, requested by `reasoning_effort`) are relayed as `reasoning_content`.
 * Signatures (`thoughtSignature`, on calls, on text, on the empty text at a stream's end, on images) are
 * `reasoning_details` of the format `google-gemini-v1`: type `reasoning.encrypted`, `data` the signature, `id` the tool
 * call's id, or `text:{start}:{end}:{calls before}` with the range of characters of the signed part in the content, or
 * `image:{n}`. A signed thought has the type `reasoning.text` with `text` and `signature`. Parts of Google's built-in
 * tools (search, executed code) are preserved in the same way: the id begins with `part:`, and `data` is the part's
 * JSON. A client that sends the message back unchanged sends each signature back with its part. Where a model requires
 * a signature and there is none, the first call of a message gets Google's own placeholder. Source:
 * ai.google.dev/gemini-api/docs/thought-signatures.
 */
import { pathSegment } from '../shared/http/path-segment.ts';
import { SluiceError } from '../../errors/index.ts';
import type {
  ChatRequestContext,
  Connection,
  ConnectionSettings,
  GeminiEmbeddingsMethod,
  MediaKind,
  NativeContext,
  SendNative,
  Services,
  ChatReceiver,
  UpstreamReceiver,
} from '../contract.ts';
import type { ProtocolName } from '../../protocols/canonical/protocol.ts';
import type { BatchService, Transport } from '../shared/batches/batch-service.ts';
import { HttpUpstream } from '../shared/http/http-upstream.ts';
import { JobHttp } from '../shared/jobs/job-http.ts';
import { TranslatedAnswer } from '../shared/chat/translated-answer.ts';
import { GeminiDecoder } from '../../protocols/gemini/decode-stream.ts';
import { GeminiBatches } from './batches.ts';
import { geminiEmbeddings, MAX_BATCH_REQUESTS } from './embeddings.ts';
import { readGoogleError } from '../../protocols/gemini/errors.ts';
import { withCountedModel, withModelNames } from './model-names.ts';
import { collected } from '../shared/chat/collected-answer.ts';
import { geminiImages } from './media/images.ts';
import { modelTraits } from './model-traits.ts';
import { encodeGeminiRequest } from '../../protocols/gemini/encode-request.ts';
import { geminiSpeech } from './media/speech.ts';
import { geminiTranscription } from './media/transcription.ts';
import { veo } from './media/video.ts';
import { listOf, objectOf, textOf, type JsonObject } from '../../protocols/canonical/json-members.ts';

const PAGE = 1_000;
const MAX_PAGES = 20;
const MAX_COUNT_BYTES = 64 * 1024;

/** A connection to Google's Gemini API. */
export class GeminiConnection implements Connection {
  readonly id: string;
  readonly provider: string;
  readonly billed: boolean;
  readonly signsText = true;
  readonly services: Services;
  readonly batches: BatchService;
  readonly #settings: ConnectionSettings & { readonly baseUrl: string };
  readonly #upstream: HttpUpstream;
  readonly #jobs: JobHttp;

  constructor(provider: string, settings: ConnectionSettings & { readonly baseUrl: string }) {
    this.id = settings.id;
    this.billed = settings.billed ?? true;
    this.provider = provider;
    const way = {
      provider,
      baseUrl: settings.baseUrl,
      headers: settings.apiKey === undefined ? [] : ['x-goog-api-key', settings.apiKey],
      connectTimeoutMs: settings.connectTimeoutMs,
      dial: settings.dial,
      transport: settings.transport,
      foreignDial: settings.foreignDial,
      readError: readGoogleError,
    };
    this.#upstream = new HttpUpstream(way);
    this.#jobs = new JobHttp(way);
    this.#settings = settings;
    this.batches = new GeminiBatches(this.#jobs, this.#upstream.path(''));
    this.services = {
      embeddings: geminiEmbeddings(provider, this.#upstream, resourceName),
      speech: geminiSpeech(provider, this.#upstream, resourceName),
      transcription: geminiTranscription(provider, this.#upstream, resourceName),
      video: veo(provider, this.#jobs),
      images: geminiImages(provider, this.#upstream, resourceName),
    };
  }

  chat(context: ChatRequestContext, receiver: ChatReceiver): readonly string[] {
    const traits = modelTraits(context.model);
    const options = { provider: this.provider, parameters: context.parameters, traits };
    const { body, dropped } = encodeGeminiRequest(context.request, options);
    const method = context.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    const path = this.#upstream.path(`/${resourceName(context.model)}:${method}`);
    const answer = new TranslatedAnswer(
      this.provider,
      context,
      receiver,
      (writer) => new GeminiDecoder(writer, traits),
    );
    this.#upstream.post(path, body, answer);
    return dropped;
  }

  native(protocol: ProtocolName): SendNative | null {
    return protocol === 'gemini' ? this.#forward : null;
  }

  /** The model is in the path alone. */
  readonly #forward: SendNative = ({ model, body, stream, headers }, receiver) => {
    const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
    this.#upstream.post(this.#upstream.path(`/${resourceName(model)}:${method}`), body, receiver, headers);
    return [];
  };

  nativeEmbeddings(method: GeminiEmbeddingsMethod, _model: string, requests: number): SendNative | null {
    if (requests > MAX_BATCH_REQUESTS) return null;
    return ({ model, body, headers }, receiver) => {
      const resource = resourceName(model);
      const named = withModelNames(body, method, resource);
      this.#upstream.post(this.#upstream.path(`/${resource}:${method}`), named, receiver, headers);
      return [];
    };
  }

  countTokens(protocol: ProtocolName, context: NativeContext, signal: AbortSignal): Promise<Buffer> | null {
    if (protocol !== 'gemini') return null;
    const resource = resourceName(context.model);
    const body = withCountedModel(context.body, resource);
    const path = this.#upstream.path(`/${resource}:countTokens`);
    const send = (receiver: UpstreamReceiver): void => this.#upstream.post(path, body, receiver);
    return collected(this.provider, signal, send, MAX_COUNT_BYTES).then((answer) => answer.body);
  }

  fetchedMedia(): readonly MediaKind[] {
    return ['image', 'document'];
  }

  through(transport: Transport): Connection {
    return new GeminiConnection(this.provider, { ...this.#settings, transport });
  }

  readsReasoning(): boolean {
    return true;
  }

  async listModels(): Promise<readonly string[]> {
    const names: string[] = [];
    let pageToken = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = `pageSize=${PAGE}${pageToken === '' ? '' : `&pageToken=${encodeURIComponent(pageToken)}`}`;
      const answer = objectOf(await this.#upstream.getJson(this.#upstream.path(`/models?${query}`)));
      if (answer === null)
        throw new SluiceError('provider_invalid_response', {
          values: { provider: this.provider },
          detail: 'no list of models',
        });
      for (const name of chatModels(answer)) names.push(name);
      pageToken = textOf(answer.nextPageToken) ?? '';
      if (pageToken === '') break;
    }
    return names;
  }

  async close(): Promise<void> {
    await Promise.all([this.#upstream.close(), this.#jobs.close()]);
  }
}

/** Tuned models are not listed with the others. */
function resourceName(model: string): string {
  const tuned = 'tunedModels/';
  if (model.startsWith(tuned)) return tuned + pathSegment(model.slice(tuned.length));
  return `models/${pathSegment(model.replace(/^models\//, ''))}`;
}

function chatModels(answer: JsonObject): string[] {
  return listOf(answer.models).flatMap((listed) => {
    const model = objectOf(listed);
    const name = textOf(model?.name);
    const generates = listOf(model?.supportedGenerationMethods).includes('generateContent');
    return name !== null && generates ? [name.replace(/^models\//, '')] : [];
  });
}
