import { EventStreamCodec } from '@smithy/eventstream-codec';
import type { Script } from './fake-provider.ts';

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()),
  (text) => Buffer.from(text),
);

/**
 * One message of AWS's event stream, from the JSON of a recording: its only member names the event, and contains its
 * payload. An exception has another message type. Source: docs.aws.amazon.com, "Event stream encoding".
 */
export function frame(line: string): Buffer {
  const [name = '', payload]: [string?, unknown?] = Object.entries(JSON.parse(line))[0] ?? [];
  const kind = name.endsWith('Exception') ? 'exception' : 'event';
  const encoded = codec.encode({
    headers: {
      [`:${kind}-type`]: { type: 'string', value: name },
      ':content-type': { type: 'string', value: 'application/json' },
      ':message-type': { type: 'string', value: kind },
    },
    body: Buffer.from(JSON.stringify(payload)),
  });
  return Buffer.from(encoded);
}

/** The messages of a recording, in its order. */
function frames(lines: string): Buffer[] {
  return lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(frame);
}

/** Replays a recorded Bedrock stream as its binary messages, split at any position. */
export function replayFrames(lines: string): Script {
  const body = Buffer.concat(frames(lines));
  return async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    for (let at = 0; at < body.length; at += 97) {
      response.write(body.subarray(at, at + 97));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.end();
  };
}
