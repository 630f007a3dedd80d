import { Secret, TOTP } from 'otpauth';
import { beforeAll, expect, it } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import { AuditEntry, User } from '../../../src/database/entities/index.ts';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { SignInThrottle } from '../../../src/services/accounts/sign-in-throttle.ts';
import { CredentialVault } from '../../../src/services/connections/credential-vault.ts';
import { SecondFactor } from '../../../src/services/identity/two-factor/second-factor.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const STEP_MS = 30_000;
const vault = new CredentialVault([{ version: 1, masterKey: 'a master key for tests, long enough' }]);

describeWithDatabase('two-factor authentication', (databases) => {
  let database: Database;
  let people = 0;
  const clock = new FakeClock(1_800_000_000_000);

  beforeAll(async () => {
    database = await databases.open();
  });

  async function prepare() {
    const em = database.em();
    const { user } = buildUser(em, { email: `p${++people}@example.com`, name: 'P', passwordHash: null, plan: 'free' });
    await em.flush();
    const told: string[] = [];
    const factor = new SecondFactor({
      database,
      vault,
      throttle: new SignInThrottle(100),
      mails: { notify: (_email, notice) => void told.push(notice) },
      clock,
    });
    const reload = () => database.em().findOneOrFail(User, { id: user.id });
    const { secret } = await factor.start(user);
    const totp = new TOTP({ secret: Secret.fromBase32(secret) });
    const code = (steps: number) => totp.generate({ timestamp: clock.now() + steps * STEP_MS });
    const actions = async () =>
      (await database.em().find(AuditEntry, { targetId: user.id }, { orderBy: { id: 'asc' } })).map(
        ({ action }) => action,
      );
    return { factor, reload, code, told, actions };
  }

  async function enabled() {
    const prepared = await prepare();
    const { factor, reload, code } = prepared;
    const codes = await factor.confirm(await reload(), code(-1));
    return { ...prepared, codes, check: async (given: string | null) => factor.check(await reload(), given) };
  }

  it('is not required until it is confirmed', async () => {
    const { factor, reload } = await prepare();
    await factor.check(await reload(), null);
    await expect(factor.confirm(await reload(), 'abc')).rejects.toMatchObject({ code: 'invalid_totp' });
    await factor.check(await reload(), null);
  });

  it('is confirmed by one of many concurrent requests, and is already enabled for the others', async () => {
    const { factor, reload, code } = await prepare();
    const users = await Promise.all(Array.from({ length: 4 }, reload));
    const outcomes = await Promise.allSettled(users.map((user) => factor.confirm(user, code(0))));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'totp_already_enabled' });
  });

  it('accepts codes of the previous and next time step only', async () => {
    for (const steps of [0, 1]) {
      const { check, code } = await enabled();
      await check(code(steps));
    }
    for (const steps of [-2, 2, 100]) {
      const { check, code } = await enabled();
      await expect(check(code(steps))).rejects.toMatchObject({ code: 'invalid_totp' });
    }
  });

  it('rejects a code that was used, and older ones', async () => {
    const { check, code } = await enabled();
    await check(code(1));
    for (const steps of [1, 0, -1]) await expect(check(code(steps))).rejects.toMatchObject({ code: 'invalid_totp' });
    clock.advance(STEP_MS);
    await check(code(1));
  });

  it('accepts one of many concurrent requests with the same code', async () => {
    const { check, code, codes } = await enabled();
    for (const given of [code(0), codes[0] ?? '']) {
      const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => check(given)));
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });

  it('records wrong codes and recovery codes, and notifies the user of the latter', async () => {
    const { check, code, codes, told, actions } = await enabled();
    const before = (await actions()).length;
    await check(code(1));
    expect((await actions()).slice(before)).toEqual([]);
    for (const wrong of ['000000', 'no-recovery-code'])
      await expect(check(wrong)).rejects.toMatchObject({ code: 'invalid_totp' });
    expect(told).toEqual([]);
    await check(codes[0] ?? '');
    expect((await actions()).slice(before)).toEqual([
      'user.second_factor_failed',
      'user.second_factor_failed',
      'user.recovery_code_used',
    ]);
    expect(told).toEqual(['recovery-code-used']);
  });

  it('rejects codes of other users', async () => {
    const [ada, eve] = [await enabled(), await enabled()];
    await expect(eve.check(ada.code(0))).rejects.toMatchObject({ code: 'invalid_totp' });
    await expect(eve.check(ada.codes[0] ?? '')).rejects.toMatchObject({ code: 'invalid_totp' });
    await ada.check(ada.codes[0] ?? '');
  });

  it('encrypts the secret for its user', async () => {
    const [ada, eve] = [await enabled(), await enabled()];
    const { id } = await eve.reload();
    const { totpSecret } = await ada.reload();
    await database.em().nativeUpdate(User, { id }, { totpSecret });
    await expect(eve.check(ada.code(0))).rejects.toThrow(/do not open/);
  });
});
