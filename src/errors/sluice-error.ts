import { catalogue, type CatalogueEntry, type ErrorCode } from './catalogue.ts';

export interface SluiceErrorOptions {
  /** Fills the placeholders of the public text. */
  readonly values?: Readonly<Record<string, string | number>>;
  /** The request member at fault, as a path: `messages[0].role`. */
  readonly param?: string | null;
  /** For the log alone: never sent to a caller. */
  readonly detail?: string;
  /** When a retry may succeed, in milliseconds; sent as `retry-after` and `retry-after-ms`. */
  readonly retryAfterMs?: number;
  /** What a provider itself answered, when a client may read it in place of the catalogue's text. */
  readonly upstream?: UpstreamAnswer;
  /** The HTTP status that a provider itself sent, where it is another than callers are told. */
  readonly upstreamStatus?: number | null;
  /** What a provider said of its failure. For the account's usage log: callers read it where `upstream` is given. */
  readonly reported?: ReportedFailure | undefined;
  /** The key that is refused, where it is known. For its account's usage log: never sent to a caller. */
  readonly refusedKey?: RefusedKey | undefined;
  /** What to do next, as one sentence: it follows the catalogue's text. */
  readonly hint?: string;
  readonly cause?: unknown;
}

export interface RefusedKey {
  readonly id: string;
  readonly accountId: string;
  readonly memberId: string | null;
  readonly timeZone?: string;
}

/** A provider's own words for its failure. */
export interface ReportedFailure {
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
}

/** A provider's own refusal, relayed: status, and the `error` object in OpenAI's form. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}

/** The one error class. Core code throws a code; only the edges render it. */
export class SluiceError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly detail: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly upstream: UpstreamAnswer | undefined;
  /** The HTTP status that the provider sent with its failure; null where it sent none. */
  readonly upstreamStatus: number | null;
  /** What the provider said of its failure; null where it said nothing. */
  readonly reported: ReportedFailure | null;

  readonly refusedKey: RefusedKey | null;

  constructor(code: ErrorCode, options: SluiceErrorOptions = {}) {
    const values = options.param ? { param: options.param, ...options.values } : options.values;
    const text = fill(catalogue[code].message, values);
    super(options.upstream?.message ?? (options.hint === undefined ? text : `${text} ${options.hint}`), {
      cause: options.cause,
    });
    this.name = 'SluiceError';
    this.code = code;
    this.param = options.param ?? null;
    this.detail = options.detail;
    this.retryAfterMs = options.retryAfterMs;
    this.upstream = options.upstream;
    this.refusedKey = options.refusedKey ?? null;
    this.reported = options.reported ?? null;
    this.upstreamStatus =
      options.upstreamStatus === undefined ? (options.upstream?.status ?? null) : options.upstreamStatus;
  }

  get status(): number {
    return this.upstream?.status ?? catalogue[this.code].status;
  }

  get type(): string {
    return this.upstream?.type ?? catalogue[this.code].type;
  }

  /** OpenAI's `error.code`. */
  get wireCode(): string | null {
    if (this.upstream) return this.upstream.code;
    const entry: CatalogueEntry = catalogue[this.code];
    return entry.wireCode === undefined ? this.code : entry.wireCode;
  }
}

/** What is not ours becomes `internal_error`; its text stays in `cause`, for the log. */
export function toSluiceError(error: unknown): SluiceError {
  return error instanceof SluiceError ? error : new SluiceError('internal_error', { cause: error });
}

/** OpenAI's error body: `{"error":{"message","type","param","code"}}`. @param message the error's own where absent */
export function renderOpenAiError(error: SluiceError, message = error.message): string {
  return JSON.stringify({
    error: { message, type: error.type, param: error.param, code: error.wireCode },
  });
}

function fill(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
