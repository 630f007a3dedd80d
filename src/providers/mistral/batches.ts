import {
  countIn,
  filledTextOf,
  isObject,
  listOf,
  membersOf,
  textOf,
  type JsonObject,
} from '../../protocols/canonical/json-members.ts';
import { BatchFiles, oneLine } from '../shared/batches/batch-files.ts';
import type {
  BatchPart,
  BatchService,
  FoundBatch,
  NewProviderBatch,
  PartResult,
  ProviderBatchState,
  SentRequest,
} from '../shared/batches/batch-service.ts';
import type { OpenAiBatchClient } from '../shared/batches/openai-batches.ts';
import { failureOf } from '../shared/batches/openai-batch-results.ts';
import { withMembers } from '../shared/http/request-body.ts';

/** By the path after the base URL. */
const endpoints: Readonly<Record<string, string>> = {
  '/chat/completions': '/v1/chat/completions',
  '/embeddings': '/v1/embeddings',
  '/moderations': '/v1/moderations',
};
const CLOCK_SKEW_MS = 5 * 60_000;
const PAGE = 100;
const MAX_PAGES = 50;
const ended: ReadonlySet<unknown> = new Set(['SUCCESS', 'FAILED', 'TIMEOUT_EXCEEDED', 'CANCELLED']);

/**
 * Mistral's Batch API: a file of requests by `POST /files`, then `POST /batch/jobs` with `input_files`, `GET /batch/jobs/{id}`,
 * `GET /batch/jobs` and `POST /batch/jobs/{id}/cancel`; the results are the files `output_file` and `error_file`, whose lines
 * are those of OpenAI's. The model is one of the job, not of its lines. Sources: docs.mistral.ai/capabilities/batch, and
 * docs.mistral.ai/api/endpoint/batch with `BatchJob` and `BatchJobStatus` of `@mistralai/mistralai`.
 */
export class MistralBatches implements BatchService {
  /** The maximum number of pending requests of a workspace. */
  readonly maxRequests = 1_000_000;
  /** Less than the 512 MB that a file may have. */
  readonly maxBytes = 490_000_000;
  readonly #client: OpenAiBatchClient;
  readonly #files: BatchFiles;

  constructor(client: OpenAiBatchClient) {
    this.#client = client;
    this.#files = new BatchFiles(client.http, (endpoint) => client.http.url(endpoint));
  }

  partOf({ path, body }: SentRequest, id: string): BatchPart | null {
    const kind = endpoints[path.slice(this.#client.basePath.length)];
    if (kind === undefined) return null;
    const own = withMembers(Buffer.from(body), { model: null }).toString();
    return { kind, text: `{"custom_id":${JSON.stringify(id)},"body":${oneLine(own)}}` };
  }

  errorBody(message: string): string {
    return failureOf({ message }).body;
  }

  upload(batch: NewProviderBatch, signal: AbortSignal): Promise<string> {
    return this.#files.upload(batch, signal);
  }

  async create({ id, kind, model }: NewProviderBatch, uploadId: string | null, signal: AbortSignal): Promise<string> {
    const { http } = this.#client;
    const metadata = { sluice_batch: id };
    const json = { input_files: [uploadId], endpoint: kind, model, metadata, timeout_hours: 24 };
    const answer = membersOf(await http.json(this.#at(''), { method: 'POST', json, signal }));
    const created = filledTextOf(answer.id);
    if (created === null) throw http.invalid('a batch without an id');
    return created;
  }

  async find(
    _batch: NewProviderBatch,
    uploadId: string | null,
    since: number,
    signal: AbortSignal,
  ): Promise<FoundBatch> {
    const after = encodeURIComponent(new Date(since - CLOCK_SKEW_MS).toISOString());
    for (let page = 0; page < MAX_PAGES; page++) {
      const url = this.#at(`?page=${page}&page_size=${PAGE}&created_after=${after}`);
      const jobs = listOf(membersOf(await this.#client.http.json(url, { signal })).data).filter(isObject);
      const found = jobs.find(({ input_files: files }) => listOf(files).includes(uploadId));
      const id = filledTextOf(found?.id);
      if (id !== null) return { externalId: id };
      if (jobs.length < PAGE) return 'none';
    }
    return 'unclear';
  }

  async state(externalId: string, signal: AbortSignal): Promise<ProviderBatchState> {
    const job = await this.#get(externalId, signal);
    const { status, errors, output_file: output, error_file: failures } = job;
    const hasResults = filledTextOf(output) !== null || filledTextOf(failures) !== null;
    if (status === 'FAILED' && !hasResults) {
      const [first] = listOf(errors).filter(isObject);
      return { type: 'failed', answer: failureOf({ message: textOf(first?.message) }) };
    }
    const counts = { succeeded: countIn(job, 'succeeded_requests'), failed: countIn(job, 'failed_requests') };
    return { type: ended.has(status) ? 'ended' : 'running', counts };
  }

  async *results(externalId: string, signal: AbortSignal): AsyncGenerator<PartResult, void> {
    const { output_file: output, error_file: errors } = await this.#get(externalId, signal);
    yield* this.#files.results([output, errors], signal);
  }

  async cancel(externalId: string, signal: AbortSignal): Promise<void> {
    await this.#client.http.json(this.#one(externalId, '/cancel'), { method: 'POST', signal });
  }

  discard(uploadId: string, signal: AbortSignal): Promise<void> {
    return this.#files.delete([uploadId], signal);
  }

  async remove(externalId: string, signal: AbortSignal): Promise<void> {
    const { input_files: inputs, output_file: output, error_file: errors } = await this.#get(externalId, signal);
    await this.#files.delete([...listOf(inputs), output, errors], signal);
  }

  async #get(externalId: string, signal: AbortSignal): Promise<JsonObject> {
    return membersOf(await this.#client.http.json(this.#one(externalId), { signal }));
  }

  #one(externalId: string, action = ''): string {
    return this.#at(`/${encodeURIComponent(externalId)}${action}`);
  }

  #at(rest: string): string {
    return this.#client.http.url(`/batch/jobs${rest}`);
  }
}
