type Json = Record<string, unknown>;

/** A whole response, as OpenAI's API document has it; members given replace those of the usual one. */
export function response(output: readonly Json[], members: Json = {}): Json {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1_795_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'gpt-5-pro-2025-10-06',
    output,
    usage: {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 8, cache_write_tokens: 4 },
      output_tokens: 9,
      output_tokens_details: { reasoning_tokens: 5 },
      total_tokens: 29,
    },
    ...members,
  };
}

export function message(text: string, members: Json = {}): Json {
  return {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text, annotations: [], logprobs: [], ...members }],
  };
}

export function reasoning(id: string, summary: string, encrypted: string): Json {
  return { type: 'reasoning', id, summary: [{ type: 'summary_text', text: summary }], encrypted_content: encrypted };
}

export function functionCall(callId: string, name: string, input: string): Json {
  return { type: 'function_call', id: `fc_${callId}`, call_id: callId, name, arguments: input, status: 'completed' };
}

/** Events as lines, as recordings hold them. */
export function lines(events: readonly Json[]): string {
  return events.map((event) => JSON.stringify(event)).join('\n');
}

/** The stream of a response: its items as they begin and as they are whole, and no pieces of their texts. */
export function wholeItems(whole: Json): Json[] {
  const output: readonly unknown[] = Array.isArray(whole.output) ? whole.output : [];
  const items = output.flatMap((item, index) => [
    { type: 'response.output_item.added', output_index: index, item: begun(item) },
    { type: 'response.output_item.done', output_index: index, item },
  ]);
  return [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [], usage: null } },
    ...items,
    { type: 'response.completed', response: whole },
  ];
}

function begun(item: unknown): Json {
  const empty = { content: [], summary: [], arguments: '', input: '', encrypted_content: null };
  const members: Json = { ...(typeof item === 'object' ? item : {}) };
  for (const [name, value] of Object.entries(empty)) if (name in members) members[name] = value;
  return members;
}
