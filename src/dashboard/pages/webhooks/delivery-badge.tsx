import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import type { WebhookPartsFragment } from '../../generated/graphql.ts';

export function DeliveryBadge({
  webhook: { lastAttemptAt, lastFailure },
}: {
  readonly webhook: WebhookPartsFragment;
}): ReactNode {
  if (lastAttemptAt == null) return <Badge>Not told yet</Badge>;
  return lastFailure == null ? <Badge tone="good">Delivered</Badge> : <Badge tone="bad">Failing</Badge>;
}
