import { Readable } from 'node:stream';
import {
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
import { jsonLines } from './json-lines.ts';
import { failureOf, resultOf, TOO_LONG } from './openai-batch-results.ts';

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

  constructor(client: OpenAiBatchClient, shape: OpenAiBatchShape) {
    this.#client = client;
    this.#shape = shape;
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

  async upload({ id, bytes, total, parts }: NewProviderBatch, signal: AbortSignal): Promise<string> {
    const open = (): Readable => Readable.from(lines(parts()), { objectMode: false });
    const file = {
      filename: `sluice-${id}.jsonl`,
      contentType: 'application/jsonl',
      // A newline each.
      size: bytes + total,
      open,
      read: async () => Buffer.concat(await open().toArray()),
    };
    const form = [['purpose', 'batch'] as const, ['file', file] as const];
    const answer = membersOf(await this.#client.http.json(this.#at('/files'), { method: 'POST', form, signal }));
    return filledTextOf(answer.id) ?? this.#invalid('a file without an id');
  }

  async isUploaded(uploadId: string, signal: AbortSignal): Promise<boolean> {
    if (this.#shape.processesFiles !== true) return true;
    const url = this.#at(`/files/${encodeURIComponent(uploadId)}`);
    const { status } = membersOf(await this.#client.http.json(url, { signal }));
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
    const { status, errors } = await this.#get(externalId, signal);
    if (status === 'failed') {
      const [first] = listOf(membersOf(errors).data).filter(isObject);
      return { type: 'failed', answer: failureOf(first ?? {}) };
    }
    return { type: status === 'completed' || status === 'expired' || status === 'cancelled' ? 'ended' : 'running' };
  }

  async *results(externalId: string, signal: AbortSignal): AsyncGenerator<PartResult, void> {
    const { output_file_id: output, error_file_id: errors } = await this.#get(externalId, signal);
    for (const file of [filledTextOf(output), filledTextOf(errors)]) {
      if (file === null) continue;
      const url = this.#at(`/files/${encodeURIComponent(file)}/content`);
      const content = await this.#client.http.content(url, {}, signal);
      // It may be there a moment later: without it, its lines would count as not run.
      if (content === null) throw this.#client.http.invalid('a result file that does not exist');
      for await (const line of jsonLines(content.body, TOO_LONG)) {
        const result = resultOf(line);
        if (result !== null) yield result;
      }
    }
  }

  async cancel(externalId: string, signal: AbortSignal): Promise<void> {
    await this.#client.http.json(this.#one(externalId, '/cancel'), { method: 'POST', signal });
  }

  async discard(uploadId: string, signal: AbortSignal): Promise<void> {
    await this.#client.http.json(this.#at(`/files/${encodeURIComponent(uploadId)}`), { method: 'DELETE', signal });
  }

  async remove(externalId: string, signal: AbortSignal): Promise<void> {
    const { input_file_id: input, output_file_id: output, error_file_id: errors } = await this.#get(externalId, signal);
    for (const file of [input, output, errors].map(filledTextOf)) if (file !== null) await this.discard(file, signal);
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

async function* lines(parts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const part of parts) yield Buffer.from(`${part}\n`);
}

/** JSON has newlines only between its tokens. */
function oneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ');
}
