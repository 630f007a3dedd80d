import { traced, type ScriptedCall, type ScriptedTurn, type Trace } from '../script.ts';
import { isRecord, printed, recordsOf, type Json, type ScriptedProtocol } from './protocol.ts';

/** Of calls without an id of the model: which call a result is of. */
type Ids = 'given' | 'made by the client';

function traceOf(body: Json, ids: Ids): Trace {
  const made = new Map<unknown, string>();
  const known = (id: unknown): string => (ids === 'given' ? String(id) : (made.get(id) ?? `unknown ${String(id)}`));
  return recordsOf(body.contents).flatMap(({ role, parts }) =>
    recordsOf(parts).flatMap((part): Trace => {
      const trace: Trace = part.thoughtSignature === undefined ? [] : [traced.secret(part.thoughtSignature)];
      const { functionCall: call, functionResponse: result } = part;
      if (role === 'model' && typeof part.text === 'string' && part.text !== '' && part.thought !== true)
        trace.push(traced.text(part.text));
      if (isRecord(call)) {
        made.set(call.id, JSON.stringify(call.args));
        trace.push(traced.call(known(call.id), call.name, call.args));
      }
      if (isRecord(result)) trace.push(traced.output(known(result.id), printed(JSON.stringify(result.response))));
      return trace;
    }),
  );
}

function partsOf({ reasoning, secret, text, calls }: ScriptedTurn, ids: Ids): Json[] {
  const parts: Json[] = [{ text: reasoning, thought: true }];
  if (text !== '') parts.push({ text, ...(calls.length === 0 && { thoughtSignature: secret }) });
  for (const [index, { id, name, arguments: args }] of calls.entries())
    parts.push({
      functionCall: { ...(ids === 'given' && { id }), name, args },
      ...(index === 0 && { thoughtSignature: secret }),
    });
  return parts;
}

function chunkOf(turn: ScriptedTurn, number: number, model: string, parts: Json[], isLast: boolean): Json {
  const usageMetadata = { promptTokenCount: turn.inputTokens, candidatesTokenCount: 15, thoughtsTokenCount: 5 };
  const finish = isLast ? { finishReason: 'STOP' } : {};
  const candidate = { content: { role: 'model', parts }, index: 0, ...finish };
  return { candidates: [candidate], usageMetadata, modelVersion: model, responseId: `r${number}` };
}

const protocolWith = (ids: Ids): ScriptedProtocol => ({
  path: /:(streamG|g)enerateContent$/,
  isStreamed: (path) => path.endsWith(':streamGenerateContent'),
  document: (turn, number, model) => chunkOf(turn, number, model, partsOf(turn, ids), true),
  stream(turn, number, model) {
    const parts = partsOf(turn, ids);
    return parts.map((part, index) => {
      const chunk = chunkOf(turn, number, model, [part], index === parts.length - 1);
      return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
    });
  },
  traceOf: (body) => traceOf(body, ids),
  expected: (turns) =>
    turns.flatMap(({ secret, text, calls }) => {
      const idOf = (call: ScriptedCall): string => (ids === 'given' ? call.id : JSON.stringify(call.arguments));
      return [
        // A text without calls is the signed part itself.
        ...(calls.length === 0 && secret !== '' ? [traced.secret(secret)] : []),
        ...(text === '' ? [] : [traced.text(text)]),
        ...(calls.length === 0 ? [] : [traced.secret(secret)]),
        ...calls.map((call) => traced.call(idOf(call), call.name, call.arguments)),
        ...calls.map((call) => traced.output(idOf(call), call.output)),
      ];
    }),
});

/** As the Gemini API responds: each call has an id. */
export const gemini = protocolWith('given');

/** As Vertex AI responds: a client makes ids itself, if it wants some. */
export const vertex = protocolWith('made by the client');
