import { memo, useCallback, useEffect, useRef, useState } from 'react';
import type { Failure } from '../../data/failure.ts';
import { useChange, useLive } from '../../data/hooks.ts';
import { usePerFrame } from '../../data/per-frame.ts';
import {
  PlaygroundCompletionDocument,
  StopCompletionDocument,
  type PlaygroundCompletionSubscription,
} from '../../generated/graphql.ts';

type Event = PlaygroundCompletionSubscription['completion'];

export interface ToolCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly state: 'running' | 'finished' | 'stopped' | 'failed';
  readonly failure: Failure | null;
  readonly finishReason: string | null;
  readonly firstTokenMs: number | null;
  readonly durationMs: number | null;
  readonly inputTokens: number | null;
  readonly outputTokens: number | null;
  readonly cost: string | null;
  /** Pieces were left out on the way. */
  readonly hasGap: boolean;
}

export interface Run {
  /** Of this run: after a dropped connection it goes on, and is not paid for twice. */
  readonly clientRequestId: string;
  readonly model: string;
  readonly messages: readonly unknown[];
  readonly parameters: Readonly<Record<string, unknown>>;
  /** `performance.now()` when it was sent. */
  readonly startedAt: number;
}

export const emptyAnswer: Answer = {
  text: '',
  reasoning: '',
  toolCalls: [],
  state: 'running',
  failure: null,
  finishReason: null,
  firstTokenMs: null,
  durationMs: null,
  inputTokens: null,
  outputTokens: null,
  cost: null,
  hasGap: false,
};

interface Told {
  readonly event: Event;
  readonly at: number;
}

/** A run as it goes, put into the page once a frame. `feed` belongs into the page while it runs. */
export function useCompletion(run: Run | null): {
  readonly answer: Answer;
  readonly feed: React.ReactNode;
  stop(): void;
} {
  const [state, setState] = useState<{ readonly of: Run | null; readonly answer: Answer }>({
    of: null,
    answer: emptyAnswer,
  });
  const apply = useCallback(
    (told: readonly Told[]) =>
      setState((before) => {
        if (run === null) return before;
        const start = before.of === run ? before.answer : emptyAnswer;
        return { of: run, answer: told.reduce((answer, each) => withEvent(answer, each, run.startedAt), start) };
      }),
    [run],
  );
  const add = usePerFrame(apply);
  const receive = useCallback((event: Event) => add({ event, at: performance.now() }), [add]);
  const fail = useCallback(
    (failure: Failure) =>
      setState((before) => ({
        of: run,
        answer: { ...(before.of === run ? before.answer : emptyAnswer), state: 'failed', failure },
      })),
    [run],
  );
  const [cancel] = useChange(StopCompletionDocument);
  const stop = useCallback(() => {
    if (run !== null) void cancel({ clientRequestId: run.clientRequestId });
  }, [cancel, run]);
  const answer = state.of === run ? state.answer : emptyAnswer;
  const feed =
    run !== null && answer.state === 'running' ? (
      <Feed key={run.clientRequestId} run={run} receive={receive} fail={fail} />
    ) : null;
  return { answer, feed, stop };
}

/** Apart, so that what comes does not write the request out again. */
const Feed = memo(function Feed({
  run,
  receive,
  fail,
}: {
  readonly run: Run;
  readonly receive: (event: Event) => void;
  readonly fail: (failure: Failure) => void;
}) {
  const { clientRequestId, model, messages, parameters } = run;
  const isOver = useRef(false);
  const failure = useLive(
    PlaygroundCompletionDocument,
    { input: { clientRequestId, model, messages, parameters } },
    ({ completion }) => {
      isOver.current ||= completion.__typename === 'CompletionFinished' || completion.__typename === 'CompletionFailed';
      receive(completion);
      return completion.cursor;
    },
  );
  useEffect(() => {
    if (failure && !isOver.current) fail(failure);
  }, [failure, fail]);
  return null;
});

function withEvent(answer: Answer, { event, at }: Told, startedAt: number): Answer {
  const firstTokenMs = answer.firstTokenMs ?? at - startedAt;
  switch (event.__typename) {
    case 'CompletionDelta':
      return { ...answer, text: answer.text + event.text, firstTokenMs };
    case 'CompletionReasoning':
      return { ...answer, reasoning: answer.reasoning + event.thought, firstTokenMs };
    case 'CompletionToolCall':
      return { ...answer, toolCalls: withCall(answer.toolCalls, event), firstTokenMs };
    case 'CompletionFinished':
      return {
        ...answer,
        state: 'finished',
        finishReason: event.finishReason ?? null,
        firstTokenMs: event.firstTokenMs ?? null,
        durationMs: event.durationMs,
        inputTokens: event.usage.inputTokens,
        outputTokens: event.usage.outputTokens,
        cost: event.cost.amount,
      };
    case 'CompletionFailed':
      return event.code === 'aborted'
        ? { ...answer, state: 'stopped', durationMs: at - startedAt }
        : { ...answer, state: 'failed', failure: { message: event.message, code: event.code, requestId: null } };
    case 'EventGap':
      return { ...answer, hasGap: true };
    default:
      return answer;
  }
}

function withCall(
  calls: readonly ToolCall[],
  event: Extract<Event, { __typename?: 'CompletionToolCall' }>,
): readonly ToolCall[] {
  const known = calls.find(({ index }) => index === event.index);
  if (!known)
    return [
      ...calls,
      { index: event.index, id: event.callId ?? '', name: event.name ?? '', arguments: event.arguments },
    ];
  return calls.map((each) => (each === known ? { ...each, arguments: each.arguments + event.arguments } : each));
}
