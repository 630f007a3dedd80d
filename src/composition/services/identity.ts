import type { Logger } from 'pino';
import { systemClock } from '../../calendar/clock.ts';
import type { IdentityProviderEntry } from '../../config/identity-providers.ts';
import { presetOf } from '../../config/identity-providers.ts';
import type { SluiceConfig } from '../../config/config-schema.ts';
import type { Environment } from '../../config/environment.ts';
import type { Database } from '../../database/database.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import type { Mailer } from '../../mail/mail.ts';
import { OutboundGuard, portOf } from '../../outbound/guard.ts';
import { GuardedFetch } from '../../outbound/guarded-fetch.ts';
import { AccountsService, type InvitationAcceptor } from '../../services/identity/accounts.service.ts';
import { KnownDevices } from '../../services/identity/known-devices.ts';
import type { SpendingApprovals } from '../../services/accounts/spending-approvals.ts';
import type { SessionsService } from '../../services/sessions/sessions.service.ts';
import { SignInThrottle, type SharedAttempts } from '../../services/accounts/sign-in-throttle.ts';
import { watchEndedSessions } from '../../services/sessions/watch-ended-sessions.ts';
import { CredentialVault } from '../../services/connections/credential-vault.ts';
import { CookieSeal } from '../../services/identity/cookie-seal.ts';
import { ExternalSignIn } from '../../services/identity/external/external-sign-in.ts';
import type {
  IdentityProvider,
  IdentityProviderSettings,
  ProviderFetch,
} from '../../services/identity/external/identity-provider.ts';
import { LinkTickets } from '../../services/identity/external/link-tickets.ts';
import { LinkedUsers, type InvitationFinder } from '../../services/identity/external/linked-users.ts';
import { toSettings } from '../../services/identity/external/presets.ts';
import { IdentityProviders } from '../../services/identity/external/identity-providers.ts';
import { IdentityMails } from '../../services/identity/mails/identity-mails.ts';
import { PendingSignUps } from '../../services/identity/pending-sign-ups.ts';
import { ProfileService } from '../../services/identity/profile.service.ts';
import { SecondFactor } from '../../services/identity/two-factor/second-factor.ts';
import { TwoFactorService } from '../../services/identity/two-factor/two-factor.service.ts';
import type { EarlierAccess } from '../../services/members/earlier-access.ts';
import type { MasterKeys } from '../../secrets/master-keys.ts';

/** Sign-up mails per network before the wait doubles with each further one. */
const FREE_SIGN_UP_MAILS = 20;
const FREE_SIGN_INS = { account: 5, address: 50 };
const CONNECT_TIMEOUT_MS = 5_000;
const RESPONSE_TIMEOUT_MS = 10_000;
/** ID of the provider from the environment. */
const DEFAULT_ID = 'oidc';

export interface IdentityOptions {
  readonly database: Database;
  readonly jobs: JobQueue;
  readonly mailer: Pick<Mailer, 'send'>;
  readonly sessions: SessionsService;
  readonly masterKeys: MasterKeys;
  readonly environment: Pick<
    Environment,
    'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'SLUICE_OUTBOUND_ALLOW' | 'SLUICE_SIGNUP' | 'SMTP_URL'
  >;
  /** From `sluice.yaml`, as currently loaded. */
  readonly configured: () => SluiceConfig['identityProviders'];
  /** Plan of new accounts. */
  readonly defaultPlan: () => string;
  /** Public origin of this server. */
  readonly publicUrl: () => string;
  readonly earlierAccess: EarlierAccess;
  readonly approvals: SpendingApprovals;
  /** Admits people by invitation while sign-up is not open. */
  readonly invitations?: InvitationFinder & InvitationAcceptor;
  /** Where other processes count attempts, too. */
  readonly redis?: { readonly throttles: SharedAttempts | null };
  readonly log: Pick<Logger, 'warn'>;
}

export interface WiredIdentity {
  readonly accounts: AccountsService;
  readonly mails: IdentityMails;
  readonly secondFactor: SecondFactor;
  readonly profiles: ProfileService;
  readonly twoFactor: TwoFactorService;
  readonly external: ExternalSignIn;
  /** Null if no mail can be sent. */
  readonly pendingSignUps: PendingSignUps | null;
  close(): Promise<void>;
}

