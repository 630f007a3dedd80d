import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Budget } from '../../../src/gateway/keys/spend-bound.ts';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import { completion, startFakeProvider, type FakeProvider } from '../../harness/fake-provider.ts';
import { key, secret, startGateway, type TestGateway } from '../../harness/gateway.ts';

const PDF = Buffer.from('%PDF-1.4\n%%EOF\n');
const LARGE = Buffer.alloc(15 * 1024 * 1024, PDF);
const model = 'openai/gpt-4.1-mini';
const limits = { requestsPerMinute: 1_000, tokensPerMinute: 1_000_000, requestsPerDay: Infinity, concurrency: 100 };

let provider: FakeProvider;
let shelf: Server;
let fetched: string[] = [];
let held: ServerResponse[] = [];
let place = '';
let gateway: TestGateway;

beforeEach(async () => {
  [fetched, held] = [[], []];
  provider = await startFakeProvider(completion());
  shelf = createServer((request, response) => {
    fetched.push(request.url ?? '');
    if (request.url === '/absent') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'application/pdf' });
    if (request.url === '/paper.pdf') return void response.end(PDF);
    if (request.url === '/book.pdf') return void response.end(LARGE.subarray(0, 300_000));
    // Neither ends.
    response.write(request.url === '/large.pdf' ? LARGE : PDF);
    held.push(response);
    shelf.emit('held');
  }).listen(0, '127.0.0.1');
  await once(shelf, 'listening');
  const address = shelf.address();
  place = `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
});
afterEach(async () => {
  for (const response of held) response.destroy();
  await gateway.close();
  await provider.close();
  shelf.close();
});

async function start(record: Partial<KeyRecord>): Promise<void> {
  gateway = await startGateway({ openai: provider.url, key: record, allowedHosts: [place] });
}

async function ask(path: string, count = 1, signal: AbortSignal | null = null): Promise<[number, string]> {
  const content = Array.from({ length: count }, () => ({
    type: 'file',
    file: { file_data: `http://${place}${path}` },
  }));
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content }] }),
    signal,
  });
  return [answer.status, await answer.text()];
}

describe('nothing is fetched', () => {
  it('for a request without room in the limits of its key', async () => {
    await start({ limits: { ...limits, requestsPerMinute: 1 } });
    expect(await ask('/paper.pdf')).toEqual([200, expect.any(String)]);
    expect(fetched).toEqual(['/paper.pdf']);
    expect(await ask('/paper.pdf', 32)).toEqual([429, expect.stringContaining('rate_limit_exceeded')]);
    expect(fetched).toEqual(['/paper.pdf']);
  });

  it('for a model that the key may not use', async () => {
    await start({ allowedModels: ['openai/gpt-4.1'] });
    expect(await ask('/paper.pdf', 32)).toEqual([404, expect.stringContaining('model_not_found')]);
    expect(fetched).toEqual([]);
  });

  it('for a request that its budget does not cover', async () => {
    await start({ budgets: [budgetOf(1n)] });
    gateway.limits.open(budgetOf(1n));
    expect(await ask('/paper.pdf', 32)).toEqual([429, expect.stringContaining('insufficient_quota')]);
    expect(fetched).toEqual([]);
  });

  it('while the requests that the key may have at once wait for their files', async () => {
    await start({ limits: { ...limits, concurrency: 1 } });
    const client = new AbortController();
    const waiting = ask('/slow.pdf', 1, client.signal);
    await once(shelf, 'held');
    expect(await ask('/paper.pdf', 32)).toEqual([429, expect.stringContaining('rate_limit')]);
    expect(fetched).toEqual(['/slow.pdf']);
    const closed = once(held[0] ?? expect.fail('nothing was fetched'), 'close');
    client.abort();
    await expect(waiting).rejects.toThrow('aborted');
    await closed;
    // Its slot is free again.
    expect(await ask('/paper.pdf')).toEqual([200, expect.any(String)]);
  });
});

function budgetOf(amountNano: bigint): Budget {
  const { id, accountId } = key;
  return { id: `key:${id}`, subject: 'key', accountId, amountNano, period: 'MONTH', timeZone: 'UTC' };
}

it('a request whose files cannot be fetched counts, and holds nothing', async () => {
  const budget = budgetOf(10_000_000_000n);
  await start({ budgets: [budget], limits: { ...limits, requestsPerMinute: 1, concurrency: 1 } });
  gateway.limits.open(budget);
  expect(await ask('/absent')).toEqual([400, expect.stringContaining('could not be fetched')]);
  expect(gateway.limits.state(budget)).toMatchObject({ spentNano: 0n, reservedNano: 0n });
  expect(await ask('/paper.pdf')).toEqual([429, expect.stringContaining('rate_limit_exceeded')]);
  expect(fetched).toEqual(['/absent']);
});

it('the reservation of a request covers the content of its files, and is settled once', async () => {
  const budget = budgetOf(10_000_000_000n);
  await start({ budgets: [budget], limits: { ...limits, requestsPerDay: 10, concurrency: 1 } });
  gateway.limits.open(budget);
  let reservedNano = 0n;
  provider.answerWith((request, response) => {
    reservedNano = gateway.limits.state(budget)?.reservedNano ?? 0n;
    return completion()(request, response);
  });
  const reserved: bigint[] = [];
  for (const [index, path] of ['/paper.pdf', '/book.pdf'].entries()) {
    expect(await ask(path)).toEqual([200, expect.any(String)]);
    await gateway.settledCount(index + 1);
    reserved.push(reservedNano);
    expect(gateway.limits.state(budget)?.reservedNano).toBe(0n);
  }
  const [paper = 0n, book = 0n] = reserved;
  // 300,000 bytes have 75,000 tokens or more, of 0.4 USD a million.
  expect(book - paper).toBeGreaterThan(30_000_000n);
  expect(gateway.limits.view(gateway.key).remainingRequests).toBe(8);
});

it('what is received counts before the first of the files is complete', async () => {
  await start({});
  expect(await ask('/large.pdf', 3)).toEqual([400, expect.stringContaining('more than 52428800 bytes')]);
});
