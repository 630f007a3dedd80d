import { SluiceError } from '../../errors/index.ts';
import type { Send } from '../contract.ts';
import { answerPromise } from '../shared/http/answer-promise.ts';
import { eachPart } from '../shared/http/concurrent-parts.ts';
import { sizeOf, splitInputs, textsOf, type PartSize } from '../shared/embeddings/embedding-inputs.ts';
import {
  embeddingsDocument,
  requestedEncoding,
  readTokenCount,
  type EmbeddedPart,
} from '../shared/embeddings/embeddings-document.ts';
import type { EmbeddingsRequest } from '../shared/embeddings/embeddings-request.ts';
import type { HttpUpstream } from '../shared/http/http-upstream.ts';
import { inputTypeOf, type InputType } from '../shared/embeddings/input-type.ts';
import { refuseOrDrop } from '../../protocols/canonical/parameter-policy.ts';
import { parsedAnswer, postedJson } from '../shared/http/posted-json.ts';
import { countOf, objectOf, textOf, type JsonObject } from '../../protocols/canonical/json-members.ts';

/** "at most 100 requests can be in one batch": the error for a longer one. */
export const MAX_BATCH_REQUESTS = 100;

const taskTypes: Readonly<Record<InputType, string>> = {
  query: 'RETRIEVAL_QUERY',
  document: 'RETRIEVAL_DOCUMENT',
  classification: 'CLASSIFICATION',
  clustering: 'CLUSTERING',
};

/**
 * `POST /models/{model}:batchEmbedContents`. The response reports the tokens of newer models only
 * (`usageMetadata.promptTokenCount`). Source: ai.google.dev/api/embeddings.
 * @param resource the model's path: `models/gemini-embedding-001`
 */
export function geminiEmbeddings(
  provider: string,
  upstream: HttpUpstream,
  resource: (model: string) => string,
): Send<EmbeddingsRequest> {
  return ({ request, model, parameters }, receiver) => {
    const unsupported = request.user === null || request.user === undefined ? [] : ['user'];
    const dropped = refuseOrDrop(provider, unsupported, parameters);
    const parts = splitInputs(textsOf(provider, request.input), { inputs: MAX_BATCH_REQUESTS, tokens: Infinity });
    const calls = callsOf(parts, `models/${model.replace(/^models\//, '')}`, request);
    const encoding = requestedEncoding(request);
    const path = upstream.path(`/${resource(model)}:batchEmbedContents`);
    answerPromise(receiver, async (signal) => {
      const answers = await eachPart(calls, signal, ({ size, body }, ending) =>
        postedJson({ provider, upstream, path, body, signal: ending }).then((answer) => ({
          size,
          answer: readPart(provider, parsedAnswer(provider, answer)),
        })),
      );
      return embeddingsDocument(provider, model, encoding, answers);
    });
    return dropped;
  };
}

/** Each is built when it is sent. After the last one, the request is no longer referenced. */
function* callsOf(
  parts: readonly (readonly string[])[],
  model: string,
  request: EmbeddingsRequest,
): Generator<{ readonly size: PartSize; readonly body: string }> {
  const options = optionsOf(request);
  let done = 0;
  for (const texts of parts) {
    const requests = texts.map((text, index) => {
      const title = titleOf(request, done + index);
      return { model, content: { parts: [{ text }] }, ...options, ...(title !== null && { title }) };
    });
    done += texts.length;
    yield { size: sizeOf(texts), body: JSON.stringify({ requests }) };
  }
}

/** `title` is Google's own: one for all texts, or one for each. */
function titleOf({ title }: EmbeddingsRequest, index: number): string | null {
  return textOf(Array.isArray(title) ? title[index] : title);
}

/** `task_type` is Google's own. */
function optionsOf({ dimensions, input_type: inputType, task_type: task }: EmbeddingsRequest): JsonObject {
  const kind = inputTypeOf(inputType);
  return {
    ...(typeof dimensions === 'number' && { outputDimensionality: dimensions }),
    ...(kind !== null && { taskType: taskTypes[kind] }),
    ...(typeof task === 'string' && { taskType: task }),
  };
}

function readPart(provider: string, { embeddings, usageMetadata }: JsonObject): EmbeddedPart {
  if (!Array.isArray(embeddings))
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no embeddings' });
  const vectors = embeddings.map((embedding: unknown) => objectOf(embedding)?.values);
  return { vectors, tokens: readTokenCount(countOf(objectOf(usageMetadata)?.promptTokenCount)) };
}
