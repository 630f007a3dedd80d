/** An error that a provider reports after a successful start of the response, in OpenAI's terms. */
export interface ReportedError {
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
  readonly param?: string | null;
  /** The corresponding HTTP status; null if it is not reported and follows from the type and code. */
  readonly status?: number | null;
}
