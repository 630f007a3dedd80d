import { SluiceError } from '../../../errors/index.ts';
import { countOf, isObject, membersOf, objectsOf } from '../../../protocols/canonical/json-members.ts';
import { readTokenCount } from '../../../providers/shared/embeddings/embeddings-document.ts';
import { nextToken, valueEnd } from '../../../providers/shared/json/json-bytes.ts';
import type { ParsedResponse } from '../capability.ts';
import { embeddingsUsed, type EmbeddingsSummary } from '../embeddings/embeddings-answer.ts';
import { documentAnswer } from '../json-document.ts';
import { tryParse } from '../../json-text.ts';

export interface GeminiEmbeddingsSummary extends EmbeddingsSummary {
  /** For responses that report no tokens. */
  readonly estimatedTokens: number;
}

const USAGE = Buffer.from('"usageMetadata"');

/**
 * Parses only the usage of Google's own response, which is megabytes of numbers. Models before `gemini-embedding-2` report none.
 * Source: ai.google.dev/api/embeddings, EmbedContentResponse.
 * @throws SluiceError provider_invalid_response
 */
export function parseRelayedEmbeddings(
  provider: string,
  body: Buffer,
  summary: GeminiEmbeddingsSummary,
): ParsedResponse {
  const start = nextToken(body, 0);
  if (body.toString('latin1', start, start + 1) !== '{' || !body.includes('"embedding')) throw noEmbeddings(provider);
  const tokens = readTokenCount(countOf(membersOf(usageOf(body)).promptTokenCount));
  return documentAnswer(embeddingsUsed(summary, tokens ?? summary.estimatedTokens), tokens === null);
}

function usageOf(body: Buffer): unknown {
  const at = body.lastIndexOf(USAGE);
  if (at < 0) return null;
  // Behind the colon.
  const value = nextToken(body, nextToken(body, at + USAGE.length) + 1);
  return tryParse(body.toString('utf8', value, valueEnd(body, value)));
}

/** OpenAI's list of embeddings as Google's response. @throws SluiceError provider_invalid_response */
export function geminiEmbeddingsDocument(document: Buffer, isBatch: boolean): Buffer {
  const list = tryParse(document.toString());
  const data = isObject(list) ? objectsOf(list.data) : [];
  const [first] = data;
  if (!isObject(list) || first === undefined) throw noEmbeddings('the provider');
  const usage = isObject(list.usage) ? { usageMetadata: { promptTokenCount: list.usage.prompt_tokens } } : {};
  const valuesOf = ({ embedding }: { readonly embedding?: unknown }): object => ({ values: embedding });
  const body = isBatch ? { embeddings: data.map(valuesOf) } : { embedding: valuesOf(first) };
  return Buffer.from(JSON.stringify({ ...body, ...usage }));
}

function noEmbeddings(provider: string): SluiceError {
  return new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no embeddings' });
}
