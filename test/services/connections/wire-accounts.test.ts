import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Catalogue } from '../../../src/catalogue/catalogue.ts';
import { MasterKeys } from '../../../src/secrets/master-keys.ts';
import { wireAccounts, type WiredAccounts } from '../../../src/composition/gateway/accounts.ts';
import type { Database } from '../../../src/database/database.ts';
import { Account, ConnectedAccount } from '../../../src/database/entities/index.ts';
import { SluiceError } from '../../../src/errors/index.ts';
import type { KeyRecord } from '../../../src/gateway/keys/key-directory.ts';
import { ModelRouter } from '../../../src/gateway/routing/model-router.ts';
import { OutboundGuard } from '../../../src/outbound/guard.ts';
import { guardedDial, type ResolveName } from '../../../src/outbound/guarded-dial.ts';
import type { ChatRequestContext, Connection } from '../../../src/providers/contract.ts';
import { openConnection, providers } from '../../../src/providers/registry.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';

const masterKey = 'a master key for tests, which is long enough';
const quiet = { warn: () => undefined };

/** A server at a private address, which must not be reached. */
let inside: Server;
let port: number;
let seen = 0;

beforeAll(async () => {
  inside = createServer((socket) => {
    seen++;
    socket.destroy();
  });
  inside.listen(0, '127.0.0.1');
  await once(inside, 'listening');
  const address = inside.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});

afterAll(() => void inside.close());

function chatContext(): ChatRequestContext {
  const request = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] };
  return {
    model: 'm',
    body: Buffer.from(JSON.stringify(request)),
    request,
    stream: false,
    wantsUsage: false,
    requestId: 'req_1',
    parameters: 'drop',
  };
}

/** The error that a chat ends with. */
function failureOf(connection: Connection): Promise<SluiceError> {
  return new Promise((resolve, reject) => {
    try {
      connection.chat(chatContext(), {
        onConnecting: () => undefined,
        onHead: () => reject(new Error('answered')),
        onData: () => undefined,
        onParts: () => undefined,
        onResult: () => undefined,
        onEnd: () => reject(new Error('answered')),
        onFailure: resolve,
      });
    } catch (error) {
      if (error instanceof SluiceError) resolve(error);
      else reject(error);
    }
  });
}

describe('every provider', () => {
  const options = {
    region: 'eu-west-1',
    location: 'europe-west1',
    project: 'p',
    resource: 'r',
    access_key_id: 'AKIA',
    secret_access_key: 'x',
  };

  it.each(providers.map(({ id }) => id))(
    '%s uses the guarded dialler, and so reaches no private address',
    async (id) => {
      const before = seen;
      let dialled = 0;
      const guard = new OutboundGuard([]);
      const inwards: ResolveName = async () => ['127.0.0.1'];
      const guarded = guardedDial({ guard, connectTimeoutMs: 60_000, resolve: inwards });
      for (const host of ['127.0.0.1', 'models.example.com']) {
        const connection = openConnection(id, {
          id,
          apiKey: 'a-key',
          baseUrl: `http://${host}:${port}/v1`,
          connectTimeoutMs: 60_000,
          options,
          dial: (destination, callback) => {
            dialled++;
            guarded(destination, callback);
          },
        });
        const failure = await failureOf(connection);
        // A provider without chats reports that before connecting.
        expect([dialled > 0, failure.status < 500]).toContain(true);
        await connection.listModels().catch(() => undefined);
        await connection.close();
      }
      expect(seen).toBe(before);
    },
  );
});

