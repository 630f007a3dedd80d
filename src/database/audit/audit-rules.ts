import type { AuditValue } from '../entities/audit-entry.entity.ts';
import {
  Account,
  AccountRoute,
  ApiKey,
  Budget,
  Comparison,
  Invitation,
  LinkedIdentity,
  Membership,
  ProviderConnection,
  Session,
  User,
  Webhook,
} from '../entities/index.ts';

export type ChangeKind = 'created' | 'updated' | 'deleted';

/** Whose log tells of a row: an account's, or those of all accounts that a user belongs to; null: no log does. */
export type Belongs = { readonly accountId: string } | { readonly memberships: string } | null;

/** What of an entity is told, and how. Properties that are in none of the lists are a fault, which a test finds. */
interface Rules<Row extends object> {
  /** What it is called in actions: `api_key` in `api_key.created`. */
  readonly type: string;
  label(row: Row): string;
  belongs(row: Row): Belongs;
  /** Shown as they are. */
  readonly shown: readonly (keyof Row & string)[];
  /** Shown as something that may be shown. */
  readonly shownAs?: Readonly<Partial<Record<keyof Row & string, (value: unknown) => AuditValue>>>;
  /** That they changed is told, under this name, and nothing of what they hold. */
  readonly secret?: Readonly<Partial<Record<keyof Row & string, string>>>;
  /** Not told: they are no setting of anybody's, or say what the rest says already. */
  readonly left: readonly (keyof Row & string)[];
  /** A better name than `updated`, by what changed; null for a change that is told elsewhere. */
  readonly action?: (row: Row, kind: ChangeKind, fields: ReadonlySet<string>) => string | null;
}

/** The same without the row's type: for rows of any entity. */
export interface AuditRule {
  readonly entity: new () => object;
  readonly type: string;
  readonly properties: ReadonlySet<string>;
  /** The name under which a property is told, and what is told of its value; null where it is not. */
  told(property: string): { readonly field: string; readonly value: (value: unknown) => AuditValue } | null;
  /** Null where nothing is told of this change. */
  describe(
    row: object,
    kind: ChangeKind,
    fields: ReadonlySet<string>,
  ): { readonly action: string; readonly label: string; readonly belongs: NonNullable<Belongs> } | null;
}

function audited<Row extends object>(entity: new () => Row, rules: Rules<Row>): AuditRule {
  const { shownAs = {}, secret = {} } = rules;
  const shown = new Set<string>(rules.shown);
  const secrets = new Map<string, string>(Object.entries<string | undefined>(secret).flatMap(named));
  const rendered = new Map(Object.entries<((value: unknown) => AuditValue) | undefined>(shownAs).flatMap(named));
  return {
    entity,
    type: rules.type,
    properties: new Set([...shown, ...secrets.keys(), ...rendered.keys(), ...rules.left]),
    told: (property) => {
      const name = secrets.get(property);
      if (name !== undefined) return { field: name, value: () => null };
      const value = rendered.get(property) ?? (shown.has(property) ? plain : null);
      return value && { field: property, value };
    },
    describe: (row, kind, fields) => {
      if (!(row instanceof entity)) return null;
      const belongs = rules.belongs(row);
      const action = rules.action === undefined ? kind : rules.action(row, kind, fields);
      if (belongs === null || action === null) return null;
      return { action: action.includes('.') ? action : `${rules.type}.${action}`, label: rules.label(row), belongs };
    },
  };
}

function named<Value>([name, value]: [string, Value | undefined]): [string, Value][] {
  return value === undefined ? [] : [[name, value]];
}

const MAX_TEXT_LENGTH = 2_000;

/** A value as JSON has it; a long one is cut. */
export function plain(value: unknown): AuditValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value) || typeof value !== 'object') return null;
  if (Array.isArray(value)) return value.map(plain);
  // A row that this one belongs to.
  if ('id' in value && Object.getPrototypeOf(value) !== Object.prototype) return plain(value.id);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

/** Of an address, what holds no secret: in a path or a query there may stand one. */
function host(value: unknown): AuditValue {
  return typeof value === 'string' && URL.canParse(value) ? `${new URL(value).origin}/…` : null;
}

/** The same, where the path is none. */
function baseUrl(value: unknown): AuditValue {
  if (typeof value !== 'string' || !URL.canParse(value)) return null;
  const { origin, pathname } = new URL(value);
  return `${origin}${pathname}`;
}

