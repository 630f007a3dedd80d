import type { ErrorCode } from './catalogue.ts';
import type { SluiceError } from './sluice-error.ts';

/** Codes for a missing, wrong or expired key. */
const keyErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'unauthenticated',
]);

/** The error's message, followed by the URL of the keys page if a key is missing, wrong or expired. @param origin public origin of this server */
export function messageWithKeyAdvice({ code, message }: SluiceError, origin: string): string {
  return keyErrors.has(code) ? `${message} You can obtain an API key from ${origin}/keys.` : message;
}
