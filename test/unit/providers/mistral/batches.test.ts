import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection } from '../../../../src/providers/contract.ts';
import { mistral } from '../../../../src/providers/mistral/mistral.ts';
import type { BatchService } from '../../../../src/providers/shared/batches/batch-service.ts';
import { json, startFakeProvider, type FakeProvider } from '../../../harness/fake-provider.ts';

const { signal } = new AbortController();

let provider: FakeProvider;
let connection: Connection;
let service: BatchService;

beforeAll(async () => {
  provider = await startFakeProvider();
  connection = mistral.open({
    id: 'mistral',
    apiKey: 'x',
    baseUrl: provider.url,
    connectTimeoutMs: 1_000,
    options: {},
  });
  service = connection.batches ?? expect.fail('no batch API');
});

afterAll(async () => {
  await connection.close();
  await provider.close();
});

describe("a batch at Mistral's batch API", () => {
  it.each([
    ['QUEUED', {}, 'running'],
    ['CANCELLATION_REQUESTED', {}, 'running'],
    ['TIMEOUT_EXCEEDED', {}, 'ended'],
    ['CANCELLED', {}, 'ended'],
    ['FAILED', {}, 'failed'],
    // Its requests have errors of their own.
    ['FAILED', { error_file: 'errors' }, 'ended'],
  ])('in the state %s with %j has %s', async (status, members, type) => {
    provider.answerWith(json(200, { status, errors: [{ message: 'No such model.', count: 2 }], ...members }));
    const found = await service.state('one', signal);
    expect(found.type).toBe(type);
    if (found.type === 'failed') expect(found.answer.body).toContain('No such model.');
  });

  it('runs chats, embeddings and moderations, whose model is that of the batch', () => {
    const body = '{"model":"m",\n"input":"Hi"}';
    const parts = ['/v1/embeddings', '/v1/moderations', '/v1/audio/transcriptions'].map((path) =>
      service.partOf({ path, headers: [], body }, 'one'),
    );
    const text = '{"custom_id":"one","body":{"input":"Hi"}}';
    expect(parts).toEqual([{ kind: '/v1/embeddings', text }, { kind: '/v1/moderations', text }, null]);
  });

  it('is looked for among those that were created since it began, on every page', async () => {
    const since = Date.parse('2026-11-27T12:00:00Z');
    const others = Array.from({ length: 100 }, (_, at) => ({ id: `other-${at}`, input_files: [`file-${at}`] }));
    provider.answerWith(async (request, response) => {
      const { searchParams } = new URL(request.path, provider.url);
      const data = searchParams.get('page') === '0' ? others : [{ id: 'ours', input_files: ['our-file'] }];
      await json(200, { data, created_after: searchParams.get('created_after') })(request, response);
    });
    const sought = { id: 'x', kind: '', model: 'm', total: 1, bytes: 1, parts: () => expect.fail('is not sent') };
    const before = provider.requests.length;
    expect(await service.find(sought, 'our-file', since, signal)).toEqual({ externalId: 'ours' });
    expect(await service.find(sought, 'no-file', since, signal)).toBe('none');
    const pages = provider.requests.slice(before).map(({ path }) => new URL(path, provider.url).searchParams);
    expect(pages.map((page) => page.get('page'))).toEqual(['0', '1', '0', '1']);
    // Clocks may differ.
    expect(new Set(pages.map((page) => page.get('created_after')))).toEqual(new Set(['2026-11-27T11:55:00.000Z']));
  });
});
