import { SluiceError } from '../../../errors/index.ts';
import { mediaUsage, type ParsedResponse, type TokenUsage } from '../capability.ts';
import { lastUsage } from '../../../protocols/chat-completions/observe-usage.ts';
import { documentAnswer } from '../json-document.ts';

const MAX_TOKENS = 2_000_000_000;

export interface EmbeddingsSummary {
  /** Number of texts or token lists. */
  readonly documents: number;
}

/**
 * Parses only the usage of OpenAI's list of embeddings, which is megabytes of numbers. Source: OpenAI's API document,
 * CreateEmbeddingResponse. `usage.estimated` is Sluice's own: the provider reported no tokens.
 * @throws SluiceError provider_invalid_response
 */
export function parseEmbeddingsResponse(provider: string, body: Buffer, summary: EmbeddingsSummary): ParsedResponse {
  if (!startsAsObject(body) || !body.includes('"embedding"'))
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no embeddings' });
  const reported = readUsage(body);
  return documentAnswer(reported && embeddingsUsed(summary, reported.tokens), reported?.estimated === true);
}

export function embeddingsUsed({ documents }: EmbeddingsSummary, tokens: number): TokenUsage {
  return mediaUsage([{ unit: 'document', quantity: documents }], tokens);
}

function startsAsObject(body: Buffer): boolean {
  return body.toString('latin1', 0, 64).trimStart().startsWith('{');
}

function readUsage(body: Buffer): { readonly tokens: number; readonly estimated: boolean } | null {
  const at = body.lastIndexOf('"usage"');
  const usage = at < 0 ? null : lastUsage(body.toString('latin1', at));
  if (typeof usage !== 'object' || usage === null) return null;
  const tokens = 'prompt_tokens' in usage ? usage.prompt_tokens : 'total_tokens' in usage ? usage.total_tokens : null;
  const isPlausible = typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0 && tokens <= MAX_TOKENS;
  return isPlausible ? { tokens, estimated: 'estimated' in usage && usage.estimated === true } : null;
}
