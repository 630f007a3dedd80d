import { useCallback, useState } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useSubscription } from '../../data/graphql/hooks.ts';
import { useFrameBatch } from '../../data/frame-batch.ts';
import {
  ComparisonLiveDocument,
  type ComparisonLiveSubscription,
  type LaneDetailsFragment,
} from '../../generated/graphql.ts';

type Event = ComparisonLiveSubscription['comparison'];

export interface Lane extends LaneDetailsFragment {
  /** Parts of the text were dropped. The complete text arrives with the result. */
  readonly hasGap: boolean;
  /** The text comes from the query. The stream starts again from the beginning of the text. */
  readonly isFromQuery: boolean;
}

/** A lane without a stream. */
export function withoutStream(lane: LaneDetailsFragment): Lane {
  return { ...lane, hasGap: false, isFromQuery: true };
}

/**
 * The lanes of a running comparison: events so far, then new events, applied once per animation frame.
 * @param known the lanes from the query. The stream repeats the text of running lanes.
 * @param onEnded called after a lane ended
 */
export function useLanes(
  id: string,
  known: readonly LaneDetailsFragment[],
  isRunning: boolean,
  onEnded: () => void,
): { readonly lanes: readonly Lane[]; readonly failure: Failure | null } {
  const [isLive] = useState(isRunning);
  const [streamed, setStreamed] = useState<readonly Lane[]>(() => known.map(withoutStream));
  const add = useFrameBatch(
    useCallback((events: readonly Event[]) => setStreamed((before) => events.reduce(withEvent, before)), []),
  );
  const failure = useSubscription(
    ComparisonLiveDocument,
    { id },
    ({ comparison }) => {
      add(comparison);
      if (hasResult(comparison.event)) onEnded();
      return comparison.cursor;
    },
    { pause: !isLive },
  );
  // Only the result of a vote mutation contains votes. The stream does not.
  const votes = new Map(known.map((each) => [each.lane, each.votes]));
  const lanes = isLive ? streamed : known.map(withoutStream);
  return {
    lanes: lanes.map((each) => {
      const now = votes.get(each.lane) ?? each.votes;
      return now === each.votes ? each : { ...each, votes: now };
    }),
    failure,
  };
}

function hasResult(event: Event['event']): event is Extract<Event['event'], { result: LaneDetailsFragment }> {
  return 'result' in event;
}

function withEvent(lanes: readonly Lane[], { lane: index, event, ...measured }: Event): readonly Lane[] {
  if (event.__typename === 'EventGap')
    return lanes.map((each) => (each.status === 'RUNNING' ? { ...each, hasGap: true } : each));
  return lanes.map((lane) => {
    if (lane.lane !== index) return lane;
    if (hasResult(event)) return withoutStream(event.result);
    // An ended lane has its complete text.
    if (lane.status !== 'RUNNING') return lane;
    const next = {
      ...lane,
      ...(lane.isFromQuery && { output: '', reasoning: '', isFromQuery: false }),
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
