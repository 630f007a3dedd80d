import { readFileSync } from 'node:fs';
import { buildClientSchema, getIntrospectionQuery, type GraphQLSchema, type IntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startConfigured } from '../../harness/configured-server.ts';
import { queryRunning, sqlText } from '../../harness/running-database.ts';
import type { ServerProcess } from '../../harness/server-process.ts';
import { idsIn, kindOf, shapeOf, strangerTo } from './tenants/answers.ts';
import { documentOf, idPlaces, needsNoId, operationsOf, type IdPlace, type Operation } from './tenants/schema-walk.ts';
import { freshUuid, Tenant, type Answer } from './tenants/tenant.ts';

/** Where an id is one of the caller's own making: it names nothing yet, and each account has its own. */
const chosenByCallers = new Set(['completion.input.clientRequestId', 'cancelCompletion.clientRequestId']);
/** An invoice takes a month, an identity its provider, an approval and a failed refund the operator, feedback a value: test/api tries theirs on others. */
const madeElsewhere = new Set([
  'approveAccount.id',
  // With logged content: test/api/graphql/datasets.test.ts tries them.
  'addToDataset.input.datasetId',
  // With items: test/api/graphql/dataset-runs.test.ts tries them.
  'cancelDatasetRun.id',
  'createDatasetRun.input.datasetId',
  'datasetRun.id',
  'deleteDatasetRun.id',
  'removeDatasetItems.id',
  'addToDataset.input.usageLogIds',
  // The newest traces have no feedback: usage.filter.traceId is tried, which has the same filter.
  'feedbackSummary.filter.traceId',
  'removeDatasetItems.itemIds',
  // With content logging: test/api/graphql/content-log tries it.
  'deleteLoggedContent.id',
  'invoice.id',
  'linkIdentity.input.provider',
  'retryRefund.id',
  // The newest request is in no session: sessions.filter.sessionId is tried.
  'sessions.filter.requestId',
  'submitFeedback.input.requestId',
  'submitFeedback.input.sessionId',
  'unlinkIdentity.id',
  // With a rule as well: test/services/alerts tries it.
  'updateAlertRule.input.channelIds',
  'updateAlertRule.input.condition.filter.apiKeyId',
]);
/** Places in streams of the caller's own, which no query tells. */
const placesInStreams = new Set(['completion.after', 'liveCompletions.after']);
/** Tables that a job of the server's writes at its own time. */
const writtenByJobs = new Set(['alert_deliveries', 'alert_states', 'billing_marks', 'status_days']);
/** A signed link is itself the permission, whoever follows it. */
const signedLinks = new Set(['/media/{id}']);
/** Places that are looked for within what another place of the same path names. */
const placesWithin = new Set([
  '/v1/chat/completions/{id}/messages after',
  '/v1/responses/{id}/input_items after',
  '/v1/conversations/{id}/items after',
]);
/** Of anybody, or of the person who asks, whatever account they mean. */
const withoutAccount = new Set([
  'signInOptions',
  'signUp',
  'confirmSignUp',
  'signIn',
  'finishSignIn',
  'signOut',
  'verifyEmail',
  'requestEmailVerification',
  'changeEmail',
  'requestPasswordReset',
  'resetPassword',
  'changePassword',
  'updateProfile',
  'startTotp',
  'confirmTotp',
  'disableTotp',
  'renewRecoveryCodes',
  'revokeSession',
  'revokeOtherSessions',
  'linkIdentity',
  'unlinkIdentity',
  'createAccount',
  'invitation',
  'acceptInvitation',
  'sharedComparison',
  // What names nothing is not looked for in any account.
  'node',
  'nodes',
]);

let server: ServerProcess;
let schema: GraphQLSchema;
const alice = new Tenant('alice-canary', () => server);
const bob = new Tenant('bob', () => server);
let before: ReadonlyMap<string, string>;
/** Alice's own, one of each kind. */
let hers: string[] = [];

beforeAll(async () => {
  // Every field of a type is asked for at once, and more requests are made in a minute than a free plan allows.
  server = await startConfigured(
    'default_plan: enterprise\ngraphql: { introspection: true, limits: { cost: 1000000, cost_per_minute: 100000000 } }',
    {},
    { SLUICE_OUTBOUND_ALLOW: '127.0.0.1:9' },
  );
  for (const tenant of [alice, bob]) {
    await tenant.signUp();
    await tenant.fill();
  }
  const { data } = await bob.ask(getIntrospectionQuery());
  // Untyped on the wire: the library checks it.
  schema = buildClientSchema(Object(data) satisfies IntrospectionQuery);
  const his = new Set(await harvest(bob));
  hers = await eventually(async () => someOfEachKind((await harvest(alice)).filter((id) => !his.has(id))));
  // What a process keeps for later is stored when it ends.
  await server.end('SIGTERM');
  server = await server.restart();
  before = await rowsWithout(bob);
});

