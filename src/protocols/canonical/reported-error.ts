/** The details of a provider's error, in OpenAI's terms. */
export interface ProviderErrorDetails {
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
  readonly param: string | null;
  /** The retry delay, if the body contains it. */
  readonly retryAfterMs?: number | undefined;
  /** The provider rejects the configured key, whatever the status. */
  readonly isCredentials?: boolean | undefined;
}

/** An error that a provider reports after a successful start of the response, in OpenAI's terms. */
export interface ReportedError {
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
  readonly param?: string | null;
  /** The corresponding HTTP status; null if it is not reported and follows from the type and code. */
  readonly status?: number | null;
}
