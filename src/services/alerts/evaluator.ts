import { systemClock, type Clock } from '../../calendar/clock.ts';
import { isConnectionFailure } from '../../database/connection-failure.ts';
import type { Database } from '../../database/database.ts';
import { AlertRule } from '../../database/entities/index.ts';
import type { SqlClient } from '../../database/sql.ts';
import type { StorageLog } from '../../database/log.ts';
import { SluiceError } from '../../errors/index.ts';
import { isFiringAfter } from './condition.ts';
import type { AlertReadings } from './readings/alert-readings.ts';
import type { Reading } from './readings/observation.ts';
import { storeFired, storeLateNotification, storeResolved, type StoredTransition } from './transitions.ts';

const PAGE_RULES = 200;
/** A provider that is not used says nothing about its outage, for that long. */
const UNOBSERVED_OUTAGE_MS = 86_400_000;
const EVENT_RETENTION_MS = 180 * 86_400_000;
const REMOVED_ROWS = 5_000;

const observe = `
insert into alert_states (rule_id, subject, label, is_firing, value, evaluated_at, changed_at)
select id, $2, $3, false, $4, $5, $5 from alert_rules where id = $1 and changed_at = $6 and enabled
on conflict (rule_id, subject) do update set label = excluded.label, value = excluded.value, evaluated_at = excluded.evaluated_at
where alert_states.evaluated_at < excluded.evaluated_at`;

const removeOld = `
delete from alert_events where id in (
  select id from alert_events as event where created_at < $1
    and not exists (select from alert_states where incident_id = event.id) limit ${REMOVED_ROWS})`;

interface StateRow {
  readonly subject: string;
  readonly label: string;
  readonly is_firing: boolean;
  readonly is_notified: boolean;
  /** Milliseconds since the epoch. */
  readonly changed: number;
}

export interface AlertEvaluatorDependencies {
  readonly database: Database;
  readonly readings: Pick<AlertReadings, 'read'>;
  /** Sends stored deliveries. One that is not sent is due at the next evaluation. */
  readonly send: (accountId: string, deliveryIds: readonly string[]) => Promise<void>;
  readonly log: Pick<StorageLog, 'warn'>;
  readonly clock?: Clock;
}

/**
 * Evaluates the rules of all accounts. Each change of state is stored with its event and deliveries in one transaction, and
 * only if no later evaluation was stored: however often and wherever a rule is evaluated, it fires once and resolves once.
 */
export class AlertEvaluator {
  readonly #dependencies: AlertEvaluatorDependencies;
  readonly #clock: Clock;

  constructor(dependencies: AlertEvaluatorDependencies) {
    this.#dependencies = dependencies;
    this.#clock = dependencies.clock ?? systemClock;
  }

  async evaluateAll(signal?: AbortSignal): Promise<void> {
    const { database } = this.#dependencies;
    const at = new Date(this.#clock.now());
    await database.query(removeOld, [new Date(at.getTime() - EVENT_RETENTION_MS)]);
    let after = '00000000-0000-0000-0000-000000000000';
    for (;;) {
      const where = { id: { $gt: after }, account: { erasedAfter: null } };
      const rules = await database.em().find(AlertRule, where, { orderBy: { id: 'asc' }, limit: PAGE_RULES });
      for (const rule of rules) {
        signal?.throwIfAborted();
        await this.#evaluateGuarded(rule, at);
      }
      const last = rules.at(-1);
      if (last === undefined || rules.length < PAGE_RULES) return;
      after = last.id;
    }
  }

  /** A rule that fails does not delay the others. */
  async #evaluateGuarded(rule: AlertRule, at: Date): Promise<void> {
    try {
      await this.#evaluate(rule, at);
    } catch (error) {
      const isUnavailable = error instanceof SluiceError && error.status === 503;
      if (isConnectionFailure(error) || isUnavailable) throw error;
      this.#dependencies.log.warn({ err: error, rule: rule.id, account: rule.account.id }, 'alert rule not evaluated');
    }
  }

  async #evaluate(rule: AlertRule, at: Date): Promise<void> {
    const { database, readings } = this.#dependencies;
    const states = await database.query<StateRow>(
      `select subject, label, is_firing, is_notified, (extract(epoch from changed_at) * 1000)::float8 as changed
       from alert_states where rule_id = $1`,
      [rule.id],
    );
    const known = new Map(states.map((state) => [state.subject, state]));
    const read = rule.enabled ? await readings.read(rule.account.id, rule, at.getTime()) : [];
    for (const reading of read) {
      await this.#apply(rule, reading, known.get(reading.subject), at);
      known.delete(reading.subject);
    }
    for (const state of known.values()) await this.#applyMissing(rule, state, at);
  }

  async #apply(rule: AlertRule, reading: Reading, state: StateRow | undefined, at: Date): Promise<void> {
    const { database } = this.#dependencies;
    const wasFiring = state?.is_firing ?? false;
    const isFiring = isFiringAfter(wasFiring, reading.value, rule);
    if (isFiring === wasFiring) {
      const { subject, label, value } = reading;
      await database.query(observe, [rule.id, subject, label, value, at, rule.changedAt]);
      const isMuted = rule.mutedUntil !== null && rule.mutedUntil > at;
      if (state !== undefined && isFiring && !state.is_notified && !isMuted)
        await this.#store(rule, (client) => storeLateNotification(client, rule, subject, at));
    } else if (isFiring) await this.#store(rule, (client) => storeFired(client, rule, reading, at));
    else await this.#store(rule, (client) => storeResolved(client, rule, reading, at));
  }

  /** A subject that is gone, or all subjects of a disabled rule. */
  async #applyMissing(rule: AlertRule, { subject, label, is_firing, changed }: StateRow, at: Date): Promise<void> {
    const { database } = this.#dependencies;
    if (is_firing) {
      const isUnobserved = rule.enabled && rule.kind === 'provider_down';
      if (isUnobserved && at.getTime() - changed < UNOBSERVED_OUTAGE_MS) return;
      const reading = { subject, label, value: null, path: '/alerts' };
      await this.#store(rule, (client) => storeResolved(client, rule, reading, at));
    } else {
      const gone =
        'delete from alert_states where rule_id = $1 and subject = $2 and not is_firing and evaluated_at < $3';
      await database.query(gone, [rule.id, subject, at]);
    }
  }

  async #store(rule: AlertRule, work: (client: SqlClient) => Promise<StoredTransition | null>): Promise<void> {
    const stored = await this.#dependencies.database.transaction(work);
    if (stored !== null) await this.#dependencies.send(rule.account.id, stored.deliveryIds);
  }
}
