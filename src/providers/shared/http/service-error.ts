import { membersOf } from '../../../protocols/canonical/json-members.ts';
import type { ProviderErrorDetails } from '../../../protocols/canonical/reported-error.ts';

const MAX_MESSAGE_LENGTH = 2_000;

/**
 * Parses errors of speech services, which use few formats: `{"detail":{"status","message"}}` (ElevenLabs),
 * `{"err_code","err_msg"}` or `{"category","message"}` (Deepgram), `{"error_code","message"}` or bare text (Cartesia).
 */
export function readServiceError(body: string): ProviderErrorDetails | null {
  const parsed = tryParse(body);
  if (parsed === undefined) return /^\s*</.test(body) ? null : errorDetails(body.trim(), null);
  const error = membersOf(parsed);
  const detail: unknown = Array.isArray(error.detail) ? error.detail[0] : error.detail;
  const inner = membersOf(detail ?? error.error ?? null);
  const message = [inner.message, inner.msg, detail, error.err_msg, error.message, error.error, error.title].find(
    (text) => typeof text === 'string' && text !== '',
  );
  const code = [inner.code, inner.status, error.err_code, error.error_code, error.category].find(
    (text) => typeof text === 'string',
  );
  return typeof message === 'string' ? errorDetails(message, typeof code === 'string' ? code : null) : null;
}

function errorDetails(message: string, code: string | null): ProviderErrorDetails | null {
  if (message === '') return null;
  return { message: message.slice(0, MAX_MESSAGE_LENGTH), type: null, code: code?.slice(0, 100) ?? null, param: null };
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
