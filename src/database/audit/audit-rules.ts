import type { AuditValue } from '../entities/audit-entry.entity.ts';
import {
  Account,
  AccountRoute,
  AlertChannel,
  AlertRule,
  ApiKey,
  Budget,
  Comparison,
  Invitation,
  LinkedIdentity,
  Membership,
  ProviderConnection,
  SavedView,
  Session,
  User,
  Webhook,
} from '../entities/index.ts';

export type ChangeKind = 'created' | 'updated' | 'deleted';

/** Whose audit log records a change: an account's, or those of all accounts that a user belongs to; null for none. */
export type AuditOwner = { readonly accountId: string } | { readonly memberships: string } | null;

/** What is recorded of an entity. A property in none of the lists is an error, which a test finds. */
interface Rules<Row extends object> {
  /** Its name in actions: `api_key` in `api_key.created`. */
  readonly type: string;
  label(row: Row): string;
  ownerOf(row: Row): AuditOwner;
  /** Recorded unchanged. */
  readonly shown: readonly (keyof Row & string)[];
  /** Recorded in a form that contains no secret. */
  readonly shownAs?: Readonly<Partial<Record<keyof Row & string, (value: unknown) => AuditValue>>>;
  /** Only the fact that they changed is recorded, under this name. */
  readonly secret?: Readonly<Partial<Record<keyof Row & string, string>>>;
  /** Not recorded: not a setting, or redundant. */
  readonly left: readonly (keyof Row & string)[];
  /** A more specific action than `updated`, by what changed; null for a change that is recorded elsewhere. */
  readonly action?: (row: Row, kind: ChangeKind, fields: ReadonlySet<string>) => string | null;
}

/** The same without the row's type: for rows of any entity. */
export interface AuditRule {
  readonly entity: new () => object;
  readonly type: string;
  readonly properties: ReadonlySet<string>;
  /** The name under which a property is recorded, and how its value is rendered; null if it is not recorded. */
  fieldOf(property: string): { readonly field: string; readonly value: (value: unknown) => AuditValue } | null;
  /** Null if this change is not recorded. */
  describe(
    row: object,
    kind: ChangeKind,
    fields: ReadonlySet<string>,
  ): { readonly action: string; readonly label: string; readonly belongs: NonNullable<AuditOwner> } | null;
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
    fieldOf: (property) => {
      const name = secrets.get(property);
      if (name !== undefined) return { field: name, value: () => null };
      const value = rendered.get(property) ?? (shown.has(property) ? plain : null);
      return value && { field: property, value };
    },
    describe: (row, kind, fields) => {
      if (!(row instanceof entity)) return null;
      const belongs = rules.ownerOf(row);
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

/** A value as JSON; a long one is truncated. */
function plain(value: unknown): AuditValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value.length > MAX_TEXT_LENGTH ? `${value.slice(0, MAX_TEXT_LENGTH)}…` : value;
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Date) return value.toISOString();
  if (Buffer.isBuffer(value) || typeof value !== 'object') return null;
  if (Array.isArray(value)) return value.map(plain);
  // A reference to another row.
  if ('id' in value && Object.getPrototypeOf(value) !== Object.prototype) return plain(value.id);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]));
}

/** The origin of a URL: its path and query may contain secrets. */
function host(value: unknown): AuditValue {
  return typeof value === 'string' && URL.canParse(value) ? `${new URL(value).origin}/…` : null;
}

/** The URL without its query, for URLs whose path is not secret. */
function baseUrl(value: unknown): AuditValue {
  if (typeof value !== 'string' || !URL.canParse(value)) return null;
  const { origin, pathname } = new URL(value);
  return `${origin}${pathname}`;
}

