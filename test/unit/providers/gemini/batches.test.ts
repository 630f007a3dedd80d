import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../../../src/providers/contract.ts';
import { gemini } from '../../../../src/providers/gemini/gemini.ts';
import type { BatchService, PartResult } from '../../../../src/providers/shared/batches/batch-service.ts';
import { json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';

const { signal } = new AbortController();

let provider: FakeProvider;
let connection: Connection;
let service: BatchService;

beforeAll(async () => {
  provider = await startFakeProvider();
  const baseUrl = provider.url.replace(/v1$/, 'v1beta');
  connection = gemini.open({ id: 'gemini', apiKey: 'x', baseUrl, connectTimeoutMs: 1_000, options: {} });
  service = connection.batches ?? expect.fail('no batch API');
});

afterAll(async () => {
  await connection.close();
  await provider.close();
});

/** @param lines of its file of results */
function answerWith(batch: object, lines: readonly object[] = []): void {
  const text = lines.map((line) => JSON.stringify(line)).join('\n');
  provider.answerWith(async (request, response) => {
    if (request.path.startsWith('/download/')) response.end(text);
    else await json(200, batch)(request, response);
  });
}

const succeeded = {
  done: true,
  metadata: { state: 'BATCH_STATE_SUCCEEDED' },
  response: { responsesFile: 'files/results' },
};

async function results(): Promise<PartResult[]> {
  const found: PartResult[] = [];
  for await (const result of service.results('one', signal)) found.push(result);
  return found;
}

describe("a batch at Gemini's batch API", () => {
  it.each([
    ['BATCH_STATE_PENDING', 'running'],
    ['JOB_STATE_RUNNING', 'running'],
    ['JOB_STATE_SUCCEEDED', 'ended'],
    ['BATCH_STATE_CANCELLED', 'ended'],
    ['BATCH_STATE_EXPIRED', 'ended'],
    ['JOB_STATE_FAILED', 'failed'],
  ])('in the state %s has %s', async (state, type) => {
    answerWith({ metadata: { state, batchStats: { successfulRequestCount: '2', failedRequestCount: '1' } } });
    const found = await service.state('one', signal);
    expect(found.type).toBe(type);
    if (found.type !== 'failed') expect(found.counts).toEqual({ succeeded: 2, failed: 1 });
  });

  it('has ended where its operation has, whose error is that of all of its requests', async () => {
    answerWith({ done: true, metadata: {}, error: { code: 7, message: 'No access.' } });
    const error = { code: 403, message: 'No access.', status: 'PERMISSION_DENIED' };
    const answer = { status: 403, body: JSON.stringify({ error }) };
    expect(await service.state('one', signal)).toEqual({ type: 'failed', answer });
    answerWith({ done: true, metadata: {}, error: { code: 1, message: 'Cancelled.' } });
    expect(await service.state('one', signal)).toMatchObject({ type: 'ended' });
  });

  it('has the HTTP statuses of the errors of its requests, and no result of one that was not run', async () => {
    const codes = [3, 5, 8, 14, 429, 99, 0, 1];
    answerWith(
      succeeded,
      codes.map((code) => ({ key: `code-${code}`, error: { code, message: 'Bad.' } })),
    );
    const found = await results();
    expect(found.map(({ id, status }) => [id, status])).toEqual([
      ['code-3', 400],
      ['code-5', 404],
      ['code-8', 429],
      ['code-14', 503],
      ['code-429', 429],
      ['code-99', 500],
      ['code-0', 500],
    ]);
    expect(JSON.parse(found[6]?.body ?? '')).toMatchObject({ error: { status: 'UNKNOWN' } });
    expect(JSON.parse(found[2]?.body ?? '')).toEqual({
      error: { code: 429, message: 'Bad.', status: 'RESOURCE_EXHAUSTED' },
    });
  });

  it('has no results where it was cancelled before it had any; without those of one that succeeded, it is asked again', async () => {
    answerWith({ done: true, metadata: { state: 'BATCH_STATE_CANCELLED' } });
    expect(await results()).toEqual([]);
    answerWith({ done: true, metadata: { state: 'BATCH_STATE_SUCCEEDED' } });
    await expect(results()).rejects.toMatchObject({ code: 'provider_invalid_response' });
  });

  it('leaves a file to its end whose name is too long to be deleted', async () => {
    const name = `files/batch-${'x'.repeat(40)}`;
    const metadata = { inputConfig: { fileName: 'files/input' }, output: { responsesFile: name } };
    answerWith({ done: true, metadata });
    await service.remove?.('one', signal);
    const deleted = provider.requests.filter(({ method }) => method === 'DELETE').map(({ path }) => path);
    expect(deleted).toEqual(['/v1beta/files/input', '/v1beta/batches/one']);
  });
});
