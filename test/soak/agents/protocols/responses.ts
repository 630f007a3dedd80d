import { createHash } from 'node:crypto';
import { traced, type ScriptedTurn, type Trace } from '../script.ts';
import { printed, recordsOf, streamsOnDemand, textOf, type Json, type ScriptedProtocol } from './protocol.ts';

/** The ids of a turn's items; each is made of what the item holds. */
const idFor = (kind: 'rs' | 'msg' | 'fc' | 'cmp', held: string): string =>
  `${kind}_${createHash('sha256').update(held).digest('hex').slice(0, 48)}`;

/** The summary as only the provider can read it. */
function compactionOf({ secret, text }: ScriptedTurn): Json {
  return { id: idFor('cmp', secret), type: 'compaction', encrypted_content: `${secret} ${text}` };
}

function itemsOf(turn: ScriptedTurn): Json[] {
  if (turn.isEncrypted === true) return [compactionOf(turn)];
  const summary = [{ type: 'summary_text', text: turn.reasoning }];
  const items: Json[] = [{ id: idFor('rs', turn.secret), type: 'reasoning', summary, encrypted_content: turn.secret }];
  if (turn.text !== '') {
    const content = [{ type: 'output_text', text: turn.text, annotations: [], logprobs: [] }];
    items.push({ id: idFor('msg', turn.text), type: 'message', status: 'completed', role: 'assistant', content });
  }
  for (const { id, name, arguments: args } of turn.calls) {
    const call = { call_id: id, name, arguments: JSON.stringify(args) };
    items.push({ id: idFor('fc', id), type: 'function_call', status: 'completed', ...call });
  }
  return items;
}

function traceOf(body: Json): Trace {
  return recordsOf(body.input).flatMap((item): Trace => {
    if (item.type === 'reasoning')
      return [
        traced.reasoning(textOf(item.summary)),
        traced.secret(`${String(item.id)} ${String(item.encrypted_content)}`),
      ];
    const id = typeof item.id === 'string' ? [traced.item(item.id)] : [];
    if (item.type === 'compaction') return [...id, traced.secret(item.encrypted_content)];
    if (item.type === 'message' && item.role === 'assistant') return [...id, traced.text(textOf(item.content))];
    if (item.type === 'function_call')
      return [...id, traced.call(item.call_id, item.name, JSON.parse(String(item.arguments)))];
    if (item.type === 'function_call_output') return [traced.output(item.call_id, printed(textOf(item.output)))];
    return [];
  });
}

function document(turn: ScriptedTurn, number: number, model: string): Json {
  const usage = {
    input_tokens: turn.inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: turn.inputTokens + 20,
  };
  const head = { id: `resp_${number}`, object: 'response', created_at: 1_795_000_000, model };
  return { ...head, status: 'completed', output: itemsOf(turn), usage };
}

export const responses: ScriptedProtocol = {
  path: /\/v1\/responses$/,
  isStreamed: streamsOnDemand,
  wantsEncryptedSummary: ({ input }) => recordsOf(input).at(-1)?.type === 'compaction_trigger',
  document,
  stream(turn, number, model) {
    const { output, status, usage, ...head } = document(turn, number, model);
    const events: Json[] = [{ type: 'response.created', response: { ...head, status: 'in_progress', output: [] } }];
    for (const [index, item] of recordsOf(output).entries()) events.push(...eventsOf(item, index));
    events.push({ type: 'response.completed', response: { ...head, status, output, usage } });
    return events.map(
      (event, sequence) =>
        `event: ${String(event.type)}\ndata: ${JSON.stringify({ ...event, sequence_number: sequence })}\n\n`,
    );
  },
  traceOf,
  expected: (turns) =>
    turns.flatMap((turn) => (turn.isEncrypted === true ? expectedCompaction(turn) : expectedTurn(turn))),
};

function expectedCompaction(turn: ScriptedTurn): Trace {
  const { id, encrypted_content: encrypted } = compactionOf(turn);
  return [traced.item(id), traced.secret(encrypted)];
}

function expectedTurn({ reasoning, secret, text, calls }: ScriptedTurn): Trace {
  return [
    ...(secret === '' ? [] : [traced.reasoning(reasoning), traced.secret(`${idFor('rs', secret)} ${secret}`)]),
    ...(text === '' ? [] : [traced.item(idFor('msg', text)), traced.text(text)]),
    ...calls.flatMap(({ id, name, arguments: args }) => [traced.item(idFor('fc', id)), traced.call(id, name, args)]),
    ...calls.map(({ id, output }) => traced.output(id, output)),
  ];
}

/** An item with its parts in deltas, as OpenAI streams it. */
function eventsOf(item: Json, index: number): Json[] {
  const at = { item_id: item.id, output_index: index };
  const added = (members: Json): Json => ({
    type: 'response.output_item.added',
    output_index: index,
    item: { ...item, ...members },
  });
  const done = { type: 'response.output_item.done', output_index: index, item };
  if (item.type === 'function_call') {
    const args = String(item.arguments);
    const pieces = [args.slice(0, 7), args.slice(7)].map((delta) => ({
      type: 'response.function_call_arguments.delta',
      ...at,
      delta,
    }));
    const end = { type: 'response.function_call_arguments.done', ...at, arguments: args };
    return [added({ arguments: '', status: 'in_progress' }), ...pieces, end, done];
  }
  if (item.type === 'message') {
    const text = textOf(item.content);
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] };
    const within = { ...at, content_index: 0 };
    return [
      added({ content: [], status: 'in_progress' }),
      { type: 'response.content_part.added', ...within, part },
      { type: 'response.output_text.delta', ...within, delta: text, logprobs: [] },
      { type: 'response.output_text.done', ...within, text, logprobs: [] },
      { type: 'response.content_part.done', ...within, part: { ...part, text } },
      done,
    ];
  }
  if (item.type === 'compaction') return [added({}), done];
  const text = textOf(item.summary);
  const within = { ...at, summary_index: 0 };
  const part = { type: 'summary_text', text: '' };
  return [
    added({ summary: [] }),
    { type: 'response.reasoning_summary_part.added', ...within, part },
    { type: 'response.reasoning_summary_text.delta', ...within, delta: text },
    { type: 'response.reasoning_summary_text.done', ...within, text },
    { type: 'response.reasoning_summary_part.done', ...within, part: { ...part, text } },
    done,
  ];
}
