import type { SluiceError } from '../../../errors/index.ts';
import { reportedWithin } from '../../../providers/shared/http/upstream-error.ts';
import { isRecord } from './chat-usage.ts';

const MAX_MESSAGE_LENGTH = 500;

/**
 * Converts an error that a provider reports within a started response, in OpenAI's format.
 * A client error or a rate limit keeps its status.
 */
export function reportedError(provider: string, error: unknown): SluiceError {
  const reported: Record<string, unknown> = isRecord(error) ? error : {};
  const message = text(reported.message) ?? (typeof error === 'string' ? error : null);
  return reportedWithin(provider, {
    message: message === null ? 'it reported an error in its response' : message.slice(0, MAX_MESSAGE_LENGTH),
    type: text(reported.type),
    code: text(reported.code),
    param: text(reported.param),
    status: statusOf(reported),
  });
}

/** OpenRouter reports the status as `code`, others as `status`. */
function statusOf({ status, code }: Record<string, unknown>): number | null {
  return [Number(status), Number(code)].find((number) => number >= 400 && number < 600) ?? null;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
