import { traced, type ScriptedTurn, type Trace } from '../script.ts';
import { printed, recordsOf, streamsOnDemand, textOf, type Json, type ScriptedProtocol } from './protocol.ts';

function blocksOf(turn: ScriptedTurn): { start: Json; deltas: Json[] }[] {
  const thinking = {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking: turn.reasoning },
      { type: 'signature_delta', signature: turn.secret },
    ],
  };
  const text = { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: turn.text }] };
  const calls = turn.calls.map(({ id, name, arguments: args }) => {
    const json = JSON.stringify(args);
    const deltas = [json.slice(0, 7), json.slice(7)].map((each) => ({ type: 'input_json_delta', partial_json: each }));
    return { start: { type: 'tool_use', id, name, input: {} }, deltas };
  });
  return [thinking, ...(turn.text === '' ? [] : [text]), ...calls];
}

function traceOf(body: Json): Trace {
  return recordsOf(body.messages).flatMap(({ role, content }) =>
    recordsOf(content).flatMap((block): Trace => {
      if (block.type === 'thinking') return [traced.reasoning(block.thinking), traced.secret(block.signature)];
      if (block.type === 'text' && role === 'assistant') return [traced.text(block.text)];
      if (block.type === 'tool_use') return [traced.call(block.id, block.name, block.input)];
      if (block.type === 'tool_result') return [traced.output(block.tool_use_id, printed(textOf(block.content)))];
      return [];
    }),
  );
}

function head(number: number, model: string): Json {
  return { id: `msg_${number}`, type: 'message', role: 'assistant', model };
}

function inputUsage({ inputTokens }: ScriptedTurn): Json {
  return { input_tokens: inputTokens, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
}

function stopReason({ calls }: ScriptedTurn): string {
  return calls.length > 0 ? 'tool_use' : 'end_turn';
}

export const messages: ScriptedProtocol = {
  path: /\/v1\/messages$/,
  isStreamed: streamsOnDemand,
  document(turn, number, model) {
    const thinking = { type: 'thinking', thinking: turn.reasoning, signature: turn.secret };
    const calls = turn.calls.map(({ id, name, arguments: input }) => ({ type: 'tool_use', id, name, input }));
    const content = [thinking, ...(turn.text === '' ? [] : [{ type: 'text', text: turn.text }]), ...calls];
    const usage = { ...inputUsage(turn), output_tokens: 20 };
    return { ...head(number, model), content, stop_reason: stopReason(turn), stop_sequence: null, usage };
  },
  stream(turn, number, model) {
    const message = { ...head(number, model), content: [], stop_reason: null, stop_sequence: null };
    const events: Json[] = [
      { type: 'message_start', message: { ...message, usage: { ...inputUsage(turn), output_tokens: 1 } } },
    ];
    for (const [index, { start, deltas }] of blocksOf(turn).entries()) {
      events.push({ type: 'content_block_start', index, content_block: start });
      events.push(...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })));
      events.push({ type: 'content_block_stop', index });
    }
    const delta = { stop_reason: stopReason(turn), stop_sequence: null };
    events.push({ type: 'message_delta', delta, usage: { output_tokens: 20 } });
    events.push({ type: 'message_stop' });
    return events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
  },
  traceOf,
  expected: (turns) =>
    turns.flatMap(({ reasoning, secret, text, calls }) => [
      ...(secret === '' ? [] : [traced.reasoning(reasoning), traced.secret(secret)]),
      ...(text === '' ? [] : [traced.text(text)]),
      ...calls.map(({ id, name, arguments: args }) => traced.call(id, name, args)),
      ...calls.map(({ id, output }) => traced.output(id, output)),
    ]),
};
