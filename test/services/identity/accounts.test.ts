import { beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { Account, Session, User } from '../../../src/database/entities/index.ts';
import { SluiceError } from '../../../src/errors/index.ts';
import type { SignUpPolicy } from '../../../src/services/accounts/sign-up-policy.ts';
import { AccountsService } from '../../../src/services/identity/accounts.service.ts';
import { ensureFirstOwner } from '../../../src/services/identity/first-owner.ts';
import { SessionsService } from '../../../src/services/sessions/sessions.service.ts';
import { KnownDevices } from '../../../src/services/identity/known-devices.ts';
import { SignInThrottle } from '../../../src/services/accounts/sign-in-throttle.ts';
import { CredentialVault } from '../../../src/services/connections/credential-vault.ts';
import { CookieSeal } from '../../../src/services/identity/cookie-seal.ts';
import { MemoryKeyDirectory } from '../../../src/services/keys/key-directory.ts';
import { KeysService } from '../../../src/services/keys/keys.service.ts';
import { KeyPepper } from '../../../src/services/keys/secrets/pepper.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { describeOnEachDatabase, describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { noIdentity, signUpAtOnce } from '../../harness/no-identity.ts';

const origin = { address: '127.0.0.1', userAgent: 'test' };
const person = { email: ' Someone@Example.com ', password: 'correct horse battery', name: 'Someone' };

function accountsService(
  database: Database,
  sessions: SessionsService,
  policy: SignUpPolicy = 'open',
  free = 100,
): AccountsService {
  const clock = new FakeClock();
  return new AccountsService({
    database,
    sessions,
    throttles: { accounts: new SignInThrottle(free, clock), addresses: new SignInThrottle(1_000, clock) },
    signUp: policy,
    defaultPlan: () => 'free',
    identity: noIdentity,
  });
}

describeWithDatabase('accounts', (databases) => {
  let database: Database;
  let sessions: SessionsService;

  beforeEach(async () => {
    database = await databases.open();
    sessions = new SessionsService(database);
  });

  const accounts = (policy?: SignUpPolicy, free?: number): AccountsService =>
    accountsService(database, sessions, policy, free);

  it('allow sign-up, sign-in and sign-out', async () => {
    const service = accounts();
    const { token } = await signUpAtOnce(service, person, origin);
    expect(await sessions.authenticate(token)).toMatchObject({
      email: 'someone@example.com',
      memberships: [{ role: 'owner' }],
    });
    const second = await service.signIn({ email: 'SOMEONE@example.com', password: person.password }, origin);
    expect(second.token).not.toBe(token);
    await service.signOut(second.token);
    expect(await sessions.authenticate(second.token)).toBeNull();
    expect(await sessions.authenticate(token)).not.toBeNull();
  });

  it('store neither passwords nor tokens', async () => {
    const { token } = await signUpAtOnce(accounts(), person, origin);
    const kept = JSON.stringify([
      await database.em().find(User, {}),
      (await database.em().find(Session, {})).map(({ tokenHash }) => tokenHash.toString('base64url')),
    ]);
    expect(kept).not.toContain(person.password);
    expect(kept).not.toContain(token);
  });

  it('create one account per user, also for concurrent requests', async () => {
    const service = accounts();
    const outcomes = await Promise.allSettled([service.signUp(person, origin), service.signUp(person, origin)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'email_taken' } });
  });

  it.each([
    [{ ...person, email: 'nobody' }, 'invalid_email'],
    [{ ...person, password: 'short' }, 'weak_password'],
    [{ ...person, password: 'Password123' }, 'weak_password'],
    [{ ...person, password: 'aaaaaaaaaaaa' }, 'weak_password'],
    [{ ...person, password: 'someone@example.com' }, 'weak_password'],
    [{ ...person, password: 'x'.repeat(257) }, 'weak_password'],
    [{ ...person, name: ' ' }, 'bad_user_input'],
  ])('are not created from %j', async (input, code) => {
    await expect(accounts().signUp(input, origin)).rejects.toMatchObject({ code });
  });

  it.each(['invite', 'off'] as const)('are closed when sign-up is %s', async (policy) => {
    await expect(accounts(policy).signUp(person, origin)).rejects.toMatchObject({ code: 'sign_up_closed' });
  });

  it('return the same error for a wrong password and an unknown address', async () => {
    const service = accounts();
    await service.signUp(person, origin);
    const wrong = await service
      .signIn({ email: 'someone@example.com', password: 'wrong' }, origin)
      .catch((error: unknown) => String(error));
    const unknown = await service
      .signIn({ email: 'nobody@example.com', password: 'wrong' }, origin)
      .catch((error: unknown) => String(error));
    expect(wrong).toBe(unknown);
  });

  it('slow down guessing, including the right password', async () => {
    const service = accounts('open', 2);
    await service.signUp(person, origin);
    const guess = (password: string) => service.signIn({ email: 'someone@example.com', password }, origin);
    for (let attempt = 0; attempt < 2; attempt++)
      await expect(guess('wrong')).rejects.toMatchObject({ code: 'invalid_credentials' });
    await expect(guess(person.password)).rejects.toMatchObject({ code: 'too_many_attempts', status: 429 });
  });

  it('slow down guessing at many users from one IPv6 network', async () => {
    const clock = new FakeClock();
    const throttles = { accounts: new SignInThrottle(100, clock), addresses: new SignInThrottle(2, clock) };
    const service = new AccountsService({
      database,
      sessions,
      throttles,
      signUp: 'open',
      defaultPlan: () => 'free',
      identity: noIdentity,
    });
    const guess = (address: string) =>
      service.signIn({ email: `${address}@example.com`, password: 'wrong' }, { address, userAgent: null });
    for (const address of ['2001:db8:1:2::1', '2001:db8:1:2::2'])
      await expect(guess(address)).rejects.toMatchObject({ code: 'invalid_credentials' });
    await expect(guess('2001:db8:1:2:a::3')).rejects.toMatchObject({ code: 'too_many_attempts' });
    await expect(guess('2001:db8:1:3::1')).rejects.toMatchObject({ code: 'invalid_credentials' });
  });

  it('count guesses by network and device, so that strangers lock nobody out', async () => {
    const clock = new FakeClock();
    const throttles = { accounts: new SignInThrottle(2, clock), addresses: new SignInThrottle(100, clock) };
    const devices = new KnownDevices(
      new CookieSeal(new CredentialVault([{ version: 1, masterKey: 'a master key for tests, long enough' }])),
    );
    const service = new AccountsService({
      database,
      sessions,
      throttles,
      signUp: 'open',
      defaultPlan: () => 'free',
      identity: { ...noIdentity, devices },
    });
    await service.signUp(person, origin);
    const email = 'someone@example.com';
    const signIn = async (password: string, address: string, device: string | null = null): Promise<string> => {
      try {
        await service.signIn({ email, password }, { address, userAgent: null, device });
        return 'signed in';
      } catch (error) {
        return error instanceof SluiceError ? error.code : String(error);
      }
    };
    const [strangers, shared, elsewhere] = ['203.0.113.7', '192.0.2.9', '198.51.100.200'];
    for (const network of [strangers, shared])
      for (let guess = 0; guess < 2; guess++) expect(await signIn('a guess', network)).toBe('invalid_credentials');
    // The right password counts as a guess too, if only guesses were made from there.
    expect(await signIn(person.password, strangers)).toBe('too_many_attempts');
    expect(await signIn(person.password, elsewhere)).toBe('signed in');
    const device = devices.remember(email);
    expect(await signIn(person.password, shared, device)).toBe('signed in');
    // The device is limited too, and belongs to this user only.
    for (let guess = 0; guess < 2; guess++)
      expect(await signIn('a guess', elsewhere, device)).toBe('invalid_credentials');
    expect(await signIn(person.password, elsewhere, device)).toBe('too_many_attempts');
    expect(await signIn(person.password, shared, devices.remember('other@example.com'))).toBe('too_many_attempts');
    expect(await signIn(person.password, shared, 'made up')).toBe('too_many_attempts');
  });

  it.each(['', 'x', 'x'.repeat(100_000), "' or 1=1"])('return no session for the token %#', async (token) => {
    expect(await sessions.authenticate(token)).toBeNull();
  });

  it('end a session whose identity is being read at the same time', async () => {
    const [read, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const own = new SessionsService({
      ...database,
      query: async <Row extends object>(text: string, values?: readonly unknown[]) => {
        const rows = await database.query<Row>(text, values);
        read.resolve();
        await release.promise;
        return rows;
      },
    });
    const { token } = await signUpAtOnce(accounts(), person, origin);
    const identity = own.authenticate(token);
    await read.promise;
    await own.end(token);
    release.resolve();
    expect([await identity, await own.authenticate(token)]).toEqual([null, null]);
  });

  it('end sessions that are too old or idle', async () => {
    const { token } = await signUpAtOnce(accounts(), person, origin);
    const em = database.em();
    await em.nativeUpdate(Session, {}, { lastSeenAt: new Date(Date.now() - 8 * 86_400_000) });
    expect(await sessions.authenticate(token)).toBeNull();
    await em.nativeUpdate(Session, {}, { lastSeenAt: new Date(), expiresAt: new Date(Date.now() - 1) });
    expect(await new SessionsService(database).authenticate(token)).toBeNull();
  });

  it('end sessions by the current configuration', async () => {
    const clock = new FakeClock(Date.now());
    let limits = { idleMs: 3_600_000, maxMs: 86_400_000 };
    const own = new SessionsService(database, clock, false, () => limits);
    const { token } = await signUpAtOnce(accountsService(database, own), person, origin);
    const { sessionId = '' } = (await own.authenticate(token)) ?? {};
    clock.advance(3_000_000);
    expect(await own.endOf(sessionId)).toBe(clock.now() + 600_000);
    expect((await own.authenticate(token))?.idleAt).toBe(clock.now() + 3_600_000);
    expect(await own.endOf(sessionId)).toBe(clock.now() + 3_600_000);
    // An open socket is not use of the session.
    clock.advance(3_600_001);
    expect([await own.authenticate(token), await own.endOf(sessionId)]).toEqual([null, null]);
    limits = { idleMs: 86_400_000, maxMs: 86_400_000 };
    clock.advance(1_001);
    expect((await own.authenticate(token))?.sessionId).toBe(sessionId);
    limits = { idleMs: 86_400_000, maxMs: 3_600_000 };
    clock.advance(1_001);
    expect([await own.authenticate(token), await own.endOf(sessionId)]).toEqual([null, null]);
  });
});

// An advisory lock orders the processes: it differs on the embedded database, where all share a session.
describeOnEachDatabase('a new database', (databases) => {
  it('has one owner after concurrent starts', async () => {
    const database = await databases.open();
    const pepper = new KeyPepper([{ version: 1, masterKey: 'a master key for tests, long enough' }]);
    const directory = new MemoryKeyDirectory({
      database,
      pepper,
      defaults: () => ({ requestsPerMinute: 1, tokensPerMinute: 1, requestsPerDay: 1, concurrency: 1 }),
      plans: () => readPlans({ plans: {}, default_plan: 'free' }),
    });
    const keys = new KeysService({ database, pepper, directory });
    const given = { email: undefined, password: undefined };
    const made = await Promise.all([ensureFirstOwner(database, keys, given), ensureFirstOwner(database, keys, given)]);
    const [owner, ...others] = made.filter((each) => each !== null);
    expect(others).toEqual([]);
    const key = await directory.find(owner?.apiKey ?? '');
    expect([...key.scopes]).toEqual(['inference', 'read', 'manage']);
    const accounts = accountsService(database, new SessionsService(database));
    await accounts.signIn({ email: owner?.email ?? '', password: owner?.generatedPassword ?? '' }, origin);
  });

  it('has its owner although a user signed up before', async () => {
    const database = await databases.open();
    const pepper = new KeyPepper([{ version: 1, masterKey: 'a master key for tests, long enough' }]);
    const limits = { requestsPerMinute: 1, tokensPerMinute: 1, requestsPerDay: 1, concurrency: 1 };
    const plans = readPlans({ plans: {}, default_plan: 'free' });
    const directory = new MemoryKeyDirectory({ database, pepper, defaults: () => limits, plans: () => plans });
    const keys = new KeysService({ database, pepper, directory });
    await signUpAtOnce(accountsService(database, new SessionsService(database)), person, origin);
    const given = { email: undefined, password: undefined };
    expect(await ensureFirstOwner(database, keys, given)).toMatchObject({ email: 'owner@sluice.local' });
    expect(await ensureFirstOwner(database, keys, given)).toBeNull();
    const accounts = await database.em().find(Account, {}, { orderBy: { createdAt: 'asc' } });
    const terms = accounts.map(({ isOperator, spendingRestricted }) => ({ isOperator, spendingRestricted }));
    expect(terms).toEqual([
      { isOperator: false, spendingRestricted: true },
      { isOperator: true, spendingRestricted: false },
    ]);
  });
});
