import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { mailFolder } from '../../harness/mailbox.ts';
import { newAccount, newEmail, type TestAccount } from '../../harness/shared-server.ts';

let account: TestAccount;

beforeAll(async () => {
  account = await newAccount();
});

afterAll(() => account.dispose());

const answerSchema = z.object({
  data: z.record(z.string(), z.any()).nullish(),
  errors: z.array(z.object({ message: z.string(), extensions: z.object({ code: z.string() }) })).optional(),
});

/** What an answer holds, as its query has it. */
const anything = z.any();

type Caller = Readonly<Record<string, string>>;

async function ask(caller: Caller, query: string, variables: object = {}) {
  const response = await fetch(`${account.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'audit-test', ...caller },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = answerSchema.parse(await response.json());
  return {
    data: data ?? {},
    code: errors?.[0]?.extensions.code ?? null,
    cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '',
    requestId: response.headers.get('x-request-id'),
  };
}

const password = 'canary correct horse battery';
const canaryKey = 'sk-canary-0123456789abcdef';
async function signUp(email = newEmail(), invitation?: string) {
  const answer = await ask({}, 'mutation ($input: SignUpInput!) { signUp(input: $input) { __typename } }', {
    input: { email, password, name: 'P', invitation },
  });
  return { email, cookie: answer.cookie };
}

/** The token of the last message to this address whose subject begins so. */
const tokenFor = (email: string, subject = 'Invitation to'): Promise<string> =>
  mailFolder(account.dataDir).token(email, subject);

/** Who comes to the account, and takes it over. */
const newcomer = newEmail();

const entry =
  'id action address userAgent requestId actor { kind label user { email } apiKey { name } } target { type id label } changes { field before after }';

async function entries(caller: Caller, filter: object = {}) {
  const query = `query ($filter: AuditFilter) { auditLog(filter: $filter, first: 100) { nodes { ${entry} } } }`;
  const { data, code } = await ask(caller, query, { filter });
  expect(code).toBeNull();
  return z.array(z.record(z.string(), z.any())).parse(data.auditLog.nodes);
}

/** Mutations that tell the log nothing, and why. */
const silent: Readonly<Record<string, string>> = {
  enableWebhook: 'changes nothing of a webhook that is enabled; that it is told is shown where one is disabled',
  testConnection: 'asks a provider, and changes no setting',
  testAlertChannel: 'sends a test, which the history of alerts tells, and changes no setting',
  topUp: 'opens a page of the payment provider: what is paid there, the ledger tells',
  startComparison: 'asks models, which the usage log tells',
  cancelBatch: 'ends requests, which the usage log tells',
  cancelComparison: 'ends requests, which the usage log tells',
  cancelCompletion: 'ends a request, which the usage log tells',
  cancelResponse: 'ends a request, which the usage log tells',
  deleteResponse: 'removes what a request made, and no setting',
  deleteChatCompletion: 'removes what a request made, and no setting',
  submitFeedback: 'judges what a request made, and is no setting',
  deleteFeedback: 'removes what a client said of a request, and no setting',
  deleteConversation: 'removes what a request made, and no setting',
  voteComparison: 'is an opinion of an answer, and no setting',
  withdrawComparisonVote: 'is an opinion of an answer, and no setting',
  requestEmailVerification: 'sends a message: what is done by its link is told',
  requestPasswordReset: 'sends a message: what is done by its link is told',
  startTotp: 'changes nothing until a code confirms it',
  linkIdentity: 'changes nothing until the provider sends the browser back, which is told',
};

/** Mutations that need what is not here, and where it is proved that the log tells of them. */
const elsewhere: Readonly<Record<string, string>> = {
  approveAccount: 'test/api/rest/sign-up-spending.test.ts',
  deleteLoggedContent: 'test/api/graphql/content-log/logged-content.test.ts',
  addToDataset: 'test/api/graphql/datasets.test.ts',
  createDatasetRun: 'test/api/graphql/dataset-runs.test.ts',
  cancelDatasetRun: 'test/services/dataset-runs/dataset-runs.test.ts',
  deleteDatasetRun: 'test/api/graphql/dataset-runs.test.ts',
  removeDatasetItems: 'test/api/graphql/datasets.test.ts',
  confirmSignUp: 'test/api/graphql/sign-up-by-mail.test.ts',
  finishSignIn: 'test/api/rest/external-sign-in.test.ts',
  retryRefund: 'test/api/rest/stripe.test.ts',
  unlinkIdentity: 'test/api/rest/external-sign-in.test.ts',
};

interface World {
  readonly owner: Caller;
  readonly ids: Record<string, string>;
}

interface Example {
  readonly fields: string;
  readonly variables?: (world: World) => object | Promise<object>;
  /** Whose log tells of it; the owner's where absent. */
  readonly readBy?: (world: World, answer: Awaited<ReturnType<typeof ask>>) => Caller | Promise<Caller>;
  readonly as?: (world: World) => Caller | Promise<Caller>;
  readonly keep?: (world: World, data: z.infer<typeof anything>) => void;
}

const of = (id: string, name = 'id') => ({
  variables: ({ ids }: World) => ({ [name]: ids[id] }),
});

/** By somebody else than the owner. */
const asTheOther: Pick<Example, 'as' | 'readBy'> = {
  as: async () => ({ cookie: await signInAgain(newcomer) }),
  readBy: async () => ({ cookie: await signInAgain(newcomer) }),
};
/** By the same in one session: with an authenticator app, a sign-in needs a code. */
const asBefore: Pick<Example, 'as' | 'readBy'> = {
  as: ({ ids }) => ({ cookie: ids.cookie ?? '' }),
  readBy: ({ ids }) => ({ cookie: ids.cookie ?? '' }),
};

/** In the order in which they are done: one of each. */
const examples: Readonly<Record<string, Example>> = {
  createApiKey: {
    fields: '($input: CreateApiKeyInput!) { result: createApiKey(input: $input) { secret apiKey { id role } } }',
    variables: () => ({
      input: { name: 'k', scopes: ['MANAGE'], role: 'ADMIN', budget: { amount: '12.5', period: 'DAY' } },
    }),
    keep: ({ ids }, { secret, apiKey }) => Object.assign(ids, { key: apiKey.id, secret }),
  },
  updateApiKey: {
    fields: '($input: UpdateApiKeyInput!) { result: updateApiKey(input: $input) { id } }',
    variables: ({ ids }) => ({ input: { id: ids.key, name: 'renamed' } }),
  },
  setBudget: {
    fields: '($input: SetBudgetInput!) { result: setBudget(input: $input) { id } }',
    variables: () => ({ input: { budget: { amount: '50', period: 'MONTH' } } }),
    as: ({ ids }) => ({ authorization: `Bearer ${ids.secret}` }),
    keep: ({ ids }, { id }) => Object.assign(ids, { budget: id }),
  },
  removeBudget: { fields: '($id: ID!) { result: removeBudget(id: $id) }', ...of('budget') },
  createAccessToken: {
    fields:
      '($id: ID!) { result: createAccessToken(input: { apiKeyId: $id, scopes: [MANAGE], expiresInSeconds: 60 }) { token accessToken { id } } }',
    ...of('key'),
    keep: ({ ids }, { token, accessToken }) => Object.assign(ids, { token, tokenId: accessToken.id }),
  },
  revokeAccessToken: { fields: '($id: ID!) { result: revokeAccessToken(id: $id) }', ...of('tokenId') },
  rotateApiKey: {
    fields: '($id: ID!) { result: rotateApiKey(input: { id: $id, overlapSeconds: 60 }) { secret } }',
    as: ({ ids }) => ({ authorization: `Bearer ${ids.secret}` }),
    ...of('key'),
    keep: ({ ids }, { secret }) => Object.assign(ids, { rotated: secret }),
  },
  revokeApiKey: { fields: '($id: ID!) { result: revokeApiKey(id: $id) { id } }', ...of('key') },
  connectProvider: {
    fields: '($input: ConnectProviderInput!) { result: connectProvider(input: $input) { id } }',
    variables: () => ({ input: { provider: 'mistral', apiKey: canaryKey } }),
    keep: ({ ids }, { id }) => Object.assign(ids, { connection: id }),
  },
  updateConnection: {
    fields: '($input: UpdateConnectionInput!) { result: updateConnection(input: $input) { id } }',
    variables: ({ ids }) => ({ input: { id: ids.connection, name: 'Ours' } }),
  },
  disconnectProvider: { fields: '($id: ID!) { result: disconnectProvider(id: $id) }', ...of('connection') },
  saveRoute: {
    fields: '($input: SaveRouteInput!) { result: saveRoute(input: $input) { id } }',
    variables: () => ({ input: { name: 'ours', targets: [{ model: 'sandbox/chat' }] } }),
    keep: ({ ids }, { id }) => Object.assign(ids, { route: id }),
  },
  deleteRoute: { fields: '($id: ID!) { result: deleteRoute(id: $id) }', ...of('route') },
  createDataset: {
    fields: '($name: String!) { result: createDataset(name: $name) { id } }',
    variables: () => ({ name: 'Questions' }),
    keep: ({ ids }, { id }) => Object.assign(ids, { dataset: id }),
  },
  renameDataset: {
    fields: '($id: ID!) { result: renameDataset(id: $id, name: "Answers") { id } }',
    ...of('dataset'),
  },
  deleteDataset: { fields: '($id: ID!) { result: deleteDataset(id: $id) }', ...of('dataset') },
  createWebhook: {
    fields: '($input: CreateWebhookInput!) { result: createWebhook(input: $input) { secret webhook { id } } }',
    variables: () => ({ input: { url: 'https://hooks.example.com/canary-path?token=canary' } }),
    keep: ({ ids }, { secret, webhook }) => Object.assign(ids, { webhook: webhook.id, webhookSecret: secret }),
  },
  createAlertChannel: {
    fields: '($input: CreateAlertChannelInput!) { result: createAlertChannel(input: $input) { channel { id } } }',
    variables: () => ({
      input: { name: 'Ops', kind: 'SLACK', url: 'https://hooks.example.com/canary-path/canary-end-1' },
    }),
    keep: ({ ids }, { channel }) => Object.assign(ids, { alertChannel: channel.id }),
  },
  updateAlertChannel: {
    fields:
      '($id: ID!, $input: UpdateAlertChannelInput!) { result: updateAlertChannel(id: $id, input: $input) { channel { id } } }',
    variables: ({ ids }) => ({
      id: ids.alertChannel,
      input: { url: 'https://hooks.example.com/canary-path/canary-end-2' },
    }),
  },
  createAlertRule: {
    fields: '($input: AlertRuleInput!) { result: createAlertRule(input: $input) { id } }',
    variables: () => ({ input: { name: 'Spend', condition: { kind: 'SPEND', threshold: 5 } } }),
    keep: ({ ids }, { id }) => Object.assign(ids, { alertRule: id }),
  },
  updateAlertRule: {
    fields: '($id: ID!, $input: AlertRuleInput!) { result: updateAlertRule(id: $id, input: $input) { id } }',
    variables: ({ ids }) => ({
      id: ids.alertRule,
      input: { name: 'Spend', condition: { kind: 'SPEND', threshold: 6 } },
    }),
  },
  muteAlertRule: {
    fields: '($id: ID!, $until: DateTime) { result: muteAlertRule(id: $id, until: $until) { id } }',
    variables: ({ ids }) => ({ id: ids.alertRule, until: new Date(Date.now() + 3_600_000).toISOString() }),
  },
  deleteAlertRule: { fields: '($id: ID!) { result: deleteAlertRule(id: $id) }', ...of('alertRule') },
  deleteAlertChannel: { fields: '($id: ID!) { result: deleteAlertChannel(id: $id) }', ...of('alertChannel') },
  createSavedView: {
    fields: '($input: CreateSavedViewInput!) { result: createSavedView(input: $input) { id } }',
    variables: () => ({ input: { name: 'Costs', page: 'ANALYTICS', search: '?by=key', isShared: true } }),
    keep: ({ ids }, { id }) => Object.assign(ids, { savedView: id }),
  },
  updateSavedView: {
    fields: '($id: ID!, $input: UpdateSavedViewInput!) { result: updateSavedView(id: $id, input: $input) { id } }',
    variables: ({ ids }) => ({ id: ids.savedView, input: { name: 'Costs by key' } }),
  },
  deleteSavedView: { fields: '($id: ID!) { result: deleteSavedView(id: $id) }', ...of('savedView') },
  deleteWebhook: { fields: '($id: ID!) { result: deleteWebhook(id: $id) }', ...of('webhook') },
  renameComparison: {
    fields: '($id: ID!) { result: renameComparison(id: $id, name: "Rivers") { id } }',
    variables: async ({ owner, ids }) => {
      const start = 'mutation { startComparison(input: { prompt: "A river.", models: ["sandbox/chat"] }) { id } }';
      ids.comparison = (await ask(owner, start)).data.startComparison.id;
      return { id: ids.comparison };
    },
  },
  shareComparison: {
    fields: '($id: ID!) { result: shareComparison(id: $id) { token } }',
    ...of('comparison'),
    keep: ({ ids }, { token }) => Object.assign(ids, { link: token }),
  },
  unshareComparison: { fields: '($id: ID!) { result: unshareComparison(id: $id) { id } }', ...of('comparison') },
  deleteFile: {
    fields: '($id: ID!) { result: deleteFile(id: $id) }',
    variables: async ({ owner }) => {
      const create = 'mutation { createApiKey(input: { name: "uploader" }) { secret } }';
      const { secret } = (await ask(owner, create)).data.createApiKey;
      const body = new FormData();
      body.set('purpose', 'user_data');
      body.set('file', new Blob(['content']), 'notes.txt');
      const headers = { authorization: `Bearer ${secret}` };
      const sent = await fetch(`${account.url}/v1/files`, { method: 'POST', headers, body });
      return { id: z.object({ id: z.string() }).parse(await sent.json()).id };
    },
  },
  deleteComparison: { fields: '($id: ID!) { result: deleteComparison(id: $id) }', ...of('comparison') },
  changePlan: { fields: '{ result: changePlan(plan: "pro") { pending } }' },
  cancelPlanChange: {
    fields: '{ result: cancelPlanChange { id } }',
    variables: async ({ owner }) => {
      await ask(owner, 'mutation { changePlan(plan: "free") { pending } }');
      return {};
    },
  },
  updateContentLogging: {
    fields: '{ result: updateContentLogging(input: { level: METADATA, retentionDays: 9 }) { id } }',
  },
  updateAccount: { fields: '{ result: updateAccount(input: { name: "Named" }) { id } }' },
  inviteMember: {
    fields:
      '($input: InviteMemberInput!) { result: inviteMember(input: $input) { ... on Invitation { id } ... on InviteMemberFailure { code } } }',
    variables: () => ({ input: { email: newEmail(), role: 'DEVELOPER' } }),
    keep: ({ ids }, { id }) => Object.assign(ids, { invitation: id }),
  },
  resendInvitation: { fields: '($id: ID!) { result: resendInvitation(id: $id) { id } }', ...of('invitation') },
  revokeInvitation: { fields: '($id: ID!) { result: revokeInvitation(id: $id) }', ...of('invitation') },
  signUp: {
    fields: '($input: SignUpInput!) { result: signUp(input: $input) { __typename } }',
    variables: () => ({ input: { email: newcomer, password, name: 'P' } }),
    readBy: (_world, { cookie }) => ({ cookie }),
  },
  signIn: {
    fields: '($input: SignInInput!) { result: signIn(input: $input) { __typename } }',
    variables: () => ({ input: { email: newcomer, password } }),
    as: () => ({}),
    readBy: (_world, { cookie }) => ({ cookie }),
    keep: () => undefined,
  },
  signOut: {
    fields: '{ result: signOut }',
    as: async () => ({ cookie: await signInAgain(newcomer) }),
    readBy: async () => ({ cookie: await signInAgain(newcomer) }),
  },
  updateProfile: {
    fields: '{ result: updateProfile(input: { name: "Somebody" }) { name } }',
    ...asTheOther,
  },
  verifyEmail: {
    fields: '($token: String!) { result: verifyEmail(token: $token) { ... on VerifyEmailFailure { code } } }',
    variables: async () => ({ token: await tokenFor(newcomer, 'Confirm') }),
    ...asTheOther,
  },
  changeEmail: {
    fields:
      '($input: ChangeEmailInput!) { result: changeEmail(input: $input) { __typename ... on ChangeEmailFailure { code } } }',
    variables: () => ({ input: { email: newEmail(), password } }),
    ...asTheOther,
  },
  changePassword: {
    fields:
      '($input: ChangePasswordInput!) { result: changePassword(input: $input) { __typename ... on ChangePasswordFailure { code } } }',
    variables: () => ({ input: { currentPassword: password, newPassword: password } }),
    ...asTheOther,
  },
  resetPassword: {
    fields:
      '($input: ResetPasswordInput!) { result: resetPassword(input: $input) { __typename ... on ResetPasswordFailure { code } } }',
    variables: async () => {
      await ask({}, 'mutation ($email: String!) { requestPasswordReset(email: $email) }', { email: newcomer });
      return { input: { token: await tokenFor(newcomer, 'Reset your password'), password } };
    },
    as: () => ({}),
    readBy: (_world, { cookie }) => ({ cookie }),
  },
  revokeSession: {
    fields: '($id: ID!) { result: revokeSession(id: $id) }',
    variables: async () => {
      const other = { cookie: await signInAgain(newcomer) };
      const sessions = (await ask(other, '{ viewer { sessions { id current } } }')).data.viewer.sessions;
      const all = z.array(z.object({ id: z.string(), current: z.boolean() })).parse(sessions);
      return { id: all.find(({ current }) => current)?.id };
    },
    ...asTheOther,
  },
  revokeOtherSessions: { fields: '{ result: revokeOtherSessions }', ...asTheOther },
  confirmTotp: {
    fields: '($code: String!) { result: confirmTotp(code: $code) { ... on RecoveryCodes { codes } } }',
    variables: async ({ ids }) => {
      const cookie = await signInAgain(newcomer);
      const start = 'mutation ($password: String!) { startTotp(password: $password) { ... on TotpSetup { secret } } }';
      const { secret } = (await ask({ cookie }, start, { password })).data.startTotp;
      Object.assign(ids, { cookie, totp: secret });
      return { code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() };
    },
    ...asBefore,
    keep: ({ ids }, { codes }) => Object.assign(ids, { firstCode: codes[0], secondCode: codes[1] }),
  },
  renewRecoveryCodes: {
    fields:
      '($input: TotpConfirmationInput!) { result: renewRecoveryCodes(input: $input) { ... on RecoveryCodes { codes } } }',
    variables: ({ ids }) => ({ input: { password, code: ids.firstCode } }),
    ...asBefore,
    keep: ({ ids }, { codes }) => Object.assign(ids, { thirdCode: codes[0] }),
  },
  disableTotp: {
    fields:
      '($input: TotpConfirmationInput!) { result: disableTotp(input: $input) { __typename ... on DisableTotpFailure { code } } }',
    variables: ({ ids }) => ({ input: { password, code: ids.thirdCode } }),
    ...asBefore,
  },
  acceptInvitation: {
    fields: '($token: String!) { result: acceptInvitation(token: $token) { ... on AcceptInvitationFailure { code } } }',
    variables: async ({ owner }) => {
      await ask(owner, invite, { input: { email: newcomer, role: 'VIEWER' } });
      return { token: await tokenFor(newcomer) };
    },
    as: async () => ({ cookie: await signInAgain(newcomer) }),
  },
  changeRole: {
    fields: '($input: ChangeRoleInput!) { result: changeRole(input: $input) { id role } }',
    variables: async ({ owner, ids }) => {
      const { data } = await ask(owner, '{ account { members { nodes { id user { email } } } } }');
      const nodes = z
        .array(z.object({ id: z.string(), user: z.object({ email: z.string() }) }))
        .parse(data.account.members.nodes);
      ids.member = nodes.find(({ user }) => user.email === newcomer)?.id ?? '';
      return { input: { memberId: ids.member, role: 'ADMIN' } };
    },
  },
  transferOwnership: {
    fields: '($input: TransferOwnershipInput!) { result: transferOwnership(input: $input) { id role } }',
    variables: ({ ids }) => ({ input: { memberId: ids.member } }),
    keep: () => undefined,
  },
  leaveAccount: {
    fields: '{ result: leaveAccount }',
    as: async ({ ids }) => {
      const email = newEmail();
      await ask(await newOwner(ids), invite, { input: { email, role: 'VIEWER' } });
      return { cookie: (await signUp(email, await tokenFor(email))).cookie };
    },
    readBy: ({ ids }) => newOwner(ids),
  },
  removeMember: {
    fields: '($id: ID!) { result: removeMember(memberId: $id) }',
    variables: async ({ owner, ids }) => {
      const { data } = await ask(
        owner,
        '{ viewer { user { email } } account { members { nodes { id user { email } } } } }',
      );
      const nodes = z
        .array(z.object({ id: z.string(), user: z.object({ email: z.string() }) }))
        .parse(data.account.members.nodes);
      return { id: nodes.find(({ user }) => user.email === data.viewer.user.email)?.id, ...ids };
    },
    as: ({ ids }) => newOwner(ids),
    readBy: ({ ids }) => newOwner(ids),
  },
  createAccount: {
    fields: '{ result: createAccount(input: { name: "Second", timeZone: "Europe/Berlin" }) { id } }',
    as: async () => ({ cookie: await signInAgain(newcomer) }),
    readBy: async ({ ids }, { data }) => {
      ids.second = data.result.id;
      return { cookie: await signInAgain(newcomer), 'x-sluice-account': data.result.id };
    },
  },
  deleteAccount: {
    fields: '{ result: deleteAccount(input: { confirmName: "Second" }) { id erasedAfter } }',
    as: ({ ids }) => secondAccount(ids),
    readBy: ({ ids }) => secondAccount(ids),
  },
  cancelAccountDeletion: {
    fields: '{ result: cancelAccountDeletion { id erasedAfter } }',
    as: ({ ids }) => secondAccount(ids),
    readBy: ({ ids }) => secondAccount(ids),
  },
};

const invite = 'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { __typename } }';

async function signInAgain(email: string): Promise<string> {
  const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { __typename } }';
  return (await ask({}, query, { input: { email, password } })).cookie;
}

/** Who the account was handed to. */
async function newOwner(ids: Record<string, string>): Promise<Caller> {
  return { cookie: await signInAgain(newcomer), 'x-sluice-account': ids.account ?? '' };
}

async function secondAccount(ids: Record<string, string>): Promise<Caller> {
  return { cookie: await signInAgain(newcomer), 'x-sluice-account': ids.second ?? '' };
}

describe('every mutation', () => {
  const schema = buildSchema(readFileSync('schema/schema.graphql', 'utf8'));
  const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});

  it('has an example here, or a reason for writing no entry', () => {
    const known = [examples, silent, elsewhere].flatMap((each) => Object.keys(each));
    expect(known.toSorted()).toEqual(mutations.toSorted());
    for (const [name, file] of Object.entries(elsewhere)) expect(readFileSync(file, 'utf8')).toContain(name);
  });

  it('records actor and origin in the audit log, and never a secret', async () => {
    const { cookie, email } = await signUp();
    const owner = { cookie };
    const account = (await ask(owner, '{ account { id } }')).data.account.id;
    const world: World = { owner, ids: { account } };
    let everything = '';
    for (const [name, { fields, variables, as, readBy, keep }] of Object.entries(examples)) {
      const given = (await variables?.(world)) ?? {};
      const caller: Caller = (await as?.(world)) ?? owner;
      const answer = await ask(caller, `mutation ${fields}`, given);
      expect([name, answer.code, answer.data.result?.code ?? null]).toEqual([name, null, null]);
      expect(answer.data.result, name).toBeTruthy();
      keep?.(world, answer.data.result);
      const all = await entries((await readBy?.(world, answer)) ?? owner);
      everything += JSON.stringify(all);
      const told = all.filter(({ requestId }) => requestId === answer.requestId);
      expect(told.length, name).toBeGreaterThan(0);
      for (const { address, userAgent, actor } of told) {
        expect([name, address, userAgent]).toEqual([name, expect.stringContaining('127.0.0.1'), 'audit-test']);
        expect([name, actor.kind]).toEqual([name, caller.authorization === undefined ? 'USER' : 'API_KEY']);
      }
    }
    const { ids } = world;
    const { secret, rotated, token, webhookSecret, link, totp, firstCode, secondCode, thirdCode } = ids;
    for (const canary of [secret, rotated, token, webhookSecret, link, totp, firstCode, secondCode, thirdCode]) {
      expect(canary).toMatch(/.{10,}/);
      expect(everything).not.toContain(canary);
    }
    for (const canary of ['canary', password, cookie.split('=')[1] ?? '', ids.cookie?.split('=')[1] ?? ''])
      expect(everything).not.toContain(canary);
    expect(everything).toContain(email);
  });
});

describe('the audit log', () => {
  it('records the key, and money in USD', async () => {
    const bearer = { authorization: `Bearer ${account.apiKey}` };
    const set = 'mutation { setBudget(input: { budget: { amount: "50", period: MONTH } }) { id } }';
    const { id } = (await ask(bearer, set)).data.setBudget;
    const [told] = await entries(bearer, { target: id });
    expect(told).toMatchObject({
      action: 'budget.created',
      actor: { kind: 'API_KEY', label: 'First key', apiKey: { name: 'First key' }, user: { email: account.email } },
      target: { type: 'budget', id, label: 'account' },
    });
    expect(told?.changes).toContainEqual({ field: 'amount', before: null, after: '50' });
    const more = 'mutation { setBudget(input: { budget: { amount: "60.5", period: MONTH } }) { id } }';
    await ask(bearer, more);
    const [changed] = await entries(bearer, { target: id });
    expect(changed?.changes).toEqual([{ field: 'amount', before: '50', after: '60.5' }]);
    expect(await entries(bearer, { action: 'budget.*', actor: id })).toEqual([]);
  });

  it('requires an owner or administrator, as do its exports and those of the account', async () => {
    const owner = await signUp();
    const email = newEmail();
    await ask(owner, invite, { input: { email, role: 'DEVELOPER' } });
    const developer = await signUp(email, await tokenFor(email));
    expect((await ask(developer, '{ auditLog { nodes { id } } }')).code).toBe('forbidden');
    const status = async ({ cookie }: { cookie: string }, path: string): Promise<number> =>
      (await fetch(`${account.url}/exports/${path}`, { headers: { cookie } })).status;
    for (const path of ['audit.csv', 'audit.jsonl', 'account.jsonl']) {
      expect([path, await status(developer, path)]).toEqual([path, 403]);
      expect([path, await status({ cookie: '' }, path)]).toEqual([path, 401]);
      expect([path, await status(owner, path)]).toEqual([path, 200]);
    }
    expect(await status(owner, 'audit.parquet')).toBe(404);
    const [told] = await entries(owner, { action: 'account.exported' });
    expect(told).toMatchObject({
      actor: { kind: 'USER', label: owner.email },
      requestId: expect.stringMatching(/^req_/),
    });
    const csv = await (await fetch(`${account.url}/exports/audit.csv`, { headers: { cookie: owner.cookie } })).text();
    expect(csv).toMatch(/^id,created_at,action,actor_kind,actor,/);
    expect(csv).toContain('account.exported');
  });
});
