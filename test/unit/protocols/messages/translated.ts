import { chatRequestSchema } from '../../../../src/protocols/chat-completions/decode-request/schema.ts';
import type { ParameterPolicy } from '../../../../src/protocols/canonical/parameter-policy.ts';
import { encodeMessagesRequest } from '../../../../src/protocols/messages/encode-request.ts';
import { modelTraits } from '../../../../src/providers/anthropic/model-traits.ts';

interface Translated {
  readonly sent: Record<string, unknown>;
  readonly betas: readonly string[];
  readonly dropped: readonly string[];
}

/** The request to Anthropic for a request that the gateway accepts, and the dropped parameters. */
export function translated(
  request: Record<string, unknown>,
  { model = 'claude-sonnet-4-5', parameters = 'drop' }: { model?: string; parameters?: ParameterPolicy } = {},
): Translated {
  const { body, betas, dropped } = encodeMessagesRequest(
    chatRequestSchema.parse({
      model: `anthropic/${model}`,
      messages: [{ role: 'user', content: 'Hello' }],
      ...request,
    }),
    { provider: 'anthropic', model, stream: false, parameters, traits: modelTraits(model) },
  );
  return { sent: JSON.parse(body), betas, dropped };
}
