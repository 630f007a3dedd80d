import type { ErrorCode } from './catalogue.ts';
import type { SluiceError } from './sluice-error.ts';

/** What a caller meets whose key is missing, wrong or expired. */
const keyErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
  'unauthenticated',
]);

/** The error's text; where a key is missing, wrong or expired, with the page that makes one. @param origin where people reach this server */
export function messageWithKeyAdvice({ code, message }: SluiceError, origin: string): string {
  return keyErrors.has(code) ? `${message} You can obtain an API key from ${origin}/keys.` : message;
}
