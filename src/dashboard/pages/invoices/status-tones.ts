import type { Tone } from '../../design/badge.tsx';
import type { InvoiceStatus } from '../../generated/graphql.ts';

export const statusTones = { OPEN: 'warn', PAID: 'good', VOID: 'neutral' } as const satisfies Record<
  InvoiceStatus,
  Tone
>;
