import type { ChatAnswer, Choice, ToolCall } from './chat/answer.ts';
import { SeededRandom } from './text/seeded-random.ts';
import { tokenLogprob } from './chat/token-logprobs.ts';

/** A piece of the body. `tokens` is its cost at the sandbox's pace. */
export interface Piece {
  readonly text: string;
  readonly tokens: number;
}

/** The metadata of one response. */
export interface Envelope {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly model: string;
  /** The number of alternatives per token; `null` if log probabilities were not requested. */
  readonly topLogprobs: number | null;
}

const FINGERPRINT = 'sandbox';

/** The members at the beginning of every chunk and the document, in OpenAI's order. */
export function openEnvelope(envelope: Envelope, object: 'chat.completion' | 'chat.completion.chunk'): string {
  const { id, created, model } = envelope;
  return `{"id":${JSON.stringify(id)},"object":"${object}","created":${created},"model":${JSON.stringify(model)},"service_tier":"default","system_fingerprint":"${FINGERPRINT}"`;
}

export function renderUsage({ promptTokens, outputTokens, reasoningTokens }: ChatAnswer): string {
  return JSON.stringify({
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoningTokens,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  });
}

/** A call with its input, in the format of the tool's kind. */
export function renderCall(call: ToolCall, input: string): Readonly<Record<string, unknown>> {
  return call.kind === 'custom'
    ? { id: call.id, type: 'custom', custom: { name: call.name, input } }
    : { id: call.id, type: 'function', function: { name: call.name, arguments: input } };
}

/** Log probabilities of a choice's tokens, one by one; the same streamed or not. */
export function logprobsOf(answer: ChatAnswer, index: number, envelope: Envelope): ((token: string) => string) | null {
  const top = envelope.topLogprobs;
  if (top === null) return null;
  const random = new SeededRandom(`${answer.digest}\nlogprobs\n${index}`);
  return (token) => tokenLogprob(token, top, random);
}

/** The value of `finish_reason`, and `stop_reason` as vLLM has it where a stop sequence ended the choice. Source: docs.vllm.ai. */
export function renderFinish({ finishReason, stopSequence }: Choice): string {
  const stop = stopSequence === undefined ? '' : `,"stop_reason":${JSON.stringify(stopSequence)}`;
  return `"${finishReason}"${stop}`;
}
