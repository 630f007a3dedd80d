import type { ServerResponse } from 'node:http';
import type { ModerationCategory } from '../../../../src/providers/shared/moderation/moderation-result.ts';
import {
  completion,
  json,
  startFakeProvider,
  type FakeProvider,
  type ReceivedRequest,
  type Script,
} from '../../../harness/fake-provider.ts';
import { secret, type TestGateway } from '../../../harness/gateway.ts';
import { moderated } from '../../rest/moderations/answers.ts';

/** A provider that chats and moderates: what holds the word `terrible` is flagged for violence. */
export interface ModeratedProvider {
  readonly provider: FakeProvider;
  /** Inputs of the moderation requests. */
  judged(): unknown[];
  chats(): ReceivedRequest[];
  chatWith(script: Script): void;
  moderateWith(script: Script | null): void;
}

export async function startModerated(): Promise<ModeratedProvider> {
  let chat: Script = completion();
  let moderate: Script | null = null;
  const provider = await startFakeProvider((request, response: ServerResponse) => {
    if (!request.path.endsWith('/moderations')) return chat(request, response);
    if (moderate !== null) return moderate(request, response);
    return json(200, judge(request.json.input))(request, response);
  });
  return {
    provider,
    judged: () =>
      provider.requests.filter(({ path }) => path.endsWith('/moderations')).map((asked) => asked.json.input),
    chats: () => provider.requests.filter(({ path }) => path.endsWith('/chat/completions')),
    chatWith: (script) => (chat = script),
    moderateWith: (script) => (moderate = script),
  };
}

export function judge(input: unknown): object {
  const flagged: ModerationCategory[] = JSON.stringify(input).includes('terrible') ? ['violence', 'harassment'] : [];
  return moderated(...flagged);
}

export const model = 'openai/gpt-4.1-mini';

/** `routing` of `sluice.yaml` with this moderation. */
export function moderationConfig(action: 'block' | 'annotate', check: readonly string[] = ['input', 'output']): string {
  return `routing:\n  moderation:\n    model: openai/omni-moderation-latest\n    check: [${check.join(', ')}]\n    action: ${action}\n`;
}

export function ask(gateway: TestGateway, members: object): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }], ...members }),
  });
}
