import { z } from 'zod';
import { budgetPeriods } from '../../calendar/period.ts';

const NANO_PLACES = 9;
/** A billion USD: sums of larger amounts would exceed the column type. */
const MAX_WHOLE_DIGITS = 9;
const MAX_ALERTS = 10;

export const budgetSchema = z.object({
  /** USD, decimal. */
  amount: z
    .string()
    .regex(
      new RegExp(`^\\d{1,${MAX_WHOLE_DIGITS}}(\\.\\d{1,${NANO_PLACES}})?$`),
      `must be a decimal of at most ${MAX_WHOLE_DIGITS} digits and ${NANO_PLACES} places`,
    )
    .transform(toNano)
    .refine((nano) => nano > 0n, 'must be positive'),
  period: z.enum(budgetPeriods),
  /** Percentages of the amount. */
  alertAt: z
    .array(z.int().min(1).max(100))
    .max(MAX_ALERTS)
    .transform((percents) => [...new Set(percents)].sort((a, b) => a - b))
    .nullish(),
});

export type BudgetInput = z.input<typeof budgetSchema>;
export type GivenBudget = z.output<typeof budgetSchema>;

function toNano(usd: string): bigint {
  const [whole = '', places = ''] = usd.split('.');
  return BigInt(whole + places.padEnd(NANO_PLACES, '0'));
}
