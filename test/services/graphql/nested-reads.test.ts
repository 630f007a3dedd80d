import { execute, parse, type GraphQLSchema } from 'graphql';
import { beforeAll, expect, it, vi } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Membership, User } from '../../../src/database/entities/index.ts';
import { AccountResolver } from '../../../src/graphql/accounts/account.resolver.ts';
import { CompareModelsResolver } from '../../../src/graphql/comparisons/compare-models.resolver.ts';
import { GraphqlContext, type ContextSources } from '../../../src/graphql/operation/context.ts';
import { ApiKeysResolver } from '../../../src/graphql/keys/api-keys.resolver.ts';
import { keyNodes } from '../../../src/graphql/keys/key.nodes.ts';
import { KeyNestingResolver } from '../../../src/graphql/keys/key-nesting.resolver.ts';
import { OperationLoaders } from '../../../src/graphql/operation/operation-loaders.ts';
import { modelNodes } from '../../../src/graphql/models/model.nodes.ts';
import { NodesResolver } from '../../../src/graphql/nodes/nodes.resolver.ts';
import { ResolverInstances } from '../../../src/graphql/operation/resolver-instances.ts';
import { UsageLogsResolver } from '../../../src/graphql/usage/usage-logs.resolver.ts';
import { KeyUsageResolver } from '../../../src/graphql/usage/key-usage.resolver.ts';
import { usageLogNodes } from '../../../src/graphql/usage/usage-log.nodes.ts';
import type { ModelListing } from '../../../src/gateway/keys/model-directory.ts';
import { buildGraphqlSchema } from '../../../src/graphql/schema.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { AccountsService } from '../../../src/services/identity/accounts.service.ts';
import { Callers } from '../../../src/services/authorization/callers.ts';
import { MemberReader } from '../../../src/services/accounts/member-reader.ts';
import { SessionsService } from '../../../src/services/sessions/sessions.service.ts';
import { SignInThrottle } from '../../../src/services/accounts/sign-in-throttle.ts';
import { MemoryKeyDirectory } from '../../../src/services/keys/key-directory.ts';
import { KeysService } from '../../../src/services/keys/keys.service.ts';
import { KeyPepper } from '../../../src/services/keys/secrets/pepper.ts';
import { MemberRoles } from '../../../src/services/authorization/member-roles.ts';
import { UsageByKey } from '../../../src/services/usage/report/usage-by-key.ts';
import { UsageReporter } from '../../../src/services/usage/report/usage-report.ts';
import { UsageStore } from '../../../src/services/usage/usage-store.ts';
import { SortedUsage } from '../../../src/services/usage/sorted-usage.ts';
import { UsageService } from '../../../src/services/usage/usage.service.ts';
import { statementsOf } from '../../harness/count-statements.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { noIdentity } from '../../harness/no-identity.ts';
import { rowsJson, usageRecord } from '../../harness/usage-rows.ts';

// The schema library loads the CommonJS form of the package and rejects objects of the other.
vi.mock('graphql', async () => {
  const { createRequire } = await import('node:module');
  return { ...createRequire(import.meta.url)('graphql') };
});

const KEYS = 50;
const DAYS = 30;
const pepper = new KeyPepper([{ version: 1, masterKey: 'a master key for tests, long enough' }]);
const plans = readPlans({ plans: {}, default_plan: 'free' });
const defaults = { requestsPerMinute: 10, tokensPerMinute: 20, requestsPerDay: 30, concurrency: 40 };

const nobody = {
  sessionToken: null,
  apiKey: null,
  pendingSignIn: null,
  accountId: null,
  address: null,
  userAgent: null,
};
const document = `query ($from: DateTime!, $to: DateTime!, $first: Int) {
  viewer { user { email } currentAccount { name } }
  apiKeys(first: $first) {
    nodes {
      id name createdBy { email }
      usage(range: { from: $from, to: $to }, interval: DAY) {
        timeZone total { requests cost { amount } latency { p50 } }
        groups { start usage { requests inputTokens cost { amount } } }
      }
      usageLogs(first: 5) { nodes { id requestId createdAt tags { name } cost { amount } apiKey { name } user { email } } pageInfo { hasNextPage endCursor } }
    }
  }
}`;

function listingOf(id: string): ModelListing {
  return {
    id,
    name: id,
    provider: 'openai',
    ownedBy: 'openai',
    contextWindow: null,
    maxOutputTokens: null,
    inputModalities: [],
    outputModalities: [],
    capabilities: [],
    pricing: null,
    isUnpriced: false,
    deprecation: null,
    region: null,
    dataPolicy: { trainsOnData: null, retentionDays: null, isSetByConnection: false, source: null },
    created: 0,
  };
}

