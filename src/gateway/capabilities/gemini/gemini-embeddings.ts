import { z } from 'zod';
import { SluiceError } from '../../../errors/index.ts';
import { objectsOf, isObject } from '../../../protocols/canonical/json-members.ts';
import { decodeGeminiEmbeddings } from '../../../protocols/gemini/decode-embeddings.ts';
import type { EmbeddingsRequest } from '../../../providers/shared/embeddings/embeddings-request.ts';
import type { Capability } from '../capability.ts';
import { embeddings } from '../embeddings/embeddings.ts';
import type { EmbeddingsSummary } from '../embeddings/embeddings-answer.ts';
import { tryParse } from '../json-text.ts';
import { knownMembers } from '../known-members.ts';

/** None: Google accepts two spellings of each. */
const members = knownMembers(z.looseObject({}), {});

/** An embeddings request, and Google's own members. */
interface GeminiEmbeddingsRequest extends EmbeddingsRequest {
  readonly own: { readonly task_type?: string; readonly title?: readonly (string | null)[] };
}

/**
 * Google's `embedContent` and `batchEmbedContents`, for every model of embeddings.
 * @param model the path names it
 */
export function geminiEmbeddings(
  model: string,
  isBatch: boolean,
): Capability<GeminiEmbeddingsRequest, EmbeddingsSummary> {
  return {
    ...embeddings,
    members,
    modelName: () => model,
    parse(value) {
      const { texts, dimensions, inputType, taskType, titles } = decodeGeminiEmbeddings(value, isBatch);
      const request = {
        model,
        input: texts,
        encoding_format: 'float' as const,
        ...(dimensions !== null && { dimensions }),
        ...(inputType !== null && { input_type: inputType }),
      };
      // Checks what the providers rely on.
      embeddings.parse(request);
      const task = taskType === null || inputType !== null ? {} : { task_type: taskType };
      return { ...request, own: { ...task, ...(titles !== null && { title: titles }) } };
    },
    cacheable: () => null,
    send(connection, { own, ...request }, call, receiver) {
      const hasOwn = (connection.native?.('gemini', call.model) ?? null) !== null;
      const sent = hasOwn ? { ...request, ...own } : request;
      const body = Buffer.from(JSON.stringify({ ...sent, model: call.model }));
      const dropped = embeddings.send(connection, sent, { ...call, body }, receiver);
      return hasOwn ? dropped : [...dropped, ...Object.keys(own)];
    },
  };
}

/** OpenAI's list of embeddings as Google's response. @throws SluiceError provider_invalid_response */
export function geminiEmbeddingsDocument(document: Buffer, isBatch: boolean): Buffer {
  const list = tryParse(document.toString());
  const data = isObject(list) ? objectsOf(list.data) : [];
  const [first] = data;
  if (!isObject(list) || first === undefined)
    throw new SluiceError('provider_invalid_response', {
      values: { provider: 'the provider' },
      detail: 'no embeddings',
    });
  const usage = isObject(list.usage) ? { usageMetadata: { promptTokenCount: list.usage.prompt_tokens } } : {};
  const valuesOf = ({ embedding }: { readonly embedding?: unknown }): object => ({ values: embedding });
  const body = isBatch ? { embeddings: data.map(valuesOf) } : { embedding: valuesOf(first) };
  return Buffer.from(JSON.stringify({ ...body, ...usage }));
}
