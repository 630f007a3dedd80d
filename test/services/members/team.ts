import type { Database } from '../../../src/database/database.ts';
import type { Mail } from '../../../src/mail/mail.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import type { SignUpPolicy } from '../../../src/services/accounts/sign-up-policy.ts';
import { AccountsService } from '../../../src/services/identity/accounts.service.ts';
import { Callers } from '../../../src/services/authorization/callers.ts';
import { SessionsService, type SessionIdentity } from '../../../src/services/sessions/sessions.service.ts';
import { SignInThrottle } from '../../../src/services/accounts/sign-in-throttle.ts';
import { MemoryKeyDirectory } from '../../../src/services/keys/key-directory.ts';
import { KeysService } from '../../../src/services/keys/keys.service.ts';
import { KeyPepper } from '../../../src/services/keys/secrets/pepper.ts';
import { AccountLifecycleService } from '../../../src/services/members/account-lifecycle.service.ts';
import { InvitationsService } from '../../../src/services/members/invitations.service.ts';
import { MemberRoles } from '../../../src/services/authorization/member-roles.ts';
import { MembersService } from '../../../src/services/members/members.service.ts';
import { FakeClock } from '../../harness/fake-clock.ts';
import { noIdentity, signUpAtOnce } from '../../harness/no-identity.ts';

export const origin = { address: '192.0.2.7', userAgent: 'test' };
export const password = 'correct horse battery';

/** The people services of one process, on a database that may be shared. */
export class Team {
  readonly database: Database;
  readonly mails: Mail[] = [];
  readonly sessions: SessionsService;
  readonly roles: MemberRoles;
  readonly keys: MemoryKeyDirectory;
  readonly keysService: KeysService;
  readonly callers: Callers;
  readonly members: MembersService;
  readonly invitations: InvitationsService;
  readonly lifecycle: AccountLifecycleService;
  readonly accounts: AccountsService;
  readonly clock = new FakeClock(Date.now());
  #people = 0;

  constructor(database: Database, signUp: SignUpPolicy = 'open') {
    this.database = database;
    const mailer = { send: async (mail: Mail) => void this.mails.push(mail) };
    const pepper = new KeyPepper([{ version: 1, masterKey: 'a master key for tests, long enough' }]);
    const plans = readPlans({ plans: {}, default_plan: 'free' });
    const limits = { requestsPerMinute: 9, tokensPerMinute: 9, requestsPerDay: 9, concurrency: 9 };
    this.keys = new MemoryKeyDirectory({ database, pepper, defaults: () => limits, plans: () => plans });
    this.keysService = new KeysService({ database, pepper, directory: this.keys });
    const sessions = new SessionsService(database);
    this.sessions = sessions;
    this.roles = new MemberRoles(database);
    this.callers = new Callers({ keys: this.keys, sessions, roles: this.roles });
    this.members = new MembersService({ database, sessions, roles: this.roles });
    const publicUrl = (): string => 'https://gateway.example';
    const throttle = new SignInThrottle(1_000);
    this.invitations = new InvitationsService({ database, mailer, sessions, throttle, publicUrl });
    this.lifecycle = new AccountLifecycleService({
      database,
      sessions,
      keys: this.keys,
      mailer,
      signUp,
      defaultPlan: () => 'free',
      clock: this.clock,
    });
    const throttles = { accounts: new SignInThrottle(1_000), addresses: new SignInThrottle(1_000) };
    this.accounts = new AccountsService({
      database,
      sessions,
      throttles,
      signUp,
      defaultPlan: () => 'free',
      identity: noIdentity,
      invitations: this.invitations,
    });
  }

  /** A new user with an account of their own, or invited. */
  async person(invitation?: { readonly email: string; readonly token: string }): Promise<Person> {
    const email = invitation?.email ?? `p${++this.#people}@example.com`;
    const input = { email, password, name: 'P', invitation: invitation?.token ?? null };
    const { token } = await signUpAtOnce(this.accounts, input, origin);
    return { token, ...(await this.identity(token)) };
  }

  async identity(token: string): Promise<SessionIdentity & { readonly accountId: string }> {
    const identity = await this.sessions.authenticate(token);
    if (identity === null) throw new Error('nobody is signed in');
    return { ...identity, accountId: identity.memberships[0]?.accountId ?? '' };
  }

  /** The token of the last invitation. */
  lastToken(): string {
    return /token=([\w-]{43})/.exec(this.mails.at(-1)?.text ?? '')?.[1] ?? '';
  }

  /** Adds a member to an account by an invitation. */
  async member(owner: Person, role: 'owner' | 'admin' | 'developer' | 'billing' | 'viewer'): Promise<Member> {
    const email = `m${++this.#people}@example.com`;
    await this.invitations.invite(owner.accountId, { userId: owner.userId, own: ['owner'] }, { email, role });
    const person = await this.person({ email, token: this.lastToken() });
    const { rows } = await this.members.list(owner.accountId, { limit: 100 });
    const memberId = rows.find(({ membership }) => membership.user.id === person.userId)?.membership.id ?? '';
    return { ...person, memberId };
  }
}

export interface Person extends SessionIdentity {
  readonly token: string;
  readonly accountId: string;
}

export interface Member extends Person {
  readonly memberId: string;
}
