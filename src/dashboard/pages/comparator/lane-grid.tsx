import { useState, type ReactNode } from 'react';
import { Checkbox } from '../../design/field.tsx';
import type { ComparisonKind } from '../../generated/graphql.ts';
import { LaneView, type LaneActions } from './lane-view.tsx';
import type { Lane } from './lanes.ts';
import { useSynchronisedScroll } from './synchronised-scroll.ts';

/** Lanes side by side. On a phone, a horizontal scroll with one lane at a time. */
export function LaneGrid({
  lanes,
  kind,
  winner,
  votedFor,
  actions,
  autoScrolls,
  beside,
}: {
  readonly lanes: readonly Lane[];
  readonly kind: ComparisonKind;
  readonly winner: string | null;
  readonly votedFor: string | null;
  readonly actions: LaneActions | null;
  readonly autoScrolls: boolean;
  readonly beside?: ReactNode;
}): ReactNode {
  const [isTogether, setTogether] = useState(true);
  const { join, onScroll } = useSynchronisedScroll(isTogether);
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <div className="flex-1">
          {kind === 'CHAT' ? (
            <Checkbox
              label="Scroll together"
              checked={isTogether}
              onChange={({ target }) => setTogether(target.checked)}
            />
          ) : null}
        </div>
        {beside}
      </div>
      {/* Focusable, so that the keyboard can scroll it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div
        role="group"
        aria-label="Responses"
        tabIndex={0}
        className="gap-x-2 gap-y-3 max-md:flex max-md:snap-x max-md:snap-mandatory max-md:overflow-x-auto md:grid md:grid-cols-[repeat(auto-fill,minmax(256px,1fr))]"
      >
        {lanes.map((lane) => (
          <LaneView
            key={lane.lane}
            lane={lane}
            kind={kind}
            isWinner={winner === lane.model}
            isVoted={votedFor === lane.model}
            actions={actions}
            autoScrolls={autoScrolls}
            join={join}
            onScroll={onScroll}
          />
        ))}
      </div>
    </div>
  );
}
