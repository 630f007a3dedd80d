import type { GenerationRequest } from '../../../../src/protocols/canonical/generation-request.ts';
import type { ParameterPolicy } from '../../../../src/protocols/canonical/parameter-policy.ts';
import { encodeGeminiRequest } from '../../../../src/protocols/gemini/encode-request.ts';
import { modelTraits } from '../../../../src/providers/gemini/model-traits.ts';

/** The request to Google, and the dropped parameters. */
export function translated(
  request: Partial<GenerationRequest>,
  { model = 'gemini-3-pro-preview', parameters = 'strict' }: { model?: string; parameters?: ParameterPolicy } = {},
): { sent: Record<string, unknown>; dropped: readonly string[] } {
  const { body, dropped } = encodeGeminiRequest(
    { messages: [{ role: 'user', content: 'Hello' }], ...request },
    { provider: 'gemini', parameters, traits: modelTraits(model) },
  );
  return { sent: JSON.parse(body), dropped };
}