afterAll(() => server.dispose());

/** Fields about other accounts, for the account of who runs the server alone. */
const forOperator: ReadonlySet<string> = new Set(['accountsToApprove', 'failedRefunds', 'usageArchives']);

/** Every id that the schema and REST tell a tenant without being given one. */
async function harvest(tenant: Tenant): Promise<string[]> {
  const ids = [...tenant.unlisted];
  for (const operation of operationsOf(schema)) {
    if (operation.kind !== 'query' || !needsNoId(operation)) continue;
    const { query, variables } = documentOf(operation);
    const { data, errors } = await tenant.ask(query, variables);
    if (forOperator.has(operation.field.name)) {
      expect(JSON.stringify(errors), operation.field.name).toContain('"code":"forbidden"');
      continue;
    }
    expect(errors, operation.field.name).toBeUndefined();
    ids.push(...idsIn(data));
  }
  for (const path of Object.keys(openapi().paths))
    if (path.startsWith('/v1/') && !path.includes('{') && openapi().paths[path]?.get)
      ids.push(...idsIn((await tenant.rest('GET', path)).body));
  return [...new Set(ids)];
}

/** Those of requests show when they are stored. */
async function eventually(read: () => Promise<string[]>): Promise<string[]> {
  await alice.settled();
  await vi.waitUntil(() => alice.isAtRest(), 120_000);
  return read();
}

function someOfEachKind(ids: readonly string[], most = 1): string[] {
  return [...Map.groupBy(ids, kindOf)].flatMap(([name, kind]) =>
    // Requests of GraphQL, which the audit log names, are told before those that are billed.
    name === 'req_' ? kind.slice(-most) : kind.slice(0, most),
  );
}

/** Those first whose kind the place names: a `ModelResponse` is a `response` there. */
function likeliestFirst(ids: readonly string[], place: IdPlace): string[] {
  const at = shown(place).toLowerCase();
  const isLikely = (id: string): boolean => {
    const kind = /([A-Z][a-z]+):$/.exec(kindOf(id))?.[1];
    return kind !== undefined && at.includes(kind.toLowerCase());
  };
  return ids.toSorted((one, other) => Number(isLikely(other)) - Number(isLikely(one)));
}

function openapi(): { readonly paths: Readonly<Record<string, Readonly<Record<string, Endpoint>>>> } {
  return JSON.parse(readFileSync(new URL('../../../schema/openapi.json', import.meta.url), 'utf8'));
}

