import {
  dataEvent,
  OUTPUT_TOKENS,
  PROMPT_TOKENS,
  type Call,
  type Json,
  type Mutable,
  type MatrixProtocol,
  type Part,
  type ReadResponse,
  type ResponseContent,
  type Turn,
} from '../matrix-protocol.ts';

const finishReasons = { stop: 'stop', length: 'length', tools: 'tool_calls', refusal: 'stop' } as const;

const partOf = (part: Part): Json => {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') return { type: 'image_url', image_url: { url: `data:image/png;base64,${part.data}` } };
  if (part.type === 'link') return { type: 'file', file: { filename: 'a.pdf', file_data: part.url } };
  return { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${part.data}` } };
};

function messagesOf(turn: Turn): Json[] {
  if (turn.role === 'user') return [{ role: 'user', content: turn.parts.map(partOf) }];
  if (turn.role === 'tool')
    return turn.results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text }));
  return [
    {
      role: 'assistant',
      content: turn.text ?? null,
      ...(turn.calls && { tool_calls: turn.calls.map(toolCall) }),
    },
  ];
}

function toolCall({ id, name, input }: Call): Json {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
}

function readPart(part: Json): Part {
  if (part.type === 'image_url') return { type: 'image', data: String(part.image_url.url).split(',')[1] ?? '' };
  if (part.type === 'file') return { type: 'document', data: String(part.file.file_data).split(',')[1] ?? '' };
  return { type: 'text', text: String(part.text) };
}

function readTurn(message: Json): Turn[] {
  if (message.role === 'user') {
    const { content } = message;
    return [
      { role: 'user', parts: typeof content === 'string' ? [{ type: 'text', text: content }] : content.map(readPart) },
    ];
  }
  if (message.role === 'assistant')
    return [
      {
        role: 'assistant',
        text: textOf(message.content),
        calls: (message.tool_calls ?? []).map(readCall),
        signature: JSON.stringify(message.reasoning_details ?? ''),
      },
    ];
  if (message.role === 'tool')
    return [{ role: 'tool', results: [{ id: message.tool_call_id, name: '', text: JSON.stringify(message.content) }] }];
  return [];
}

function textOf(content: Json | string | null): string {
  return Array.isArray(content) ? content.map(({ text }) => text).join('') : String(content ?? '');
}

function readCall(call: Json): Call {
  return { id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments || '{}') };
}

function messageOf(content: ResponseContent): Json | null {
  if (content.signature !== undefined) return null;
  const { text, thinking, calls, stop } = content;
  return {
    role: 'assistant',
    content: stop === 'refusal' ? null : (text ?? null),
    ...(stop === 'refusal' && { refusal: text }),
    ...(thinking !== undefined && { reasoning_content: thinking }),
    ...(calls && { tool_calls: calls.map(toolCall) }),
  };
}

const usageOf = ({ cachedTokens = 0 }: ResponseContent): Json => ({
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: OUTPUT_TOKENS,
  total_tokens: PROMPT_TOKENS + OUTPUT_TOKENS,
  prompt_tokens_details: { cached_tokens: cachedTokens },
});

function readMessage(message: Json, finish: string | null, usage: Json | null, error: string | null): ReadResponse {
  const calls: Call[] = (message.tool_calls ?? []).map(readCall);
  const isRefusal = typeof message.refusal === 'string' && message.refusal !== '';
  const stops = { stop: 'stop', length: 'length', tool_calls: 'tools', content_filter: 'refusal' } as const;
  return {
    text: isRefusal ? message.refusal : (message.content ?? ''),
    thinking: message.reasoning_content ?? message.reasoning ?? '',
    calls,
    stop: isRefusal ? 'refusal' : (stops[finish as keyof typeof stops] ?? null),
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    error,
    turn: message,
  };
}

export const chat: MatrixProtocol = {
  name: 'chat-completions',
  title: 'Chat Completions',
  writeRequest(content, model, streamed, turn) {
    const { system, turns, tools, toolChoice, schema, thinks, maxTokens, temperature, stop } = content;
    const hasImageResult = turns.some(
      (each) => each.role === 'tool' && each.results.some(({ image }) => image !== undefined),
    );
    if (hasImageResult) return null;
    const last = turns.findLast(({ role }) => role === 'assistant');
    return {
      path: '/v1/chat/completions',
      body: {
        model,
        messages: [
          ...(system === undefined ? [] : [{ role: 'system', content: system }]),
          ...turns.flatMap((each) => (turn !== undefined && each === last ? [turn] : messagesOf(each))),
        ],
        ...(tools && {
          tools: tools.map(({ name, schema: parameters }) => ({ type: 'function', function: { name, parameters } })),
        }),
        ...(toolChoice !== undefined && {
          tool_choice: toolChoice === 'required' ? 'required' : { type: 'function', function: { name: toolChoice } },
        }),
        ...(schema && {
          response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
        }),
        ...(thinks && { reasoning_effort: 'low' }),
        ...(maxTokens !== undefined && { max_completion_tokens: maxTokens }),
        ...(temperature !== undefined && { temperature }),
        ...(stop !== undefined && { stop: [stop] }),
        ...(streamed && { stream: true, stream_options: { include_usage: true } }),
      },
    };
  },
  readRequest(body) {
    const messages: Json[] = body.messages;
    const choice = body.tool_choice;
    return {
      system: messages
        .filter(({ role }) => role === 'system' || role === 'developer')
        .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)))
        .join('\n'),
      turns: messages.flatMap(readTurn),
      tools: (body.tools ?? []).map((tool: Json) => ({ name: tool.function.name, schema: tool.function.parameters })),
      toolChoice: typeof choice === 'string' ? choice : choice?.function?.name,
      schema: body.response_format?.json_schema?.schema,
      thinks: body.reasoning_effort !== undefined,
      maxTokens: body.max_completion_tokens ?? body.max_tokens,
      temperature: body.temperature,
      stop: [body.stop].flat()[0],
    };
  },
  writeDocument(content) {
    const message = messageOf(content);
    if (message === null) return null;
    const choice = { index: 0, message, finish_reason: finishReasons[content.stop], logprobs: null };
    return {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1_795_000_000,
      model: 'recorded',
      choices: [choice],
      usage: usageOf(content),
    };
  },
  writeEvents(content) {
    const message = messageOf(content);
    if (message === null) return null;
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_795_000_000, model: 'recorded' };
    const { tool_calls: calls, ...rest } = message;
    const deltas = [
      ...Object.entries(rest).flatMap(([name, value]) =>
        value === null || name === 'role' ? [] : [{ [name]: value }],
      ),
      ...(calls ?? []).map((call: Json, index: number) => ({ tool_calls: [{ index, ...call }] })),
    ];
    const chunk = (delta: Json, finish: string | null = null): string =>
      dataEvent({ ...head, choices: [{ index: 0, delta, finish_reason: finish }] });
    return [
      chunk({ role: 'assistant', content: '' }),
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, finishReasons[content.stop]),
      dataEvent({ ...head, choices: [], usage: usageOf(content) }),
      'data: [DONE]\n\n',
    ];
  },
  writeErrorEvent: (message) => dataEvent({ error: { message, type: 'server_error', code: null } }),
  writeError: (_status, message) => ({ error: { message, type: 'server_error', param: null, code: null } }),
  readDocument(body) {
    if (body.error) return readMessage({}, null, null, body.error.message);
    const [choice] = body.choices;
    return readMessage(choice.message, choice.finish_reason, body.usage, null);
  },
  readEvents(events) {
    const message: Mutable = { role: 'assistant', content: '' };
    const calls: Mutable[] = [];
    let [finish, usage, error]: [string | null, Json | null, string | null] = [null, null, null];
    for (const event of events) {
      if (event.error) error = event.error.message;
      usage = event.usage ?? usage;
      const [choice] = event.choices ?? [];
      if (!choice) continue;
      finish = choice.finish_reason ?? finish;
      for (const [name, value] of Object.entries<Json[string]>(choice.delta)) {
        if (name === 'tool_calls')
          for (const part of value) {
            const known = (calls[part.index] ??= { ...part, function: { name: '', arguments: '' } });
            known.function.name += part.function?.name ?? '';
            known.function.arguments += part.function?.arguments ?? '';
          }
        else if (name === 'reasoning_details') message[name] = [...(message[name] ?? []), ...value];
        else if (name !== 'role' && value !== null) message[name] = (message[name] ?? '') + value;
      }
    }
    const turn = {
      ...message,
      ...(calls.length > 0 && { tool_calls: calls.map(({ index: _index, ...call }) => call) }),
    };
    return readMessage(turn, finish, usage, error);
  },
};
