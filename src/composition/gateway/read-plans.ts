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
    planSettings(file.plans).map((given) => readPlan(given, catalogue, signUp === 'open')),
    file.default_plan,
  );
}

function readPlan(given: PlanSettings, catalogue: Catalogue, isOpenToAll: boolean): Plan {
  const feeNano = rateUnits(given.monthly_fee) / UNITS_PER_NANO;
  return Object.freeze({
    id: given.id,
    name: given.name,
    period: given.period,
    limits: readRates(given),
    accountLimits: readAccountLimits(given),
    maxApiKeys: given.api_keys ?? Infinity,
    feeNano,
    allowanceNano: rateUnits(given.allowance) / UNITS_PER_NANO,
    retentionDays: given.retention_days,
    offered: given.offered,
    terms: Object.freeze({
      id: given.id,
      capabilities: given.capabilities && new Set(given.capabilities),
      models: given.models && comparedNames(given.models, catalogue),
      markupPpm: Number(rateUnits(given.markup) / UNITS_PER_PART_OF_PERCENT),
      overage: given.overage ?? (isOpenToAll && feeNano === 0n ? 'refuse' : 'bill'),
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

function readRates(given: GivenRates): RateLimits {
  return Object.freeze({
    requestsPerMinute: given.requests_per_minute ?? Infinity,
    tokensPerMinute: given.tokens_per_minute ?? Infinity,
    requestsPerDay: given.requests_per_day ?? Infinity,
    concurrency: given.concurrency ?? Infinity,
  });
}

/** Null if nothing is limited, so that requests need no bucket. */
function readAccountLimits({ account_limits: given }: PlanSettings): RateLimits | null {
  const limits = given === null ? null : readRates(given);
  return limits !== null && Object.values(limits).some((limit) => limit !== Infinity) ? limits : null;
}
