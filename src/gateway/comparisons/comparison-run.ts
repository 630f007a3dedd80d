import { systemClock, type Timer } from '../../calendar/clock.ts';
import { EventRing } from '../../live/event-ring.ts';
import { UpdateCoalescer } from '../../live/update-coalescer.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { OperationSpan } from '../telemetry/request-span.ts';
import { joinLaneEvents, laneEventWeight, type LaneEvent } from './lane-event.ts';
import type { ComparisonKind, ComparisonQuestion } from './lane-state.ts';
import { Lane, type LaneDependencies } from './lane.ts';

const RING = { events: 100_000, weight: 16 * 1024 * 1024 };

export interface NewRun {
  readonly id: string;
  readonly key: KeyRecord;
  readonly kind: ComparisonKind;
  readonly question: ComparisonQuestion;
  readonly models: readonly string[];
}

/** A comparison that runs or ended within the last minutes. */
export interface ComparisonRun {
  readonly accountId: string;
  readonly lanes: readonly Lane[];
  readonly ring: EventRing<LaneEvent>;
  /** Positions of lanes whose final state is not saved yet. */
  readonly unsaved: Set<number>;
  saving: Promise<void>;
  /** When its last lane ended; null while one runs. */
  endedAt: Date | null;
  isSaved: boolean;
  /** Undefined until the run starts. */
  timer: Timer | undefined;
  /** Likewise, and where telemetry is off. */
  span: OperationSpan | undefined;
}

/** Creates the lanes of a comparison. @param onLaneEnded called after the event that ends a lane */
export function newComparisonRun(dependencies: LaneDependencies, run: NewRun, onLaneEnded: () => void): ComparisonRun {
  const ring = new EventRing<LaneEvent>(RING);
  const updates = new UpdateCoalescer(
    {
      ring,
      merge: joinLaneEvents,
      keyOf: ({ position }) => String(position),
      weightOf: laneEventWeight,
    },
    dependencies.clock ?? systemClock,
  );
  const onEvent = (event: LaneEvent): void => {
    updates.push(event);
    if (event.update.type !== 'ended') return;
    updates.flush();
    onLaneEnded();
  };
  const lanes = run.models.map((model, position) => new Lane(dependencies, { ...run, position, model, onEvent }));
  return {
    accountId: run.key.accountId,
    lanes,
    ring,
    unsaved: new Set(lanes.keys()),
    saving: Promise.resolve(),
    endedAt: null,
    isSaved: false,
    timer: undefined,
    span: undefined,
  };
}
