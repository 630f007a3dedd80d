import { z } from 'zod';
import { capabilityNames } from '../catalogue/capability-names.ts';
import { decimal } from '../catalogue/prices/decimal.ts';
import { nearest } from '../catalogue/nearest-name.ts';

/** YAML parses unquoted decimals as numbers. */
const plain = (pattern: RegExp, form: string) =>
  z
    .union([z.string(), z.number().nonnegative().max(1_000_000_000).transform(decimal)])
    .refine((text) => pattern.test(text), form);
const money = plain(/^\d{1,9}(\.\d{1,9})?$/, 'must be a decimal amount of USD, such as "20" or "0.50"');
const percent = plain(/^\d{1,3}(\.\d{1,4})?$/, 'must be a percentage below 1000, such as 5 or "2.5"');
const count = z.int().min(1).max(2_000_000_000);

/** Null or absent: unlimited. */
const ratesSchema = z.strictObject({
  requests_per_minute: count.nullish().describe('Requests per minute.'),
  tokens_per_minute: count.nullish().describe('Tokens per minute.'),
  requests_per_day: count.nullish().describe('Requests per day.'),
  concurrency: count.nullish().describe('Concurrent requests.'),
});

/** Absent members default to the built-in plan of the same name; null removes a limit. */
const planSchema = z.strictObject({
  name: z.string().min(1).max(100).optional().describe('Name in the dashboard and on invoices.'),
  period: z
    .enum(['month', '30_days'])
    .optional()
    .describe('Billing period: the calendar month, or 30 days from the creation of the account.'),
  /** Limits per API key. */
  ...ratesSchema.shape,
  account_limits: ratesSchema.nullish().describe('Limits of all API keys of an account together.'),
  api_keys: count.nullish().describe('Maximum number of active API keys.'),
  capabilities: z.array(z.enum(capabilityNames)).nullish().describe('Allowed capabilities; `null` for all.'),
  models: z
    .array(z.string().min(1).max(256))
    .max(10_000)
    .nullish()
    .describe('Allowed models, as `provider/model` or model names alone; `null` for all.'),
  allowance: money.optional().describe('Included usage in USD per period.'),
  overage: z
    .enum(['refuse', 'bill'])
    .optional()
    .describe('Whether [usage beyond allowance and balance](billing/plans.md#overage) is refused or billed.'),
  markup: percent.optional().describe('Percent added to the cost of a request.'),
  retention_days: z
    .int()
    .min(1)
    .max(36_500)
    .nullish()
    .describe('Retention of the usage log; `null` keeps it for ever.'),
  monthly_fee: money.optional().describe('Fee in USD per period.'),
  offered: z.boolean().optional().describe('Whether owners can select it themselves.'),
});

export const plansSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a plan ID may contain only lower-case letters, digits and dashes'),
  planSchema,
);

type GivenPlan = z.output<typeof planSchema>;

/** A plan with all settings resolved. */
export type PlanSettings = {
  readonly [Member in Exclude<keyof GivenPlan, 'overage'>]-?: Exclude<GivenPlan[Member], undefined>;
} & {
  readonly id: string;
  /** If undefined, it depends on the fee and on the sign-up policy. */
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
    // For the operator, and for accounts that the operator assigns it to: all usage is billed.
    overage: 'bill',
    offered: false,
  },
];

/** The three built-in plans with the changes of the file, then additional plans, which are unlimited where not specified. */
export function planSettings(given: z.output<typeof plansSchema>): readonly PlanSettings[] {
  const ids = new Set([...builtIn.map(({ id }) => id), ...Object.keys(given)]);
  return [...ids].map((id) => {
    const defaults = builtIn.find((plan) => plan.id === id) ?? { ...open, id, name: id };
    const specified = Object.entries(given[id] ?? {}).filter(([, value]) => value !== undefined);
    return { ...defaults, ...Object.fromEntries(specified) };
  });
}

/** Semantic errors of plans. */
export function planFaults({ plans, default_plan: name }: { plans: object; default_plan: string }): string[] {
  const known = [...new Set([...builtIn.map(({ id }) => id), ...Object.keys(plans)])];
  if (known.includes(name)) return [];
  const like = nearest(name, known);
  return [`default_plan: unknown plan ${name}${like === undefined ? '' : `; did you mean ${like}?`}`];
}
