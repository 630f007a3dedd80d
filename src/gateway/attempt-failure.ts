import { redactSecrets, type SluiceError } from '../errors/index.ts';
import { secretsOf } from '../providers/connection-secrets.ts';
import type { Connection } from '../providers/contract.ts';

/** In characters: a usage record must stay small however much a provider says. */
const MAX_MESSAGE_LENGTH = 500;
const MAX_NAME_LENGTH = 100;

/** What is recorded of why an attempt failed, beside its status and our own code. */
export interface AttemptFailure {
  /** The provider's own names for it; null where it gave none. */
  readonly error_type: string | null;
  readonly error_code: string | null;
  /** The provider's words, else ours, without secrets; null where the account keeps no content. */
  readonly message: string | null;
}

/** @param keepsContent false where the account retains nothing: a provider's message may quote what it was sent */
export function attemptFailure(error: SluiceError, connection: Connection, keepsContent: boolean): AttemptFailure {
  const reported = error.reported ?? error.upstream;
  const secrets = secretsOf(connection);
  const clean = (text: string, length: number): string =>
    // Cut first, with room for what is removed: redacting costs time by length, and a provider may send anything.
    storable(redactSecrets(text.slice(0, length * 4), secrets)).slice(0, length);
  const name = (text: string | null): string | null => (text === null ? null : clean(text, MAX_NAME_LENGTH));
  return {
    error_type: name(reported?.type ?? null),
    error_code: name(reported?.code ?? null),
    message: keepsContent ? clean(reported?.message ?? error.message, MAX_MESSAGE_LENGTH) : null,
  };
}

/** What PostgreSQL's `jsonb` takes: no NUL, no half of a surrogate pair. */
function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
