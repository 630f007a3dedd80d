import type { RequestHandler } from 'express';
import { InputCounts } from '../../gateway/capabilities/responses/relay/input-counts.ts';
import { countResponseTokens } from '../../gateway/capabilities/text/count-tokens.ts';
import type { KeyRecord } from '../../gateway/keys/key-directory.ts';
import { objectIn, type RequestInput } from '../../gateway/request-input.ts';
import { responseNames } from '../../services/responses/response-id.ts';
import type { CapabilityRouteDependencies } from '../capability-route.ts';
import { estimateRoute, type CountAtProvider } from '../estimate-route.ts';
import { inConversation, relayDependencies } from './respond.ts';
import type { ResponseRouteDependencies } from './route-dependencies.ts';

/**
 * `POST /responses/input_tokens`: counted by the provider where it serves the protocol and counts, else estimated. What the
 * request continues is part of both. Source: OpenAI's API document, TokenCountsBody.
 * @param responses absent without a database: then no provider is asked
 */
export function inputTokensRoute(
  deps: CapabilityRouteDependencies,
  responses?: ResponseRouteDependencies,
): RequestHandler {
  const { dependencies } = deps.pipeline;
  return estimateRoute(
    deps,
    async (_request, key, input) => {
      const earlier = responses === undefined ? [] : await earlierItems(responses, key, input);
      const tokens = countResponseTokens({ router: dependencies.router, key }, input, earlier);
      return { object: 'response.input_tokens', input_tokens: tokens };
    },
    responses && counting(responses),
  );
}

function counting(responses: ResponseRouteDependencies): CountAtProvider {
  const counts = new InputCounts(relayDependencies(responses));
  return async ({ headers }, key, input, { requestId, signal }) => {
    const { given, within } = inConversation(responses, input, null);
    return counts.count({ key, requestId, headers, body: given, within }, signal);
  };
}

/** The items that are stored here of what a request continues. @throws SluiceError not_found | previous_response_not_found | database_unavailable */
async function earlierItems(
  { access, conversations, earlier }: ResponseRouteDependencies,
  key: KeyRecord,
  input: RequestInput,
): Promise<readonly object[]> {
  const { within } = inConversation({ conversations }, input, null);
  const { previous_response_id: previous } = objectIn(input);
  const isStored = typeof previous === 'string' && responseNames.read(previous) !== null;
  if (within === null && !isStored) return [];
  const reach = await access.reachOf(key, 'responses.read');
  return within === null ? earlier.conversation(reach, String(previous)) : conversations.content(reach, within.id);
}
