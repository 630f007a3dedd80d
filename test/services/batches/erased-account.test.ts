import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { cancelAtProviders } from '../../../src/gateway/batches/provider/cancel-batches.ts';
import { newEventIds } from '../../../src/gateway/event-id.ts';
import type { Connection } from '../../../src/providers/contract.ts';
import { openai } from '../../../src/providers/openai-compatible/openai.ts';
import type { BatchService } from '../../../src/providers/shared/batches/batch-service.ts';
import { BatchLeases } from '../../../src/services/batches/batch-leases.ts';
import { StoredProviderBatches } from '../../../src/services/batches/provider-batch-store.ts';
import { AccountErasure } from '../../../src/services/members/account-erasure.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { startFakeOpenAiBatches, type FakeOpenAiBatches } from '../../harness/fake-openai-batches.ts';
import { newAccount } from '../responses/given-response.ts';

const DAY_MS = 86_400_000;
const KIND = '/v1/chat/completions';

describeWithDatabase('the erasure of an account with batches at a provider', (databases) => {
  let database: Database;
  let provider: FakeOpenAiBatches;
  let connection: Connection;
  let service: BatchService;
  let accountId: string;
  let warnings: string[];

  beforeEach(async () => {
    database = await databases.open();
    provider = await startFakeOpenAiBatches();
    const settings = { id: 'openai', apiKey: 'x', baseUrl: provider.url, connectTimeoutMs: 1_000, options: {} };
    connection = openai.open(settings);
    service = connection.batches ?? expect.fail('no batch API');
    accountId = await newAccount(database);
    warnings = [];
    const due = new Date(Date.now() - DAY_MS);
    await database.query('update accounts set erased_after = $2 where id = $1', [accountId, due]);
    await database.query('insert into billing_marks (account_id, closed_until) values ($1, now())', [accountId]);
  });

  afterEach(async () => {
    await connection.close();
    await provider.close();
  });

  /** Uploads a request and stores its batch. @param isCreated whether the provider creates it */
  async function batch(stage: string, isCreated: boolean, isKnown = isCreated): Promise<void> {
    const [{ eventId: id }, { eventId: own }] = [newEventIds(), newEventIds()];
    async function* parts(): AsyncGenerator<string> {
      yield '{}';
    }
    const given = { id: own, kind: KIND, model: 'm', total: 1, bytes: 2, parts };
    const { signal } = new AbortController();
    const uploadId = (await service.upload?.(given, signal)) ?? null;
    const externalId = isCreated ? await service.create(given, uploadId, signal) : null;
    await database.query(
      `insert into batches (id, account_id, api_key_id, protocol, endpoint, status, total, created_at, expires_at, removed_after)
       values ($1, $2, $1, 'openai', $3, 'in_progress', 1, now(), now() + interval '1 day', now() + interval '30 days')`,
      [id, accountId, KIND],
    );
    await database.query(
      `insert into provider_batches (id, batch_id, connection_id, model, upstream_model, kind, stage, total, upload_id, external_id)
       values ($1, $2, 'openai', 'openai/m', 'm', $3, $4, 1, $5, $6)`,
      [own, id, KIND, stage, uploadId, isKnown ? externalId : null],
    );
  }

  async function erase(): Promise<string[]> {
    const store = new StoredProviderBatches(database, new BatchLeases(database));
    const dependencies = {
      parts: (id: string) => store.parts(id),
      connection: async () => connection,
      log: { warn: (_fields: object, message: string) => void warnings.push(message) },
    };
    const erasure = new AccountErasure(database, async (id, signal) =>
      cancelAtProviders(dependencies, id, await store.openOf(id), signal),
    );
    return erasure.eraseDue(new Date());
  }

  const rowsLeft = (): Promise<object[]> => database.query('select id from batches where account_id = $1', [accountId]);

  it('cancels those that run, also one whose creation was not answered, and deletes their files', async () => {
    await batch('running', true);
    await batch('creating', true, false);
    await batch('uploading', false);
    await batch('ended', true);
    expect(await erase()).toEqual([accountId]);
    expect(provider.batches.map(({ status }) => status)).toEqual(['cancelling', 'cancelling', 'validating']);
    expect(provider.deletedFiles).toEqual(['file-1', 'file-2', 'file-3']);
    expect([await rowsLeft(), warnings]).toEqual([[], []]);
  });

  it('is not held up by a provider that cannot be reached', async () => {
    await batch('running', true);
    await batch('uploading', false);
    await provider.close();
    expect(await erase()).toEqual([accountId]);
    expect(await rowsLeft()).toEqual([]);
    // Its cancellation, and both deletions.
    expect(warnings).toHaveLength(3);
    provider = await startFakeOpenAiBatches();
  });
});
