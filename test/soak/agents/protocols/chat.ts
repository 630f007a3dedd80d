import { traced, type Trace } from '../script.ts';
import { isRecord, printed, recordsOf, textOf, type Json, type ScriptedProtocol } from './protocol.ts';

function traceOf(body: Json): Trace {
  return recordsOf(body.messages).flatMap((message): Trace => {
    if (message.role === 'tool') return [traced.output(message.tool_call_id, printed(textOf(message.content)))];
    if (message.role !== 'assistant') return [];
    const text = textOf(message.content);
    const calls = recordsOf(message.tool_calls).map(({ id, function: called }) =>
      isRecord(called) ? traced.call(id, called.name, JSON.parse(String(called.arguments))) : '',
    );
    return [...(text === '' ? [] : [traced.text(text)]), ...calls];
  });
}

/** Chat Completions has no secret: what a server of it reasons is text. */
export const chat: ScriptedProtocol = {
  path: /\/chat\/completions$/,
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
      `data: ${JSON.stringify({ id: `chatcmpl-${number}`, object: 'chat.completion.chunk', created: 1_795_000_000, model, choices, ...more })}\n\n`;
    const finish_reason = turn.calls.length > 0 ? 'tool_calls' : 'stop';
    const usage = { prompt_tokens: turn.inputTokens, completion_tokens: 20, total_tokens: turn.inputTokens + 20 };
    return [
      ...deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }])),
      chunk([{ index: 0, delta: {}, finish_reason }]),
      chunk([], { usage }),
      'data: [DONE]\n\n',
    ];
  },
  traceOf,
  expected: (turns) =>
    turns.flatMap(({ text, calls }) => [
      ...(text === '' ? [] : [traced.text(text)]),
      ...calls.map(({ id, name, arguments: args }) => traced.call(id, name, args)),
      ...calls.map(({ id, output }) => traced.output(id, output)),
    ]),
};
