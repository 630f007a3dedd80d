import type { ReactNode } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Time } from '../../design/time.tsx';
import type { WebhookPartsFragment } from '../../generated/graphql.ts';

export function DeliveryBadge({
  webhook: { lastAttemptAt, lastFailure, failingSince, disabledAt },
}: {
  readonly webhook: WebhookPartsFragment;
}): ReactNode {
  if (disabledAt != null)
    return (
      <span>
        <Badge tone="bad">Disabled</Badge>{' '}
        <span className="text-small text-soft">
          after failing since <Time at={failingSince ?? disabledAt} as="date" />
        </span>
      </span>
    );
  if (lastAttemptAt == null) return <Badge>No attempts yet</Badge>;
  return lastFailure == null ? <Badge tone="good">Delivered</Badge> : <Badge tone="bad">Failing</Badge>;
}
