import { frame } from '../../../harness/aws-event-stream.ts';
import { messages } from './messages.ts';
import type { ScriptedProtocol } from './protocol.ts';

/** The Messages API by Bedrock's `InvokeModelWithResponseStream`: the path names the model, the response by Anthropic's name. */
export const bedrock: ScriptedProtocol = {
  ...messages,
  path: /\/model\/eu\.anthropic\.claude-sonnet-4-6\/invoke-with-response-stream$/,
  isStreamed: () => true,
  contentType: 'application/vnd.amazon.eventstream',
  stream: (turn, number) =>
    messages.stream(turn, number, 'claude-sonnet-4-6').map((event) => {
      const json = /^data: (.*)$/m.exec(event.toString())?.[1] ?? '';
      return frame(JSON.stringify({ chunk: { bytes: Buffer.from(json).toString('base64') } }));
    }),
};