describeWithDatabase('a page of keys with their usage', (databases) => {
  let database: Database;
  let schema: GraphQLSchema;
  let sources: ContextSources;
  let directory: MemoryKeyDirectory;
  let session: { token: string; accountId: string };
  const from = new Date('2026-10-01T00:00:00Z');
  const to = new Date(from.getTime() + DAYS * 86_400_000);
  const keyIds: string[] = [];

  beforeAll(async () => {
    database = await databases.open();
    directory = new MemoryKeyDirectory({ database, pepper, defaults: () => defaults, plans: () => plans });
    const keys = new KeysService({ database, pepper, directory });
    const sessions = new SessionsService(database);
    const throttles = { accounts: new SignInThrottle(100), addresses: new SignInThrottle(100) };
    const accounts = new AccountsService({
      database,
      sessions,
      throttles,
      signUp: 'open',
      defaultPlan: () => 'free',
      identity: noIdentity,
    });
    const usage = new UsageService(database);
    const loaderServices = {
      accounts,
      memberReader: new MemberReader(database),
      keys,
      // These queries need no invoice.
      invoices: { linesOf: async () => [] },
      usageByKey: new UsageByKey(database),
      feedback: { ofRequests: async () => [], ofSessions: async () => [] },
      datasetRuns: { models: async () => [] },
    };
    sources = {
      callers: new Callers({ keys: directory, sessions, roles: new MemberRoles(database) }),
      // No account connects a provider.
      connections: { ready: async () => undefined },
      loaders: (accountId) => new OperationLoaders(loaderServices, accountId),
    };
    const models = { ready: async () => undefined, find: listingOf };
    const loaders = { ...keyNodes(keys, { byIds: async () => [] }), ...usageLogNodes(usage) };
    schema = await buildGraphqlSchema(
      new ResolverInstances([
        new AccountResolver(),
        new ApiKeysResolver(keys, { withKey: () => expect.fail('no key is changed') }, sources.callers),
        new KeyUsageResolver(usage),
        new KeyNestingResolver(),
        new UsageLogsResolver(usage, new SortedUsage(database)),
        new CompareModelsResolver(new UsageReporter(database), models, directory),
        new NodesResolver({ loaders, models: modelNodes(models) }),
      ]),
    );
    const people = await Promise.all(
      ['first', 'second'].map(async (name) => {
        const em = database.em();
        const { user, account } = buildUser(em, {
          email: `${name}@example.com`,
          name,
          passwordHash: 'none',
          plan: 'enterprise',
        });
        const made = sessions.build(em, user, { address: null, userAgent: null });
        await em.flush();
        return { userId: user.id, accountId: account.id, token: made.token };
      }),
    );
    const [mine, other] = people;
    if (mine === undefined || other === undefined) throw new Error('nobody is there');
    session = mine;
    for (let at = 0; at < KEYS; at++)
      keyIds.push((await keys.create(mine.accountId, mine.userId, { name: `key ${at}` })).key.id);
    const store = new UsageStore(database, (_row, error) => expect.fail(String(error)));
    const records = keyIds.flatMap((api_key_id, key) =>
      Array.from({ length: 8 }, (_, row) =>
        usageRecord({
          began_at: new Date(from.getTime() + (row * 3 * 24 + key / 4) * 3_600_000).toISOString(),
          account_id: mine.accountId,
          api_key_id,
          member_id: mine.userId,
          cost_nano: String(1_000_000_000 * (key + 1)),
        }),
      ),
    );
    // With the same key id, but of another account.
    const foreign = usageRecord({
      began_at: new Date(to.getTime() - 60_000).toISOString(),
      account_id: other.accountId,
      api_key_id: keyIds[0] ?? '',
      cost_nano: '999',
    });
    await store.store(rowsJson([...records, foreign]));
  });

  async function ask(variables: object) {
    const credentials = { ...nobody, sessionToken: session.token };
    const answer = await execute({
      schema,
      document: parse(document),
      contextValue: new GraphqlContext(sources, credentials, null),
      variableValues: { from: from.toISOString(), to: to.toISOString(), ...variables },
    });
    expect(answer.errors).toBeUndefined();
    return JSON.parse(JSON.stringify(answer.data));
  }

  it('needs the same number of statements for one key and for fifty', async () => {
    await ask({ first: 1 });
    const count = async (first: number): Promise<string[]> => {
      forgetSessions();
      return statementsOf(() => ask({ first }));
    };
    const [one, fifty] = [await count(1), await count(KEYS)];
    expect(fifty.length, fifty.join('\n')).toBe(one.length);
    // One each for session, account, keys, usage, logs and their sums; creators and keys of logs are two more.
    expect(fifty.length, fifty.join('\n')).toBeLessThanOrEqual(8);
  });

  it('needs at most six statements for the viewer, 50 keys, 30 days of usage and the last 5 logs', async () => {
    forgetSessions();
    const plain = `query ($from: DateTime!, $to: DateTime!) {
      viewer { user { email } currentAccount { name } role }
      apiKeys(first: 50) { nodes {
        name usage(range: { from: $from, to: $to }, interval: DAY) { total { requests } groups { start usage { requests cost { amount } } } }
        usageLogs(first: 5) { nodes { id createdAt cost { amount } } }
      } }
    }`;
    const credentials = { ...nobody, sessionToken: session.token };
    const sent = await statementsOf(async () => {
      const answer = await execute({
        schema,
        document: parse(plain),
        contextValue: new GraphqlContext(sources, credentials, null),
        variableValues: { from: from.toISOString(), to: to.toISOString() },
      });
      expect(answer.errors).toBeUndefined();
    });
    expect(sent.length, sent.join('\n')).toBeLessThanOrEqual(6);
    expect(sent.length).toBeGreaterThan(2);
  });

  /** Sessions are looked up again after a second; here immediately. */
  function forgetSessions(): void {
    const sessions = new SessionsService(database);
    const callers = new Callers({ keys: directory, sessions, roles: new MemberRoles(database) });
    sources = { ...sources, callers };
  }

  /** Including the session lookup. */
  async function statementsFor(query: string): Promise<string[]> {
    forgetSessions();
    const credentials = { ...nobody, sessionToken: session.token };
    return statementsOf(async () => {
      const answer = await execute({
        schema,
        document: parse(query),
        contextValue: new GraphqlContext(sources, credentials, null),
      });
      expect(answer.errors).toBeUndefined();
    });
  }

  it('reads keys and requests by their ids with one statement per type', async () => {
    const { nodes } = (await ask({ first: KEYS })).apiKeys;
    const byIds = (count: number): Promise<string[]> => {
      const ids = nodes
        .slice(0, count)
        .flatMap(({ id, usageLogs }: (typeof nodes)[number]) => [id, usageLogs.nodes[0].id]);
      return statementsFor(
        `{ nodes(ids: ${JSON.stringify(ids)}) { id ... on ApiKey { name } ... on UsageLog { model } } }`,
      );
    };
    const [one, fifty] = [await byIds(1), await byIds(KEYS)];
    expect(fifty.length, fifty.join('\n')).toBe(one.length);
    expect(fifty.length).toBeLessThanOrEqual(4);
  });

  it('compares twenty models with as few statements as one', async () => {
    const compare = (count: number): Promise<string[]> => {
      const ids = Array.from({ length: count }, (_, at) => `openai/model-${at}`);
      return statementsFor(`{ compareModels(ids: ${JSON.stringify(ids)}, days: 366) { cheapest } }`);
    };
    await compare(1);
    const [one, twenty] = [await compare(1), await compare(20)];
    expect(twenty.length, twenty.join('\n')).toBe(one.length);
    expect(twenty.length).toBeLessThanOrEqual(4);
  });

  it('returns the same data as each key’s own report and log', async () => {
    const { viewer, apiKeys } = await ask({ first: KEYS });
    expect(viewer.currentAccount.name).toBe("first's account");
    expect(apiKeys.nodes).toHaveLength(KEYS);
    const reporter = new UsageReporter(database);
    for (const at of [0, 17, 49]) {
      const node = apiKeys.nodes.find(({ name }: { name: string }) => name === `key ${at}`);
      const alone = await reporter.report(session.accountId, {
        from,
        to,
        interval: 'day',
        groupBy: [],
        filter: { apiKeyId: keyIds[at] },
        latency: true,
        limit: 1_000,
      });
      expect(node.usage.total.requests).toBe(alone.total.requests);
      expect(node.usage.total.requests).toBe(8);
      expect(node.usage.total.latency.p50).toBe(alone.total.duration?.p50);
      expect(node.usage.groups.map(({ start }: { start: string }) => start)).toEqual(
        alone.groups.map(({ start }) => start?.toISOString()),
      );
      const logs = await new UsageService(database).logs(session.accountId, { apiKeyId: keyIds[at] }, 5, null);
      expect(node.usageLogs.nodes.map(({ createdAt }: { createdAt: string }) => createdAt)).toEqual(
        logs.rows.map(({ beganAt }) => beganAt.toISOString()),
      );
      expect(node.usageLogs.nodes[0]).toMatchObject({
        apiKey: { name: `key ${at}` },
        user: { email: 'first@example.com' },
      });
      expect(node.createdBy).toEqual({ email: 'first@example.com' });
    }
  });

  it('names no former member', async () => {
    const em = database.em();
    const user = await em.findOneOrFail(User, { email: 'first@example.com' });
    const [membership] = await em.find(Membership, { user });
    const loaded = await new MemberReader(database).byIds(session.accountId, [user.id]);
    expect([...loaded.keys()]).toEqual([user.id]);
    if (membership === undefined) throw new Error('there is no membership');
    await em.remove(membership).flush();
    expect(await new MemberReader(database).byIds(session.accountId, [user.id])).toEqual(new Map());
  });
});
