import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  countIn,
  isObject,
  listOf,
  membersOf,
  textOf,
  type JsonObject,
} from '../../protocols/canonical/json-members.ts';
import { oneLine, requestFile } from '../shared/batches/batch-files.ts';
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
import type { FormBody } from '../shared/http/form-body.ts';
import { pathSegment } from '../shared/http/path-segment.ts';
import type { JobHttp } from '../shared/jobs/job-http.ts';
import { answerOfStatus, isCancelled, resultOf, TOO_LONG } from './batch-results.ts';

const KIND = 'generateContent';
/** A batch may contain its results in the list. */
const PAGE = 20;
const MAX_PAGES = 250;
/** The Files API does not delete files with longer ids, which results may have. Source: googleapis/python-genai issue 1759. */
const MAX_FILE_ID_LENGTH = 40;

/**
 * The Batch API of Gemini: a file of requests by the Files API, then `POST /models/{model}:batchGenerateContent`,
 * `GET /batches/{id}`, `GET /batches`, `POST /batches/{id}:cancel` and `DELETE`. The results are a file, since those that are
 * part of the batch itself have no bound. Sources: ai.google.dev/gemini-api/docs/batch-api and ai.google.dev/api/batch-api; for
 * files ai.google.dev/api/files, uploaded in one request as Google's `GoogleAIFileManager` does.
 */
export class GeminiBatches implements BatchService {
  readonly maxRequests = 100_000;
  /** Less than the 2 GB that it accepts. */
  readonly maxBytes = 1_900_000_000;
  readonly #http: JobHttp;
  readonly #path: string;

  /** @param path of the base URL: `/v1beta` */
  constructor(http: JobHttp, path: string) {
    this.#http = http;
    this.#path = path;
  }

  partOf({ path, body }: SentRequest, id: string): BatchPart | null {
    if (!path.startsWith(`${this.#path}/models/`) || !path.endsWith(`:${KIND}`)) return null;
    return { kind: KIND, text: `{"key":${JSON.stringify(id)},"request":${oneLine(body)}}` };
  }

  errorBody(message: string): string {
    return answerOfStatus({ code: 3, message }).body;
  }

  async upload(batch: NewProviderBatch, signal: AbortSignal): Promise<string> {
    const headers = ['x-goog-upload-protocol', 'multipart'];
    // `upload` stands before the version.
    const url = this.#http.rooted(`${this.#path.replace(/\/[^/]*$/, '/upload$&')}/files`);
    const answer = await this.#http.json(url, { method: 'POST', body: relatedBody(batch), headers, signal });
    return this.#idOf(membersOf(answer).file, 'files');
  }