describeOnEachDatabase('stored connections of accounts', (databases) => {
  let database: Database;
  const open: WiredAccounts[] = [];

  beforeAll(async () => {
    database = await databases.open();
  });

  afterAll(() => Promise.all(open.map((accounts) => accounts.close())));

  async function connected(more: { resolve?: ResolveName; masterKey?: string; warn?: () => void } = {}) {
    const accounts = await wireAccounts({
      database,
      masterKeys: MasterKeys.of(more.masterKey ?? masterKey),
      guard: new OutboundGuard([]),
      connectTimeoutMs: () => 60_000,
      log: { warn: more.warn ?? quiet.warn },
      router: () => router,
      whenRequestsEnd: () => Promise.resolve(),
      ...(more.resolve && { resolve: more.resolve }),
    });
    const router = new ModelRouter(new Catalogue(), accounts.connections);
    open.push(accounts);
    return accounts;
  }

  async function newAccount(): Promise<string> {
    const em = database.em();
    const account = em.create(Account, { name: 'A' });
    await em.persist(account).flush();
    return account.id;
  }

  const input = { provider: 'mine', apiKey: 'sk-mine-1234567890', baseUrl: 'https://models.example.com/v1' };

  it('are used immediately by the process that created them, and soon by others', async () => {
    const [one, other] = [await connected(), await connected()];
    const accountId = await newAccount();
    await expect(Promise.resolve(other.connections.forAccount(accountId))).resolves.toEqual([]);
    const row = await one.service.connect(accountId, input);
    const [own] = await one.connections.forAccount(accountId);
    expect(own).toMatchObject({ id: `mine:${row.id}`, provider: 'mine', billed: false });
    expect(one.connections.of(accountId)).toEqual([own]);
    if (database.kind === 'embedded') await other.connections.poll();
    await vi.waitFor(async () => expect(await other.connections.forAccount(accountId)).toHaveLength(1), 60_000);
    await one.service.disconnect(accountId, row.id);
    expect(one.connections.of(accountId)).toBeUndefined();
    if (database.kind === 'embedded') await other.connections.poll();
    await vi.waitFor(() => expect(other.connections.of(accountId)).toBeUndefined(), 60_000);
  });

  it('count accepted changes in order', async () => {
    const accounts = await connected();
    const accountId = await newAccount();
    const row = await accounts.service.connect(accountId, input);
    await Promise.all(
      Array.from({ length: 5 }, (_, index) => accounts.service.update(accountId, row.id, { name: `n${index}` })),
    );
    await expect(accounts.service.connect(accountId, input)).rejects.toMatchObject({ code: 'already_connected' });
    await expect(accounts.service.connect(accountId, { provider: 'mine' })).rejects.toMatchObject({
      code: 'bad_user_input',
    });
    const { revision } = await database.em().findOneOrFail(ConnectedAccount, { account: accountId });
    expect(revision).toBe(6);
  });

  it('reject a host name that resolves to a private address after it was checked', async () => {
    let asked = 0;
    const accounts = await connected({ resolve: async () => (asked++ === 0 ? ['192.0.2.1'] : ['127.0.0.1']) });
    const accountId = await newAccount();
    const before = seen;
    const row = await accounts.service.connect(accountId, {
      ...input,
      baseUrl: `http://models.example.com:${port}/v1`,
    });
    for (let time = 0; time < 3; time++) {
      const { testSucceeded, testMessage } = await accounts.service.test(accountId, row.id);
      expect([testSucceeded, testMessage]).toEqual([
        false,
        expect.stringContaining('resolves to an address that is not public'),
      ]);
    }
    const [own] = await accounts.connections.forAccount(accountId);
    expect(own && (await failureOf(own))).toMatchObject({ code: 'provider_unreachable' });
    expect(asked).toBe(4);
    expect(seen).toBe(before);
  });

  it('reject requests if their credentials cannot be decrypted, and log that without them', async () => {
    const accountId = await newAccount();
    await (await connected()).service.connect(accountId, input);
    const warn = vi.fn();
    const other = await connected({ masterKey: 'another master key, which is long enough too', warn });
    const [own] = await other.connections.forAccount(accountId);
    expect(own && (await failureOf(own))).toMatchObject({ code: 'provider_credentials' });
    await expect(own?.listModels()).rejects.toMatchObject({ code: 'provider_credentials' });
    expect(warn).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(warn.mock.calls)).not.toContain(input.apiKey);
  });

  it('require an existing account', async () => {
    const accounts = await connected();
    for (const accountId of ['00000000-0000-4000-8000-000000000000', 'nonsense'])
      await expect(accounts.service.connect(accountId, input)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are loaded with the account’s key, which waits only at its first use', async () => {
    const accountId = await newAccount();
    await (await connected()).service.connect(accountId, input);
    const accounts = await connected();
    const key: KeyRecord = {
      id: 'k',
      accountId,
      memberId: null,
      name: 'k',
      scopes: new Set(['inference' as const]),
      allowedModels: null,
      expiresAt: null,
      limits: { requestsPerMinute: 1, tokensPerMinute: 1, requestsPerDay: 1, concurrency: 1 },
      liveContent: true,
      cacheMs: null,
      moderation: null,
      plan: { id: 'pro', capabilities: null, models: null, markupPpm: 0, overage: 'bill' },
      budgets: [],
    };
    const callers = accounts.preparing({ find: () => key });
    expect(accounts.connections.of(accountId)).toBeUndefined();
    const first = callers.find('secret');
    expect(first).toBeInstanceOf(Promise);
    expect(await first).toBe(key);
    expect(accounts.connections.of(accountId)).toHaveLength(1);
    expect(callers.find('secret')).toBe(key);
  });
});
