import {
  dataEvent,
  OUTPUT_TOKENS,
  PROMPT_TOKENS,
  type Call,
  type Json,
  type MatrixProtocol,
  type Part,
  type ReadResponse,
  type ResponseContent,
  type Turn,
} from '../matrix-protocol.ts';

const partOf = (part: Part): Json => {
  if (part.type === 'text') return { type: 'input_text', text: part.text };
  if (part.type === 'image') return { type: 'input_image', image_url: `data:image/png;base64,${part.data}` };
  if (part.type === 'link') return { type: 'input_file', file_url: part.url };
  return { type: 'input_file', filename: 'a.pdf', file_data: `data:application/pdf;base64,${part.data}` };
};

function itemsOf(turn: Turn): Json[] {
  if (turn.role === 'user') return [{ type: 'message', role: 'user', content: turn.parts.map(partOf) }];
  if (turn.role === 'tool')
    return turn.results.map(({ id, text, image }) => ({
      type: 'function_call_output',
      call_id: id,
      output: image === undefined ? text : [partOf({ type: 'text', text }), partOf({ type: 'image', data: image })],
    }));
  return [
    ...(turn.text === undefined
      ? []
      : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: turn.text }] }]),
    ...(turn.calls ?? []).map(callItem),
  ];
}

function callItem({ id, name, input }: Call): Json {
  return { type: 'function_call', call_id: id, name, arguments: JSON.stringify(input) };
}

function readPart(part: Json): Part {
  if (part.type === 'input_image') return { type: 'image', data: String(part.image_url).split(',')[1] ?? '' };
  if (part.type === 'input_file' && part.file_url) return { type: 'link', url: part.file_url };
  if (part.type === 'input_file') return { type: 'document', data: String(part.file_data).split(',')[1] ?? '' };
  return { type: 'text', text: String(part.text) };
}

function readTurn(item: Json): Turn[] {
  const { content } = item;
  if (item.type === 'function_call') return [{ role: 'assistant', calls: [readCall(item)] }];
  if (item.type === 'reasoning') return [{ role: 'assistant', signature: item.encrypted_content }];
  if (item.type === 'function_call_output') {
    const image = Array.isArray(item.output) ? item.output.find(({ type }: Json) => type === 'input_image') : undefined;
    return [
      {
        role: 'tool',
        results: [
          {
            id: item.call_id,
            name: '',
            text: JSON.stringify(item.output),
            ...(image && { image: String(image.image_url).split(',')[1] ?? '' }),
          },
        ],
      },
    ];
  }
  if (item.role === 'user')
    return [
      { role: 'user', parts: typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(readPart) },
    ];
  if (item.role === 'assistant')
    return [
      {
        role: 'assistant',
        text: typeof content === 'string' ? content : content.map(({ text }: Json) => text).join(''),
      },
    ];
  return [];
}

function readCall(item: Json): Call {
  return { id: item.call_id, name: item.name, input: JSON.parse(item.arguments || '{}') };
}

function outputOf({ text, thinking, signature, calls, stop }: ResponseContent): Json[] {
  const part = stop === 'refusal' ? { type: 'refusal', refusal: text } : { type: 'output_text', text, annotations: [] };
  return [
    ...(thinking === undefined
      ? []
      : [
          {
            id: 'rs_1',
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: thinking }],
            ...(signature !== undefined && { encrypted_content: signature }),
          },
        ]),
    ...(text === undefined
      ? []
      : [{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] }]),
    ...(calls ?? []).map((call, index) => ({ id: `fc_${index}`, status: 'completed', ...callItem(call) })),
  ];
}

function responseOf(content: ResponseContent): Json {
  const isCut = content.stop === 'length';
  return {
    id: 'resp_recorded01',
    object: 'response',
    created_at: 1_795_000_000,
    status: isCut ? 'incomplete' : 'completed',
    model: 'recorded',
    output: outputOf(content),
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    error: null,
    usage: {
      input_tokens: PROMPT_TOKENS,
      input_tokens_details: { cached_tokens: content.cachedTokens ?? 0 },
      output_tokens: OUTPUT_TOKENS,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: PROMPT_TOKENS + OUTPUT_TOKENS,
    },
  };
}

function eventsOfItem(item: Json, output_index: number): Json[] {
  const at = { item_id: item.id, output_index };
  const added = { type: 'response.output_item.added', output_index, item: { ...item, ...started(item) } };
  const done = { type: 'response.output_item.done', output_index, item };
  if (item.type === 'function_call') {
    const delta = { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments };
    const finished = { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments };
    return [added, delta, finished, done];
  }
  if (item.type === 'reasoning') {
    const [{ text }] = item.summary;
    const part = { ...at, summary_index: 0 };
    return [
      added,
      { type: 'response.reasoning_summary_part.added', ...part, part: { type: 'summary_text', text: '' } },
      { type: 'response.reasoning_summary_text.delta', ...part, delta: text },
      { type: 'response.reasoning_summary_text.done', ...part, text },
      { type: 'response.reasoning_summary_part.done', ...part, part: { type: 'summary_text', text } },
      done,
    ];
  }
  const [part] = item.content;
  const place = { ...at, content_index: 0 };
  const kind = part.type === 'refusal' ? 'response.refusal' : 'response.output_text';
  const text = part.refusal ?? part.text;
  return [
    added,
    { type: 'response.content_part.added', ...place, part: { ...part, ...(part.text !== undefined && { text: '' }) } },
    { type: `${kind}.delta`, ...place, delta: text },
    { type: `${kind}.done`, ...place, [part.type === 'refusal' ? 'refusal' : 'text']: text },
    { type: 'response.content_part.done', ...place, part },
    done,
  ];
}

