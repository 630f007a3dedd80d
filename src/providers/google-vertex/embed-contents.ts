import { SluiceError } from '../../errors/index.ts';
import { countOf, isObject, membersOf, objectsOf, type JsonObject } from '../../protocols/canonical/json-members.ts';
import { refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import {
  embedContents,
  MAX_REQUESTS,
  textOfContent,
  type EmbedContent,
} from '../../protocols/gemini/decode-embeddings.ts';
import type { GeminiEmbeddingsMethod, NativeContext, SendNative, UpstreamReceiver } from '../contract.ts';
import { splitInputs } from '../shared/embeddings/embedding-inputs.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import { eachPart } from '../shared/http/concurrent-parts.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import { pathSegment } from '../shared/http/path-segment.ts';
import { parsedAnswer, postedJson } from '../shared/http/posted-json.ts';
import { memberValue, withItems, withMembers } from '../shared/http/request-body.ts';
import { OPEN_BRACE } from '../shared/json/json-bytes.ts';
import { vertexLimits } from './embeddings.ts';

/** A vector and its tokens; null where they are not reported. */
interface Embedded {
  readonly values: unknown;
  readonly tokens: number | null;
}

/** Google's methods for embeddings, by those that Vertex AI has. */
export class EmbedContents {
  readonly #provider: string;
  readonly #upstream: HttpUpstream;

  constructor(provider: string, upstream: HttpUpstream) {
    this.#provider = provider;
    this.#upstream = upstream;
  }

  /** Null for models of which the methods are not known. */
  native(method: GeminiEmbeddingsMethod, model: string): SendNative | null {
    if (/^gemini-embedding-(?!0)[\w.@-]+$/.test(model))
      return method === 'embedContent' ? this.#forward : this.#forwardEach;
    if (!/^(?:gemini-embedding-0|text-embedding-|text-multilingual-embedding-)[\w.@-]+$/.test(model)) return null;
    return (context, receiver) => this.#predict(context, method === 'batchEmbedContents', receiver);
  }

  readonly #forward: SendNative = ({ model, body }, receiver) => {
    this.#upstream.post(this.#path(model, 'embedContent'), withoutModel(body), receiver);
    return [];
  };

  /** Vertex AI has no batches: each request is sent by itself. */
  readonly #forwardEach: SendNative = ({ model, body }, receiver) => {
    const requests = requestsOf(body);
    const path = this.#path(model, 'embedContent');
    this.#answer(receiver, true, (signal) =>
      eachPart(requests, signal, async (request, ending) => {
        const { embedding, usageMetadata } = await this.#posted(path, request, ending);
        const tokens = countOf(membersOf(usageMetadata).promptTokenCount);
        return [{ values: membersOf(embedding).values, tokens }];
      }),
    );
    return [];
  };

  /**
   * `predict`, whose instances have a task type and a title each. Source:
   * docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api.
   */
  #predict(
    { model, body, parameters }: NativeContext,
    isBatch: boolean,
    receiver: UpstreamReceiver,
  ): readonly string[] {
    const requests = embedContents(JSON.parse(body.toString()), isBatch);
    const dropped = refuseOrDrop(this.#provider, unknownMembers(requests, isBatch), parameters);
    const path = this.#path(model, 'predict');
    this.#answer(receiver, isBatch, (signal) =>
      eachPart(callsOf(requests, model), signal, async (call, ending) => {
        const { predictions } = await this.#posted(path, JSON.stringify(predictionOf(call)), ending);
        const found = objectsOf(predictions);
        if (found.length !== call.length) throw this.#noEmbeddings();
        return found.map(({ embeddings }) => embeddedOf(membersOf(embeddings)));
      }),
    );
    return dropped;
  }

  #answer(
    receiver: UpstreamReceiver,
    isBatch: boolean,
    embed: (signal: AbortSignal) => Promise<readonly (readonly Embedded[])[]>,
  ): void {
    answerPromise(receiver, async (signal) => {
      const embedded = (await embed(signal)).flat();
      if (embedded.some(({ values }) => !Array.isArray(values))) throw this.#noEmbeddings();
      const vectors = embedded.map(({ values }) => ({ values }));
      const tokens = embedded.reduce<number | null>(
        (sum, each) => (sum === null || each.tokens === null ? null : sum + each.tokens),
        0,
      );
      const usage = tokens === null ? {} : { usageMetadata: { promptTokenCount: tokens } };
      const document = isBatch ? { embeddings: vectors } : { embedding: vectors[0] };
      return { contentType: 'application/json', body: JSON.stringify({ ...document, ...usage }) };
    });
  }

  async #posted(path: string, body: Buffer | string, signal: AbortSignal): Promise<JsonObject> {
    const provider = this.#provider;
    return parsedAnswer(provider, await postedJson({ provider, upstream: this.#upstream, path, body, signal }));
  }

  #path(model: string, method: string): string {
    return this.#upstream.path(`/models/${pathSegment(model)}:${method}`);
  }

  #noEmbeddings(): SluiceError {
    return new SluiceError('provider_invalid_response', {
      values: { provider: this.#provider },
      detail: 'no embeddings',
    });
  }
}

