import type { ApiKey, ApiKeyLimits } from '../../database/entities/api-key.entity.ts';
import type { ContentLevel, ContentSettings } from '../../gateway/content/content-level.ts';
import type {
  Credential,
  KeyRecord,
  RateLimits,
  Scope,
  SpendingRestriction,
} from '../../gateway/keys/key-directory.ts';
import { defaultRedaction } from '../accounts/content-settings.ts';
import { isScope } from '../authorization/scopes.ts';
import { accountModeration } from '../moderation-rules.ts';
import { within, type PlanCatalogue } from '../plans/plan.ts';
import { partLimits } from './own-limits.ts';

/** Added by the budget cache. */
const none: readonly never[] = [];

export interface KeyConfiguration {
  /** The limits of keys without their own. A new object when they change, so that cached keys are updated. */
  readonly defaults: () => RateLimits;
  /** The configured plans. A new object when they change, as well. */
  readonly plans: () => PlanCatalogue;
  /** The content logging of accounts that do not set it; `off` if absent. */
  readonly contentDefault?: ContentLevel;
  /** The restriction of accounts that are not approved; none where absent or null. */
  readonly restriction?: () => SpendingRestriction | null;
}

/** What a key's record depends on besides its row. */
interface Basis {
  /** The key's own limits. */
  readonly limits: ApiKeyLimits | null;
  /** The account's plan. */
  readonly plan: string;
  /** Whether the account is not approved yet. */
  readonly isRestricted: boolean;
}

/** Where a record differs from its row: who it acts for, and further limits. */
export interface OwnTerms {
  readonly memberId?: string | null;
  readonly credential?: Credential;
  readonly secretId?: string;
  readonly tokenId?: string;
  readonly revokedWithIds?: readonly string[];
  /** Intersected with the key's scopes. */
  readonly scopes?: ReadonlySet<Scope>;
  /** Milliseconds since the epoch; the key's own expiry if that is earlier. */
  readonly endsAt?: number;
}

/** Builds the records of keys from their rows and the configuration, and updates them when the configuration changes. */
export class KeyRecords {
  readonly #configuration: KeyConfiguration;
  readonly #bases = new WeakMap<KeyRecord, Basis>();
  #defaults: RateLimits;
  #plans: PlanCatalogue;
  #restriction: SpendingRestriction | null;

  constructor(configuration: KeyConfiguration) {
    this.#configuration = configuration;
    this.#defaults = configuration.defaults();
    this.#plans = configuration.plans();
    this.#restriction = this.restriction;
  }

  /** The current restriction of accounts that are not approved. */
  get restriction(): SpendingRestriction | null {
    return this.#configuration.restriction?.() ?? null;
  }

  of(row: ApiKey, terms: OwnTerms = {}): KeyRecord {
    const {
      memberId = row.createdBy?.id ?? null,
      credential = 'secret',
      secretId,
      tokenId,
      revokedWithIds,
      scopes,
      endsAt = Infinity,
    } = terms;
    const { plan, spendingRestricted: isRestricted } = row.account;
    const basis: Basis = { limits: row.limits, plan, isRestricted };
    const own = row.scopes.filter(isScope);
    const end = Math.min(row.expiresAt?.getTime() ?? Infinity, endsAt);
    const record: KeyRecord = Object.freeze({
      id: row.id,
      accountId: row.account.id,
      timeZone: row.account.timeZone,
      memberId,
      credential,
      ...(secretId !== undefined && { secretId }),
      ...(tokenId !== undefined && { tokenId, keyMemberId: row.createdBy?.id ?? null }),
      ...(revokedWithIds !== undefined && { revokedWithIds }),
      name: row.name,
      scopes: new Set(scopes === undefined ? own : own.filter((scope) => scopes.has(scope))),
      role: row.role,
      allowedModels: row.allowedModels,
      ...(row.modelAliases && { modelAliases: new Map(row.modelAliases.map(({ name, model }) => [name, model])) }),
      expiresAt: end === Infinity ? null : end,
      ...this.#resolve(basis),
      liveContent: row.liveContent && !row.account.zeroRetention,
      zeroRetention: row.account.zeroRetention,
      content: this.#contentOf(row),
      cacheMs: row.responseCacheSeconds === null ? null : row.responseCacheSeconds * 1_000,
      moderation: row.moderation && accountModeration(row.moderation),
      budgets: none,
    });
    this.#bases.set(record, basis);
    return record;
  }

  #contentOf({ account, contentLevel, contentMayRaise }: ApiKey): ContentSettings {
    return Object.freeze({
      account: account.contentLevel ?? this.#configuration.contentDefault ?? 'off',
      key: contentLevel,
      keyMayRaise: contentMayRaise,
      retentionDays: account.contentRetentionDays,
      isSearchable: account.contentSearch,
      redaction: account.contentRedaction ?? defaultRedaction,
    });
  }

  /** The limits of a key on this plan without limits of its own. */
  defaultsWithin(plan: RateLimits): RateLimits {
    return within(this.#configuration.defaults(), plan);
  }

  /** Applies new defaults and plans to cached keys without a database query, because the database may be unavailable. */
  follow(caches: readonly Map<string, KeyRecord>[]): void {
    const defaults = this.#configuration.defaults();
    const plans = this.#configuration.plans();
    const { restriction } = this;
    if (defaults === this.#defaults && plans === this.#plans && restriction === this.#restriction) return;
    this.#defaults = defaults;
    this.#restriction = restriction;
    this.#plans = plans;
    for (const records of caches) for (const [at, record] of records) records.set(at, this.#renewed(record));
  }

  #renewed(record: KeyRecord): KeyRecord {
    const basis = this.#bases.get(record);
    if (basis === undefined) return record;
    const renewed = Object.freeze({ ...record, ...this.#resolve(basis) });
    this.#bases.set(renewed, basis);
    return renewed;
  }

  /** The part of a record that depends on the configuration. */
  #resolve({
    limits,
    plan: planId,
    isRestricted,
  }: Basis): Pick<KeyRecord, 'limits' | 'accountLimits' | 'partLimits' | 'plan' | 'restriction'> {
    const plan = this.#plans.of(planId);
    return {
      limits: within(resolveLimits(limits, this.#defaults), plan.limits),
      accountLimits: plan.accountLimits,
      partLimits: partLimits(limits),
      plan: plan.terms,
      restriction: isRestricted ? this.#restriction : null,
    };
  }
}

function resolveLimits(own: ApiKeyLimits | null, defaults: RateLimits): RateLimits {
  return {
    requestsPerMinute: own?.requestsPerMinute ?? defaults.requestsPerMinute,
    tokensPerMinute: own?.tokensPerMinute ?? defaults.tokensPerMinute,
    requestsPerDay: own?.requestsPerDay ?? defaults.requestsPerDay,
    concurrency: own?.concurrency ?? defaults.concurrency,
  };
}
