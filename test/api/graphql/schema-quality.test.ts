import { execFileSync } from 'node:child_process';
import {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isScalarType,
  isUnionType,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLSchema,
} from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { shared } from '../../harness/shared-resources.ts';

const builtSchema = new URL('../../../dist/graphql/schema.js', import.meta.url);

/** Tells the schema as it is built, and what its fields ask of their callers: SDL holds no such thing. */
const teller = `
import { printSchema } from 'graphql';
import { buildGraphqlSchema } from ${JSON.stringify(builtSchema.href)};
const schema = await buildGraphqlSchema(null);
const requires = Object.values(schema.getTypeMap()).flatMap((type) =>
  Object.values(type.getFields?.() ?? {}).flatMap(({ name, extensions }) => extensions?.requires ? [type.name + '.' + name] : []));
console.log(JSON.stringify({ sdl: printSchema(schema), requires }));
`;

let schema: GraphQLSchema;
let asking: ReadonlySet<string>;

beforeAll(async () => {
  await shared('build');
  // In a process of its own: the test's transformer would load two copies of `graphql`.
  const told = execFileSync(process.execPath, ['--input-type=module', '--eval', teller], {
    cwd: new URL('../../../', import.meta.url),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  const { sdl, requires } = z.object({ sdl: z.string(), requires: z.array(z.string()) }).parse(JSON.parse(told));
  schema = buildSchema(sdl);
  asking = new Set(requires);
});

const roots = ['Query', 'Mutation', 'Subscription'];

function ownTypes(): GraphQLNamedType[] {
  return Object.values(schema.getTypeMap()).filter(
    ({ name }) =>
      !name.startsWith('__') && !roots.includes(name) && !['String', 'Int', 'Float', 'Boolean', 'ID'].includes(name),
  );
}

interface Place {
  readonly at: string;
  readonly field: GraphQLField<unknown, unknown>;
  readonly parent: string;
}

function outputFields(): Place[] {
  return Object.values(schema.getTypeMap()).flatMap((type) =>
    (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__')
      ? Object.values(type.getFields()).map((field) => ({ at: `${type.name}.${field.name}`, field, parent: type.name }))
      : [],
  );
}

/** Every place of the schema that can have a description, with it. */
function described(): [at: string, description: string | null | undefined][] {
  const places: [string, string | null | undefined][] = ownTypes().map(({ name, description }) => [name, description]);
  for (const { at, field } of outputFields()) {
    places.push([at, field.description]);
    for (const argument of field.args) places.push([`${at}(${argument.name})`, argument.description]);
  }
  for (const type of ownTypes()) {
    if (isEnumType(type))
      for (const { name, description } of type.getValues()) places.push([`${type.name}.${name}`, description]);
    if (isInputObjectType(type))
      for (const field of Object.values(type.getFields()))
        places.push([`${type.name}.${field.name}`, field.description]);
  }
  return places;
}

describe('the schema', () => {
  it('describes every type, field, argument, input and enum value', () => {
    const places = described();
    expect(places.length).toBeGreaterThan(400);
    expect(places.filter(([, description]) => !description?.trim()).map(([at]) => at)).toEqual([]);
  });

  it('deprecates by directive with a reason, never in a description', () => {
    const words = described().filter(([, description]) => /deprecat/i.test(description ?? ''));
    expect(words.map(([at]) => at)).toEqual([]);
    const reasons = outputFields().flatMap(({ field }) => field.deprecationReason ?? []);
    expect(reasons.filter((reason) => reason === 'No longer supported')).toEqual([]);
  });

  it('paginates with Relay connections', () => {
    for (const type of ownTypes().filter(({ name }) => name.endsWith('Connection'))) {
      if (!isObjectType(type)) throw new Error(`${type.name} is no object`);
      const { edges, nodes, pageInfo } = type.getFields();
      expect([type.name, String(pageInfo?.type)]).toEqual([type.name, 'PageInfo!']);
      const edge = edges && getNamedType(edges.type);
      if (!isObjectType(edge)) throw new Error(`${type.name} has no edges`);
      expect(String(edge.getFields().cursor?.type)).toBe('Cursor!');
      expect([String(edges?.type), String(nodes?.type)]).toEqual([
        `[${edge.name}!]!`,
        `[${edge.getFields().node?.type}]!`,
      ]);
    }
    const paged = outputFields().filter(({ field }) => field.args.some(({ name }) => name === 'first'));
    expect(paged.length).toBeGreaterThan(3);
    for (const { at, field } of paged) {
      const forms = Object.fromEntries(field.args.map(({ name, type }) => [name, String(type)]));
      expect([at, forms]).toMatchObject([at, { first: 'Int', after: 'Cursor', last: 'Int', before: 'Cursor' }]);
      expect([at, getNamedType(field.type).name]).toEqual([at, expect.stringMatching(/Connection$/)]);
    }
  });

  /** Lists of objects that a bound keeps short, and what keeps them so. */
  const bounded: Readonly<Record<string, string>> = {
    'AuditEntry.changes': 'of one action',
    'Batch.errors': 'at most 50',
    'ComparedModel.costSteps': 'of one model',
    'Comparison.lanes': 'at most 8',
    'ComparisonLane.media': 'of one answer',
    'ComparisonLane.toolCalls': 'of one answer',
    'Invoice.lines': 'of one invoice',
    'KeyLimitSettings.perCapability': 'at most one a capability',
    'ApiKey.modelAliases': 'at most 50',
    'KeyLimitSettings.perModel': 'at most 50',
    'ModelComparison.models': 'at most 20',
    'SharedComparison.lanes': 'at most 8',
    'SignInOptions.providers': 'the operator’s',
    'UpcomingInvoice.lines': 'of one invoice',
    'User.identities': 'at most one a provider of the operator’s',
    'Viewer.sessions': 'at most 100',
    'Query.budgets': 'the account’s, its members’ and its keys’ own: budgets are few beside what they bound',
    'Account.budgets': 'the same',
    'Query.nodes': 'as many as there are ids in the request',
    'Query.permissions': 'the table that the server goes by',
    'Query.plans': 'the operator’s',
    'Query.providers': 'those that the server knows by name',
    'Query.providerConnections': 'at most 50',
    'Alert.deliveries': 'at most one for each of 10 channels and 10 addresses',
    'AlertRule.states': 'at most one a provider, key or budget',
    'Query.alertChannels': 'at most 20',
    'Query.alertPreview': 'at most one a provider, key or budget',
    'Query.alertRules': 'at most 50',
    'Redaction.customPatterns': 'at most 20',
    'RedactionPreview.counts': 'at most one a detector and expression',
    'Query.routes': 'at most 100',
    'Query.savedViews': 'at most 50 of the caller and 100 shared ones',
    'Query.providerStates': 'at most one a provider',
    'Query.serverRoutes': 'the operator’s',
    'ServerRoute.targets': 'of one route',
    'ProviderState.targets': 'models of one provider',
    'Provider.options': 'settings of one provider',
    'Query.upcomingInvoices': 'the periods since the last invoice',
    'Query.usageArchives': 'a line a month',
    'Query.webhooks': 'at most 10',
    'Viewer.accounts': 'those that one person belongs to',
    'ProviderCredential.options': 'settings of one connection',
    'PerformanceReport.errors': 'at most 200',
    'PerformanceReport.intervals': 'at most 368',
    'PerformanceReport.models': 'at most 400',
    'PerformanceReport.targets': 'listed models of one provider',
    'ModelPricing.tiers': 'of one model',
    'ModelPricing.serviceTiers': 'of one model',
    'ModelPricing.units': 'of one model',
    'ServiceTierPrices.tiers': 'of one model',
    'Query.feedbackSummary': 'at most 500',
    'LoggedContent.redactions': 'one for each rule',
    'RequestSession.feedback': 'at most 100',
    'UsageLog.feedback': 'at most 100',
    'AddedToDataset.skipped': 'at most 100',
    'DatasetItem.redactions': 'one for each rule',
    'DatasetRun.models': 'at most 8',
    'DatasetRunCommonFigures.scores': 'one for each scorer',
    'DatasetRunEstimate.models': 'at most 8',
    'DatasetRunModel.errors': 'at most 20',
    'DatasetRunModel.scores': 'one for each scorer',
    'DatasetRunModelJudge.errors': 'at most 20',
    'DatasetRunOutput.scores': 'one for each scorer',
    'DatasetRunResult.outputs': 'at most 8',
    'RequestReplay.redactions': 'one for each rule',
    'RequestSession.apiKeys': 'of one session',
    'RequestSession.requests': 'at most 500',
    'Route.targets': 'at most 64',
    'RoutePreview.steps': 'at most 64',
    'UsageAttempt.rateLimits': 'at most 16',
    'UsageRouting.skipped': 'at most 16',
    'UsageLog.units': 'of one request',
    'UsageLog.tags': 'of one request',
    'UsageLog.attempts': 'of one request',
    'UsageLog.explanation': 'of one request',
    'UsageReport.groups': 'at most as many as `limit` says',
  };

  it('uses connections for lists of objects, except bounded ones', () => {
    const lists = outputFields().filter(
      ({ field, parent }) =>
        isListType(getNullableType(field.type)) &&
        (isObjectType(getNamedType(field.type)) || isInterfaceType(getNamedType(field.type))) &&
        !parent.endsWith('Connection'),
    );
    expect(lists.map(({ at }) => at).toSorted()).toEqual(Object.keys(bounded).toSorted());
  });

  it('implements Node with a global ID for every object with an ID', () => {
    /** Their ids are names: the operator’s, the providers’ own, the caller’s, a tool call’s in its answer. Or another object’s. */
    const named = [
      'AuditTarget',
      'ComparedModel',
      'ComparisonToolCall',
      'CompletionToolCall',
      'IdentityProvider',
      'Plan',
      'Provider',
    ];
    const without = ownTypes().filter(
      (type) => isObjectType(type) && type.getFields().id && !type.getInterfaces().some(({ name }) => name === 'Node'),
    );
    expect(without.map(({ name }) => name).toSorted()).toEqual(named);
    for (const { at, field } of outputFields().filter(({ at: place }) => place.endsWith('.id')))
      if (!named.some((name) => at.startsWith(name))) expect([at, String(field.type)]).toEqual([at, 'ID!']);
  });

  it('requires a permission for every root field except public ones', () => {
    const open = outputFields().filter(({ at, parent }) => roots.includes(parent) && !asking.has(at));
    /** By a password, or a token that a link carries. */
    const strangers = [
      'Mutation.confirmSignUp',
      'Mutation.finishSignIn',
      'Mutation.requestPasswordReset',
      'Mutation.resetPassword',
      'Mutation.signIn',
      'Mutation.signOut',
      'Mutation.signUp',
      'Query.invitation',
      'Query.sharedComparison',
      'Query.signInOptions',
    ];
    /** Of the signed-in user alone, whatever their role in whichever account: each finds out who that is. */
    const people = [
      'Mutation.acceptInvitation',
      'Mutation.changeEmail',
      'Mutation.changePassword',
      'Mutation.confirmTotp',
      'Mutation.createAccount',
      'Mutation.disableTotp',
      'Mutation.linkIdentity',
      'Mutation.renewRecoveryCodes',
      'Mutation.requestEmailVerification',
      'Mutation.revokeOtherSessions',
      'Mutation.revokeSession',
      'Mutation.startTotp',
      'Mutation.unlinkIdentity',
      'Mutation.updateProfile',
      'Mutation.verifyEmail',
    ];
    /** They ask for what stands behind the id, or for what the key is itself. */
    const later = [
      'Mutation.createAccessToken',
      'Mutation.revokeAccessToken',
      'Query.node',
      'Query.nodes',
      'Subscription.comparison',
    ];
    expect(open.map(({ at }) => at).toSorted()).toEqual([...strangers, ...people, ...later].toSorted());
  });

  it('requires a permission wherever a field crosses from one part of an account to another', () => {
    /** Tenant data of another part than that of the type which the field is of. */
    const parts: Readonly<Record<string, string>> = {
      ApiKey: 'keys',
      ApiKeyConnection: 'keys',
      BudgetStatus: 'budgets',
      UsageLog: 'usage',
      UsageLogConnection: 'usage',
      UsageTotals: 'usage',
      RequestSession: 'usage',
      RequestSessionConnection: 'usage',
      SessionRequest: 'usage',
      ProviderCredential: 'connections',
      Route: 'routes',
      Video: 'videos',
      VideoConnection: 'videos',
      Webhook: 'webhooks',
      ModelResponse: 'responses',
      ModelResponseConnection: 'responses',
      ChatCompletion: 'responses',
      ChatCompletionConnection: 'responses',
      Batch: 'batches',
      BatchConnection: 'batches',
      StoredFile: 'files',
      StoredFileConnection: 'files',
    };
    /** What brings the object is itself asked for with as much right, or the object is part of it. */
    const within = [
      'ApiKeyEdge.node',
      'AuditActor.apiKey',
      'ComparedModel.measured',
      'RotatedApiKey.apiKey',
      'ApiKeyConnection.nodes',
      'BudgetAlert.budget',
      'CreatedApiKey.apiKey',
      'CreatedWebhook.webhook',
      'UsageGroup.usage',
      'UsageLogConnection.nodes',
      'UsageLogEdge.node',
      'UsageReport.total',
      'RequestSessionConnection.nodes',
      'RequestSessionEdge.node',
      'RequestSession.usage',
      'SessionRequest.request',
      'UsageTick.today',
      'ModelResponseConnection.nodes',
      'ModelResponseEdge.node',
      'ChatCompletionConnection.nodes',
      'ChatCompletionEdge.node',
      'BatchConnection.nodes',
      'BatchEdge.node',
      'StoredFileConnection.nodes',
      'StoredFileEdge.node',
      'VideoConnection.nodes',
      'VideoEdge.node',
    ];
    const crossing = outputFields().filter(
      ({ at, parent, field }) =>
        !roots.includes(parent) &&
        !within.includes(at) &&
        parts[getNamedType(field.type).name] !== undefined &&
        !asking.has(at),
    );
    expect(crossing.map(({ at }) => at)).toEqual([]);
  });

  it('returns expected failures as data', () => {
    // A result of a dataset run is no result of an operation.
    const results = ownTypes().filter(({ name }) => name.endsWith('Result') && name !== 'DatasetRunResult');
    for (const type of results) expect([type.name, isUnionType(type)]).toEqual([type.name, true]);
    const signing = ['signUp', 'signIn'].map((name) => String(schema.getMutationType()?.getFields()[name]?.type));
    expect(signing).toEqual(['SignUpResult!', 'SignInResult!']);
  });

  it('uses a scalar for every formatted string', () => {
    const scalars = ownTypes()
      .filter(isScalarType)
      .map(({ name }) => name);
    expect(scalars).toEqual(expect.arrayContaining(['Cursor', 'DateTime', 'Decimal', 'Count']));
    const loose = described().filter(([at]) => /[Cc]ursor$|\.(after|before)$/.test(at));
    expect(loose.length).toBeGreaterThan(5);
    for (const { at, field } of outputFields().filter(({ field: { name } }) => /^cursor$|Cursor$/.test(name)))
      expect([at, getNamedType(field.type).name]).toEqual([at, 'Cursor']);
  });
});
