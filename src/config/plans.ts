import { z } from 'zod';
import { capabilityNames } from '../catalogue/capability-names.ts';
import { decimal } from '../catalogue/decimal.ts';
import { nearest } from '../catalogue/nearest-name.ts';

/** YAML makes a number of what is not quoted. */
const plain = (pattern: RegExp, form: string) =>
  z
    .union([z.string(), z.number().nonnegative().max(1_000_000_000).transform(decimal)])
    .refine((text) => pattern.test(text), form);
const money = plain(/^\d{1,9}(\.\d{1,9})?$/, 'an amount is a plain decimal of USD, such as "20" or "0.50"');
const percent = plain(/^\d{1,3}(\.\d{1,4})?$/, 'a mark-up is a percentage below 1000, such as 5 or "2.5"');
const count = z.int().min(1).max(2_000_000_000);

/** Absent and null: no limit. */
const ratesSchema = z.strictObject({
  requests_per_minute: count.nullish(),
  tokens_per_minute: count.nullish(),
  requests_per_day: count.nullish(),
  concurrency: count.nullish(),
});

/** A member that is absent is as the plan of that name has it; null takes a limit away. */
const planSchema = z.strictObject({
  name: z.string().min(1).max(100).optional(),
  /** When its allowance begins anew: with the calendar's month, or every 30 days from the account's start. */
  period: z.enum(['month', '30_days']).optional(),
  /** Of each API key. */
  ...ratesSchema.shape,
  /** Of all API keys of an account together. */
  account_limits: ratesSchema.nullish(),
  /** API keys that are not revoked. */
  api_keys: count.nullish(),
  capabilities: z.array(z.enum(capabilityNames)).nullish(),
  /** `provider/model`, or bare names. */
  models: z.array(z.string().min(1).max(256)).max(10_000).nullish(),
  /** USD a period that are not billed. */
  allowance: money.optional(),
  /** What becomes of spending beyond the allowance and the balance. */
  overage: z.enum(['refuse', 'bill']).optional(),
  /** Percent that are added to what a request costs. */
  markup: percent.optional(),
  /** How long the log of requests is kept. */
  retention_days: z.int().min(1).max(36_500).nullish(),
  /** USD a period. */
  monthly_fee: money.optional(),
  /** Whether owners may change to it themselves. */
  offered: z.boolean().optional(),
});

export const plansSchema = z.record(
  z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a plan is named by lower-case letters, digits and dashes, such as free'),
  planSchema,
);

type GivenPlan = z.output<typeof planSchema>;

/** A plan with all that it has, its id among it. */
export type PlanSettings = {
  readonly [Member in Exclude<keyof GivenPlan, 'overage'>]-?: Exclude<GivenPlan[Member], undefined>;
} & {
  readonly id: string;
  /** Undefined where it follows from the fee, and from who may sign up. */
  readonly overage: GivenPlan['overage'];
};

const open: PlanSettings = {
  id: '',
  name: '',
  period: 'month',
  requests_per_minute: null,
  tokens_per_minute: null,
  requests_per_day: null,
  concurrency: null,
  account_limits: null,
  api_keys: 10_000,
  capabilities: null,
  models: null,
  allowance: '0',
  overage: undefined,
  markup: '0',
  retention_days: null,
  monthly_fee: '0',
  offered: true,
};

const builtIn: readonly PlanSettings[] = [
  {
    ...open,
    id: 'free',
    name: 'Free',
    period: '30_days',
    requests_per_minute: 120,
    tokens_per_minute: 500_000,
    requests_per_day: 5_000,
    concurrency: 50,
    api_keys: 50,
    allowance: '1',
    retention_days: 30,
  },
  {
    ...open,
    id: 'pro',
    name: 'Pro',
    requests_per_minute: 3_000,
    tokens_per_minute: 5_000_000,
    concurrency: 200,
    api_keys: 1_000,
    allowance: '20',
    retention_days: 90,
    monthly_fee: '20',
  },
  {
    ...open,
    id: 'enterprise',
    name: 'Enterprise',
    retention_days: 365,
    // The operator's own, and for whoever the operator gives it to: it bills what was used.
    overage: 'bill',
    offered: false,
  },
];

/** The three plans that there are anyway, as the file changes them, then those that it adds, which allow what they do not name. */
export function planSettings(given: z.output<typeof plansSchema>): readonly PlanSettings[] {
  const ids = new Set([...builtIn.map(({ id }) => id), ...Object.keys(given)]);
  return [...ids].map((id) => {
    const usual = builtIn.find((plan) => plan.id === id) ?? { ...open, id, name: id };
    const said = Object.entries(given[id] ?? {}).filter(([, value]) => value !== undefined);
    return { ...usual, ...Object.fromEntries(said) };
  });
}

/** What is well-formed and can never work, a line each. */
export function planFaults({ plans, default_plan: name }: { plans: object; default_plan: string }): string[] {
  const known = [...new Set([...builtIn.map(({ id }) => id), ...Object.keys(plans)])];
  if (known.includes(name)) return [];
  const like = nearest(name, known);
  return [`default_plan: there is no plan ${name}${like === undefined ? '' : `; did you mean ${like}?`}`];
}
