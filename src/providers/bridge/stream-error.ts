const MAX_MESSAGE_LENGTH = 2_000;

/** A provider's error within a stream. */
export interface ReportedError {
  readonly message: string;
  readonly type: string | null;
  /** The corresponding HTTP status; null where none is reported. */
  readonly status: number | null;
}

/**
 * Reads the error part of a stream: the provider's own error, or the package's error for an event that it could not
 * parse. A package reports an event of an unknown type, or with an unknown member, as a type validation error.
 */
export function readStreamError(error: unknown): ReportedError | 'unknown event' | 'broken event' {
  if (typeof error === 'string') return reported(error, null, null);
  if (typeof error !== 'object' || error === null) return 'broken event';
  const { name, message, type, statusCode } = members(error);
  if (name === 'AI_TypeValidationError') return 'unknown event';
  if (error instanceof Error && statusCode === undefined) return 'broken event';
  const text = typeof message === 'string' && !(error instanceof Error) ? message : 'it reported an error';
  return reported(text, typeof type === 'string' ? type : null, typeof statusCode === 'number' ? statusCode : null);
}

interface Members {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly type?: unknown;
  readonly statusCode?: unknown;
}

function members(error: Members): Members {
  return error;
}

function reported(message: string, type: string | null, status: number | null): ReportedError {
  return {
    message: message.slice(0, MAX_MESSAGE_LENGTH),
    type: type === null ? null : type.slice(0, 100),
    status: status !== null && status >= 400 && status < 600 ? status : null,
  };
}
