import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../design/badge.tsx';
import type { BreakerState } from '../../generated/graphql.ts';
import { healthOf, type ConnectedProvider, type Health } from './connected-providers.ts';

const badges: Readonly<Record<Health, readonly [Tone, string]>> = {
  healthy: ['good', 'Healthy'],
  failing: ['bad', 'Failing'],
  degraded: ['warn', 'Degraded'],
  limited: ['warn', 'Rate limited'],
  unchecked: ['neutral', 'Unchecked'],
  inactive: ['neutral', 'Inactive'],
};

export function HealthBadge({ provider }: { readonly provider: ConnectedProvider }): ReactNode {
  const [tone, text] = badges[healthOf(provider)];
  return <Badge tone={tone}>{text}</Badge>;
}

const breakers: Readonly<Record<BreakerState, readonly [Tone, string]>> = {
  CLOSED: ['good', 'Healthy'],
  OPEN: ['bad', 'Breaker open'],
  HALF_OPEN: ['warn', 'Breaker half-open'],
};

export function BreakerBadge({ state }: { readonly state: BreakerState }): ReactNode {
  const [tone, text] = breakers[state];
  return <Badge tone={tone}>{text}</Badge>;
}
