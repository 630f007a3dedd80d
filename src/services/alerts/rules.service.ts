import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { systemClock, type Clock } from '../../calendar/clock.ts';
import type { Database } from '../../database/database.ts';
import { AlertChannel, AlertRule, AlertState, ApiKey } from '../../database/entities/index.ts';
import { SluiceError } from '../../errors/index.ts';
import { lockAccount } from '../accounts/account-lock.ts';
import { mapDatabaseErrors } from '../database-availability.ts';
import { parseInput } from '../parse-input.ts';
import { isUuid } from '../uuid.ts';
import { isFiringAfter } from './condition.ts';
import type { AlertReadings } from './readings/alert-readings.ts';
import type { Reading } from './readings/observation.ts';
import { conditionSchema, ruleSchema, type AlertRuleInput, type ConditionInput } from './rule-input.ts';
import { storeResolved } from './transitions.ts';

const MAX_RULES = 50;
const MAX_MUTE_MS = 90 * 86_400_000;

export interface AlertRulesDependencies {
  readonly database: Database;
  readonly readings: Pick<AlertReadings, 'read'>;
  /** Sends stored deliveries. */
  readonly send: (accountId: string, deliveryIds: readonly string[]) => Promise<void>;
  readonly clock?: Clock;
}

/** A current value, and whether the condition would fire. */
export interface PreviewedReading extends Reading {
  readonly fires: boolean;
}

/** An account's alert rules. Another account's rule is not found. Every method also throws SluiceError database_unavailable. */
export class AlertRulesService {
  readonly #dependencies: AlertRulesDependencies;
  readonly #clock: Clock;

  constructor(dependencies: AlertRulesDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  /** In the order of creation. */
  list(accountId: string): Promise<AlertRule[]> {
    const orderBy = { createdAt: 'asc', id: 'asc' } as const;
    return mapDatabaseErrors(() =>
      this.#dependencies.database.em().find(AlertRule, { account: accountId }, { orderBy }),
    );
  }

  /** The states of an account's rules: those that fire first. */
  states(accountId: string): Promise<AlertState[]> {
    const orderBy = [{ isFiring: 'desc' }, { subject: 'asc' }] as const;
    return mapDatabaseErrors(() =>
      this.#dependencies.database.em().find(AlertState, { rule: { account: accountId } }, { orderBy: [...orderBy] }),
    );
  }

  /** The current values of a condition that is not stored. @throws SluiceError bad_user_input | not_found for a key */
  async preview(accountId: string, input: ConditionInput): Promise<readonly PreviewedReading[]> {
    const condition = parseInput(conditionSchema, input);
    const { database, readings } = this.#dependencies;
    const read = await mapDatabaseErrors(async () => {
      await requireKey(database.em(), accountId, condition.filter);
      return readings.read(accountId, condition, this.#clock.now());
    });
    return read.map((reading) => ({ ...reading, fires: isFiringAfter(false, reading.value, condition) }));
  }

  /** @throws SluiceError bad_user_input | not_found for a channel or key | too_many_alert_rules */
  async create(accountId: string, input: AlertRuleInput): Promise<AlertRule> {
    const { enabled, ...given } = parseInput(ruleSchema, input);
    return this.#changing(async (em) => {
      const account = await lockAccount(em, accountId);
      if ((await em.count(AlertRule, { account: accountId })) >= MAX_RULES)
        throw new SluiceError('too_many_alert_rules', { values: { limit: MAX_RULES } });
      await requireParts(em, accountId, given);
      const now = new Date();
      const rule = em.create(AlertRule, {
        ...given,
        account,
        enabled: enabled ?? true,
        createdAt: now,
        changedAt: now,
      });
      await em.persist(rule).flush();
      return rule;
    });
  }

  /** Replaces a rule. What fires under the new condition stays as it is. @throws SluiceError as `create` */
  async update(accountId: string, id: string, input: AlertRuleInput): Promise<AlertRule> {
    const { enabled, ...given } = parseInput(ruleSchema, input);
    return this.#changing(async (em) => {
      const rule = await found(em, accountId, id);
      await requireParts(em, accountId, given);
      em.assign(rule, { ...given, enabled: enabled ?? true, changedAt: new Date() });
      return rule;
    });
  }

  /** Sends nothing until then; null ends it. @throws SluiceError bad_user_input | not_found */
  async mute(accountId: string, id: string, until: Date | null): Promise<AlertRule> {
    const now = this.#clock.now();
    if (until !== null && !(until.getTime() > now && until.getTime() <= now + MAX_MUTE_MS))
      throw new SluiceError('bad_user_input', {
        param: 'until',
        values: { reason: 'until: must be in the future, at most 90 days from now' },
      });
    return this.#changing(async (em) => em.assign(await found(em, accountId, id), { mutedUntil: until }));
  }

  /** Resolves what fires. @throws SluiceError not_found */
  async remove(accountId: string, id: string): Promise<void> {
    await this.#resolveAll(accountId, id);
    await this.#changing(async (em) => void em.remove(await found(em, accountId, id)));
  }

  async #resolveAll(accountId: string, id: string): Promise<void> {
    const { database, send } = this.#dependencies;
    await mapDatabaseErrors(async () => {
      const rule = isUuid(id) ? await database.em().findOne(AlertRule, { id, account: accountId }) : null;
      if (rule === null) throw notFound('alert rule');
      const at = new Date(this.#clock.now());
      const firing = await database.em().find(AlertState, { rule: id, isFiring: true });
      for (const { subject, label } of firing) {
        const reading = { subject, label, value: null, path: '/alerts' };
        const stored = await database.transaction((client) => storeResolved(client, rule, reading, at, true));
        if (stored !== null) await send(accountId, stored.deliveryIds);
      }
    });
  }

  #changing<T>(work: (em: EntityManager) => Promise<T>): Promise<T> {
    return mapDatabaseErrors(() => this.#dependencies.database.em().transactional(work));
  }
}

async function found(em: EntityManager, accountId: string, id: string): Promise<AlertRule> {
  const where = { id, account: accountId };
  const rule = isUuid(id) ? await em.findOne(AlertRule, where, { lockMode: LockMode.PESSIMISTIC_WRITE }) : null;
  if (rule === null) throw notFound('alert rule');
  return rule;
}

/** Channels and the key of the filter must belong to the account. */
async function requireParts(
  em: EntityManager,
  accountId: string,
  { channelIds, filter }: { readonly channelIds: string[]; readonly filter: { readonly apiKeyId?: string } },
): Promise<void> {
  const channels = await em.count(AlertChannel, { account: accountId, id: { $in: channelIds } });
  if (channels < channelIds.length) throw notFound('alert channel');
  await requireKey(em, accountId, filter);
}

async function requireKey(
  em: EntityManager,
  accountId: string,
  { apiKeyId }: { readonly apiKeyId?: string },
): Promise<void> {
  if (apiKeyId !== undefined && (await em.count(ApiKey, { account: accountId, id: apiKeyId })) === 0)
    throw notFound('API key');
}

function notFound(what: string): SluiceError {
  return new SluiceError('not_found', { values: { what } });
}
