import { SluiceError } from '../../../errors/index.ts';
import { isRecord } from './chat-usage.ts';

const LONGEST_MESSAGE = 500;

/**
 * An error that a provider reports within an answer that began well, in OpenAI's form; text is Latin-1 over UTF-8. What the
 * caller can mend, or must wait for, keeps its status.
 */
export function reportedError(provider: string, error: unknown): SluiceError {
  const told: Record<string, unknown> = isRecord(error) ? error : {};
  const message = text(told.message) ?? (typeof error === 'string' ? error : null);
  const reason = message === null ? 'it reported an error within its answer' : decoded(message);
  const status = statusOf(told);
  if (told.type === 'overloaded_error' || told.code === 'overloaded_error')
    return new SluiceError('provider_overloaded', { values: { provider, reason } });
  if (status === null) return new SluiceError('provider_error', { values: { provider, reason } });
  const upstream = { status, message: reason, type: text(told.type) ?? 'invalid_request_error', code: text(told.code) };
  return new SluiceError('provider_error', { upstream });
}

function statusOf({ code, type, status }: Record<string, unknown>): number | null {
  const number = Number(status ?? code);
  if (number >= 400 && number < 500) return number;
  if (code === 'context_length_exceeded' || type === 'invalid_request_error') return 400;
  return code === 'rate_limit_exceeded' || type === 'rate_limit_error' || type === 'tokens' ? 429 : null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function decoded(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString().slice(0, LONGEST_MESSAGE);
}
