import type { CatalogueEntry } from './catalogue-entry.ts';
import { catalogue, type ErrorCode } from './catalogue.ts';
import { exhaustedResource } from './exhausted-resource.ts';

export interface SluiceErrorOptions {
  /** Values of the message's placeholders. */
  readonly values?: Readonly<Record<string, string | number>>;
  /** The invalid request member, as a path: `messages[0].role`. */
  readonly param?: string | null;
  /** For the log only. Never sent to a client. */
  readonly detail?: string;
  /** Milliseconds until a retry may succeed. Sent as `retry-after` and `retry-after-ms`. */
  readonly retryAfterMs?: number;
  /** The provider's own error, when it is relayed to the client instead of the catalogue's message. */
  readonly upstream?: UpstreamAnswer;
  /** The HTTP status sent by the provider, if it differs from the status sent to the client. */
  readonly upstreamStatus?: number | null;
  /** The provider's description of its error, for the account's usage log. Clients receive it only through `upstream`. */
  readonly reported?: ReportedFailure | undefined;
  /** The rejected key, if it is known. For its account's usage log only. Never sent to a client. */
  readonly refusedKey?: RefusedKey | undefined;
  /** What to do next, as one sentence. Appended to the catalogue's message. */
  readonly hint?: string;
  readonly cause?: unknown;
}

export interface RefusedKey {
  readonly id: string;
  readonly accountId: string;
  readonly memberId: string | null;
  readonly timeZone?: string;
}

/** A provider's description of its error. */
export interface ReportedFailure {
  readonly message: string;
  readonly type: string | null;
  readonly code: string | null;
}

/** A provider's own error, relayed: status, and the `error` object in OpenAI's format. */
export interface UpstreamAnswer {
  readonly status: number;
  readonly message: string;
  readonly type: string;
  readonly code: string | null;
}

/** The only error class for expected failures. Core code throws it by code; only the edges render it. */
export class SluiceError extends Error {
  readonly code: ErrorCode;
  readonly param: string | null;
  readonly detail: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly upstream: UpstreamAnswer | undefined;
  /** The HTTP status of the provider's error; null if there is none. */
  readonly upstreamStatus: number | null;
  /** The provider's description of its error; null if it sent none. */
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

/** Wraps unexpected errors: as `resources_exhausted` or `internal_error`. The original is in `cause`, for the log. */
export function toSluiceError(error: unknown): SluiceError {
  if (error instanceof SluiceError) return error;
  const resource = exhaustedResource(error);
  return resource === null ? new SluiceError('internal_error', { cause: error }) : resourcesExhausted(resource, error);
}

/** Connections close as responses end, which takes seconds. */
const EXHAUSTED_RETRY_MS = 2_000;

/** @param resource what this server or its machine is out of */
export function resourcesExhausted(resource: string, cause?: unknown): SluiceError {
  return new SluiceError('resources_exhausted', { values: { resource }, retryAfterMs: EXHAUSTED_RETRY_MS, cause });
}

/** OpenAI's error body: `{"error":{"message","type","param","code"}}`. @param message defaults to the error's own */
export function renderOpenAiError(error: SluiceError, message = error.message): string {
  return JSON.stringify({
    error: { message, type: error.type, param: error.param, code: error.wireCode },
  });
}

function fill(text: string, values: Readonly<Record<string, string | number>> = {}): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  );
}