/** The requests of a batch, as the client wrote them. @throws SluiceError of status 400 */
function requestsOf(body: Buffer): readonly Buffer[] {
  const requests: Buffer[] = [];
  withItems(body, 'requests', (item) => {
    if (item[0] !== OPEN_BRACE) {
      const param = `requests[${requests.length}]`;
      throw new SluiceError('invalid_value', { param, values: { reason: 'it must be an object.' } });
    }
    requests.push(withoutModel(item));
    return item;
  });
  if (requests.length === 0) throw new SluiceError('missing_required_parameter', { param: 'requests' });
  if (requests.length <= MAX_REQUESTS) return requests;
  const reason = `a batch may have at most ${MAX_REQUESTS} requests.`;
  throw new SluiceError('invalid_value', { param: 'requests', values: { reason } });
}

/** The path names it. */
function withoutModel(body: Buffer): Buffer {
  return memberValue(body, 'model') === null ? body : withMembers(body, { model: null });
}

/** Requests that follow each other and differ only in what instances may differ in, within the limits of the model. */
function callsOf(requests: readonly EmbedContent[], model: string): EmbedContent[][] {
  const runs: EmbedContent[][] = [];
  for (const request of requests) {
    const run = runs.at(-1);
    const isSame = run?.[0] !== undefined && parametersOf(run[0]) === parametersOf(request);
    if (isSame) run.push(request);
    else runs.push([request]);
  }
  return runs.flatMap((run) => {
    let done = 0;
    const parts = splitInputs(run.map(textOfContent), {
      inputs: MAX_INSTANCES,
      tokens: Infinity,
      ...vertexLimits(model),
    });
    return parts.map(({ length }) => run.slice(done, (done += length)));
  });
}

/** Source: docs.cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings, "Model limits". */
const MAX_INSTANCES = 250;

function parametersOf({ outputDimensionality, autoTruncate }: EmbedContent): string {
  return JSON.stringify({ outputDimensionality: outputDimensionality ?? undefined, autoTruncate });
}

function predictionOf(call: readonly EmbedContent[]): object {
  const [first] = call;
  const instances = call.map((request) => ({
    content: textOfContent(request),
    ...(request.taskType != null && { task_type: request.taskType }),
    ...(request.title != null && { title: request.title }),
  }));
  return { instances, parameters: first === undefined ? {} : JSON.parse(parametersOf(first)) };
}

function embeddedOf({ values, statistics }: JsonObject): Embedded {
  return { values, tokens: isObject(statistics) ? countOf(statistics.token_count) : null };
}

const known: ReadonlySet<string> = new Set([
  'model',
  'content',
  'taskType',
  'title',
  'outputDimensionality',
  'autoTruncate',
]);

function unknownMembers(requests: readonly EmbedContent[], isBatch: boolean): readonly string[] {
  return requests.flatMap((request, index) =>
    Object.keys(request)
      .filter((name) => !known.has(name))
      .map((name) => (isBatch ? `requests[${index}].${name}` : name)),
  );
}
