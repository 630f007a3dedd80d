import { useCallback, useState } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useLive } from '../../data/hooks.ts';
import { usePerFrame } from '../../data/per-frame.ts';
import {
  ComparisonLiveDocument,
  type ComparisonLiveSubscription,
  type LaneWholeFragment,
} from '../../generated/graphql.ts';

type Event = ComparisonLiveSubscription['comparison'];

export interface Lane extends LaneWholeFragment {
  /** Pieces were left out on the way; the whole comes when it ends. */
  readonly hasGap: boolean;
  /** Its text is as it was read: the stream begins it anew. */
  readonly isRead: boolean;
}

/** A lane that nothing streams into. */
export function standing(lane: LaneWholeFragment): Lane {
  return { ...lane, hasGap: false, isRead: true };
}

/**
 * A comparison's lanes as they go: what they have told comes first, then what they tell, put into the page once a frame.
 * @param known as they were read; of those that run the text comes anew
 * @param onEnded after a lane ended
 */
export function useLanes(
  id: string,
  known: readonly LaneWholeFragment[],
  isRunning: boolean,
  onEnded: () => void,
): { readonly lanes: readonly Lane[]; readonly failure: Failure | null } {
  const [isLive] = useState(isRunning);
  const [told, setTold] = useState<readonly Lane[]>(() => known.map(standing));
  const add = usePerFrame(
    useCallback((events: readonly Event[]) => setTold((before) => events.reduce(withEvent, before)), []),
  );
  const failure = useLive(
    ComparisonLiveDocument,
    { id },
    ({ comparison }) => {
      add(comparison);
      if (hasResult(comparison.event)) onEnded();
      return comparison.cursor;
    },
    { pause: !isLive },
  );
  // Votes are told by the answer to a vote alone.
  const votes = new Map(known.map((each) => [each.lane, each.votes]));
  const lanes = isLive ? told : known.map(standing);
  return {
    lanes: lanes.map((each) => {
      const now = votes.get(each.lane) ?? each.votes;
      return now === each.votes ? each : { ...each, votes: now };
    }),
    failure,
  };
}

function hasResult(event: Event['event']): event is Extract<Event['event'], { result: LaneWholeFragment }> {
  return 'result' in event;
}

function withEvent(lanes: readonly Lane[], { lane: place, event, ...measured }: Event): readonly Lane[] {
  if (event.__typename === 'EventGap')
    return lanes.map((each) => (each.status === 'RUNNING' ? { ...each, hasGap: true } : each));
  return lanes.map((lane) => {
    if (lane.lane !== place) return lane;
    if (hasResult(event)) return standing(event.result);
    // It has ended, and its text is whole.
    if (lane.status !== 'RUNNING') return lane;
    const next = {
      ...lane,
      ...(lane.isRead && { output: '', reasoning: '', isRead: false }),
      firstTokenMs: measured.firstTokenMs ?? lane.firstTokenMs,
      tokensPerSecond: measured.tokensPerSecond ?? lane.tokensPerSecond,
      cost: measured.runningCost ?? lane.cost,
    };
    switch (event.__typename) {
      case 'CompletionStarted':
        return { ...next, servedModel: event.servedModel };
      case 'CompletionDelta':
        return event.choice === 0 ? { ...next, output: next.output + event.text } : next;
      case 'CompletionReasoning':
        return { ...next, reasoning: next.reasoning + event.thought };
      default:
        return next;
    }
  });
}
