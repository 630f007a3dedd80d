import { startFakeProvider, type FakeProvider, type ReceivedRequest } from '../../harness/fake-provider.ts';
import { sortResults, type ScriptedProtocol } from './protocols/protocol.ts';
import { bedrock } from './protocols/bedrock.ts';
import { chat } from './protocols/chat.ts';
import { gemini } from './protocols/gemini.ts';
import { messages } from './protocols/messages.ts';
import { responses } from './protocols/responses.ts';
import type { ScriptedTurn, Trace } from './script.ts';

const protocols = { responses, messages, gemini, chat, bedrock, vertex: gemini };
export type ProtocolName = keyof typeof protocols;

/** What one turn's request held of those before it, and what it had to hold. */
interface PlayedTurn {
  readonly actual: Trace;
  readonly expected: Trace;
  /** Whether it held the summary of what was compacted before, if there is one. */
  readonly hasSummary: boolean;
}

/** The requests that one script has answered. */
export interface Performance {
  readonly played: readonly PlayedTurn[];
  /** Requests that no turn of the script was for. */
  readonly unexpected: readonly string[];
}

export interface ScriptedProvider {
  /** Without a path. */
  readonly origin: string;
  /**
   * From now on each request is answered with the next turn, in this protocol only.
   * @param keptTurns the number of turns that a summary leaves as they are
   */
  play(protocol: ProtocolName, script: readonly ScriptedTurn[], keptTurns?: number): Performance;
  close(): Promise<void>;
}

/** A model on loopback that says what a script says, and records what comes back of it. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const provider: FakeProvider = await startFakeProvider();
  return {
    origin: new URL(provider.url).origin,
    close: () => provider.close(),
    play(name, script, keptTurns = 0) {
      const protocol: ScriptedProtocol = protocols[name];
      const played: PlayedTurn[] = [];
      const unexpected: string[] = [];
      provider.answerWith((request: ReceivedRequest, response) => {
        const turn = script[played.length];
        const path = request.path.split('?')[0] ?? '';
        if (turn === undefined || !protocol.path.test(path)) {
          unexpected.push(`${path} ${request.body.slice(0, 2_000)}`);
          response.writeHead(400, { 'content-type': 'application/json' });
          response.end('{"error":{"message":"The script has no such turn.","type":"invalid_request_error"}}');
          return;
        }
        const earlier = script.slice(0, played.length);
        const summary = earlier.findLastIndex(({ isSummary }) => isSummary === true);
        const before = turnsBefore(turn, earlier, summary, keptTurns);
        const { model } = request.json;
        played.push({
          actual: sortResults(protocol.traceOf(request.json)),
          expected: sortResults(protocol.expected(before)),
          hasSummary: request.body.includes(earlier[summary]?.text ?? ''),
        });
        response.writeHead(200, { 'content-type': protocol.contentType ?? 'text/event-stream' });
        const events = protocol.stream(turn, played.length, typeof model === 'string' ? model : 'scripted');
        response.end(Buffer.concat(events.map((event) => Buffer.from(event))));
      });
      return { played, unexpected };
    },
  };
}

/** The turns that a request contains, out of all that were answered. */
function turnsBefore(
  { isSummary }: ScriptedTurn,
  earlier: readonly ScriptedTurn[],
  summary: number,
  keptTurns: number,
): readonly ScriptedTurn[] {
  if (isSummary === true) return earlier.slice(0, earlier.length - keptTurns);
  if (summary < 0) return earlier;
  return [...earlier.slice(summary - keptTurns, summary), ...earlier.slice(summary + 1)];
}
