import type { Attributes } from '@opentelemetry/api';
import type { SettledRequest } from '../../gateway/telemetry/request-span.ts';
import type { UsageAttempt } from '../../gateway/usage/usage-record.ts';
import { operationName, providerName } from './gen-ai.ts';
import { seconds } from './request-attributes.ts';

const NANO = 1e9;

/** What a response says of itself. */
export interface ResponseIdentity {
  readonly id: string | null;
  readonly model: string | null;
}

/** Attributes of a call of a provider, by the GenAI conventions. */
export function attemptAttributes(request: SettledRequest, attempt: UsageAttempt, isLast: boolean): Attributes {
  const { admitted, outcome } = request;
  const error = errorOf(request, attempt, isLast);
  return {
    'gen_ai.operation.name': operationName(admitted),
    'gen_ai.provider.name': providerName(attempt.provider),
    'gen_ai.request.model': attempt.model,
    'gen_ai.request.stream': admitted.streamed,
    ...(attempt.status !== null && { 'http.response.status_code': attempt.status }),
    ...(error !== null && { 'error.type': error }),
    ...(isLast && usageAttributes(request, attempt)),
    ...(isLast && outcome.finishReason !== null && { 'gen_ai.response.finish_reasons': [outcome.finishReason] }),
  };
}

/** @returns null where it succeeded */
export function errorOf({ outcome }: SettledRequest, attempt: UsageAttempt, isLast: boolean): string | null {
  return attempt.error ?? (isLast && outcome.status === 'aborted' ? 'aborted' : null);
}

export function identityAttributes({ id, model }: ResponseIdentity): Attributes {
  return {
    ...(id !== null && { 'gen_ai.response.id': id }),
    ...(model !== null && { 'gen_ai.response.model': model }),
  };
}

/** Only of the attempt that is billed, so that nothing counts twice. `gen_ai.usage.cost` is no convention, but what Langfuse reads. */
function usageAttributes({ outcome, timing }: SettledRequest, { started_ms = 0 }: UsageAttempt): Attributes {
  const { usage, cost } = outcome;
  const { inputTokens, outputTokens, cachedTokens, cacheWriteTokens, reasoningTokens } = usage;
  const { firstTokenMs } = timing;
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    'gen_ai.usage.cost': Number(cost) / NANO,
    ...(cachedTokens > 0 && { 'gen_ai.usage.cache_read.input_tokens': cachedTokens }),
    ...(cacheWriteTokens > 0 && { 'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens }),
    ...(reasoningTokens > 0 && { 'gen_ai.usage.reasoning.output_tokens': reasoningTokens }),
    ...(outcome.estimated && { 'sluice.usage.estimated': true }),
    ...(firstTokenMs !== null && {
      'gen_ai.response.time_to_first_chunk': seconds(Math.max(0, firstTokenMs - started_ms)),
    }),
  };
}
