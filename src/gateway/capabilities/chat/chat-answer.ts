import { SluiceError } from '../../../errors/index.ts';
import type { Answer } from '../capability.ts';
import { answerUpdates } from './chat-updates.ts';
import { isRecord, readChatUsage } from './chat-usage.ts';

const BYTES_PER_TOKEN = 4;

/** Understands OpenAI's unstreamed chat answer. @throws SluiceError provider_invalid_response | provider_error */
export function readChatAnswer(provider: string, body: Buffer): Answer {
  const answer = parse(provider, body);
  if (answer.error) {
    const reason =
      isRecord(answer.error) && typeof answer.error.message === 'string'
        ? answer.error.message.slice(0, 500)
        : 'it answered with an error';
    throw new SluiceError('provider_error', { values: { provider, reason } });
  }
  const [first] = Array.isArray(answer.choices) ? answer.choices : [];
  if (!isRecord(first))
    throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no choices' });
  return {
    usage: readChatUsage(answer.usage),
    finishReason: typeof first.finish_reason === 'string' ? first.finish_reason : null,
    get estimatedOutputTokens() {
      return Math.ceil(Buffer.byteLength(JSON.stringify(answer.choices)) / BYTES_PER_TOKEN);
    },
    updates: () => answerUpdates(answer),
  };
}

function parse(provider: string, body: Buffer): Record<string, unknown> {
  let answer: unknown;
  try {
    answer = JSON.parse(body.toString());
  } catch (cause) {
    throw new SluiceError('provider_invalid_response', { values: { provider }, cause });
  }
  if (isRecord(answer)) return answer;
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no JSON object' });
}
