import { alertPath } from './alert-paths.ts';
import type { BudgetShare } from './budget-shares.ts';
import type { ExpiringKeys } from './expiring-keys.ts';
import type { ProviderOutages } from './provider-outages.ts';
import type { Observation, Reading } from './observation.ts';
import type { UsageReadings } from './usage-readings.ts';

export interface ReadingsDependencies {
  readonly usage: UsageReadings;
  readonly outages: ProviderOutages;
  readonly keys: ExpiringKeys;
  /** Current budgets of an account with their spending. */
  readonly budgets: (accountId: string) => Promise<readonly BudgetShare[]>;
}

/** Reads the current values of rules. */
export class AlertReadings {
  readonly #dependencies: ReadingsDependencies;

  constructor(dependencies: ReadingsDependencies) {
    this.#dependencies = dependencies;
  }

  /** @throws SluiceError database_unavailable | limits_unavailable */
  async read(accountId: string, observed: Observation, now: number): Promise<readonly Reading[]> {
    const { usage, outages, keys, budgets } = this.#dependencies;
    const { kind, filter } = observed;
    const path = alertPath(observed);
    switch (kind) {
      case 'spend':
        return [{ ...whole, path, value: await usage.spend(accountId, observed, now) }];
      case 'error_rate':
        return [{ ...whole, path, value: await usage.errorRate(accountId, observed, now) }];
      case 'latency':
        return [{ ...whole, path, value: await usage.latency(accountId, observed, now) }];
      case 'spend_anomaly':
        return [{ ...whole, path, value: await usage.spendAnomaly(accountId, observed, now) }];
      case 'provider_down':
        return (await outages.read(accountId, observed, now)).map(({ provider, minutes }) => ({
          subject: provider,
          label: provider,
          value: minutes,
          path: alertPath({ kind, filter: { ...filter, provider } }),
        }));
      case 'key_expiring':
        return (await keys.read(accountId, filter.apiKeyId, now)).map(({ id, name, days }) => ({
          subject: id,
          label: name,
          value: days,
          path: alertPath({ kind, filter: { apiKeyId: id } }),
        }));
      case 'budget':
        return (await budgets(accountId))
          .filter(({ apiKeyId }) => filter.apiKeyId === undefined || filter.apiKeyId === apiKeyId)
          .map(({ id, label, percent }) => ({ subject: id, label, value: percent, path }));
    }
  }
}

const whole = { subject: '', label: '' };
