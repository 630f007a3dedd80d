import {
  countIn,
  filledTextOf,
  isObject,
  listOf,
  membersOf,
  textOf,
  type JsonObject,
} from '../../../protocols/canonical/json-members.ts';
import type {
  BatchPart,
  BatchService,
  FoundBatch,
  NewProviderBatch,
  PartResult,
  ProviderBatchState,
  SentRequest,
} from './batch-service.ts';
import type { JobHttp } from '../jobs/job-http.ts';
import { BatchFiles, oneLine } from './batch-files.ts';
import { failureOf } from './openai-batch-results.ts';

/** How the Batch API of a provider differs from OpenAI's. */
export interface OpenAiBatchShape {
  /** The endpoints that it runs, by the path after the base URL: `/chat/completions` to `/v1/chat/completions`. */
  readonly endpoints: Readonly<Record<string, string>>;
  /** Whether an uploaded file has to be processed before a batch is created from it; no if absent. */
  readonly processesFiles?: boolean;
}

/** The endpoints of OpenAI's Batch API that Sluice has requests for. */
export const openAiBatchEndpoints = {
  '/chat/completions': '/v1/chat/completions',
  '/responses': '/v1/responses',
  '/embeddings': '/v1/embeddings',
  '/completions': '/v1/completions',
  '/moderations': '/v1/moderations',
} as const;

export interface OpenAiBatchClient {
  readonly http: JobHttp;
  /** The path of the base URL: `/v1`. */
  readonly basePath: string;
  /** Appended to each path; empty for none. */
  readonly query: string;
}

/** Clocks may differ by this. */
const CLOCK_SKEW_MS = 5 * 60_000;
const MAX_PAGES = 50;

/**
 * OpenAI's Batch API: a file of requests by `POST /files`, then `POST /batches`, `GET /batches/{id}`, `GET /batches` and
 * `POST /batches/{id}/cancel`; the results are files. Sources: developers.openai.com/api/docs/guides/batch, and OpenAI's API
 * document, Batch.
 */
export class OpenAiBatches implements BatchService {
  readonly maxRequests = 50_000;
  /** Less than the 200 MB that it accepts. */
  readonly maxBytes = 190_000_000;
  readonly #client: OpenAiBatchClient;
  readonly #shape: OpenAiBatchShape;
  readonly #files: BatchFiles;

  constructor(client: OpenAiBatchClient, shape: OpenAiBatchShape) {
    this.#client = client;
    this.#shape = shape;
    this.#files = new BatchFiles(client.http, (endpoint) => this.#at(endpoint));
  }

  partOf({ path, body }: SentRequest, id: string): BatchPart | null {
    const [own = ''] = path.slice(this.#client.basePath.length).split('?');
    const kind = this.#shape.endpoints[own.replace(/^\/deployments\/[^/]+/, '')];
    if (kind === undefined) return null;
    const text = `{"custom_id":${JSON.stringify(id)},"method":"POST","url":${JSON.stringify(kind)},"body":${oneLine(body)}}`;
    return { kind, text };
  }

  errorBody(message: string): string {
    return failureOf({ message }).body;
  }

  upload(batch: NewProviderBatch, signal: AbortSignal): Promise<string> {
    return this.#files.upload(batch, signal);
  }

  async isUploaded(uploadId: string, signal: AbortSignal): Promise<boolean> {
    if (this.#shape.processesFiles !== true) return true;
    const { status } = await this.#files.get(uploadId, signal);
    return status !== 'pending' && status !== 'running' && status !== 'uploaded';
  }

  async create(batch: NewProviderBatch, uploadId: string | null, signal: AbortSignal): Promise<string> {
    const { http } = this.#client;
    const json = {
      input_file_id: uploadId,
      endpoint: batch.kind,
      completion_window: '24h',
      metadata: { sluice_batch: batch.id },
    };
    const answer = membersOf(await http.json(this.#at('/batches'), { method: 'POST', json, signal }));
    return filledTextOf(answer.id) ?? this.#invalid('a batch without an id');
  }

  async find(
    _batch: NewProviderBatch,
    uploadId: string | null,
    since: number,
    signal: AbortSignal,
  ): Promise<FoundBatch> {
    let after = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const url = this.#at(`/batches`, `limit=100${after === '' ? '' : `&after=${encodeURIComponent(after)}`}`);
      const answer = membersOf(await this.#client.http.json(url, { signal }));
      const batches = listOf(answer.data).filter(isObject);
      const found = batches.find(({ input_file_id: file }) => file === uploadId);
      const id = filledTextOf(found?.id);
      if (id !== null) return { externalId: id };
      const last = batches.at(-1);
      after = textOf(last?.id) ?? '';
      const isOlder = typeof last?.created_at === 'number' && last.created_at * 1_000 < since - CLOCK_SKEW_MS;
      if (answer.has_more !== true || after === '' || isOlder) return 'none';
    }
    return 'unclear';
  }

  async state(externalId: string, signal: AbortSignal): Promise<ProviderBatchState> {
    const { status, errors, request_counts: reported } = await this.#get(externalId, signal);
    if (status === 'failed') {
      const [first] = listOf(membersOf(errors).data).filter(isObject);
      return { type: 'failed', answer: failureOf(first ?? {}) };
    }
    const hasEnded = status === 'completed' || status === 'expired' || status === 'cancelled';
    const counts = {
      succeeded: countIn(membersOf(reported), 'completed'),
      failed: countIn(membersOf(reported), 'failed'),
    };
    return { type: hasEnded ? 'ended' : 'running', counts };
  }

  async *results(externalId: string, signal: AbortSignal): AsyncGenerator<PartResult, void> {
    const { output_file_id: output, error_file_id: errors } = await this.#get(externalId, signal);
    yield* this.#files.results([output, errors], signal);
  }

  async cancel(externalId: string, signal: AbortSignal): Promise<void> {
    await this.#client.http.json(this.#one(externalId, '/cancel'), { method: 'POST', signal });
  }

  discard(uploadId: string, signal: AbortSignal): Promise<void> {
    return this.#files.delete([uploadId], signal);
  }

  async remove(externalId: string, signal: AbortSignal): Promise<void> {
    const { input_file_id: input, output_file_id: output, error_file_id: errors } = await this.#get(externalId, signal);
    await this.#files.delete([input, output, errors], signal);
  }

  async #get(externalId: string, signal: AbortSignal): Promise<JsonObject> {
    return membersOf(await this.#client.http.json(this.#one(externalId), { signal }));
  }

  #one(externalId: string, action = ''): string {
    return this.#at(`/batches/${encodeURIComponent(externalId)}${action}`);
  }

  #at(endpoint: string, query = ''): string {
    const all = [this.#client.query.slice(1), query].filter((each) => each !== '').join('&');
    return this.#client.http.url(endpoint) + (all === '' ? '' : `?${all}`);
  }

  #invalid(detail: string): never {
    throw this.#client.http.invalid(detail);
  }
}
