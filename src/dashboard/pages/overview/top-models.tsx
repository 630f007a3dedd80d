import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { RangeName } from '../../data/range.ts';
import { money, short } from '../../design/format.ts';
import { hueOf } from '../../design/hue.ts';
import { Section } from '../../design/page.tsx';
import { SkeletonRows } from '../../design/state.tsx';
import type { OverviewModelsQuery } from '../../generated/graphql.ts';

const SHOWN = 6;

export function TopModels({
  groups,
  range,
}: {
  readonly groups: OverviewModelsQuery['models']['groups'] | null;
  readonly range: RangeName;
}): ReactNode {
  return (
    <Section title="Models">
      {groups === null ? <SkeletonRows rows={3} /> : null}
      {groups?.length === 0 ? <p className="text-soft">No model was called in this time.</p> : null}
      <ul>
        {groups?.slice(0, SHOWN).map(({ model, usage }) => (
          <li key={model}>
            <Link
              to="/billing/usage"
              search={model ? { model, range } : { status: 'REJECTED', range }}
              className="figures flex h-4.5 items-center gap-1 rounded-small px-0.5 -outline-offset-2 hover:bg-hover max-md:h-5.5"
            >
              <span
                aria-hidden
                className="size-1 shrink-0 rounded-small"
                style={{ background: hueOf(model || 'No model') }}
              />
              <span className="min-w-0 flex-1 truncate">{model || 'No model'}</span>
              <span className="text-soft">{short(usage.requests)}</span>
              <span className="w-10 text-right">{money(usage.cost.amount)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  );
}
