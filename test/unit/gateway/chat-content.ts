import { z } from 'zod';
import { secret } from '../../harness/gateway.ts';
import { readEventData } from '../../harness/read-events.ts';

/** The content of a response, independent of its protocol. */
export interface Content {
  readonly text: string;
  readonly thinking: string;
  readonly calls: { readonly id: string; readonly name: string; readonly input: unknown }[];
  readonly stop: string | null;
  readonly output: number;
  readonly input: number;
}

/** Some providers give no ids: those are made for each response. */
export function givenId(id: string): string {
  return /^call_[0-9a-f]{32}$/.test(id) ? 'made' : id;
}

const delta = z.looseObject({
  content: z.string().nullish(),
  refusal: z.string().nullish(),
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z
    .array(
      z.looseObject({
        index: z.number().optional(),
        id: z.string().nullish(),
        function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
        custom: z.looseObject({ name: z.string().nullish(), input: z.string().nullish() }).optional(),
      }),
    )
    .nullish(),
});

/** The same response as a chat client receives it: the oracle, which is tested with the providers' own packages. */
export async function chatContent(
  url: string,
  model: string,
  isStream: boolean,
): Promise<{ content: Content; error: string | null }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: 'Hello' }],
      ...(isStream && { stream: true, stream_options: { include_usage: true } }),
    }),
  });
  const text = await response.text();
  const chunks = isStream && response.ok ? readEventData(text) : [JSON.parse(text)];
  const content = { text: '', thinking: '', stop: null as string | null, output: 0, input: 0 };
  const calls: { id: string; name: string; input: string }[] = [];
  let error: string | null = null;
  for (const chunk of chunks) {
    if (chunk.error) error = String(chunk.error.message);
    if (chunk.usage) [content.output, content.input] = [chunk.usage.completion_tokens, chunk.usage.prompt_tokens];
    const choice = chunk.choices?.find(({ index }: { index?: number }) => (index ?? 0) === 0);
    if (!choice) continue;
    const {
      content: said,
      refusal: refused,
      tool_calls: called,
      ...rest
    } = delta.parse(choice.delta ?? choice.message);
    content.text += `${said ?? ''}${refused ?? ''}`;
    content.thinking += rest.reasoning_content ?? rest.reasoning ?? '';
    content.stop = choice.finish_reason ?? content.stop;
    for (const [place, call] of (called ?? []).entries()) {
      const known = (calls[call.index ?? place] ??= { id: '', name: '', input: '' });
      known.id += call.id ?? '';
      known.name += call.function?.name ?? call.custom?.name ?? '';
      known.input += call.function?.arguments ?? call.custom?.input ?? '';
    }
  }
  return {
    content: {
      ...content,
      calls: calls.map((call) => ({ ...call, id: givenId(call.id), input: inputOf(call.input) })),
    },
    error,
  };
}

function inputOf(input: string): unknown {
  try {
    return JSON.parse(input === '' ? '{}' : input);
  } catch {
    return { INVALID_JSON: input };
  }
}