interface Endpoint {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

/** A digest of each table's rows that do not belong to a tenant. */
async function rowsWithout(tenant: Tenant): Promise<ReadonlyMap<string, string>> {
  const { data } = await tenant.ask('{ viewer { user { id } currentAccount { id } } }');
  const own = idsIn(data).map((id) => Buffer.from(id, 'base64url').toString().replace(/^\w+:/, ''));
  expect(own).toHaveLength(2);
  const tables = await queryRunning<{ name: string }>(
    server.database,
    "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
  );
  const digests = new Map<string, string>();
  for (const { name } of tables.filter((table) => !writtenByJobs.has(table.name))) {
    const [row] = await queryRunning<{ digest: string | null }>(
      server.database,
      `select count(*) || ' ' || md5(string_agg(line, E'\\n' order by line)) as digest
       from (select row::text as line from "${name}" as row) as lines
       where not exists (select from unnest(array[${own.map(sqlText).join()}]) as own where line like '%' || own || '%')`,
    );
    digests.set(name, row?.digest ?? 'none');
  }
  return digests;
}

async function run(tenant: Tenant, operation: Operation, id?: Parameters<typeof documentOf>[1]): Promise<Answer> {
  const { query, variables } = documentOf(operation, id);
  return operation.kind === 'subscription' ? tenant.listen(query, variables) : tenant.ask(query, variables);
}

/** The same, while Alice's key is used: there is something to be heard of her. */
async function hearMeanwhile(
  tenant: Tenant,
  operation: Operation,
  id: Parameters<typeof documentOf>[1],
): Promise<readonly Answer[]> {
  const { query, variables } = documentOf(operation, id);
  return tenant.hear(query, variables, () => alice.chat());
}

/** What is answered; of a stream, the first that it tells, not counting what it has lost. */
async function answerTo(tenant: Tenant, operation: Operation, id: Parameters<typeof documentOf>[1]): Promise<Answer> {
  if (operation.kind !== 'subscription') return run(tenant, operation, id);
  const heard = await hearMeanwhile(tenant, operation, id);
  return heard.find((answer) => !JSON.stringify(answer).includes('"EventGap"')) ?? { data: null };
}

function shown({ operation, path }: IdPlace): string {
  return [operation.field.name, ...path].join('.');
}

function codesOf({ errors }: Answer): (string | undefined)[] {
  return errors?.map(({ extensions }) => extensions?.code) ?? [];
}

const allPlaces = (): IdPlace[] => operationsOf(schema).flatMap(idPlaces);

describe('another tenant’s IDs', () => {
  it('return the same as unknown IDs in GraphQL', async () => {
    expect(new Set(hers.map(kindOf)).size).toBeGreaterThan(8);
    for (const place of allPlaces())
      for (const id of hers) {
        const stranger = strangerTo(id, freshUuid());
        const [asked, unknown] = await Promise.all([
          run(bob, place.operation, { path: place.path, value: id }),
          run(bob, place.operation, { path: place.path, value: stranger }),
        ]);
        const what = `${shown(place)} with ${kindOf(id)} ${id}`;
        expect(shapeOf(asked, id), what).toEqual(shapeOf(unknown, stranger));
        expect(JSON.stringify(asked).replaceAll(id, ''), what).not.toContain('alice-canary');
        expect(codesOf(asked), what).not.toContain('internal_error');
      }
  });

  it('return the same as unknown IDs under REST', async () => {
    for (const { method, path, name } of restPlaces())
      for (const id of hers) {
        const stranger = strangerTo(id, freshUuid());
        const [asked, unknown] = await Promise.all([
          callRest(bob, method, path, name, id),
          callRest(bob, method, path, name, stranger),
        ]);
        const what = `${method} ${path} with ${kindOf(id)} ${id}`;
        expect(shapeOf(asked, id), what).toEqual(shapeOf(unknown, stranger));
        expect(JSON.stringify(asked).replaceAll(id, ''), what).not.toContain('alice-canary');
      }
  });

  it('cannot select an account without membership', async () => {
    const account = hers.find((id) => kindOf(id) === 'Account:') ?? '';
    for (const operation of operationsOf(schema)) {
      if (withoutAccount.has(operation.field.name)) continue;
      const { query, variables } = documentOf(operation);
      const answer =
        operation.kind === 'subscription'
          ? await bob.listen(query, variables, account)
          : await bob.ask(query, variables, { 'x-sluice-account': account });
      const refused =
        operation.kind === 'subscription' ? answer.errors?.map(({ message }) => message) : codesOf(answer);
      expect(refused, operation.field.name).toEqual(['not_found']);
    }
  });

  it('cannot be used where they would set the owner of an object', () => {
    const setters = allPlaces().filter(({ path }) =>
      /^(account|accountId|userId|ownerId|tenantId|role)$/.test(path.at(-1) ?? ''),
    );
    expect(setters.map(shown)).toEqual([]);
  });

  it('change no data of that tenant', async () => {
    await bob.settled();
    const after = await rowsWithout(bob);
    expect(after.size).toBeGreaterThan(15);
    for (const [table, digest] of after) expect(`${table} ${digest}`).toBe(`${table} ${before.get(table)}`);
    const kept = await harvest(alice);
    for (const id of hers.filter((each) =>
      /^(ApiKey|UsageLog|User|Account|Webhook|Video|ModelResponse):/.test(kindOf(each)),
    ))
      expect(kept).toContain(id);
  });

  it('of running requests do not resume that tenant’s completions', async () => {
    const told = await alice.complete('the same request', 2);
    // Her own, told again.
    expect(await alice.complete('the same request', 2)).toBe(told);
    expect((await bob.complete('the same request', 20)).length).toBeGreaterThan(told.length);
  });

  it('give no access to that tenant’s live events', async () => {
    for (const place of allPlaces()) {
      if (place.operation.kind !== 'subscription' || chosenByCallers.has(shown(place))) continue;
      for (const id of hers) {
        const heard = await hearMeanwhile(bob, place.operation, { path: place.path, value: id });
        const what = `${shown(place)} with ${kindOf(id)}`;
        expect(JSON.stringify(heard).replaceAll(id, ''), what).not.toContain('alice-canary');
        for (const told of idsIn(heard)) expect(hers, what).not.toContain(told);
      }
    }
  });
});

describe('the matrix', () => {
  it('contains a valid ID for every GraphQL argument, which its owner can use', async () => {
    const known = [chosenByCallers, placesInStreams, madeElsewhere];
    const places = allPlaces().filter((place) => !known.some((some) => some.has(shown(place))));
    const unfilled = await placesWithoutId(places, {
      rank: ({ operation }) => (/^(delete|remove|revoke|disconnect|transfer)/.test(operation.field.name) ? 1 : 0),
      isUsable: (place, ids) => isUsable(place, likeliestFirst(ids, place)),
    });
    // For one that stands here: give a tenant one in `Tenant.fill`, or its other arguments values in `schema-walk.ts`.
    expect(unfilled.map(shown)).toEqual([]);
  });

  it('contains a valid ID for every REST parameter', async () => {
    const places = restPlaces().filter(
      ({ path, name }) => !signedLinks.has(path) && !placesWithin.has(`${path} ${name}`),
    );
    const unfilled = await placesWithoutId(places, {
      rank: ({ method }) => (method === 'DELETE' ? 1 : 0),
      isUsable: async ({ method, path, name }, ids) => {
        for (const id of ids) {
          const stranger = strangerTo(id, freshUuid());
          const [asked, unknown] = [
            await callRest(alice, method, path, name, id),
            await callRest(alice, method, path, name, stranger),
          ];
          if (JSON.stringify(shapeOf(asked, id)) !== JSON.stringify(shapeOf(unknown, stranger))) return true;
        }
        return false;
      },
    });
    expect(unfilled).toEqual([]);
  });
});

/** Those in which no id of the owner's does. Places that remove something come last, so that it is there for the others. */
async function placesWithoutId<Place>(
  places: readonly Place[],
  how: { rank: (place: Place) => number; isUsable: (place: Place, ids: readonly string[]) => Promise<boolean> },
): Promise<Place[]> {
  const unfilled: Place[] = [];
  await alice.fill();
  let ids = someOfEachKind(await harvest(alice), 5);
  for (const place of places.toSorted((one, other) => how.rank(one) - how.rank(other))) {
    if (await how.isUsable(place, ids)) continue;
    // What was removed for a place before is made again.
    await alice.fill();
    ids = someOfEachKind(await harvest(alice), 5);
    if (!(await how.isUsable(place, ids))) unfilled.push(place);
  }
  return unfilled;
}

/** Whether some id that the owner may see is told apart there from one that names nothing. */
async function isUsable(place: IdPlace, ids: readonly string[]): Promise<boolean> {
  const { operation, path } = place;
  for (const id of ids) {
    const stranger = strangerTo(id, freshUuid());
    const unknown = await answerTo(alice, operation, { path, value: stranger });
    const asked = await answerTo(alice, operation, { path, value: id });
    expect(codesOf(asked), `${operation.field.name}: ${JSON.stringify(asked.errors)}`).not.toContain('graphql_invalid');
    // A cursor is a place in the caller's own list, whether its row is there or not.
    if (/^(after|before)$/.test(path.at(-1) ?? '') && asked.errors === undefined) return true;
    if (JSON.stringify(shapeOf(asked, id)) !== JSON.stringify(shapeOf(unknown, stranger))) return true;
  }
  return false;
}

interface RestPlace {
  readonly method: string;
  readonly path: string;
  readonly name: string;
}

function restPlaces(): RestPlace[] {
  return Object.entries(openapi().paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [] }]) =>
      parameters
        .filter(({ name }) => /^(id|after|before)$|_id$/.test(name))
        .map(({ name }) => ({ method: method.toUpperCase(), path, name })),
    ),
  );
}

function callRest(tenant: Tenant, method: string, path: string, name: string, id: string) {
  const value = encodeURIComponent(id);
  const formatted = path.replace('{format}', 'csv').replace('{item}', tenant.item);
  const filled = path.includes(`{${name}}`) ? formatted.replace(`{${name}}`, value) : `${formatted}?${name}=${value}`;
  return tenant.rest(method, filled, method === 'POST' ? bodyOf(path) : undefined);
}

/** Valid, so that what it names is looked for. */
function bodyOf(path: string): object {
  if (path.endsWith('/parts')) return part();
  if (path.endsWith('/complete')) return { part_ids: ['part_unknown'] };
  if (path.endsWith('/items')) return { items: [{ role: 'user', content: 'another one' }] };
  if (/\/(?:conversations|chat\/completions)\/\{id\}$/.test(path)) return { metadata: { topic: 'another one' } };
  return { prompt: 'another one' };
}

function part(): FormData {
  const form = new FormData();
  form.set('data', new Blob(['0123456789']), 'part');
  return form;
}