/** Wires sign-up, sign-in and external identities. Call it before the job queue starts. */
export function wireIdentity(options: IdentityOptions): WiredIdentity {
  const { database, jobs, mailer, sessions, masterKeys, environment, publicUrl, earlierAccess, approvals, log } =
    options;
  const shared = options.redis?.throttles ?? null;
  const throttles = {
    accounts: new SignInThrottle(FREE_SIGN_INS.account, systemClock, shared, 'account'),
    addresses: new SignInThrottle(FREE_SIGN_INS.address, systemClock, shared, 'address'),
  };
  const vault = new CredentialVault(masterKeys);
  const mails = new IdentityMails({ database, queue: jobs, mailer, publicUrl, log });
  const secondFactor = new SecondFactor({ database, vault, throttle: throttles.accounts, mails });
  const seal = new CookieSeal(vault);
  const fetches = new Set<GuardedFetch>();
  const providers = new IdentityProviders(
    () => settingsOf(environment, options.configured()),
    (settings) => openProvider(settings, guardedFetch(settings, environment.SLUICE_OUTBOUND_ALLOW, fetches)),
  );
  const users = new LinkedUsers({
    database,
    signUp: environment.SLUICE_SIGNUP,
    defaultPlan: options.defaultPlan,
    invitations: options.invitations ?? null,
    mails,
    approvals,
  });
  const stopWatching = watchEndedSessions(database.changes, sessions);
  const { SLUICE_SIGNUP: signUp } = environment;
  const { defaultPlan, invitations } = options;
  const devices = new KnownDevices(seal);
  const mailThrottle = new SignInThrottle(FREE_SIGN_UP_MAILS, systemClock, shared, 'mail');
  const pendingSignUps =
    environment.SMTP_URL === undefined
      ? null
      : new PendingSignUps({ database, sessions, throttles, mailThrottle, signUp, defaultPlan, mails, seal, devices });
  const identity = { mails, secondFactor, pending: pendingSignUps ?? undefined, devices };
  return {
    accounts: new AccountsService({ database, sessions, throttles, signUp, defaultPlan, identity, invitations }),
    pendingSignUps,
    mails,
    secondFactor,
    profiles: new ProfileService({ database, sessions, secondFactor, throttles, mails, earlierAccess, approvals }),
    twoFactor: new TwoFactorService({ database, secondFactor, throttle: throttles.accounts, mails }),
    external: new ExternalSignIn({
      database,
      sessions,
      secondFactor,
      throttles,
      providers,
      users,
      tickets: new LinkTickets({ database, seal, secondFactor, throttle: throttles.accounts }),
      seal,
      publicUrl,
    }),
    close: async () => {
      stopWatching();
      await Promise.all([...fetches].map((each) => each.close()));
    },
  };
}

/** The provider from the environment first. */
function settingsOf(
  environment: IdentityOptions['environment'],
  configured: SluiceConfig['identityProviders'],
): IdentityProviderSettings[] {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = environment;
  const named = Object.entries(configured).map(([id, entry]) => fromEntry(id, entry));
  if (issuer === undefined || clientId === undefined) return named;
  const fromEnvironment = toSettings(DEFAULT_ID, { preset: null, issuer, clientId, clientSecret });
  return [fromEnvironment, ...named.filter(({ id }) => id !== DEFAULT_ID)];
}

function fromEntry(id: string, entry: IdentityProviderEntry): IdentityProviderSettings {
  return toSettings(id, {
    preset: presetOf(id, entry),
    issuer: entry.issuer,
    clientId: entry.client_id,
    clientSecret: entry.client_secret,
    name: entry.name,
    scopes: entry.scopes,
    tenant: entry.tenant,
    trustsEmail: entry.trust_email,
    allowsHttp: entry.allow_http,
  });
}

/** Loaded at the first sign-in, because its package would increase the memory of an idle server. */
async function openProvider(settings: IdentityProviderSettings, fetch: ProviderFetch): Promise<IdentityProvider> {
  if (settings.kind === 'github') {
    const { GithubProvider } = await import('../../services/identity/external/github-provider.ts');
    return new GithubProvider(settings, fetch);
  }
  const { OpenIdProvider } = await import('../../services/identity/external/openid-provider.ts');
  return new OpenIdProvider(settings, fetch);
}

/** The configured issuer may be at a private address; other URLs in its documents may not. */
function guardedFetch(
  { issuer }: IdentityProviderSettings,
  allow: readonly string[],
  fetches: Set<GuardedFetch>,
): ProviderFetch {
  const { protocol, hostname, port } = new URL(issuer);
  const guard = new OutboundGuard([...allow, `${hostname}:${portOf(protocol, port)}`]);
  const guarded = new GuardedFetch({ guard, connectTimeoutMs: CONNECT_TIMEOUT_MS, timeoutMs: RESPONSE_TIMEOUT_MS });
  fetches.add(guarded);
  return guarded.fetch;
}
