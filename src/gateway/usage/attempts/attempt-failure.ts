import { redactSecrets, type SluiceError } from '../../../errors/index.ts';
import { secretsOf } from '../../../providers/connection-secrets.ts';
import type { Connection } from '../../../providers/contract.ts';
import { storableText } from '../storable-text.ts';

/** Characters. Bounds the size of a usage record, whatever a provider sends. */
const MAX_MESSAGE_LENGTH = 500;
const MAX_NAME_LENGTH = 100;

/** Why an attempt failed, as recorded beside its status and Sluice's own error code. */
export interface AttemptFailure {
  /** As the provider reported it; null where it reported none. */
  readonly error_type: string | null;
  readonly error_code: string | null;
  /** The provider's message, else Sluice's, with secrets removed; null where the account retains no content. */
  readonly message: string | null;
}

/** @param retainsContent false for zero retention: a provider's message may quote the request */
export function attemptFailure(error: SluiceError, connection: Connection, retainsContent: boolean): AttemptFailure {
  const reported = error.reported ?? error.upstream;
  const secrets = secretsOf(connection);
  const clean = (text: string, length: number): string =>
    // Truncated first, with room for redaction: its cost grows with the length, and a provider may send any amount.
    storableText(redactSecrets(text.slice(0, length * 4), secrets)).slice(0, length);
  const name = (text: string | null): string | null => (text === null ? null : clean(text, MAX_NAME_LENGTH));
  return {
    error_type: name(reported?.type ?? null),
    error_code: name(reported?.code ?? null),
    message: retainsContent ? clean(reported?.message ?? error.message, MAX_MESSAGE_LENGTH) : null,
  };
}
