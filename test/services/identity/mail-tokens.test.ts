import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { MailToken, type User } from '../../../src/database/entities/index.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { findMailToken, issueMailToken, useMailToken } from '../../../src/services/identity/mails/mail-tokens.ts';
import { describeWithDatabase } from '../../harness/databases.ts';

describeWithDatabase('mail tokens', (databases) => {
  let database: Database;
  let people = 0;

  beforeAll(async () => {
    database = await databases.open();
  });

  async function person(): Promise<User> {
    const em = database.em();
    const { user } = buildUser(em, { email: `p${++people}@example.com`, name: 'P', passwordHash: null, plan: 'free' });
    await em.flush();
    return user;
  }

  async function issue(kind: 'verify' | 'reset', of?: User): Promise<string> {
    const user = of ?? (await person());
    const em = database.em();
    return (await issueMailToken(em, em.merge(user), kind, user.email)) ?? '';
  }

  it('expire, after half an hour for a password reset', async () => {
    const token = await issue('reset');
    const em = database.em();
    const found = await findMailToken(em, 'reset', token);
    const lifetime = (found?.expiresAt.getTime() ?? 0) - (found?.createdAt.getTime() ?? 0);
    expect(lifetime).toBe(30 * 60_000);
    await em.nativeUpdate(MailToken, { id: found?.id ?? '' }, { expiresAt: new Date(Date.now() - 1) });
    expect(await findMailToken(database.em(), 'reset', token)).toBeNull();
  });

  it('are valid only for their purpose', async () => {
    const token = await issue('verify');
    expect(await findMailToken(database.em(), 'reset', token)).toBeNull();
    expect(await findMailToken(database.em(), 'verify', token)).not.toBeNull();
  });

  it('are used once, together with the user’s other tokens of their kind', async () => {
    const user = await person();
    const [first, second] = [await issue('reset', user), await issue('reset', user)];
    const found = await findMailToken(database.em(), 'reset', first);
    if (found === null) throw new Error('not found');
    const uses = await Promise.all([useMailToken(database.em(), found), useMailToken(database.em(), found)]);
    expect(uses.toSorted()).toEqual([false, true]);
    expect(await findMailToken(database.em(), 'reset', second)).toBeNull();
  });

  it('are limited to five an hour', async () => {
    const user = await person();
    for (let made = 0; made < 5; made++) expect(await issue('reset', user)).not.toBe('');
    expect(await issue('reset', user)).toBe('');
    expect(await issue('verify', user)).not.toBe('');
  });
});
