import { choiceTokens, type ChatAnswer, type Choice } from './answer.ts';
import { logprobsOf, openEnvelope, renderCall, renderFinish, renderUsage, type Envelope, type Piece } from '../wire.ts';

/** OpenAI's `chat.completion`, in pieces that together are one JSON document. */
export function* chatDocument(answer: ChatAnswer, envelope: Envelope): Generator<Piece> {
  const reasoning = answer.reasoningTokens / answer.choices.length;
  const maxTokens = answer.choices.reduce((max, choice) => Math.max(max, choiceTokens(choice)), 0);
  yield { text: `${openEnvelope(envelope, 'chat.completion')},"choices":[`, tokens: reasoning + maxTokens };
  for (const [index, choice] of answer.choices.entries()) {
    yield piece(`${index > 0 ? ',' : ''}{"index":${index},"message":${renderMessage(choice)},"logprobs":`);
    yield* renderLogprobs(answer, choice, index, envelope);
    yield piece(`,"finish_reason":${renderFinish(choice)}}`);
  }
  yield piece(`],"usage":${renderUsage(answer)}}`);
}

function renderMessage(choice: Choice): string {
  const [first] = choice.calls;
  const calls =
    first?.kind === 'legacyFunction'
      ? { function_call: { name: first.name, arguments: first.tokens.join('') } }
      : { tool_calls: choice.calls.map((call) => renderCall(call, call.tokens.join(''))) };
  return JSON.stringify({
    role: 'assistant',
    content: choice.text?.join('') ?? null,
    refusal: null,
    annotations: [],
    ...(first && calls),
  });
}

function* renderLogprobs(answer: ChatAnswer, choice: Choice, index: number, envelope: Envelope): Generator<Piece> {
  const logprob = logprobsOf(answer, index, envelope);
  if (!logprob || !choice.text) return yield piece('null');
  yield piece('{"content":[');
  for (const [at, token] of choice.text.entries()) yield piece(`${at > 0 ? ',' : ''}${logprob(token)}`);
  yield piece('],"refusal":null}');
}

const piece = (text: string): Piece => ({ text, tokens: 0 });
