import type { Failure } from '../../../data/failure.ts';
import type { PlaygroundCompletionSubscription } from '../../../generated/graphql.ts';

type Event = PlaygroundCompletionSubscription['completion'];

export interface ToolCall {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface Completion {
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
  /** Whether events were dropped. */
  readonly hasGap: boolean;
}

export const emptyCompletion: Completion = {
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

/** An event, and `performance.now()` when it was received. */
export interface ReceivedEvent {
  readonly event: Event;
  readonly at: number;
}

/** The completion after an event. */
export function applyEvent(completion: Completion, { event, at }: ReceivedEvent, startedAt: number): Completion {
  const firstTokenMs = completion.firstTokenMs ?? at - startedAt;
  switch (event.__typename) {
    case 'CompletionDelta':
      return { ...completion, text: completion.text + event.text, firstTokenMs };
    case 'CompletionReasoning':
      return { ...completion, reasoning: completion.reasoning + event.thought, firstTokenMs };
    case 'CompletionToolCall':
      return { ...completion, toolCalls: applyToolCall(completion.toolCalls, event), firstTokenMs };
    case 'CompletionFinished':
      return {
        ...completion,
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
        ? { ...completion, state: 'stopped', durationMs: at - startedAt }
        : { ...completion, state: 'failed', failure: { message: event.message, code: event.code, requestId: null } };
    case 'EventGap':
      return { ...completion, hasGap: true };
    default:
      return completion;
  }
}

function applyToolCall(
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
