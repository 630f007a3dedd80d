import type { SluiceError } from '../../../errors/index.ts';
import { reportedWithin } from '../../../providers/shared/upstream-error.ts';
import { isRecord } from './chat-usage.ts';

const MAX_MESSAGE_LENGTH = 500;

/**
 * An error that a provider reports within an answer that began well, in OpenAI's form; text is Latin-1 over UTF-8. It is what
 * it would be as a refusal: what the caller can mend, or must wait for, keeps its status.
 */
export function reportedError(provider: string, error: unknown): SluiceError {
  const told: Record<string, unknown> = isRecord(error) ? error : {};
  const message = text(told.message) ?? (typeof error === 'string' ? error : null);
  return reportedWithin(provider, {
    message: message === null ? 'it reported an error within its answer' : decoded(message),
    type: text(told.type),
    code: text(told.code),
    param: text(told.param),
    status: statusOf(told),
  });
}

/** OpenRouter tells it as the code, others as the status. */
function statusOf({ status, code }: Record<string, unknown>): number | null {
  return [Number(status), Number(code)].find((number) => number >= 400 && number < 600) ?? null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function decoded(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString().slice(0, MAX_MESSAGE_LENGTH);
}