/** What is audited, entity by entity. */
export const auditRules: readonly AuditRule[] = [
  audited(Account, {
    type: 'account',
    label: ({ name }) => name,
    belongs: ({ id }) => ({ accountId: id }),
    shown: [
      'name',
      'plan',
      'pendingPlan',
      'pendingPlanAt',
      'timeZone',
      'zeroRetention',
      'spendingRestricted',
      'erasedAfter',
    ],
    left: ['id', 'planSince', 'isOperator', 'createdAt', 'erasedAt'],
    action: ({ erasedAfter }, kind, fields) => {
      if (kind !== 'updated') return kind;
      if (fields.has('erasedAfter')) return erasedAfter === null ? 'deletion_cancelled' : 'deletion_requested';
      if (fields.has('spendingRestricted')) return 'spending_approved';
      if (fields.has('plan')) return 'plan_changed';
      if (fields.has('pendingPlan')) return 'plan_change_planned';
      return kind;
    },
  }),
  audited(AccountRoute, {
    type: 'route',
    label: ({ name }) => name,
    belongs: ({ account }) => ({ accountId: account.id }),
    shown: ['name', 'settings'],
    left: ['id', 'account', 'createdAt', 'updatedAt'],
  }),
  audited(ApiKey, {
    type: 'api_key',
    label: ({ name }) => name,
    // The built-in key of a dashboard is nobody's doing.
    belongs: ({ account, kind }) => (kind === 'user' ? { accountId: account.id } : null),
    shown: [
      'name',
      'scopes',
      'role',
      'allowedModels',
      'expiresAt',
      'limits',
      'liveContent',
      'responseCacheSeconds',
      'moderation',
      'previousSecretExpiresAt',
      'revokedAt',
    ],
    secret: { secretHmac: 'secret' },
    left: [
      'id',
      'account',
      'hint',
      'pepperVersion',
      'previousSecretHmac',
      'expiryToldDays',
      'changedAt',
      'kind',
      'createdBy',
      'createdAt',
      'lastUsedAt',
    ],
    action: ({ revokedAt }, kind, fields) => {
      if (kind === 'updated' && fields.has('revokedAt') && revokedAt !== null) return 'revoked';
      return kind === 'updated' && fields.has('secret') ? 'rotated' : kind;
    },
  }),
  audited(Budget, {
    type: 'budget',
    label: ({ subject }) => subject,
    belongs: ({ account }) => ({ accountId: account.id }),
    shown: ['subject', 'apiKey', 'member', 'amountNano', 'period', 'alertAt'],
    left: ['id', 'account', 'createdAt', 'changedAt', 'removedAt'],
  }),
  audited(Comparison, {
    type: 'comparison',
    label: ({ name, id }) => name ?? id,
    belongs: ({ account }) => ({ accountId: account.id }),
    shown: ['name', 'sharedAt'],
    secret: { shareTokenHash: 'link' },
    left: ['id', 'account', 'apiKeyId', 'memberId', 'kind', 'question', 'createdAt', 'endedAt', 'leaseUntil'],
    action: ({ sharedAt }, kind, fields) => {
      // That it was made is requests, which the usage log tells.
      if (kind === 'created') return null;
      if (kind === 'updated' && fields.has('link')) return sharedAt === null ? 'unshared' : 'shared';
      return kind === 'updated' ? 'renamed' : kind;
    },
  }),
  audited(Invitation, {
    type: 'invitation',
    label: ({ email }) => email,
    belongs: ({ account }) => ({ accountId: account.id }),
    shown: ['email', 'role', 'expiresAt', 'acceptedAt', 'revokedAt'],
    left: ['id', 'account', 'tokenHash', 'invitedBy', 'createdAt'],
    action: (_row, kind, fields) => {
      if (kind !== 'updated') return kind;
      if (fields.has('acceptedAt')) return 'accepted';
      return fields.has('revokedAt') ? 'revoked' : 'sent_again';
    },
  }),
  audited(LinkedIdentity, {
    type: 'linked_identity',
    label: ({ provider, email }) => (email === null ? provider : `${provider}: ${email}`),
    belongs: ({ user }) => ({ memberships: user.id }),
    shown: ['provider', 'issuer', 'email', 'user'],
    left: ['id', 'subject', 'createdAt', 'lastUsedAt'],
    // What the provider calls it at the next sign-in is nobody's doing.
    action: (_row, kind) => ({ created: 'linked', updated: null, deleted: 'unlinked' })[kind],
  }),
  audited(Membership, {
    type: 'member',
    label: ({ user }) => user.email ?? user.id,
    belongs: ({ account }) => ({ accountId: account.id }),
    shown: ['role', 'user'],
    left: ['id', 'account', 'createdAt'],
    action: (_row, kind) => ({ created: 'added', updated: 'role_changed', deleted: 'removed' })[kind],
  }),
  audited(ProviderConnection, {
    type: 'provider_connection',
    label: ({ name }) => name,
    belongs: ({ account }) => ({ accountId: account.id }),
    shown: ['provider', 'name', 'active', 'options', 'secretOptionNames', 'credentialHint'],
    shownAs: { baseUrl },
    // Sealed anew by each change: the hint says whether they are others.
    left: ['id', 'account', 'sealedCredentials', 'createdAt', 'updatedAt', 'testedAt', 'testSucceeded', 'testMessage'],
  }),
  audited(Session, {
    type: 'session',
    label: ({ user }) => user.email ?? user.id,
    belongs: ({ user }) => ({ memberships: user.id }),
    shown: ['revokedAt'],
    left: ['id', 'user', 'tokenHash', 'createdAt', 'expiresAt', 'lastSeenAt', 'address', 'userAgent'],
    action: ({ revokedAt }, kind) => {
      if (kind === 'created') return 'user.signed_in';
      return kind === 'updated' && revokedAt !== null ? 'user.signed_out' : null;
    },
  }),
  audited(User, {
    type: 'user',
    label: ({ email }) => email,
    belongs: ({ id }) => ({ memberships: id }),
    shown: ['email', 'pendingEmail', 'emailVerifiedAt', 'name'],
    secret: { passwordHash: 'password', totpSecret: 'totp' },
    // A draft counts once a code of it was given; the last step is written by each sign-in.
    left: ['id', 'totpDraft', 'totpLastStep', 'createdAt'],
    action: ({ totpSecret }, kind, fields) => {
      if (kind === 'created') return 'signed_up';
      if (kind === 'deleted') return 'deleted';
      if (fields.has('totp')) return totpSecret === null ? 'totp_disabled' : 'totp_enabled';
      return fields.has('password') ? 'password_changed' : 'updated';
    },
  }),
  audited(Webhook, {
    type: 'webhook',
    label: ({ url }) => String(host(url)),
    belongs: ({ account }) => ({ accountId: account.id }),
    shown: ['events', 'disabledAt'],
    shownAs: { url: host },
    left: [
      'id',
      'account',
      'secretHint',
      'sealedSecret',
      'createdAt',
      'lastDeliveredAt',
      'lastAttemptAt',
      'lastStatus',
      'lastFailure',
      'failures',
      'failingSince',
      'retryAt',
    ],
    action: ({ disabledAt }, kind, fields) => {
      if (kind !== 'updated' || !fields.has('disabledAt')) return kind;
      return disabledAt === null ? 'enabled' : 'disabled';
    },
  }),
];

