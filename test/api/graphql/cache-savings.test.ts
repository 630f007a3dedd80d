import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../harness/graphql-client.ts';
import { mailFolder } from '../../harness/mailbox.ts';
import { newAccount, newEmail, signUp, type TestAccount } from '../../harness/shared-server.ts';

const query = `query ($range: UsageRange!, $filter: UsageFilter) {
  usage(range: $range, filter: $filter) {
    total { requests outputSpeed { p50 } promptCacheRequests promptCacheSavings { amount } responseCacheRequests responseCacheSavings { amount } }
  }
}`;
const invite =
  'mutation ($input: InviteMemberInput!) { inviteMember(input: $input) { ... on InviteMemberFailure { code } } }';

describe('cache savings of the query usage', () => {
  let account: TestAccount;

  beforeAll(async () => {
    account = await newAccount();
  });
  afterAll(() => account.dispose());

  function usage(caller: Readonly<Record<string, string>>, filter: object = {}) {
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
    const all = {
      requests: 2,
      outputSpeed: null,
      promptCacheRequests: 0,
      promptCacheSavings: { amount: '0' },
      responseCacheRequests: 1,
      // The sandbox is free.
      responseCacheSavings: { amount: '0' },
    };
    const total = async () => (await usage({ cookie: account.cookie })).data?.usage.total;
    await expect.poll(total, { timeout: 120_000 }).toEqual(all);
    const stranger = await signUp(account.url);
    expect((await usage({ cookie: stranger.cookie })).data?.usage.total.requests).toBe(0);
  });

  it('finds words in content only for those who may read it', async () => {
    const email = newEmail();
    const owner = { cookie: account.cookie };
    await post(account.url, { query: invite, variables: { input: { email, role: 'BILLING' } } }, owner);
    const invitation = await mailFolder(account.dataDir).token(email, 'Invitation to');
    const billing = { cookie: (await signUp(account.url, { email, invitation })).cookie };
    expect((await usage(billing)).code).toBeNull();
    expect((await usage(billing, { text: 'hello' })).code).toBe('forbidden');
    expect((await usage(owner, { text: 'hello' })).code).toBeNull();
  });
});
