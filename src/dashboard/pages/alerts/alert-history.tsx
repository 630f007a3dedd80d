import { History } from 'lucide-react';
import type { ReactNode } from 'react';
import { usePages } from '../../data/graphql/pages.ts';
import { Badge, type Tone } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Empty, Failed, SkeletonRows } from '../../design/state.tsx';
import { Time } from '../../design/time.tsx';
import {
  AlertHistoryDocument,
  type AlertDeliveryStatus,
  type AlertPartsFragment,
  type AlertTransition,
} from '../../generated/graphql.ts';

const PAGE_SIZE = 25;
const transitions: Readonly<Record<AlertTransition, readonly [string, Tone]>> = {
  FIRED: ['Fired', 'bad'],
  RESOLVED: ['Resolved', 'good'],
  TEST: ['Test', 'neutral'],
};
const statuses: Readonly<Record<AlertDeliveryStatus, readonly [string, Tone]>> = {
  PENDING: ['pending', 'warn'],
  DELIVERED: ['delivered', 'neutral'],
  FAILED: ['failed', 'bad'],
};

/** What fired and resolved, with the status of each notification. @param ruleId of one rule, if given */
export function AlertHistory({ ruleId }: { readonly ruleId?: string }): ReactNode {
  const { nodes, hasMore, failure, fetchMore, refetch } = usePages(
    AlertHistoryDocument,
    { ruleId, first: PAGE_SIZE },
    ({ alerts }) => alerts,
  );
  if (failure) return <Failed failure={failure} onRetry={refetch} />;
  if (nodes === null) return <SkeletonRows rows={5} />;
  if (nodes.length === 0)
    return ruleId === undefined ? (
      <Empty icon={<History size={24} />} title="No alerts yet">
        When a rule fires or resolves, it appears here with the status of each notification.
      </Empty>
    ) : (
      <p className="text-soft">It has not fired yet.</p>
    );
  return (
    <div className="flex flex-col gap-2 pt-1.5">
      <ul aria-label="Alert history" className="flex flex-col">
        {nodes.map((alert) => (
          <Entry key={alert.id} alert={alert} />
        ))}
      </ul>
      {hasMore ? (
        <div>
          <Button onClick={fetchMore}>Show more</Button>
        </div>
      ) : null}
    </div>
  );
}

function Entry({ alert }: { readonly alert: AlertPartsFragment }): ReactNode {
  const [text, tone] = transitions[alert.transition];
  return (
    <li className="flex flex-col gap-0.5 border-t border-line py-1 first:border-t-0">
      <div className="flex flex-wrap items-center gap-x-1 gap-y-0.5">
        <Badge tone={tone}>{text}</Badge>
        <span className="font-strong wrap-anywhere">{alert.ruleName}</span>
        <span className="ml-auto text-small text-soft">
          <Time at={alert.createdAt} />
        </span>
      </div>
      <div className="wrap-anywhere">
        {alert.path === '/alerts' ? (
          alert.summary
        ) : (
          <a className="hover:underline" href={alert.path}>
            {alert.summary}
          </a>
        )}
      </div>
      {alert.deliveries.length === 0 ? <div className="text-small text-soft">Nobody was notified.</div> : null}
      {alert.deliveries.map((delivery) => {
        const [status, statusTone] = statuses[delivery.status];
        return (
          <div
            key={`${delivery.channelName} ${delivery.email}`}
            className="flex flex-wrap items-center gap-x-1 text-small text-soft"
          >
            <span className="wrap-anywhere">
              {delivery.channelName}
              {delivery.email == null ? '' : ` (${delivery.email})`}
            </span>
            <Badge tone={statusTone}>{status}</Badge>
            {delivery.lastFailure == null ? null : (
              <span>
                {delivery.lastFailure}, {delivery.attempts === 1 ? '1 attempt' : `${delivery.attempts} attempts`}
              </span>
            )}
          </div>
        );
      })}
    </li>
  );
}
