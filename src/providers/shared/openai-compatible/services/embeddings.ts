import { SluiceError } from '../../../../errors/index.ts';
import type { CallContext, Send } from '../../../contract.ts';
import { answerPromise, type CompleteAnswer } from '../../http/answer-promise.ts';
import { eachPart } from '../../http/concurrent-parts.ts';
import {
  inputsOf,
  sizeOf,
  splitInputs,
  textsOf,
  type EmbeddingInput,
  type PartSize,
} from '../../embeddings/embedding-inputs.ts';
import {
  embeddingsDocument,
  requestedEncoding,
  readTokenCount,
  type EmbeddedPart,
} from '../../embeddings/embeddings-document.ts';
import type { EmbeddingsRequest } from '../../embeddings/embeddings-request.ts';
import { inputTypeOf, type InputType } from '../../embeddings/input-type.ts';
import { refuseOrDrop } from '../../../../protocols/canonical/parameter-policy.ts';
import { parsedAnswer, postedJson } from '../../http/posted-json.ts';
import { isObject } from '../../../../protocols/canonical/json-members.ts';
import { overwriteMember, withMembers } from '../../http/request-body.ts';
import { yieldPeriodically } from '../../jobs/yield-periodically.ts';
import type { ServiceClient } from './service-client.ts';

/** How a server's embeddings differ from OpenAI's. Absent members are as at OpenAI. */
export interface EmbeddingsShape {
  /** The maximum number of inputs per request. */
  readonly maxInputs?: number;
  /** The maximum number of tokens per request, over all inputs. */
  readonly maxTokens?: number | ((model: string) => number);
  /** False if it accepts text only. */
  readonly supportsTokens?: boolean;
  /** False if it returns numbers only, or has no `encoding_format`. The gateway then encodes base64. */
  readonly encodes?: boolean;
  /** Its name of `dimensions`; null if the dimensions are fixed. */
  readonly dimensions?: string | null;
  readonly supportsUser?: boolean;
  /** Its parameter for the purpose of the texts, and its name of each purpose. */
  readonly inputType?: { readonly name: string; readonly values: Partial<Readonly<Record<InputType, string>>> };
}

/** Source: OpenAI's API document, CreateEmbeddingRequest. */
const MAX_INPUTS = 2_048;
const MAX_TOKENS = 300_000;
/** Usage precedes or follows the list. */
const USAGE_REACH = 4_096;

/** `POST /embeddings`. A list that exceeds the limits of one request is split. */
export function sendEmbeddings(client: ServiceClient, shape: EmbeddingsShape = {}): Send<EmbeddingsRequest> {
  return (context, receiver) => {
    const { provider } = client;
    const { request, model } = context;
    const dropped = refuseOrDrop(provider, unsupportedParamsOf(shape, request), context.parameters);
    const inputs = shape.supportsTokens === false ? textsOf(provider, request.input) : inputsOf(request.input);
    const { maxInputs = MAX_INPUTS, maxTokens = MAX_TOKENS } = shape;
    const tokens = typeof maxTokens === 'number' ? maxTokens : maxTokens(model);
    const parts = splitInputs(inputs, { inputs: maxInputs, tokens });
    const calls = callsOf(shape, context, parts);
    const path = client.path('/embeddings', model);
    const { upstream } = client;
    const requested = { provider, model, encoding: requestedEncoding(request) };
    answerPromise(receiver, async (signal) => {
      const answers = await eachPart(calls, signal, ({ size, body }, ending) =>
        postedJson({ provider, upstream, path, body, signal: ending }).then((answer) => ({ size, body: answer })),
      );
      return joined(requested, answers);
    });
    return dropped;
  };
}

interface RequestedOutput {
  readonly provider: string;
  readonly model: string;
  readonly encoding: 'float' | 'base64';
}

async function joined(
  { provider, model, encoding }: RequestedOutput,
  answers: readonly { readonly size: PartSize; readonly body: Buffer }[],
): Promise<CompleteAnswer> {
  const [only] = answers;
  if (answers.length === 1 && only !== undefined && matchesRequest(only.body, encoding))
    return { contentType: 'application/json', body: only.body };
  const turn = yieldPeriodically();
  const parts: { readonly size: PartSize; readonly answer: EmbeddedPart }[] = [];
  let named: string | null = null;
  for (const { size, body } of answers) {
    await turn();
    const parsed = parsedAnswer(provider, body);
    if (typeof parsed.model === 'string') named ??= parsed.model;
    parts.push({ size, answer: readPart(provider, parsed) });
  }
  return embeddingsDocument(provider, named ?? model, encoding, parts);
}

