import { Catalogue } from '../../catalogue/catalogue.ts';
import { rateUnits } from '../../catalogue/prices/decimal.ts';
import { checkModelName } from '../../catalogue/model-name-check.ts';
import type { SluiceConfig } from '../../config/config-schema.ts';
import type { Environment } from '../../config/environment.ts';
import { planSettings, type PlanSettings } from '../../config/plans.ts';
import type { RateLimits } from '../../gateway/keys/key-directory.ts';
import { knownModels, nothingServed } from '../../gateway/routing/models/known-models.ts';
import { PlanCatalogue, type Plan } from '../../services/plans/plan.ts';

/** Rate units are 10^-12 USD. */
const UNITS_PER_NANO = 1_000n;
const UNITS_PER_PART_OF_PERCENT = 100_000_000n;

/**
 * Converts the plans of `sluice.yaml`. With open sign-up, a plan without a fee rejects requests beyond its allowance unless it
 * specifies `overage`: its accounts have not agreed to pay invoices.
 */
export function readPlans(
  file: Pick<SluiceConfig, 'plans' | 'default_plan'>,
  signUp: Environment['SLUICE_SIGNUP'] = 'invite',
): PlanCatalogue {
  const catalogue = new Catalogue();
  return new PlanCatalogue(
    planSettings(file.plans).map((configured) => readPlan(configured, catalogue, signUp === 'open')),
    file.default_plan,
  );
}

function readPlan(configured: PlanSettings, catalogue: Catalogue, isOpenToAll: boolean): Plan {
  const feeNano = rateUnits(configured.monthly_fee) / UNITS_PER_NANO;
  return Object.freeze({
    id: configured.id,
    name: configured.name,
    period: configured.period,
    limits: readRates(configured),
    accountLimits: readAccountLimits(configured),
    maxApiKeys: configured.api_keys ?? Infinity,
    feeNano,
    allowanceNano: rateUnits(configured.allowance) / UNITS_PER_NANO,
    retentionDays: configured.retention_days,
    offered: configured.offered,
    terms: Object.freeze({
      id: configured.id,
      capabilities: configured.capabilities && new Set(configured.capabilities),
      models: configured.models && comparedNames(configured.models, catalogue),
      markupPpm: Number(rateUnits(configured.markup) / UNITS_PER_PART_OF_PERCENT),
      overage: configured.overage ?? (isOpenToAll && feeNano === 0n ? 'refuse' : 'bill'),
    }),
  });
}

/** Adds the canonical spelling of each name, which requests are compared with. */
function comparedNames(names: readonly string[], catalogue: Catalogue): readonly string[] {
  const known = knownModels(nothingServed, catalogue, new Set());
  const compared = names.flatMap((name) => {
    const check = checkModelName(name, known, false);
    return check.kind === 'known' || check.kind === 'unlisted' ? [name, check.name] : [name];
  });
  return [...new Set(compared)];
}

type GivenRates = NonNullable<PlanSettings['account_limits']>;

function readRates(configured: GivenRates): RateLimits {
  return Object.freeze({
    requestsPerMinute: configured.requests_per_minute ?? Infinity,
    tokensPerMinute: configured.tokens_per_minute ?? Infinity,
    requestsPerDay: configured.requests_per_day ?? Infinity,
    concurrency: configured.concurrency ?? Infinity,
  });
}

/** Null if nothing is limited, so that requests need no bucket. */
function readAccountLimits({ account_limits: configured }: PlanSettings): RateLimits | null {
  const limits = configured === null ? null : readRates(configured);
  return limits !== null && Object.values(limits).some((limit) => limit !== Infinity) ? limits : null;
}
