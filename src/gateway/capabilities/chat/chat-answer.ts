import { SluiceError } from '../../../errors/index.ts';
import type { CompletionUpdate } from '../../../live/events.ts';
import type { GenerationResult } from '../../../protocols/canonical/generation-result.ts';
import { choiceObject } from '../../../protocols/chat-completions/encode-response.ts';
import type { ParsedResponse, TokenUsage } from '../capability.ts';
import { observeResponse } from '../../../protocols/chat-completions/observe-usage.ts';
import { tryParse } from '../../json-text.ts';
import { answerUpdates, resultUpdates } from './chat-updates.ts';
import { isRecord, readChatUsage, readFinishReason, readUsage, servedBy } from './chat-usage.ts';

const BYTES_PER_TOKEN = 4;

/** Parses OpenAI's unstreamed chat response. @throws SluiceError provider_invalid_response | provider_error */
export function parseChatResponse(provider: string, body: Buffer): ParsedResponse {
  return new ChatAnswer(provider, body);
}

/** Reads the result of a provider with another protocol. */
export function readChatResult(result: GenerationResult): ParsedResponse {
  return new ResultAnswer(result);
}

class ResultAnswer implements ParsedResponse {
  readonly usage: TokenUsage | null;
  readonly finishReason: string | null;
  readonly #choices: GenerationResult['choices'];

  constructor({ start, choices, usage }: GenerationResult) {
    this.usage = servedBy(usage && readUsage(usage), start.model, undefined);
    this.finishReason = readFinishReason(choices[0]?.finishReason);
    this.#choices = choices;
  }

  /** Of what a chat has, whatever the client's protocol. */
  get estimatedOutputTokens(): number {
    return estimateTokens(this.#choices.map(choiceObject));
  }

  updates(): readonly CompletionUpdate[] {
    return resultUpdates(this.#choices);
  }
}

/**
 * A response is forwarded unchanged. Only its usage is parsed where a text search finds all that is needed; otherwise
 * all of it is.
 */
class ChatAnswer implements ParsedResponse {
  usage: TokenUsage | null = null;
  finishReason: string | null = null;
  readonly #body: Buffer;

  constructor(provider: string, body: Buffer) {
    this.#body = body;
    if (this.#observe(body.toString('latin1'))) return;
    const answer = parse(provider, body);
    if (answer.error) throw reported(provider, answer.error);
    const [first] = Array.isArray(answer.choices) ? answer.choices : [];
    if (!isRecord(first))
      throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no choices' });
    this.usage = servedBy(readChatUsage(answer.usage), answer.model, answer.service_tier);
    this.finishReason = readFinishReason(first.finish_reason);
  }

  get estimatedOutputTokens(): number {
    const answer = tryParse(this.#body.toString());
    const choices = isRecord(answer) ? answer.choices : null;
    return estimateTokens(choices);
  }

  updates(): readonly CompletionUpdate[] {
    return answerUpdates(tryParse(this.#body.toString()));
  }

  /** @returns false where the complete response has to be parsed */
  #observe(text: string): boolean {
    const observed = observeResponse(text);
    const usage = observed && readChatUsage(observed.usage);
    if (observed === null || usage === null) return false;
    this.usage = servedBy(usage, observed.model, observed.serviceTier);
    this.finishReason = readFinishReason(observed.finishReason);
    return true;
  }
}

function estimateTokens(choices: unknown): number {
  return Math.ceil(Buffer.byteLength(JSON.stringify(choices)) / BYTES_PER_TOKEN);
}

function reported(provider: string, error: unknown): SluiceError {
  const reason =
    isRecord(error) && typeof error.message === 'string' ? error.message.slice(0, 500) : 'it responded with an error';
  return new SluiceError('provider_error', { values: { provider, reason } });
}

function parse(provider: string, body: Buffer): Record<string, unknown> {
  // Not the parser's own error: it quotes its input, which must not be logged.
  const answer = tryParse(body.toString());
  if (isRecord(answer)) return answer;
  throw new SluiceError('provider_invalid_response', { values: { provider }, detail: 'no JSON object' });
}
