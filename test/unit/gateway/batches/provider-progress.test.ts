import { beforeEach, describe, expect, it } from 'vitest';
import { SluiceError } from '../../../../src/errors/index.ts';
import type { ProviderBatchDependencies } from '../../../../src/gateway/batches/provider/dependencies.ts';
import type { ProviderBatch } from '../../../../src/gateway/batches/provider/provider-batch.ts';
import { ProviderProgress } from '../../../../src/gateway/batches/provider/provider-progress.ts';
import type { BatchService, FoundBatch } from '../../../../src/providers/shared/batches/batch-service.ts';
import { FakeClock } from '../../../harness/fake-clock.ts';
import { MemoryBatchStore, noProviderBatches } from './memory-batch-store.ts';

const unused = (): never => {
  throw new Error('is not called');
};

/** A provider whose creations fail, and that finds nothing. */
class FailingService implements BatchService {
  readonly maxRequests = 1;
  readonly maxBytes = 1;
  readonly partOf = unused;
  readonly state = unused;
  readonly results = unused;
  readonly cancel = unused;
  created = 0;
  found: FoundBatch = 'none';
  status: number | null = 500;

  errorBody(message: string): string {
    return JSON.stringify({ error: { message } });
  }

  async create(): Promise<string> {
    this.created++;
    if (this.status === null) return 'external';
    throw new SluiceError('provider_unreachable', { values: { provider: 'p' }, upstreamStatus: this.status });
  }

  async find(): Promise<FoundBatch> {
    return this.found;
  }
}

let service: FailingService;
let row: ProviderBatch;
let failed: number | null;
let clock: FakeClock;

beforeEach(() => {
  service = new FailingService();
  clock = new FakeClock();
  failed = null;
  row = {
    id: '01936f00-0000-7000-8000-000000000002',
    connectionId: 'openai',
    model: 'openai/m',
    upstreamModel: 'm',
    kind: '/v1/chat/completions',
    stage: 'collecting',
    total: 1,
    bytes: 10,
    reservedNano: 0n,
    uploadId: null,
    externalId: null,
    creatingSince: null,
    isCancelled: false,
    counts: { succeeded: 0, failed: 0 },
    createdAt: clock.now(),
  };
});

/** One step of its progress. @returns whether it has ended */
function advance(): Promise<boolean> {
  const { batch } = new MemoryBatchStore({ expiresAt: clock.now() + 86_400_000 }, [{}]);
  const providerBatches: ProviderBatchDependencies['providerBatches'] = {
    ...noProviderBatches,
    list: async () => [row],
    change: async (_batch, _id, change) => {
      row = { ...row, ...change };
      return true;
    },
    respondToAll: async (_batch, _id, { status }) => {
      failed = status;
      return true;
    },
  };
  const connection = { batches: service };
  const dependencies = { providerBatches, connection: async () => connection, clock, log: { warn: () => undefined } };
  return new ProviderProgress(dependencies, batch, new AbortController().signal, () => false).advance();
}

describe('the creation of a batch at a provider', () => {
  it.each([500, 502, 408])(
    'is not repeated after the status %i before it can be told that there is none',
    async (status) => {
      service.status = status;
      expect(await advance()).toBe(false);
      service.status = null;
      expect(await advance()).toBe(false);
      expect([row.stage, service.created]).toEqual(['creating', 1]);
      clock.advance(61_000);
      service.found = 'unclear';
      await advance();
      expect([row.stage, service.created]).toEqual(['creating', 1]);
      service.found = 'none';
      await advance();
      await advance();
      expect([row.stage, row.externalId, service.created]).toEqual(['running', 'external', 2]);
    },
  );

  it('is over once the batch is found', async () => {
    await advance();
    service.found = { externalId: 'found' };
    await advance();
    expect([row.stage, row.externalId, service.created]).toEqual(['running', 'found', 1]);
  });

  it('is repeated after a rate limit, which has created none', async () => {
    service.status = 429;
    expect(await advance()).toBe(false);
    service.status = null;
    await advance();
    expect([row.stage, service.created]).toEqual(['running', 2]);
  });

  it('fails with each of its lines where the provider refuses it', async () => {
    service.status = 400;
    expect(await advance()).toBe(true);
    expect([row.stage, failed]).toEqual(['ended', 400]);
  });
});
