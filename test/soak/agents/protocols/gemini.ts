import { traced, type Trace } from '../script.ts';
import { isRecord, printed, recordsOf, type Json, type ScriptedProtocol } from './protocol.ts';

function traceOf(body: Json): Trace {
  return recordsOf(body.contents).flatMap(({ role, parts }) =>
    recordsOf(parts).flatMap((part): Trace => {
      const trace: Trace = part.thoughtSignature === undefined ? [] : [traced.secret(part.thoughtSignature)];
      const { functionCall: call, functionResponse: result } = part;
      if (role === 'model' && typeof part.text === 'string' && part.text !== '' && part.thought !== true)
        trace.push(traced.text(part.text));
      if (isRecord(call)) trace.push(traced.call('', call.name, call.args));
      if (isRecord(result)) trace.push(traced.output('', printed(JSON.stringify(result.response))));
      return trace;
    }),
  );
}

export const gemini: ScriptedProtocol = {
  path: /:streamGenerateContent$/,
  stream(turn, number, model) {
    const parts: Json[] = [{ text: turn.reasoning, thought: true }];
    const isFinal = turn.calls.length === 0;
    if (turn.text !== '') parts.push({ text: turn.text, ...(isFinal && { thoughtSignature: turn.secret }) });
    for (const [index, { name, arguments: args }] of turn.calls.entries())
      parts.push({ functionCall: { name, args }, ...(index === 0 && { thoughtSignature: turn.secret }) });
    const usageMetadata = { promptTokenCount: turn.inputTokens, candidatesTokenCount: 15, thoughtsTokenCount: 5 };
    return parts.map((part, index) => {
      const finish = index === parts.length - 1 ? { finishReason: 'STOP' } : {};
      const candidate = { content: { role: 'model', parts: [part] }, index: 0, ...finish };
      const chunk = { candidates: [candidate], usageMetadata, modelVersion: model, responseId: `r${number}` };
      return `data: ${JSON.stringify(chunk)}\r\n\r\n`;
    });
  },
  traceOf,
  expected: (turns) =>
    turns.flatMap(({ secret, text, calls }) => [
      // A text without calls is the signed part itself.
      ...(calls.length === 0 ? [traced.secret(secret)] : []),
      ...(text === '' ? [] : [traced.text(text)]),
      ...(calls.length === 0 ? [] : [traced.secret(secret)]),
      ...calls.map(({ name, arguments: args }) => traced.call('', name, args)),
      ...calls.map(({ output }) => traced.output('', output)),
    ]),
};