/** The audited entities. */
export const auditRules: readonly AuditRule[] = [
  audited(Account, {
    type: 'account',
    label: ({ name }) => name,
    ownerOf: ({ id }) => ({ accountId: id }),
    shown: [
      'name',
      'plan',
      'pendingPlan',
      'pendingPlanAt',
      'timeZone',
      'zeroRetention',
      'contentLevel',
      'contentRetentionDays',
      'contentRedaction',
      'contentSearch',
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
    ownerOf: ({ account }) => ({ accountId: account.id }),
    shown: ['name', 'settings'],
    left: ['id', 'account', 'createdAt', 'updatedAt'],
  }),
  audited(AlertChannel, {
    type: 'alert_channel',
    label: ({ name }) => name,
    ownerOf: ({ account }) => ({ accountId: account.id }),
    shown: ['name', 'kind', 'hint', 'recipients'],
    secret: { sealedTarget: 'target' },
    left: ['id', 'account', 'createdAt'],
  }),
  audited(SavedView, {
    type: 'saved_view',
    // A private one is its user's alone, and its query may have words of logged content.
    label: ({ isShared, name }) => (isShared ? name : 'Private view'),
    ownerOf: ({ account }) => ({ accountId: account.id }),
    shown: ['page', 'isShared'],
    secret: { name: 'name', search: 'search' },
    left: ['id', 'account', 'owner', 'createdAt', 'updatedAt'],
  }),
  audited(AlertRule, {
    type: 'alert_rule',
    label: ({ name }) => name,
    ownerOf: ({ account }) => ({ accountId: account.id }),
    shown: [
      'name',
      'kind',
      'threshold',
      'resolveThreshold',
      'minimum',
      'windowMinutes',
      'percentile',
      'measure',
      'filter',
      'channelIds',
      'mutedUntil',
      'enabled',
    ],
    left: ['id', 'account', 'createdAt', 'changedAt'],
    action: ({ mutedUntil }, kind, fields) => {
      if (kind !== 'updated' || !fields.has('mutedUntil')) return kind;
      return mutedUntil === null ? 'unmuted' : 'muted';
    },
  }),
  audited(ApiKey, {
    type: 'api_key',
    label: ({ name }) => name,
    // The built-in dashboard key is created without a user action.
    ownerOf: ({ account, kind }) => (kind === 'user' ? { accountId: account.id } : null),
    shown: [
      'name',
      'scopes',
      'role',
      'allowedModels',
      'modelAliases',
      'expiresAt',
      'limits',
      'liveContent',
      'contentLevel',
      'contentMayRaise',
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
    ownerOf: ({ account }) => ({ accountId: account.id }),
    shown: ['subject', 'apiKey', 'member', 'amountNano', 'period', 'alertAt'],
    left: ['id', 'account', 'createdAt', 'changedAt', 'removedAt'],
  }),
  audited(Comparison, {
    type: 'comparison',
    label: ({ name, id }) => name ?? id,
    ownerOf: ({ account }) => ({ accountId: account.id }),
    shown: ['name', 'sharedAt'],
    secret: { shareTokenHash: 'link' },
    left: ['id', 'account', 'apiKeyId', 'memberId', 'kind', 'question', 'createdAt', 'endedAt', 'leaseUntil'],
    action: ({ sharedAt }, kind, fields) => {
      // A new comparison consists of requests, which the usage log records.
      if (kind === 'created') return null;
      if (kind === 'updated' && fields.has('link')) return sharedAt === null ? 'unshared' : 'shared';
      return kind === 'updated' ? 'renamed' : kind;
    },
  }),
  audited(Invitation, {
    type: 'invitation',
    label: ({ email }) => email,
    ownerOf: ({ account }) => ({ accountId: account.id }),
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
    ownerOf: ({ user }) => ({ memberships: user.id }),
    shown: ['provider', 'issuer', 'email', 'user'],
    left: ['id', 'subject', 'createdAt', 'lastUsedAt'],
    // Updates at sign-in, with the name that the provider reports, are not user actions.
    action: (_row, kind) => ({ created: 'linked', updated: null, deleted: 'unlinked' })[kind],
  }),
  audited(Membership, {
    type: 'member',
    label: ({ user }) => user.email ?? user.id,
    ownerOf: ({ account }) => ({ accountId: account.id }),
    shown: ['role', 'user'],
    left: ['id', 'account', 'createdAt'],
    action: (_row, kind) => ({ created: 'added', updated: 'role_changed', deleted: 'removed' })[kind],
  }),
  audited(ProviderConnection, {
    type: 'provider_connection',
    label: ({ name }) => name,
    ownerOf: ({ account }) => ({ accountId: account.id }),
    shown: [
      'provider',
      'name',
      'active',
      'options',
      'secretOptionNames',
      'credentialHint',
      'region',
      'trainsOnData',
      'retentionDays',
    ],
    shownAs: { baseUrl },
    // Encrypted again on each change: the hint shows whether the credentials changed.
    left: ['id', 'account', 'sealedCredentials', 'createdAt', 'updatedAt', 'testedAt', 'testSucceeded', 'testMessage'],
  }),
  audited(Session, {
    type: 'session',
    label: ({ user }) => user.email ?? user.id,
    ownerOf: ({ user }) => ({ memberships: user.id }),
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
    ownerOf: ({ id }) => ({ memberships: id }),
    shown: ['email', 'pendingEmail', 'emailVerifiedAt', 'name'],
    secret: { passwordHash: 'password', totpSecret: 'totp' },
    // A draft takes effect once it is confirmed; each sign-in updates the last step.
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
    ownerOf: ({ account }) => ({ accountId: account.id }),
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

/** Entities without audited actions, and why. A test finds an entity that is neither here nor audited. */
export const unaudited: Readonly<Record<string, string>> = {
  AccessToken: 'is recorded as a change of its key when it is created or revoked',
  AccountDeletion: 'repeats the times of changes that are recorded for the account',
  AlertDelivery: 'is produced by an alert, not by an actor',
  AlertEvent: 'is produced by usage, not by an actor',
  AlertState: 'is produced by usage, not by an actor',
  AuditEntry: 'is the log itself',
  BillingMark: 'is written by billing, not by an actor',
  Blob: 'is produced by requests, which the usage log records',
  BudgetAlert: 'is produced by spending, not by an actor',
  ComparisonLane: 'is produced by requests, which the usage log records',
  ComparisonVote: 'is an opinion, not a setting',
  Feedback: 'is an opinion, not a setting',
  ConnectedAccount: 'counts changes of connections and routes, which are recorded themselves',
  FailedRefund: 'is reported by the payment provider; a retry by an operator is recorded explicitly',
  Invoice: 'is created by billing; marking it as paid or void is recorded explicitly',
  InvoiceLine: 'is part of its invoice',
  LedgerBalance: 'is written by settlement and verified against the ledger',
  LedgerEntry: 'is a log itself',
  LedgerPosting: 'is a log itself',
  LoggedContent: 'is produced by requests, which the usage log records; a deletion by a person is recorded explicitly',
  LoggedText: 'is produced by requests; that it is stored is a setting of the account, whose changes are recorded',
  MasterKeyVersion: 'is of the operator, who rotates it by the command line',
  MailToken: 'proves an address once; the change that it confirms is recorded itself',
  PaymentCustomer: 'is the payment provider’s id of an account',
  PaymentEvent: 'marks a processed event of the payment provider; its postings are in the ledger',
  PendingSignUp: 'is not a user yet; the sign-up is recorded for the user',
  ProviderObject: 'is produced by requests, which the usage log records',
  Batch: 'is produced by requests, which the usage log records',
  BatchLine: 'is produced by requests, which the usage log records',
  ProviderBatch: 'is produced by requests, which the usage log records',
  PlanChange: 'repeats a change that is recorded for the account, with its amounts',
  RecoveryCode: 'is only a hash; creating codes is recorded for the user',
  SpentToken: 'marks a cookie as used',
  UsageLog: 'is a log itself',
  UsageRetentionMark: 'is written by the retention of the usage log',
  UsageRollup: 'sums the usage log',
  AttemptRollup: 'sums the usage log',
  StatusDay: 'sums the usage logs of all accounts',
  UsageTagRollup: 'sums the usage log',
  ResponseEvent: 'is produced by requests, which the usage log records',
  Dataset: 'each of its changes is recorded explicitly',
  DatasetItem: 'is part of its dataset; adding and removing items is recorded explicitly',
  DatasetRun: 'each of its changes by a person is recorded explicitly',
  DatasetRunItem: 'is part of its run',
  DatasetRunModel: 'is part of its run',
  DatasetRunOutput: 'is produced by requests, which the usage log records',
  Conversation: 'is produced by requests of clients, and its content is theirs',
  ConversationItem: 'is produced by requests of clients, and its content is theirs',
  StoredChatCompletion: 'is produced by requests, which the usage log records',
  StoredFile:
    'is produced by requests of clients, and its content is theirs; a deletion by a person is recorded explicitly',
  Upload: 'is produced by requests of clients, and its content is theirs',
  UploadPart: 'is produced by requests of clients, and its content is theirs',
  StoredResponse: 'is produced by requests, which the usage log records',
  Video: 'is produced by requests, which the usage log records',
  UsageArchive: 'is of the operator, who archives by the command line',
  UsageArchivePart: 'is part of its archive',
};