/** Whether a long response can be relayed unchanged, judging by its first embedding and its usage. */
function matchesRequest(body: Buffer, encoding: RequestedOutput['encoding']): boolean {
  const head = body.toString('latin1', 0, USAGE_REACH);
  const first = /"embedding"\s*:\s*(["[])/.exec(head)?.[1];
  if (first !== (encoding === 'base64' ? '"' : '[')) return false;
  const tail = body.toString('latin1', Math.max(0, body.length - USAGE_REACH));
  return [head, tail].some((text) => /"usage"\s*:\s*\{[^{}]*"prompt_tokens"\s*:\s*\d/.test(text));
}

function readPart(provider: string, { data, usage }: Readonly<Record<string, unknown>>): EmbeddedPart {
  if (!Array.isArray(data))
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no embeddings' });
  const items: unknown[] = data;
  const vectors = items
    .map((item, at) =>
      isObject(item) ? { at: indexOf(item.index, at), vector: item.embedding } : { at, vector: null },
    )
    .sort((a, b) => a.at - b.at)
    .map(({ vector }) => vector);
  const reported = isObject(usage) ? (usage.prompt_tokens ?? usage.total_tokens) : null;
  return { vectors, tokens: readTokenCount(reported) };
}

function indexOf(reported: unknown, at: number): number {
  return typeof reported === 'number' ? reported : at;
}

// The request

function unsupportedParamsOf(shape: EmbeddingsShape, request: EmbeddingsRequest): string[] {
  const kind = inputTypeOf(request.input_type);
  const unsupported: [name: string, isUnsupported: boolean][] = [
    ['dimensions', shape.dimensions === null && isSpecified(request.dimensions)],
    ['user', shape.supportsUser === false && isSpecified(request.user)],
    ['input_type', kind !== null && shape.inputType?.values[kind] === undefined],
  ];
  return unsupported.filter(([, isUnsupported]) => isUnsupported).map(([name]) => name);
}

function isSpecified(value: unknown): boolean {
  return value !== null && value !== undefined;
}

/** Each is built when it is sent. After the last one, the request is no longer referenced. */
function* callsOf(
  shape: EmbeddingsShape,
  context: CallContext<EmbeddingsRequest>,
  parts: readonly (readonly EmbeddingInput[])[],
): Generator<{ readonly size: PartSize; readonly body: Buffer }> {
  for (const part of parts)
    yield { size: sizeOf(part), body: callBody(shape, context, parts.length === 1 ? null : part) };
}

/** @param part null for a call with all inputs: its body is relayed unchanged, if nothing else prevents it */
function callBody(
  shape: EmbeddingsShape,
  { body, model, request }: CallContext<EmbeddingsRequest>,
  part: readonly EmbeddingInput[] | null,
): Buffer {
  if (body === null) throw new Error('an embeddings request has a JSON body');
  const edits: Record<string, string | null> = {};
  if (part !== null) edits.input = JSON.stringify(part);
  if (shape.encodes === false && request.encoding_format !== undefined) edits.encoding_format = null;
  if (shape.supportsUser === false && request.user !== undefined) edits.user = null;
  if (shape.dimensions !== undefined && request.dimensions !== undefined) {
    edits.dimensions = null;
    if (shape.dimensions !== null && isSpecified(request.dimensions))
      edits[shape.dimensions] = String(request.dimensions);
  }
  if (request.input_type !== undefined) {
    const kind = inputTypeOf(request.input_type);
    const inputTypeName = kind === null ? undefined : shape.inputType?.values[kind];
    edits.input_type = null;
    if (shape.inputType && inputTypeName !== undefined) edits[shape.inputType.name] = JSON.stringify(inputTypeName);
  }
  const named = JSON.stringify(model);
  if (Object.keys(edits).length === 0) return overwriteMember(body, 'model', named);
  return withMembers(body, { ...edits, model: named });
}
