import type { ReactNode } from 'react';
import { Badge } from '../../../design/badge.tsx';
import type { OrderedBy, SkipReason } from '../../../generated/graphql.ts';
import type { LogDetails } from './log-details.ts';

const orders: Readonly<Record<OrderedBy, string>> = {
  LISTED: 'Targets are tried in the order of the route.',
  WEIGHTED: 'The first target was drawn by the weights of the route.',
  PRICE: 'The cheapest target for this request comes first.',
  LATENCY: 'The target with the shortest time to the first token comes first.',
  THROUGHPUT: 'The target with the most tokens per second comes first.',
  STICKY: 'The end user stays at one target.',
  CONVERSATION: 'The target that has the conversation in its prompt cache comes first.',
};
const reasons: Readonly<Record<SkipReason, string>> = {
  NOT_ALLOWED: 'The key or the plan may not use it, or its price is not known.',
  COOLING_DOWN: 'It failed or was limited shortly before.',
};

/** Why the first target was tried, and others were not. */
export function RoutingFacts({
  routing: { orderedBy, skipped },
}: {
  readonly routing: NonNullable<LogDetails['routing']>;
}): ReactNode {
  return (
    <section aria-label="Routing" className="flex flex-col gap-1">
      <h3 className="text-large">Routing</h3>
      <p>{orders[orderedBy]}</p>
      {skipped.length > 0 ? (
        <ul className="flex flex-col gap-1">
          {skipped.map(({ model, reason }) => (
            <li key={model} className="flex flex-wrap items-center gap-1">
              <Badge>Skipped</Badge>
              <span className="min-w-0 break-words">{model}</span>
              <span className="w-full text-small text-soft">{reasons[reason]}</span>
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}
