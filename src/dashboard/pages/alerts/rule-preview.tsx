import { useDeferredValue, type ReactNode } from 'react';
import { useQuery } from '../../data/graphql/hooks.ts';
import { Badge } from '../../design/badge.tsx';
import { AlertPreviewDocument, type AlertConditionInput, type AlertKind } from '../../generated/graphql.ts';
import { valueText } from './alert-texts.ts';

const MAX_SHOWN = 5;

/** The current value of a condition, and whether it would fire. */
export function RulePreview({
  kind,
  condition,
}: {
  readonly kind: AlertKind;
  readonly condition: AlertConditionInput;
}): ReactNode {
  const deferred = useDeferredValue(condition);
  const { data, failure, isCurrent } = useQuery(
    AlertPreviewDocument,
    { condition: deferred },
    { pause: !(deferred.threshold > 0) },
  );
  const read = data?.alertPreview ?? [];
  return (
    <div
      aria-label="Current value"
      role="status"
      className="flex min-h-4 flex-col gap-0.5 rounded-medium bg-panel p-1.5"
    >
      <span className="text-small text-soft">Current value</span>
      {failure ? <span className="text-bad">{failure.message}</span> : null}
      {!failure && data === null ? <span className="text-soft">…</span> : null}
      {!failure && data !== null && read.length === 0 ? <span>{nothing(kind)}</span> : null}
      {failure
        ? null
        : read.slice(0, MAX_SHOWN).map(({ subject, value, fires }) => (
            <div key={subject} className={`figures flex flex-wrap items-center gap-1 ${isCurrent ? '' : 'opacity-60'}`}>
              <span className="wrap-anywhere">
                {subject === '' ? '' : `${subject}: `}
                {valueText(kind, value)}
              </span>
              {fires ? <Badge tone="bad">Would fire now</Badge> : <Badge tone="good">Would not fire</Badge>}
            </div>
          ))}
      {!failure && read.length > MAX_SHOWN ? (
        <span className="text-soft">and {read.length - MAX_SHOWN} more</span>
      ) : null}
    </div>
  );
}

function nothing(kind: AlertKind): string {
  if (kind === 'KEY_EXPIRING') return 'No key has an expiry.';
  return kind === 'BUDGET' ? 'There is no budget.' : 'No provider was used recently.';
}
