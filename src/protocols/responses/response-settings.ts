import { isObject, membersOf, objectsOf, type JsonObject } from '../canonical/json-members.ts';
import type { ResponsesRequest } from './decode-request/schema.ts';

/** The members of a response that repeat its request. @param id public; @param createdAt seconds since the epoch */
export function responseSettings(id: string, createdAt: number, request: ResponsesRequest): Record<string, unknown> {
  return {
    id,
    object: 'response',
    created_at: createdAt,
    ...repeated(request),
    ...(isObject(request.conversation) && { conversation: { id: request.conversation.id } }),
  };
}

/** The same of a request that is relayed, until its provider has answered: it validates the request, too. */
export function queuedSettings(request: JsonObject): Record<string, unknown> {
  const none = { error: null, incomplete_details: null, completed_at: null };
  return { object: 'response', ...repeated(request), ...none };
}

function repeated(request: JsonObject): Record<string, unknown> {
  const { user } = request;
  const [text, reasoning] = [membersOf(request.text), membersOf(request.reasoning)];
  return {
    background: request.background ?? false,
    instructions: request.instructions ?? null,
    max_output_tokens: request.max_output_tokens ?? null,
    max_tool_calls: request.max_tool_calls ?? null,
    metadata: request.metadata ?? {},
    model: request.model,
    parallel_tool_calls: request.parallel_tool_calls ?? true,
    previous_response_id: request.previous_response_id ?? null,
    reasoning: { effort: reasoning.effort ?? null, summary: reasoning.summary ?? null },
    safety_identifier: request.safety_identifier ?? null,
    service_tier: request.service_tier ?? 'auto',
    store: request.store ?? true,
    temperature: request.temperature ?? null,
    text: { format: shownFormat(text.format), ...(text.verbosity ? { verbosity: text.verbosity } : {}) },
    tool_choice: request.tool_choice ?? 'auto',
    tools: objectsOf(request.tools).map(shownTool),
    top_logprobs: request.top_logprobs ?? 0,
    top_p: request.top_p ?? null,
    truncation: request.truncation ?? 'disabled',
    // Unlike the other members, it is never null.
    ...(typeof user === 'string' && { user }),
  };
}

function shownFormat(format: unknown): object {
  return isObject(format) ? withoutNulls(format) : { type: 'text' };
}

/** A tool as a response repeats it, with all required members and null only where the reference allows it. */
function shownTool(tool: JsonObject): object {
  const members = withoutNulls(tool);
  switch (tool.type) {
    case 'function':
      return { ...members, parameters: tool.parameters ?? null, strict: tool.strict ?? null };
    case 'web_search':
    case 'web_search_preview': {
      const { user_location: place } = tool;
      return { ...members, ...(isObject(place) && { user_location: { ...place, type: 'approximate' } }) };
    }
    case 'mcp': {
      // Secrets of the client.
      const { authorization: _token, headers: _headers, ...shown } = members;
      return shown;
    }
    default:
      return members;
  }
}

/** Removes top-level members that are null. */
export function withoutNulls(object: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