/** Entities that tell of no control action, and why. A test finds an entity that is neither here nor audited. */
export const unaudited: Readonly<Record<string, string>> = {
  AccessToken: 'is told of as a doing to its key, by who makes and who revokes it',
  AccountDeletion: 'tells the time of what the account tells',
  AuditEntry: 'is the log itself',
  BillingMark: 'says how far an account was billed; nobody did it',
  Blob: 'holds what requests made, which the usage log tells',
  BudgetAlert: 'tells what was spent; nobody did it',
  ComparisonLane: 'holds what requests made, which the usage log tells',
  ComparisonVote: 'is an opinion of an answer, and no setting',
  ConnectedAccount: 'counts the changes of connections and routes, which are told themselves',
  FailedRefund: 'is reported by the payment provider; that an operator retries it is recorded by who does',
  Invoice: 'is made by billing; that an operator books it as paid or void is recorded by who books it',
  InvoiceLine: 'is part of its invoice',
  LedgerBalance: 'is written by settlement, and proven by the ledger',
  LedgerEntry: 'is a log itself',
  LedgerPosting: 'is a log itself',
  MailToken: 'proves an address once: what is changed by it is told itself',
  PaymentCustomer: 'is what the payment provider calls an account',
  PaymentEvent: 'remembers what of the payment provider was heeded; what it booked is in the ledger',
  PendingSignUp: 'is no user yet: that one signed up is told of the user',
  PlanChange: 'tells the money of a change that the account tells',
  RecoveryCode: 'is a hash alone; that a user’s were made or made anew is told of the user',
  SpentToken: 'remembers that a cookie was used',
  UsageLog: 'is a log itself',
  UsageRetentionMark: 'is written by the retention of the usage log',
  UsageRollup: 'sums the usage log',
  UsageTagRollup: 'sums the usage log',
  ResponseEvent: 'holds what requests made, which the usage log tells',
  StoredResponse: 'holds what requests made, which the usage log tells',
  Video: 'holds what requests made, which the usage log tells',
};
