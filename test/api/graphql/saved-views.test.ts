import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../harness/graphql-client.ts';
import { mailFolder } from '../../harness/mailbox.ts';
import { newAccount, newEmail, signUp, type TestAccount } from '../../harness/shared-server.ts';

type Caller = Readonly<Record<string, string>>;

const create =
  'mutation ($input: CreateSavedViewInput!) { view: createSavedView(input: $input) { id isOwn isShared } }';
const update =
  'mutation ($id: ID!, $input: UpdateSavedViewInput!) { view: updateSavedView(id: $id, input: $input) { name search isShared isOwn } }';
const remove = 'mutation ($id: ID!) { deleteSavedView(id: $id) }';
const invite =
  'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { ... on InviteMemberFailure { code } } }';

describe('saved views', () => {
  let account: TestAccount;
  let owner: Caller;
  let developer: Caller;
  let viewer: Caller;

  beforeAll(async () => {
    account = await newAccount();
    owner = { cookie: account.cookie };
    developer = await member('DEVELOPER');
    viewer = await member('VIEWER');
  });
  afterAll(() => account.dispose());

  /** Of the owner's account. */
  async function member(role: string): Promise<Caller> {
    const email = newEmail();
    expect((await ask(owner, invite, { input: { email, role } })).data.inviteMember).toEqual({});
    const invitation = await mailFolder(account.dataDir).token(email, 'Invitation to');
    const { cookie } = await signUp(account.url, { email, invitation });
    return { cookie };
  }

  async function ask(caller: Caller, query: string, variables: object = {}) {
    const { data, code, errors } = await post(account.url, { query, variables }, caller);
    return { data: data ?? {}, code, message: errors?.[0]?.message ?? '' };
  }

  async function save(caller: Caller, name: string, more: object = {}): Promise<string> {
    const input = { name, page: 'ANALYTICS', search: '?by=key', ...more };
    const { data, code } = await ask(caller, create, { input });
    expect(code).toBeNull();
    return data.view.id;
  }

  async function names(caller: Caller, page?: string): Promise<unknown> {
    const query = 'query ($page: SavedViewPage) { savedViews(page: $page) { name isOwn } }';
    return (await ask(caller, query, { page })).data.savedViews.map((view: { name: string }) => view.name);
  }

  it('are visible to their user alone, unless they are shared', async () => {
    const own = await save(developer, 'own');
    const shared = await save(developer, 'shared', { isShared: true, page: 'USAGE_LOGS' });
    expect(await names(developer)).toEqual(['own', 'shared']);
    expect(await names(developer, 'USAGE_LOGS')).toEqual(['shared']);
    expect(await names(owner)).toEqual(['shared']);
    expect(await names({ authorization: `Bearer ${account.apiKey}` })).toEqual(['shared']);
    const byId = 'query ($id: ID!) { node(id: $id) { id } }';
    expect((await ask(owner, byId, { id: own })).data.node).toBeNull();
    expect((await ask(owner, byId, { id: shared })).data.node).toEqual({ id: shared });
    expect((await ask(owner, update, { id: own, input: { name: 'x' } })).code).toBe('not_found');
    expect((await ask(owner, remove, { id: own })).code).toBe('not_found');
  });

  it('of another account are not found', async () => {
    const shared = await save(owner, 'for all', { isShared: true });
    const stranger = { cookie: (await signUp(account.url)).cookie };
    expect(await names(stranger)).toEqual([]);
    expect((await ask(stranger, update, { id: shared, input: { name: 'x' } })).code).toBe('not_found');
    expect((await ask(stranger, remove, { id: shared })).code).toBe('not_found');
  });

  it('are renamed, changed, shared and deleted', async () => {
    const id = await save(developer, 'first');
    expect((await ask(developer, update, { id, input: { name: ' second ', search: '?by=tag' } })).data.view).toEqual({
      name: 'second',
      search: '?by=tag',
      isShared: false,
      isOwn: true,
    });
    expect((await ask(developer, update, { id, input: { isShared: true } })).data.view.isShared).toBe(true);
    // A member who may share can change it, and not hide it from its user.
    expect((await ask(owner, update, { id, input: { name: 'third' } })).data.view).toMatchObject({
      name: 'third',
      isOwn: false,
    });
    expect((await ask(owner, update, { id, input: { isShared: false } })).code).toBe('forbidden');
    expect((await ask(owner, remove, { id })).data.deleteSavedView).toBe(true);
    expect((await ask(developer, remove, { id })).code).toBe('not_found');
  });

  it('are saved, but not shared, by viewers, and by no API key', async () => {
    const own = await save(viewer, 'mine');
    const shared = await save(owner, 'ours', { isShared: true });
    const input = { name: 'n', page: 'ANALYTICS', search: '' };
    expect((await ask(viewer, create, { input: { ...input, isShared: true } })).code).toBe('forbidden');
    expect((await ask(viewer, update, { id: own, input: { isShared: true } })).code).toBe('forbidden');
    expect((await ask(viewer, update, { id: shared, input: { name: 'x' } })).code).toBe('forbidden');
    expect((await ask(viewer, remove, { id: shared })).code).toBe('forbidden');
    expect((await ask(viewer, remove, { id: own })).data.deleteSavedView).toBe(true);
    const key = { authorization: `Bearer ${account.apiKey}` };
    expect((await ask(key, create, { input })).code).toBe('forbidden');
  });

  it('that are private are in the audit log without their names and queries', async () => {
    await save(viewer, 'canary name', { search: '?text=canary' });
    await save(owner, 'Shared canary', { isShared: true });
    const query = '{ auditLog(first: 100) { nodes { action target { label } changes { field before after } } } }';
    const entries = JSON.stringify((await ask(owner, query)).data);
    expect(entries).toContain('Private view');
    expect(entries).toContain('Shared canary');
    expect(entries).not.toMatch(/canary name|text=canary/);
  });

  it.each([
    ['an empty name', { name: ' ' }, 'name'],
    ['a long name', { name: 'n'.repeat(101) }, 'name'],
    ['a name with a control character', { name: 'a\0b' }, 'name'],
    ['a long query', { search: `?${'q'.repeat(2_000)}` }, 'search'],
    ['another URL', { search: '//example.com' }, 'search'],
    ['a fragment', { search: '?by=key#top' }, 'search'],
  ])('are refused with %s', async (_what, bad, param) => {
    const input = { name: 'n', page: 'ANALYTICS', search: '', ...bad };
    const { code, message } = await ask(owner, create, { input });
    expect([code, message]).toEqual(['bad_user_input', expect.stringContaining(param)]);
  });

  it('are at most 50 private ones of a user', async () => {
    const person = { cookie: (await signUp(account.url)).cookie };
    for (let saved = 0; saved < 50; saved++) await save(person, `view ${saved}`);
    const input = { name: 'one more', page: 'ANALYTICS', search: '' };
    expect((await ask(person, create, { input })).code).toBe('too_many_saved_views');
    await save(person, 'shared', { isShared: true });
  });
});
