import { traced, type ScriptedTurn, type Trace } from '../script.ts';
import { isRecord, printed, recordsOf, streamsOnDemand, textOf, type Json, type ScriptedProtocol } from './protocol.ts';

function traceOf(body: Json): Trace {
  return recordsOf(body.messages).flatMap((message): Trace => {
    if (message.role === 'tool') return [traced.output(message.tool_call_id, printed(textOf(message.content)))];
    if (message.role !== 'assistant') return [];
    const text = textOf(message.content);
    const calls = recordsOf(message.tool_calls).map(({ id, function: called }) =>
      isRecord(called) ? traced.call(id, called.name, JSON.parse(String(called.arguments))) : '',
    );
    const { reasoning_content: reasoning } = message;
    return [
      ...(typeof reasoning === 'string' ? [traced.reasoning(reasoning)] : []),
      ...(text === '' ? [] : [traced.text(text)]),
      ...calls,
    ];
  });
}

function head(number: number, model: string): Json {
  return { id: `chatcmpl-${number}`, created: 1_795_000_000, model };
}

function usageOf({ inputTokens }: ScriptedTurn): Json {
  return { prompt_tokens: inputTokens, completion_tokens: 20, total_tokens: inputTokens + 20 };
}

function finishReason({ calls }: ScriptedTurn): string {
  return calls.length > 0 ? 'tool_calls' : 'stop';
}

/** Chat Completions has no secret: what a server of it reasons is text. */
export const chat: ScriptedProtocol = {
  path: /\/chat\/completions$/,
  isStreamed: streamsOnDemand,
  document(turn, number, model) {
    const tool_calls = turn.calls.map(({ id, name, arguments: args }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify(args) },
    }));
    const content = turn.text === '' ? null : turn.text;
    const message = {
      role: 'assistant',
      content,
      reasoning_content: turn.reasoning,
      ...(tool_calls.length > 0 && { tool_calls }),
    };
    const choice = { index: 0, message, finish_reason: finishReason(turn) };
    return { ...head(number, model), object: 'chat.completion', choices: [choice], usage: usageOf(turn) };
  },
  stream(turn, number, model) {
    const deltas: Json[] = [{ role: 'assistant', content: '' }, { reasoning_content: turn.reasoning }];
    if (turn.text !== '') deltas.push({ content: turn.text });
    for (const [index, { id, name, arguments: args }] of turn.calls.entries()) {
      const json = JSON.stringify(args);
      deltas.push({
        tool_calls: [{ index, id, type: 'function', function: { name, arguments: json.slice(0, 7) } }],
      });
      deltas.push({ tool_calls: [{ index, function: { arguments: json.slice(7) } }] });
    }
    const chunk = (choices: Json[], more: Json = {}): string =>
      `data: ${JSON.stringify({ ...head(number, model), object: 'chat.completion.chunk', choices, ...more })}\n\n`;
    return [
      ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
      chunk([{ index: 0, delta: {}, finish_reason: finishReason(turn) }]),
      chunk([], { usage: usageOf(turn) }),
      'data: [DONE]\n\n',
    ];
  },
  traceOf,
  expected: (turns) =>
    turns.flatMap(({ reasoning, text, calls }) => [
      ...(reasoning === '' ? [] : [traced.reasoning(reasoning)]),
      ...(text === '' ? [] : [traced.text(text)]),
      ...calls.map(({ id, name, arguments: args }) => traced.call(id, name, args)),
      ...calls.map(({ id, output }) => traced.output(id, output)),
    ]),
};
