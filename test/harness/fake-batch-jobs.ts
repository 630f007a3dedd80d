import type { ServerResponse } from 'node:http';
import {
  completion,
  json,
  refusal,
  startFakeProvider,
  usage,
  type FakeProvider,
  type Script,
} from './fake-provider.ts';

/** What becomes of one request: it is run, it fails, or it is not run. */
export type JobOutcome = 'answered' | 'failed' | 'not run';
export type JobEnd = 'completed' | 'cancelled' | 'expired';

export interface FakeJob {
  readonly id: string;
  readonly model: string;
  readonly file: string;
  /** The requests in order: their ids and bodies, and the text of the last message. */
  readonly requests: readonly { readonly id: string; readonly body: Record<string, unknown>; readonly text: string }[];
  /** As its provider names it. */
  state: string;
  succeeded: number;
  failed: number;
}

/** A loopback server with a provider's batch API, which keeps what it is sent. */
export interface FakeBatchJobs extends FakeProvider {
  /** What its connection has as its base URL. */
  readonly baseUrl: string;
  readonly jobs: readonly FakeJob[];
  /** The names of what was deleted. */
  readonly deleted: readonly string[];
  /** The requests that were sent one by one. */
  readonly single: readonly Record<string, unknown>[];
  /** Called when a batch was created, before that is answered. */
  onCreated: (response: ServerResponse) => void | Promise<void>;
  /** Ends a batch. */
  end(job: FakeJob, end: JobEnd, outcomeOf?: (line: number) => JobOutcome): void;
  /** Ends a batch that is refused as a whole. */
  refuse(job: FakeJob, message: string): void;
}

interface Uploads {
  readonly files: Map<string, string>;
  add(text: string): string;
}

function uploads(nameOf: (number: number) => string): Uploads {
  const files = new Map<string, string>();
  let count = 0;
  return {
    files,
    add: (text) => {
      const name = nameOf(++count);
      files.set(name, text);
      return name;
    },
  };
}

const bytesOf =
  (text: string | undefined): Script =>
  (_request, response) =>
    void response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/octet-stream' }).end(text);

/** Serves what `scriptOf` returns. */
function serve(provider: FakeProvider, scriptOf: (...given: Parameters<Script>) => Script | Promise<Script>): void {
  provider.answerWith(async (request, response) => {
    const script = await scriptOf(request, response);
    if (!response.destroyed) await script(request, response);
  });
}

/**
 * Mistral's Batch API. The shapes are those of `BatchJob`, `BatchJobStatus` and `ListBatchJobsResponse` of `@mistralai/mistralai`;
 * of the lines docs.mistral.ai/capabilities/batch.
 */
