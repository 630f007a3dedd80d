import type { Json, MatrixClient, ReadResponse, RequestContent } from '../matrix-protocol.ts';

/** Legacy completions have texts only: no provider of this table serves them, so that they are converted to each. */
export const completions: MatrixClient = {
  name: 'completions',
  title: 'Completions',
  writeRequest(content, model, streamed) {
    const prompt = onlyText(content);
    const { system, tools, schema, thinks, maxTokens, temperature, stop } = content;
    const isText = system === undefined && tools === undefined && schema === undefined && thinks === undefined;
    if (prompt === null || !isText) return null;
    return {
      path: '/v1/completions',
      body: {
        model,
        prompt,
        max_tokens: maxTokens ?? 100,
        ...(temperature !== undefined && { temperature }),
        ...(stop !== undefined && { stop: [stop] }),
        ...(streamed && { stream: true, stream_options: { include_usage: true } }),
      },
    };
  },
  readDocument: (body) => readCompletion([body]),
  readEvents: readCompletion,
};

function onlyText({ turns }: RequestContent): string | null {
  const [turn, ...others] = turns;
  if (turn?.role !== 'user' || others.length > 0) return null;
  const [part, ...further] = turn.parts;
  return part?.type === 'text' && further.length === 0 ? part.text : null;
}

function readCompletion(chunks: readonly Json[]): ReadResponse {
  const choices: Json[] = chunks.flatMap((chunk) => chunk.choices ?? []);
  const finish = choices.findLast((choice) => choice.finish_reason)?.finish_reason ?? null;
  const usage = chunks.findLast((chunk) => chunk.usage)?.usage;
  const stops = { stop: 'stop', length: 'length', content_filter: 'refusal' } as const;
  return {
    text: choices.map(({ text }) => text).join(''),
    thinking: '',
    calls: [],
    stop: stops[finish as keyof typeof stops] ?? null,
    cachedTokens: usage?.prompt_tokens_details?.cached_tokens ?? 0,
    error: chunks.find((chunk) => chunk.error)?.error.message ?? null,
    turn: null,
  };
}
