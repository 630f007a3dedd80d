import { localDay } from '../../../calendar/period.ts';
import type { InvoiceLineKind } from '../../../database/entities/index.ts';
import { allowanceUsed } from '../../plans/allowance.ts';
import type { BilledPlan } from '../../plans/billed-plan.ts';
import type { PlanCatalogue } from '../../plans/plan.ts';
import type { UsageSum } from '../billable-usage.ts';
import type { BillingPeriod } from '../billing-period.ts';

export interface NewInvoiceLine {
  readonly kind: InvoiceLineKind;
  readonly description: string;
  readonly model: string | null;
  readonly capability: string | null;
  readonly unit: string | null;
  /** A decimal. */
  readonly quantity: string | null;
  readonly amountNano: bigint;
}

export interface NewInvoice {
  readonly lines: readonly NewInvoiceLine[];
  /** Nano-USD: fees and prorations; negative if more is refunded than charged. */
  readonly feesNano: bigint;
  /** The part of the usage that the allowance covers. */
  readonly allowanceNano: bigint;
  /** The amount that rounding to cents adds; negative if it subtracts. */
  readonly roundingNano: bigint;
  /** The amount due, in whole cents. */
  readonly totalNano: bigint;
}

export interface InvoiceInput {
  readonly period: BillingPeriod;
  readonly usage: readonly UsageSum[];
  /** The wallet's credit from top-ups and grants; negative if the account owes money. */
  readonly creditNano: bigint;
  readonly plans: PlanCatalogue;
  readonly timeZone: string;
}

/** The smallest amount that can be paid. */
export const NANO_PER_CENT = 10_000_000n;

const notMetered = { model: null, capability: null, unit: null, quantity: null };

/** The lines of an invoice, which sum to its total. Lines with an amount of zero are omitted. */
export function invoiceLines(input: InvoiceInput): NewInvoice {
  const { period, usage, creditNano } = input;
  const fees = [feeLine(period), ...prorationLines(input)].filter(({ amountNano }) => amountNano !== 0n);
  const used = usage.map(usageLine);
  const [feesNano, usageNano] = [sumOf(fees), sumOf(used)];
  const allowanceNano = allowanceUsed(usageNano, period.allowanceNano);
  const dueNano = feesNano + usageNano - allowanceNano;
  const creditUsedNano = creditUsed(dueNano, creditNano);
  const leftNano = dueNano - creditUsedNano;
  const totalNano = toCents(leftNano);
  const roundingNano = totalNano - leftNano;
  const adjustments: NewInvoiceLine[] = [
    {
      ...notMetered,
      kind: 'allowance',
      description: `Included in ${includedIn(period)}`,
      amountNano: -allowanceNano,
    },
    {
      ...notMetered,
      kind: 'credit',
      description: creditUsedNano < 0n ? 'Added to credit' : 'Credit applied',
      amountNano: -creditUsedNano,
    },
    { ...notMetered, kind: 'rounding', description: 'Rounding to cents', amountNano: roundingNano },
  ];
  return {
    lines: [...fees, ...used, ...adjustments.filter(({ amountNano }) => amountNano !== 0n)],
    feesNano,
    allowanceNano,
    roundingNano,
    totalNano,
  };
}

/** Rounds to the nearest cent, half up. The only place where money is rounded after a request is priced. */
function toCents(nano: bigint): bigint {
  return ((nano + NANO_PER_CENT / 2n) / NANO_PER_CENT) * NANO_PER_CENT;
}

/** Negative where the account is owed money, which becomes credit. */
function creditUsed(dueNano: bigint, creditNano: bigint): bigint {
  if (dueNano <= 0n) return dueNano;
  const availableNano = creditNano > 0n ? creditNano : 0n;
  return availableNano < dueNano ? availableNano : dueNano;
}

function feeLine({ plan, feeNano }: BillingPeriod): NewInvoiceLine {
  const description = feeNano === plan.feeNano ? `${plan.name} plan` : `${plan.name} plan (prorated)`;
  return { ...notMetered, kind: 'plan', description, amountNano: feeNano };
}

function includedIn({ plan, lastPlan }: BillingPeriod): string {
  return plan.id === lastPlan.id ? plan.name : `${plan.name} and ${lastPlan.name}`;
}

function prorationLines({ period, plans, timeZone }: InvoiceInput): NewInvoiceLine[] {
  const nameOf = (plan: BilledPlan | null, id: string): string => plan?.name ?? plans.find(id)?.name ?? id;
  return period.changes.map(({ fromPlan, toPlan, from: previous, to: next, effectiveAt, amountNano }) => {
    const [from, to] = [nameOf(previous, fromPlan), nameOf(next, toPlan)];
    const day = localDay(timeZone, effectiveAt);
    return { ...notMetered, kind: 'proration', description: `${from} to ${to} on ${day}`, amountNano };
  });
}

function usageLine({ late, model, capability, unit, quantity, amountNano }: UsageSum): NewInvoiceLine {
  const kind = late ? 'late_usage' : 'usage';
  const description = late ? `${model}, ${capability} (earlier period)` : `${model}, ${capability}`;
  return { kind, description, model, capability, unit, quantity, amountNano };
}

function sumOf(lines: readonly NewInvoiceLine[]): bigint {
  return lines.reduce((sum, { amountNano }) => sum + amountNano, 0n);
}