export async function startFakeMistralBatches(): Promise<FakeBatchJobs> {
  const provider = await startFakeProvider();
  const { files, add } = uploads((number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`);
  const jobs: (FakeJob & { output: string | null; errors: string | null; problems: object[] })[] = [];
  const [deleted, single]: [string[], Record<string, unknown>[]] = [[], []];
  const hooks: Pick<FakeBatchJobs, 'onCreated'> = { onCreated: () => undefined };
  const shown = (job: (typeof jobs)[number]): object => ({
    id: job.id,
    object: 'batch',
    input_files: [job.file],
    endpoint: '/v1/chat/completions',
    model: job.model,
    output_file: job.output,
    error_file: job.errors,
    errors: job.problems,
    status: job.state,
    created_at: Math.floor(Date.now() / 1000),
    total_requests: job.requests.length,
    completed_requests: job.succeeded + job.failed,
    succeeded_requests: job.succeeded,
    failed_requests: job.failed,
  });
  serve(provider, async ({ method, path, body, json: given }, response) => {
    const [, fileId = '', content] = /^\/v1\/files(?:\/([^/]+))?(\/content)?$/.exec(path) ?? [];
    if (path === '/v1/files') {
      const [, text = ''] = /name="file"[^]*?\r\n\r\n([^]*?)\r\n--sluice-/.exec(body) ?? [];
      return json(200, { id: add(text), object: 'file', purpose: 'batch' });
    }
    if (content !== undefined) return bytesOf(files.get(fileId));
    if (fileId !== '' && method === 'DELETE') {
      deleted.push(fileId);
      return json(200, { id: fileId, object: 'file', deleted: files.delete(fileId) });
    }
    if (path === '/v1/batch/jobs' && method === 'POST') {
      const [file] = given.input_files as string[];
      const requests = linesOf(files.get(file ?? '')).map(({ custom_id: id, body: own }) => {
        const members = own as Record<string, unknown>;
        const messages = members.messages as { readonly content: string }[];
        return { id: String(id), body: members, text: messages.at(-1)?.content ?? '' };
      });
      const id = `job-${jobs.length + 1}`;
      const counts = { succeeded: 0, failed: 0, output: null, errors: null, problems: [] };
      jobs.push({ id, model: String(given.model), file: file ?? '', requests, state: 'QUEUED', ...counts });
      await hooks.onCreated(response);
    }
    const [, id, action] = /^\/v1\/batch\/jobs\/([^/?]+)(\/cancel)?$/.exec(path) ?? [];
    const job = method === 'POST' && path === '/v1/batch/jobs' ? jobs.at(-1) : jobs.find((each) => each.id === id);
    if (job !== undefined && action !== undefined) job.state = 'CANCELLATION_REQUESTED';
    if (job !== undefined) return json(200, shown(job));
    if (path.startsWith('/v1/batch/jobs?'))
      return json(200, { object: 'list', data: jobs.toReversed().map(shown), total: jobs.length });
    if (path === '/v1/models') return json(200, { object: 'list', data: [] });
    single.push(given);
    return completion();
  });
  const states = { completed: 'SUCCESS', cancelled: 'CANCELLED', expired: 'TIMEOUT_EXCEEDED' } as const;
  return Object.assign(hooks, provider, {
    baseUrl: provider.url,
    jobs,
    deleted,
    single,
    end: (job: FakeJob, end: JobEnd, outcomeOf: (line: number) => JobOutcome = () => 'answered') => {
      const found = jobs.find(({ id }) => id === job.id);
      if (found === undefined) throw new Error('no job');
      const line = (id: string, status: number, body: object): string =>
        JSON.stringify({ id: `1-${id}`, custom_id: id, response: { status_code: status, body }, error: null });
      const results = found.requests.map((request, index) => ({ ...request, outcome: outcomeOf(index) }));
      const output = results
        .filter(({ outcome }) => outcome === 'answered')
        .map(({ id, text }) =>
          line(id, 200, {
            id: 'x',
            object: 'chat.completion',
            model: found.model,
            choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
            usage,
          }),
        );
      const errors = results
        .filter(({ outcome }) => outcome === 'failed')
        .map(({ id }) => line(id, 400, { object: 'error', message: 'Bad.', type: 'invalid_request', code: '3051' }));
      if (output.length > 0) found.output = add(output.toReversed().join('\n'));
      if (errors.length > 0) found.errors = add(errors.join('\n'));
      found.state = states[end];
    },
    refuse: (job: FakeJob, message: string) => {
      const found = jobs.find(({ id }) => id === job.id);
      found?.problems.push({ message, count: 1 });
      job.state = 'FAILED';
    },
  });
}

/**
 * The Batch API and the Files API of Gemini. The shapes are those of ai.google.dev/api/batch-api (Operation, GenerateContentBatch,
 * BatchStats) and ai.google.dev/api/files; of the lines ai.google.dev/gemini-api/docs/batch-api.
 */
export async function startFakeGeminiBatches(): Promise<FakeBatchJobs> {
  const provider = await startFakeProvider();
  const { files, add } = uploads((number) => `files/file${number}`);
  const jobs: (FakeJob & { displayName: string; responses: string | null; error: object | null })[] = [];
  const [deleted, single]: [string[], Record<string, unknown>[]] = [[], []];
  const hooks: Pick<FakeBatchJobs, 'onCreated'> = { onCreated: () => undefined };
  const shown = (job: (typeof jobs)[number]): object => {
    const output = job.responses === null ? {} : { responsesFile: job.responses };
    const ended = !['BATCH_STATE_PENDING', 'BATCH_STATE_RUNNING'].includes(job.state);
    return {
      name: `batches/${job.id}`,
      metadata: {
        '@type': 'type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch',
        model: `models/${job.model}`,
        displayName: job.displayName,
        inputConfig: { fileName: job.file },
        output,
        createTime: new Date().toISOString(),
        batchStats: {
          requestCount: String(job.requests.length),
          successfulRequestCount: String(job.succeeded),
          failedRequestCount: String(job.failed),
          pendingRequestCount: String(job.requests.length - job.succeeded - job.failed),
        },
        state: job.state,
        name: `batches/${job.id}`,
      },
      ...(ended && { done: true, ...(job.error === null ? { response: output } : { error: job.error }) }),
    };
  };
  serve(provider, async ({ method, path, headers, body, json: given }, response) => {
    if (path === '/upload/v1beta/files') {
      const [, boundary = ''] = /boundary=(.+)$/.exec(headers['content-type'] ?? '') ?? [];
      const [, metadata = '', text = ''] = body
        .split(`--${boundary}`)
        .map((part) => /\r\n\r\n([^]*)\r\n$/.exec(part)?.[1] ?? '');
      const { file } = JSON.parse(metadata);
      return json(200, { file: { name: add(text), ...file, state: 'PROCESSING' } });
    }
    const [, version = '', resource = '', action] = /^\/(?:download\/)?(v1beta)\/([^:?]+)(?::(.+))?$/.exec(path) ?? [];
    const file = files.get(resource);
    if (version !== '' && file !== undefined) {
      if (action === 'download?alt=media') return bytesOf(file);
      if (method === 'DELETE') deleted.push(resource);
      return json(200, method === 'DELETE' ? {} : { name: resource, state: 'ACTIVE' });
    }
    if (action === 'batchGenerateContent') {
      const batch = given.batch as { displayName: string; inputConfig: { fileName: string } };
      const requests = linesOf(files.get(batch.inputConfig.fileName)).map(({ key, request }) => {
        const members = request as Record<string, unknown>;
        const contents = members.contents as { readonly parts: { readonly text: string }[] }[];
        return { id: String(key), body: members, text: contents.at(-1)?.parts[0]?.text ?? '' };
      });
      const job = {
        id: `batch${jobs.length + 1}`,
        model: resource.replace('models/', ''),
        file: batch.inputConfig.fileName,
        displayName: batch.displayName,
        requests,
        state: 'BATCH_STATE_PENDING',
        succeeded: 0,
        failed: 0,
        responses: null,
        error: null,
      };
      jobs.push(job);
      await hooks.onCreated(response);
      return json(200, shown(job));
    }
    const job = jobs.find(({ id }) => resource === `batches/${id}`);
    if (job !== undefined && method === 'DELETE') deleted.push(resource);
    if (job !== undefined && action === 'cancel') job.state = 'BATCH_STATE_RUNNING';
    if (job !== undefined) return json(200, method === 'GET' ? shown(job) : {});
    if (path.startsWith('/v1beta/batches?')) return json(200, { operations: jobs.map(shown) });
    if (path.startsWith('/v1beta/models?')) return json(200, { models: [] });
    if (action !== 'generateContent') return refusal(404, 'no such resource');
    single.push(given);
    return json(200, contentOf('Hello.'));
  });
  const ends = {
    completed: ['SUCCEEDED', null],
    cancelled: ['CANCELLED', { code: 1, message: 'The operation was cancelled.' }],
    expired: ['EXPIRED', { code: 4, message: 'The batch has expired.' }],
  } as const;
  return Object.assign(hooks, provider, {
    baseUrl: provider.url.replace(/\/v1$/, '/v1beta'),
    jobs,
    deleted,
    single,
    end: (job: FakeJob, end: JobEnd, outcomeOf: (line: number) => JobOutcome = () => 'answered') => {
      const found = jobs.find(({ id }) => id === job.id);
      if (found === undefined) throw new Error('no job');
      const lines = found.requests.flatMap(({ id, text }, line) => {
        const outcome = outcomeOf(line);
        if (outcome === 'not run') return [];
        const result = outcome === 'answered' ? { response: contentOf(text) } : { error: { code: 3, message: 'Bad.' } };
        return [JSON.stringify({ key: id, ...result })];
      });
      if (lines.length > 0) found.responses = add(lines.join('\n'));
      const [state, error] = ends[end];
      found.state = `BATCH_STATE_${state}`;
      found.error = error;
    },
    refuse: (job: FakeJob, message: string) => {
      const found = jobs.find(({ id }) => id === job.id);
      if (found !== undefined) found.error = { code: 3, message };
      job.state = 'BATCH_STATE_FAILED';
    },
  });
}

function contentOf(text: string): object {
  return {
    candidates: [{ content: { parts: [{ text }], role: 'model' }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: 5, totalTokenCount: 17 },
    modelVersion: 'gemini',
  };
}

function linesOf(text: string | undefined): Record<string, unknown>[] {
  return (text ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
