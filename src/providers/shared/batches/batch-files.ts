import { Readable } from 'node:stream';
import { filledTextOf, membersOf, type JsonObject } from '../../../protocols/canonical/json-members.ts';
import type { UploadedFile } from '../http/uploaded-file.ts';
import type { JobHttp } from '../jobs/job-http.ts';
import type { NewProviderBatch, PartResult } from './batch-service.ts';
import { jsonLines } from './json-lines.ts';
import { resultOf, TOO_LONG } from './openai-batch-results.ts';

/**
 * The files of a batch API whose requests and results are files of OpenAI's format: `POST /files` of the purpose `batch`,
 * `GET /files/{id}/content` and `DELETE /files/{id}`.
 */
export class BatchFiles {
  readonly #http: JobHttp;
  readonly #at: (endpoint: string) => string;

  /** @param at the full URL of an endpoint: `/files` */
  constructor(http: JobHttp, at: (endpoint: string) => string) {
    this.#http = http;
    this.#at = at;
  }

  /** @returns the id of the file */
  async upload(batch: NewProviderBatch, signal: AbortSignal): Promise<string> {
    const form = [['purpose', 'batch'] as const, ['file', requestFile(batch)] as const];
    const answer = membersOf(await this.#http.json(this.#at('/files'), { method: 'POST', form, signal }));
    const id = filledTextOf(answer.id);
    if (id === null) throw this.#http.invalid('a file without an id');
    return id;
  }

  async get(id: string, signal: AbortSignal): Promise<JsonObject> {
    return membersOf(await this.#http.json(this.#one(id), { signal }));
  }

  /** The results in files, of which some may be absent. */
  async *results(ids: readonly unknown[], signal: AbortSignal): AsyncGenerator<PartResult, void> {
    for (const id of ids.map(filledTextOf)) {
      if (id === null) continue;
      const content = await this.#http.content(this.#one(id, '/content'), {}, signal);
      // It may be there a moment later: without it, its lines would count as not run.
      if (content === null) throw this.#http.invalid('a result file that does not exist');
      for await (const line of jsonLines(content.body, TOO_LONG)) {
        const result = resultOf(line);
        if (result !== null) yield result;
      }
    }
  }

  /** Deletes files, of which some may be absent. */
  async delete(ids: readonly unknown[], signal: AbortSignal): Promise<void> {
    for (const id of ids.map(filledTextOf))
      if (id !== null) await this.#http.json(this.#one(id), { method: 'DELETE', signal });
  }

  #one(id: string, rest = ''): string {
    return this.#at(`/files/${encodeURIComponent(id)}${rest}`);
  }
}

/** The requests of a batch as a file, a line each. */
export function requestFile({ id, bytes, total, parts }: NewProviderBatch): UploadedFile {
  const open = (): Readable => Readable.from(lines(parts()), { objectMode: false });
  return {
    filename: `sluice-${id}.jsonl`,
    contentType: 'application/jsonl',
    // A newline each.
    size: bytes + total,
    open,
    read: async () => Buffer.concat(await open().toArray()),
  };
}

async function* lines(parts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const part of parts) yield Buffer.from(`${part}\n`);
}

/** JSON has newlines only between its tokens. */
export function oneLine(json: string): string {
  return json.replace(/[\r\n]+/g, ' ');
}