  async isUploaded(uploadId: string, signal: AbortSignal): Promise<boolean> {
    const { state } = membersOf(await this.#http.json(this.#at('files', uploadId), { signal }));
    return state !== 'PROCESSING';
  }

  async create({ id, model }: NewProviderBatch, uploadId: string | null, signal: AbortSignal): Promise<string> {
    const name = pathSegment(model.replace(/^models\//, ''));
    const json = { batch: { displayName: nameOf(id), inputConfig: { fileName: `files/${uploadId}` } } };
    const url = this.#http.url(`/models/${name}:batchGenerateContent`);
    return this.#idOf(await this.#http.json(url, { method: 'POST', json, signal }), 'batches');
  }

  /** Their order is not documented: all are searched. */
  async find(
    { id }: NewProviderBatch,
    _uploadId: string | null,
    _since: number,
    signal: AbortSignal,
  ): Promise<FoundBatch> {
    let token = '';
    for (let page = 0; page < MAX_PAGES; page++) {
      const next = token === '' ? '' : `&pageToken=${encodeURIComponent(token)}`;
      const url = this.#http.url(`/batches?pageSize=${PAGE}${next}`);
      const answer = membersOf(await this.#http.json(url, { signal }));
      const found = listOf(answer.operations)
        .filter(isObject)
        .find(({ metadata }) => membersOf(metadata).displayName === nameOf(id));
      if (found !== undefined) return { externalId: this.#idOf(found, 'batches') };
      token = textOf(answer.nextPageToken) ?? '';
      if (token === '') return 'none';
    }
    return 'unclear';
  }

  async state(externalId: string, signal: AbortSignal): Promise<ProviderBatchState> {
    const { done, metadata, error } = await this.#get(externalId, signal);
    const state = stateOf(metadata);
    if (state === 'FAILED' || (isObject(error) && !isCancelled(error) && state !== 'EXPIRED'))
      return { type: 'failed', answer: answerOfStatus(membersOf(error)) };
    const hasEnded = done === true || state === 'SUCCEEDED' || state === 'CANCELLED' || state === 'EXPIRED';
    const stats = membersOf(membersOf(metadata).batchStats);
    const counts = {
      succeeded: countIn(stats, 'successfulRequestCount'),
      failed: countIn(stats, 'failedRequestCount'),
    };
    return { type: hasEnded ? 'ended' : 'running', counts };
  }

  async *results(externalId: string, signal: AbortSignal): AsyncGenerator<PartResult, void> {
    const batch = await this.#get(externalId, signal);
    const file = responsesFileOf(batch);
    if (file === null) {
      if (stateOf(batch.metadata) === 'SUCCEEDED') throw this.#http.invalid('a batch without results');
      return;
    }
    const path = this.#path.replace(/\/[^/]*$/, '/download$&');
    const url = this.#http.rooted(`${path}/files/${encodeURIComponent(file)}:download?alt=media`);
    const content = await this.#http.content(url, {}, signal);
    // It may be there a moment later: without it, its lines would count as not run.
    if (content === null) throw this.#http.invalid('a result file that does not exist');
    for await (const line of jsonLines(content.body, TOO_LONG, { idName: 'key' })) {
      const result = resultOf(line);
      if (result !== null) yield result;
    }
  }

  async cancel(externalId: string, signal: AbortSignal): Promise<void> {
    await this.#http.json(`${this.#at('batches', externalId)}:cancel`, { method: 'POST', signal });
  }

  async discard(uploadId: string, signal: AbortSignal): Promise<void> {
    await this.#http.json(this.#at('files', uploadId), { method: 'DELETE', signal });
  }

  /** A file that is not deleted ends after 48 hours. */
  async remove(externalId: string, signal: AbortSignal): Promise<void> {
    const batch = await this.#get(externalId, signal);
    const input = membersOf(membersOf(batch.metadata).inputConfig).fileName;
    const files = [idIn(input, 'files'), responsesFileOf(batch)];
    for (const file of files) if (file !== null && file.length <= MAX_FILE_ID_LENGTH) await this.discard(file, signal);
    await this.#http.json(this.#at('batches', externalId), { method: 'DELETE', signal });
  }

  async #get(externalId: string, signal: AbortSignal): Promise<JsonObject> {
    return membersOf(await this.#http.json(this.#at('batches', externalId), { signal }));
  }

  #at(collection: Collection, id: string): string {
    return this.#http.url(`/${collection}/${encodeURIComponent(id)}`);
  }

  #idOf(resource: unknown, collection: Collection): string {
    const id = idIn(membersOf(resource).name, collection);
    if (id === null) throw this.#http.invalid(`no name of ${collection}`);
    return id;
  }
}

type Collection = 'files' | 'batches';

/** The id of a resource: `abc` of `files/abc`. */
function idIn(name: unknown, collection: Collection): string | null {
  const [, id] = /^(?:files|batches)\/([\w-]+)$/.exec(textOf(name) ?? '') ?? [];
  return id !== undefined && textOf(name)?.startsWith(`${collection}/`) === true ? id : null;
}

/** States have either prefix. */
function stateOf(metadata: unknown): string {
  return (textOf(membersOf(metadata).state) ?? '').replace(/^(?:BATCH|JOB)_STATE_/, '');
}

/** The id of the file of results, which a batch that was cancelled may have too. */
function responsesFileOf({ response, metadata }: JsonObject): string | null {
  const name = membersOf(response).responsesFile ?? membersOf(membersOf(metadata).output).responsesFile;
  return idIn(name, 'files');
}

function nameOf(id: string): string {
  return `sluice-${id}`;
}

/** The metadata of a file and its content in one body. Source: RFC 2387. */
function relatedBody(batch: NewProviderBatch): FormBody {
  const { filename, contentType, size, open } = requestFile(batch);
  const boundary = `sluice-${randomUUID()}`;
  const metadata = JSON.stringify({ file: { displayName: filename, mimeType: contentType } });
  const head = Buffer.from(
    `--${boundary}\r\ncontent-type: application/json; charset=utf-8\r\n\r\n${metadata}\r\n` +
      `--${boundary}\r\ncontent-type: ${contentType}\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* bytes(): AsyncGenerator<Buffer> {
    yield head;
    yield* open();
    yield tail;
  }
  return {
    contentType: `multipart/related; boundary=${boundary}`,
    length: head.length + size + tail.length,
    stream: Readable.from(bytes(), { objectMode: false }),
  };
}
