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

const DEFAULT_MAX_TOKENS = 4_096;
const stopReasons = { stop: 'end_turn', length: 'max_tokens', tools: 'tool_use', refusal: 'refusal' } as const;

const source = (media_type: string, data: string): Json => ({ type: 'base64', media_type, data });

const partOf = (part: Part): Json => {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') return { type: 'image', source: source('image/png', part.data) };
  if (part.type === 'link') return { type: 'document', source: { type: 'url', url: part.url } };
  return { type: 'document', source: source('application/pdf', part.data) };
};

function messageOf(turn: Turn): Json {
  if (turn.role === 'user') return { role: 'user', content: turn.parts.map(partOf) };
  if (turn.role === 'tool')
    return {
      role: 'user',
      content: turn.results.map(({ id, text, image }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: [
          partOf({ type: 'text', text }),
          ...(image === undefined ? [] : [partOf({ type: 'image', data: image })]),
        ],
      })),
    };
  return {
    role: 'assistant',
    content: [
      ...(turn.text === undefined ? [] : [{ type: 'text', text: turn.text }]),
      ...(turn.calls ?? []).map((call) => ({ type: 'tool_use', ...call })),
    ],
  };
}

function readPart(block: Json): Part[] {
  if (block.type === 'text') return [{ type: 'text', text: block.text }];
  if (block.type === 'document' && block.source.type === 'url') return [{ type: 'link', url: block.source.url }];
  if (block.type === 'image' || block.type === 'document') return [{ type: block.type, data: block.source.data ?? '' }];
  return [];
}

function readTurns({ role, content }: Json): Turn[] {
  const blocks: Json[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (role === 'assistant')
    return [
      {
        role: 'assistant',
        text: blocks.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls: blocks.filter(({ type }) => type === 'tool_use').map(({ id, name, input }) => ({ id, name, input })),
        signature: blocks.map((block) => block.signature ?? '').join(''),
      },
    ];
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const parts = blocks.flatMap(readPart);
  return [
    ...(results.length === 0
      ? []
      : [
          {
            role: 'tool' as const,
            results: results.map((block) => ({
              id: block.tool_use_id,
              name: '',
              text: JSON.stringify(block.content),
              image: [block.content].flat().find(({ type }: Json) => type === 'image')?.source.data,
            })),
          },
        ]),
    ...(parts.length === 0 ? [] : [{ role: 'user' as const, parts }]),
  ];
}

function blocksOf({ text, thinking, signature, calls }: ResponseContent): Json[] {
  return [
    ...(thinking === undefined ? [] : [{ type: 'thinking', thinking, signature: signature ?? 'c2lnbmVk' }]),
    ...(text === undefined ? [] : [{ type: 'text', text }]),
    ...(calls ?? []).map((call) => ({ type: 'tool_use', ...call })),
  ];
}

const usageOf = ({ cachedTokens = 0 }: ResponseContent): Json => ({
  input_tokens: PROMPT_TOKENS - cachedTokens,
  cache_read_input_tokens: cachedTokens,
  cache_creation_input_tokens: 0,
  output_tokens: OUTPUT_TOKENS,
});

const envelope = (content: ResponseContent): Json => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'recorded',
  content: blocksOf(content),
  stop_reason: stopReasons[content.stop],
  stop_sequence: null,
  usage: usageOf(content),
});

function deltaOf(block: Json): Json[] {
  if (block.type === 'text') return [{ type: 'text_delta', text: block.text }];
  if (block.type === 'tool_use') return [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
  return [
    { type: 'thinking_delta', thinking: block.thinking },
    { type: 'signature_delta', signature: block.signature },
  ];
}

const emptied: Readonly<Record<string, Json>> = {
  text: { text: '' },
  thinking: { thinking: '', signature: '' },
  tool_use: { input: {} },
};

function readMessage(
  content: Json[],
  stopReason: string | null,
  usage: Json | null,
  error: string | null,
): ReadResponse {
  const stops = {
    end_turn: 'stop',
    stop_sequence: 'stop',
    max_tokens: 'length',
    tool_use: 'tools',
    refusal: 'refusal',
  };
  const calls: Call[] = content
    .filter(({ type }) => type === 'tool_use')
    .map(({ id, name, input }) => ({ id, name, input }));
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    thinking: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls,
    stop: (stops[stopReason as keyof typeof stops] as ReadResponse['stop'] | undefined) ?? null,
    cachedTokens: usage?.cache_read_input_tokens ?? 0,
    error,
    turn: { role: 'assistant', content },
  };
}

