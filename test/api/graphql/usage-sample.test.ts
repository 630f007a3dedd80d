import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../harness/graphql-client.ts';
import { mailFolder } from '../../harness/mailbox.ts';
import { newAccount, newEmail, signUp, type TestAccount } from '../../harness/shared-server.ts';

const query = `query ($range: UsageRange!, $filter: UsageFilter) {
  usageSample(range: $range, filter: $filter) {
    total { requests isComplete promptCacheSavings { amount } responseCacheRequests }
  }
}`;
const invite =
  'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { ... on InviteMemberFailure { code } } }';

describe('the query usageSample', () => {
  let account: TestAccount;

  beforeAll(async () => {
    account = await newAccount();
  });
  afterAll(() => account.dispose());

  function sample(caller: Readonly<Record<string, string>>, filter: object = {}) {
    const range = {
      from: new Date(Date.now() - 3_600_000).toISOString(),
      to: new Date(Date.now() + 60_000).toISOString(),
    };
    return post(account.url, { query, variables: { range, filter } }, caller);
  }

  it('counts the requests of the account, of which those from the response cache', async () => {
    const headers = { authorization: `Bearer ${account.apiKey}`, 'x-sluice-cache': 'ttl=300' };
    const body = { model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] };
    for (let sent = 0; sent < 2; sent++) {
      const response = await fetch(`${account.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      await response.text();
      expect(response.headers.get('x-sluice-cache')).toBe(sent === 0 ? 'miss' : 'hit');
    }
    const all = { requests: 2, isComplete: true, promptCacheSavings: { amount: '0' }, responseCacheRequests: 1 };
    const total = async () => (await sample({ cookie: account.cookie })).data?.usageSample.total;
    await expect.poll(total, { timeout: 120_000 }).toEqual(all);
    const stranger = await signUp(account.url);
    expect((await sample({ cookie: stranger.cookie })).data?.usageSample.total.requests).toBe(0);
  });

  it('finds words in content only for those who may read it', async () => {
    const email = newEmail();
    const owner = { cookie: account.cookie };
    await post(account.url, { query: invite, variables: { input: { email, role: 'BILLING' } } }, owner);
    const invitation = await mailFolder(account.dataDir).token(email, 'Invitation to');
    const billing = { cookie: (await signUp(account.url, { email, invitation })).cookie };
    expect((await sample(billing)).code).toBeNull();
    expect((await sample(billing, { text: 'hello' })).code).toBe('forbidden');
    expect((await sample(owner, { text: 'hello' })).code).toBeNull();
  });

  it('refuses a range that ends before it starts', async () => {
    const range = { from: '2026-11-02T00:00:00Z', to: '2026-11-01T00:00:00Z' };
    const { code } = await post(account.url, { query, variables: { range } }, { cookie: account.cookie });
    expect(code).toBe('bad_user_input');
  });
});
