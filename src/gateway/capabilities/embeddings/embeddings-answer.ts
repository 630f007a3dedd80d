import { SluiceError } from '../../../errors/index.ts';
import { tokensUsed, type Answer, type TokenUsage } from '../capability.ts';
import { lastObject, tryParse } from '../json-text.ts';

const MOST_TOKENS = 2_000_000_000;

/**
 * Understands OpenAI's list of embeddings. It is megabytes of numbers: only its usage is parsed.
 * Source: OpenAI's API document, CreateEmbeddingResponse.
 * @throws SluiceError provider_invalid_response
 */
export function readEmbeddingsAnswer(provider: string, body: Buffer): Answer {
  const text = body.toString('latin1');
  if (!text.trimStart().startsWith('{') || !text.includes('"embedding"'))
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no embeddings' });
  return {
    usage: readUsage(text),
    finishReason: null,
    estimatedOutputTokens: 0,
    updates: () => [],
  };
}

function readUsage(text: string): TokenUsage | null {
  const usage = tryParse(lastObject(text, 'usage') ?? '');
  if (typeof usage !== 'object' || usage === null) return null;
  const tokens = 'prompt_tokens' in usage ? usage.prompt_tokens : 'total_tokens' in usage ? usage.total_tokens : null;
  const believable = typeof tokens === 'number' && Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS;
  return believable ? tokensUsed(tokens, 0) : null;
}
