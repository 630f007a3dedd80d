import type { ChatAnswer, Choice } from './answer.ts';
import { logprobsOf, openEnvelope, renderCall, renderFinish, renderUsage, type Envelope, type Piece } from '../wire.ts';

interface Delta {
  /** As JSON. */
  readonly delta: string;
  readonly logprobs: string;
  /** Why it ends, as JSON; null where it goes on. */
  readonly finish: string | null;
  /** Whether it contains a token of the response. */
  readonly isToken: boolean;
}

/**
 * OpenAI's `chat.completion.chunk` events, one per token, with `stream_options.include_usage`: `usage` is null in all
 * but the last chunk, which has no choices. Choices alternate.
 */
export function* chatStream(answer: ChatAnswer, envelope: Envelope): Generator<Piece> {
  const open = `data: ${openEnvelope(envelope, 'chat.completion.chunk')},"choices":[`;
  const reasoning = answer.reasoningTokens / answer.choices.length;
  const deltaStreams = answer.choices.map((choice, index) => deltas(choice, logprobsOf(answer, index, envelope)));
  let wait = reasoning;
  for (let hasMore = true; hasMore;) {
    hasMore = false;
    let isFirstToken = true;
    for (const [index, deltaStream] of deltaStreams.entries()) {
      const { value: event } = deltaStream.next();
      if (!event) continue;
      hasMore = true;
      const text = `${open}{"index":${index},"delta":${event.delta},"logprobs":${event.logprobs},"finish_reason":${event.finish}}],"usage":null}\n\n`;
      yield { text, tokens: wait + (event.isToken && isFirstToken ? 1 : 0) };
      wait = 0;
      if (event.isToken) isFirstToken = false;
    }
  }
  yield { text: `${open}],"usage":${renderUsage(answer)}}\n\ndata: [DONE]\n\n`, tokens: 0 };
}

function* deltas(choice: Choice, logprob: ((token: string) => string) | null): Generator<Delta, undefined> {
  if (choice.text) {
    yield plain('{"role":"assistant","content":"","refusal":null}');
    for (const token of choice.text) {
      const logprobs = logprob ? `{"content":[${logprob(token)}],"refusal":null}` : 'null';
      yield { delta: `{"content":${JSON.stringify(token)}}`, logprobs, finish: null, isToken: true };
    }
  } else if (choice.calls[0]?.kind === 'legacyFunction') {
    yield* legacyDeltas(choice);
  } else {
    yield plain('{"role":"assistant","content":null,"refusal":null}');
    yield* callDeltas(choice);
  }
  yield { ...plain('{}'), finish: renderFinish(choice) };
}

function* callDeltas(choice: Choice): Generator<Delta> {
  for (const [index, call] of choice.calls.entries()) {
    yield plain(JSON.stringify({ tool_calls: [{ index, ...renderCall(call, '') }] }));
    for (const token of call.tokens) {
      const piece = call.kind === 'custom' ? { custom: { input: token } } : { function: { arguments: token } };
      yield { ...plain(JSON.stringify({ tool_calls: [{ index, ...piece }] })), isToken: true };
    }
  }
}

function* legacyDeltas(choice: Choice): Generator<Delta> {
  for (const call of choice.calls) {
    yield plain(
      JSON.stringify({ role: 'assistant', content: null, function_call: { name: call.name, arguments: '' } }),
    );
    for (const token of call.tokens) {
      yield { ...plain(JSON.stringify({ function_call: { arguments: token } })), isToken: true };
    }
  }
}

const plain = (delta: string): Delta => ({ delta, logprobs: 'null', finish: null, isToken: false });