export const messages: MatrixProtocol = {
  name: 'messages',
  title: 'Messages',
  writeRequest(content, model, streamed, turn) {
    const { system, turns, tools, toolChoice, schema, thinks, maxTokens, temperature, stop } = content;
    const last = turns.findLast(({ role }) => role === 'assistant');
    return {
      path: '/v1/messages',
      body: {
        model,
        max_tokens: maxTokens ?? DEFAULT_MAX_TOKENS,
        ...(system !== undefined && { system }),
        messages: turns.map((each) => (turn !== undefined && each === last ? turn : messageOf(each))),
        ...(tools && { tools: tools.map(({ name, schema: input_schema }) => ({ name, input_schema })) }),
        ...(toolChoice !== undefined && {
          tool_choice: toolChoice === 'required' ? { type: 'any' } : { type: 'tool', name: toolChoice },
        }),
        ...(schema && { output_config: { format: { type: 'json_schema', schema } } }),
        ...(thinks && { thinking: { type: 'enabled', budget_tokens: 1_024 } }),
        ...(temperature !== undefined && { temperature }),
        ...(stop !== undefined && { stop_sequences: [stop] }),
        ...(streamed && { stream: true }),
      },
    };
  },
  readRequest(body) {
    const { system, tool_choice: choice, thinking } = body;
    return {
      system: typeof system === 'string' ? system : (system ?? []).map(({ text }: Json) => text).join('\n'),
      turns: body.messages.flatMap(readTurns),
      tools: (body.tools ?? []).map((tool: Json) => ({ name: tool.name, schema: tool.input_schema })),
      toolChoice: choice?.type === 'any' ? 'required' : choice?.name,
      schema: body.output_config?.format?.schema ?? body.output_format?.schema,
      thinks: (thinking !== undefined && thinking.type !== 'disabled') || body.output_config?.effort !== undefined,
      maxTokens: body.max_tokens,
      temperature: body.temperature,
      stop: body.stop_sequences?.[0],
    };
  },
  writeDocument: envelope,
  writeEvents(content) {
    const { content: blocks, stop_reason, ...rest } = envelope(content);
    const start = { ...rest, content: [], stop_reason: null };
    return [
      dataEvent({ type: 'message_start', message: start }, 'message_start'),
      ...blocks.flatMap((block: Json, index: number) => [
        dataEvent(
          { type: 'content_block_start', index, content_block: { ...block, ...emptied[block.type] } },
          'content_block_start',
        ),
        ...deltaOf(block).map((delta) =>
          dataEvent({ type: 'content_block_delta', index, delta }, 'content_block_delta'),
        ),
        dataEvent({ type: 'content_block_stop', index }, 'content_block_stop'),
      ]),
      dataEvent(
        { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: OUTPUT_TOKENS } },
        'message_delta',
      ),
      dataEvent({ type: 'message_stop' }, 'message_stop'),
    ];
  },
  writeErrorEvent: (message) => dataEvent({ type: 'error', error: { type: 'overloaded_error', message } }, 'error'),
  writeError: (_status, message) => ({ type: 'error', error: { type: 'rate_limit_error', message } }),
  readDocument(body) {
    if (body.type === 'error') return readMessage([], null, null, body.error.message);
    return readMessage(body.content, body.stop_reason, body.usage, null);
  },
  readEvents(events) {
    const content: Mutable[] = [];
    let [stopReason, usage, error]: [string | null, Json, string | null] = [null, {}, null];
    const inputs: string[] = [];
    for (const event of events) {
      if (event.type === 'error') error = event.error.message;
      if (event.type === 'message_start') usage = event.message.usage;
      if (event.type === 'content_block_start') content[event.index] = { ...event.content_block };
      if (event.type === 'message_delta') {
        stopReason = event.delta.stop_reason;
        usage = { ...usage, ...event.usage };
      }
      const block = content[event.index];
      if (event.type !== 'content_block_delta' || !block) continue;
      const { type: _type, ...delta } = event.delta;
      for (const [name, value] of Object.entries<string>(delta))
        if (name === 'partial_json') inputs[event.index] = (inputs[event.index] ?? '') + value;
        else block[name] = (block[name] ?? '') + value;
    }
    for (const [index, input] of inputs.entries()) {
      const block = content[index];
      if (block && input) block.input = JSON.parse(input);
    }
    return readMessage(content, stopReason, usage, error);
  },
};
