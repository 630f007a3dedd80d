import { Readable } from 'node:stream';
import {
  countIn,
  countOf,
  filledTextOf,
  isObject,
  listOf,
  membersOf,
  textOf,
  type JsonObject,
} from '../../protocols/canonical/json-members.ts';
import type {
  BatchPart,
  BatchService,
  FoundBatch,
  NewProviderBatch,
  PartResult,
  ProviderBatchState,
  SentRequest,
} from '../shared/batches/batch-service.ts';
import { jsonLines } from '../shared/batches/json-lines.ts';
import type { JobHttp } from '../shared/jobs/job-http.ts';

const KIND = 'messages';
const BETA_HEADER = 'anthropic-beta';
/** Clocks may differ by this. */
const CLOCK_SKEW_MS = 5 * 60_000;
const MAX_PAGES = 20;
const [HEAD, TAIL] = [Buffer.from('{"requests":['), Buffer.from(']}')];

/** A result that is too long, as a response that is invalid, so that the request fails as if it had been sent alone. */
const TOO_LONG = { result: { type: 'succeeded', message: null } };

/** The HTTP status of each type of error. Source: platform.claude.com/docs/en/api/errors. */
const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
};

/**
 * Anthropic's Message Batches API: `POST /messages/batches`, `GET /messages/batches`, `GET /messages/batches/{id}` with
 * `/results`, `POST …/cancel` and `DELETE`. Sources: platform.claude.com/docs/en/build-with-claude/batch-processing, and
 * `MessageBatch` of `@anthropic-ai/sdk`. A batch has no name of ours: after a crash it is recognised by the ids of its results.
 */
export class AnthropicBatches implements BatchService {
  readonly maxRequests = 100_000;
  /** Less than the 256 MB that it accepts. */
  readonly maxBytes = 240_000_000;
  readonly #http: JobHttp;
  readonly #path: string;

  /** @param path of single messages: `/v1/messages` */
  constructor(http: JobHttp, path: string) {
    this.#http = http;
    this.#path = path;
  }

  /** Requests with other betas are other batches: its header counts for all of them. */
  partOf({ path, headers, body }: SentRequest, id: string): BatchPart | null {
    if (path.split('?')[0] !== this.#path) return null;
    const betas = headers.flatMap((name, at) =>
      at % 2 === 0 && name.toLowerCase() === BETA_HEADER ? [headers[at + 1] ?? ''] : [],
    );
    const kind = betas.length === 0 ? KIND : `${KIND} ${betas.join(',')}`;
    return { kind, text: `{"custom_id":${JSON.stringify(id)},"params":${body}}` };
  }

  errorBody(message: string): string {
    return JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } });
  }

  async create(
    { kind, total, bytes, parts }: NewProviderBatch,
    _uploadId: null | string,
    signal: AbortSignal,
  ): Promise<string> {
    const body = {
      contentType: 'application/json',
      // A comma between two parts.
      length: HEAD.length + bytes + total - 1 + TAIL.length,
      stream: Readable.from(requests(parts()), { objectMode: false }),
    };
    const betas = kind.slice(KIND.length + 1);
    const headers = betas === '' ? [] : [BETA_HEADER, betas];
    const answer = membersOf(await this.#http.json(this.#at(''), { method: 'POST', body, headers, signal }));
    const id = filledTextOf(answer.id);
    if (id === null) throw this.#http.invalid('a batch without an id');
    return id;
  }

  async find(
    batch: NewProviderBatch,
    _uploadId: null | string,
    since: number,
    signal: AbortSignal,
  ): Promise<FoundBatch> {
    let isUnclear = false;
    for await (const candidate of this.#since(since, signal)) {
      const id = filledTextOf(candidate.id);
      if (id === null || countAll(candidate) !== batch.total) continue;
      // Only results name their requests.
      if (candidate.processing_status !== 'ended') isUnclear = true;
      else if (await this.#isOf(batch, id, signal)) return { externalId: id };
    }
    return isUnclear ? 'unclear' : 'none';
  }

  async state(externalId: string, signal: AbortSignal): Promise<ProviderBatchState> {
    const batch = membersOf(await this.#http.json(this.#one(externalId), { signal }));
    const { processing_status: status, request_counts: reported } = batch;
    // They are 0 until all requests have ended.
    const counts = {
      succeeded: countIn(membersOf(reported), 'succeeded'),
      failed: countIn(membersOf(reported), 'errored'),
    };
    return { type: status === 'ended' ? 'ended' : 'running', counts };
  }

  async *results(externalId: string, signal: AbortSignal): AsyncGenerator<PartResult, void> {
    const content = await this.#http.content(this.#one(externalId, '/results'), {}, signal);
    // They may be there a moment later: without them, the requests would count as not run.
    if (content === null) throw this.#http.invalid('results that do not exist');
    for await (const line of jsonLines(content.body, TOO_LONG)) {
      const result = resultOf(line);
      if (result !== null) yield result;
    }
  }

  async cancel(externalId: string, signal: AbortSignal): Promise<void> {
    await this.#http.json(this.#one(externalId, '/cancel'), { method: 'POST', signal });
  }

  async remove(externalId: string, signal: AbortSignal): Promise<void> {
    await this.#http.json(this.#one(externalId), { method: 'DELETE', signal });
  }

  /** Batches that were created since then, newest first. */
  async *#since(since: number, signal: AbortSignal): AsyncGenerator<JsonObject, void> {
    let after = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = `?limit=100${after === '' ? '' : `&after_id=${encodeURIComponent(after)}`}`;
      const answer = membersOf(await this.#http.json(this.#at(query), { signal }));
      for (const batch of listOf(answer.data).filter(isObject)) {
        if (Date.parse(String(batch.created_at)) < since - CLOCK_SKEW_MS) return;
        yield batch;
      }
      after = textOf(answer.last_id) ?? '';
      if (answer.has_more !== true || after === '') return;
    }
  }

  async #isOf({ id }: NewProviderBatch, externalId: string, signal: AbortSignal): Promise<boolean> {
    for await (const { custom_id: part } of this.#lines(externalId, signal))
      return typeof part === 'string' && part.startsWith(`${id.replaceAll('-', '')}-`);
    return false;
  }

  async *#lines(externalId: string, signal: AbortSignal): AsyncGenerator<JsonObject, void> {
    const content = await this.#http.content(this.#one(externalId, '/results'), {}, signal);
    if (content !== null) yield* jsonLines(content.body, TOO_LONG);
  }

  #one(externalId: string, action = ''): string {
    return this.#at(`/${encodeURIComponent(externalId)}${action}`);
  }

  #at(rest: string): string {
    return this.#http.rooted(`${this.#path}/batches${rest}`);
  }
}

async function* requests(parts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  yield HEAD;
  let isFirst = true;
  for await (const part of parts) {
    yield Buffer.from(isFirst ? part : `,${part}`);
    isFirst = false;
  }
  yield TAIL;
}

function countAll({ request_counts: counts }: JsonObject): number {
  return Object.values(membersOf(counts)).reduce<number>((sum, count) => sum + (countOf(count) ?? 0), 0);
}

/** Null for a request that was not run. */
function resultOf({ custom_id: id, result }: JsonObject): PartResult | null {
  const { type, message, error } = membersOf(result);
  if (typeof id !== 'string') return null;
  if (type === 'succeeded') return { id, status: 200, body: JSON.stringify(message ?? null) };
  if (type !== 'errored') return null;
  const { type: kind } = membersOf(membersOf(error).error);
  return { id, status: statuses[String(kind)] ?? 500, body: JSON.stringify(error ?? null) };
}
