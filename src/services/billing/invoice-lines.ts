import { localDay } from '../../calendar/period.ts';
import type { InvoiceLineKind } from '../../database/entities/index.ts';
import { allowanceUsed } from '../plans/allowance.ts';
import type { BilledPlan } from '../plans/billed-plan.ts';
import type { PlanBook } from '../plans/plan.ts';
import type { UsageSum } from './billable-usage.ts';
import type { BillingPeriod } from './billing-period.ts';

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
  /** Nano-USD: of fees and prorations, below zero where more is given back. */
  readonly feesNano: bigint;
  /** What of the usage is not billed. */
  readonly allowanceNano: bigint;
  /** What the cents add to what is left; below zero what they leave out. */
  readonly roundingNano: bigint;
  /** What is left to demand: whole cents. */
  readonly totalNano: bigint;
}

export interface Billed {
  readonly period: BillingPeriod;
  readonly usage: readonly UsageSum[];
  /** What the wallet has from top-ups and grants; below zero where it owes. */
  readonly creditNano: bigint;
  readonly plans: PlanBook;
  readonly timeZone: string;
}

/** Nobody can pay less than a cent. */
export const NANO_PER_CENT = 10_000_000n;

const uncounted = { model: null, capability: null, unit: null, quantity: null };

/** The lines of an invoice, which sum to its total. No line is of nothing. */
export function invoiceLines(billed: Billed): NewInvoice {
  const { period, usage, creditNano } = billed;
  const fees = [feeLine(period), ...prorationLines(billed)].filter(({ amountNano }) => amountNano !== 0n);
  const used = usage.map(usageLine);
  const [feesNano, usageNano] = [sumOf(fees), sumOf(used)];
  const allowanceNano = allowanceUsed(usageNano, period.allowanceNano);
  const dueNano = feesNano + usageNano - allowanceNano;
  const creditUsedNano = creditUsed(dueNano, creditNano);
  const leftNano = dueNano - creditUsedNano;
  const totalNano = toCents(leftNano);
  const roundingNano = totalNano - leftNano;
  const takenOff: NewInvoiceLine[] = [
    {
      ...uncounted,
      kind: 'allowance',
      description: `Included in ${includedIn(period)}`,
      amountNano: -allowanceNano,
    },
    {
      ...uncounted,
      kind: 'credit',
      description: creditUsedNano < 0n ? 'Kept as credit' : 'From credit',
      amountNano: -creditUsedNano,
    },
    { ...uncounted, kind: 'rounding', description: 'Rounded to cents', amountNano: roundingNano },
  ];
  return {
    lines: [...fees, ...used, ...takenOff.filter(({ amountNano }) => amountNano !== 0n)],
    feesNano,
    allowanceNano,
    roundingNano,
    totalNano,
  };
}

/** The nearest cent; half a cent is one. The only place where money is rounded after a request's price. */
function toCents(nano: bigint): bigint {
  return ((nano + NANO_PER_CENT / 2n) / NANO_PER_CENT) * NANO_PER_CENT;
}

/** Below zero where the account is owed: that becomes credit. */
function creditUsed(dueNano: bigint, creditNano: bigint): bigint {
  if (dueNano <= 0n) return dueNano;
  const has = creditNano > 0n ? creditNano : 0n;
  return has < dueNano ? has : dueNano;
}

function feeLine({ plan, feeNano }: BillingPeriod): NewInvoiceLine {
  const description = feeNano === plan.feeNano ? `${plan.name} plan` : `${plan.name} plan, for a part of its period`;
  return { ...uncounted, kind: 'plan', description, amountNano: feeNano };
}

function includedIn({ plan, lastPlan }: BillingPeriod): string {
  return plan.id === lastPlan.id ? plan.name : `${plan.name} and ${lastPlan.name}`;
}

function prorationLines({ period, plans, timeZone }: Billed): NewInvoiceLine[] {
  const nameOf = (kept: BilledPlan | null, id: string): string => kept?.name ?? plans.find(id)?.name ?? id;
  return period.changes.map(({ fromPlan, toPlan, from: kept, to: next, effectiveAt, amountNano }) => {
    const [from, to] = [nameOf(kept, fromPlan), nameOf(next, toPlan)];
    const day = localDay(timeZone, effectiveAt);
    return { ...uncounted, kind: 'proration', description: `${from} to ${to} on ${day}`, amountNano };
  });
}

function usageLine({ late, model, capability, unit, quantity, amountNano }: UsageSum): NewInvoiceLine {
  const kind = late ? 'late_usage' : 'usage';
  const description = late ? `${model}, ${capability}, of an earlier period` : `${model}, ${capability}`;
  return { kind, description, model, capability, unit, quantity, amountNano };
}

function sumOf(lines: readonly NewInvoiceLine[]): bigint {
  return lines.reduce((sum, { amountNano }) => sum + amountNano, 0n);
}