function started(item: Json): Json {
  if (item.type === 'function_call') return { arguments: '', status: 'in_progress' };
  return item.type === 'reasoning' ? { summary: [] } : { content: [], status: 'in_progress' };
}

function readResponse(response: Json, error: string | null): ReadResponse {
  const output: Json[] = response.output ?? [];
  const parts: Json[] = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  const reasoning = output.filter(({ type }) => type === 'reasoning');
  const thoughts: Json[] = reasoning.flatMap((item) => [...(item.summary ?? []), ...(item.content ?? [])]);
  const calls = output.filter(({ type }) => type === 'function_call').map(readCall);
  const isRefusal =
    parts.some(({ type }) => type === 'refusal') || response.incomplete_details?.reason === 'content_filter';
  const isCut = response.incomplete_details?.reason === 'max_output_tokens';
  const ended = isRefusal ? 'refusal' : isCut ? 'length' : calls.length > 0 ? 'tools' : 'stop';
  return {
    text: parts.map((part) => part.text ?? part.refusal ?? '').join(''),
    thinking: thoughts.map(({ text }) => text).join(''),
    calls,
    stop: response.status === 'completed' || response.status === 'incomplete' ? ended : null,
    cachedTokens: response.usage?.input_tokens_details?.cached_tokens ?? 0,
    error,
    turn: output,
  };
}

export const responses: MatrixProtocol = {
  name: 'responses',
  title: 'Responses',
  writeRequest(content, model, streamed, turn) {
    const { system, turns, tools, toolChoice, schema, thinks, maxTokens, temperature, stop } = content;
    if (stop !== undefined) return null;
    const last = turns.findLast(({ role }) => role === 'assistant');
    return {
      path: '/v1/responses',
      body: {
        model,
        store: false,
        include: ['reasoning.encrypted_content'],
        ...(system !== undefined && { instructions: system }),
        input: turns.flatMap((each) => (Array.isArray(turn) && each === last ? turn : itemsOf(each))),
        ...(tools && {
          tools: tools.map(({ name, schema: parameters }) => ({ type: 'function', name, parameters, strict: false })),
        }),
        ...(toolChoice !== undefined && {
          tool_choice: toolChoice === 'required' ? 'required' : { type: 'function', name: toolChoice },
        }),
        ...(schema && { text: { format: { type: 'json_schema', name: 'answer', strict: true, schema } } }),
        ...(thinks && { reasoning: { effort: 'low', summary: 'auto' } }),
        ...(maxTokens !== undefined && { max_output_tokens: maxTokens }),
        ...(temperature !== undefined && { temperature }),
        ...(streamed && { stream: true }),
      },
    };
  },
  readRequest(body) {
    const input: Json[] = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
    const instructions = input.filter(({ role }) => role === 'system' || role === 'developer');
    return {
      system: [body.instructions ?? '', ...instructions.map(({ content }) => JSON.stringify(content))].join('\n'),
      turns: input.flatMap(readTurn),
      tools: (body.tools ?? []).map((tool: Json) => ({ name: tool.name, schema: tool.parameters })),
      toolChoice: typeof body.tool_choice === 'string' ? body.tool_choice : body.tool_choice?.name,
      schema: body.text?.format?.schema,
      thinks: body.reasoning?.effort !== undefined,
      maxTokens: body.max_output_tokens,
      temperature: body.temperature,
    };
  },
  writeDocument: responseOf,
  writeEvents(content) {
    const response = responseOf(content);
    const opened = { ...response, status: 'in_progress', output: [], incomplete_details: null, usage: null };
    const events = [
      { type: 'response.created', response: opened },
      { type: 'response.in_progress', response: opened },
      ...response.output.flatMap(eventsOfItem),
      { type: response.status === 'incomplete' ? 'response.incomplete' : 'response.completed', response },
    ];
    return events.map((event, sequence_number) => dataEvent({ ...event, sequence_number }, event.type));
  },
  writeErrorEvent: (message) =>
    dataEvent({ type: 'error', code: 'server_error', message, param: null, sequence_number: 9 }, 'error'),
  writeError: (_status, message) => ({ error: { message, type: 'server_error', param: null, code: null } }),
  readDocument: (body) => readResponse(body.object === 'response' ? body : {}, body.error?.message ?? null),
  readEvents(events) {
    const failed = events.find(({ type }) => type === 'error' || type === 'response.failed');
    const last = events.findLast(
      ({ response }) => response?.status === 'completed' || response?.status === 'incomplete',
    );
    return readResponse(last?.response ?? {}, failed ? (failed.message ?? failed.response?.error?.message) : null);
  },
};
