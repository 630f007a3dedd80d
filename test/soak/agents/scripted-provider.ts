import { startFakeProvider, type FakeProvider, type ReceivedRequest } from '../../harness/fake-provider.ts';
import { earlierTurns, type Compaction } from './compaction.ts';
import { sortResults, stringsOf, type ScriptedProtocol } from './protocols/protocol.ts';
import { bedrock } from './protocols/bedrock.ts';
import { chat } from './protocols/chat.ts';
import { gemini, vertex } from './protocols/gemini.ts';
import { messages } from './protocols/messages.ts';
import { responses } from './protocols/responses.ts';
import { summaryText, type ScriptedTurn, type Trace } from './script.ts';

const protocols = { responses, messages, gemini, chat, bedrock, vertex };
export type ProtocolName = keyof typeof protocols;

/** What one turn's request held of those before it, and what it had to hold. */
interface PlayedTurn {
  readonly actual: Trace;
  readonly expected: Trace;
  /** Whether it asked for a summary of the conversation, and whether it had to. */
  readonly asksForSummary: { readonly actual: boolean; readonly expected: boolean };
  /** What a request for a summary told as text of the conversation, and what it had to tell. */
  readonly told: { readonly actual: Trace; readonly expected: Trace };
  /** Whether it held the summary of what was compacted before, if there is one. */
  readonly hasSummary: boolean;
  /** What it held, anywhere, of what was compacted before. */
  readonly remains: readonly string[];
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
   * @param compaction how the agent compacts the conversation, where the script has a summary
   */
  play(protocol: ProtocolName, script: readonly ScriptedTurn[], compaction?: Compaction): Performance;
  close(): Promise<void>;
}

/** A model on loopback that says what a script says, and records what comes back of it. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const provider: FakeProvider = await startFakeProvider();
  return {
    origin: new URL(provider.url).origin,
    close: () => provider.close(),
    play(name, script, compaction) {
      const protocol: ScriptedProtocol = protocols[name];
      const played: PlayedTurn[] = [];
      const unexpected: string[] = [];
      const answered: ScriptedTurn[] = [];
      provider.answerWith((request: ReceivedRequest, response) => {
        const number = played.length;
        const scripted = script[number];
        const turn = scripted && { ...scripted, isEncrypted: protocol.wantsEncryptedSummary?.(request.json) === true };
        const path = request.path.split('?')[0] ?? '';
        // The gateway reads the list of models at times of its own.
        if (request.method === 'GET' && path.endsWith('/models')) return void response.writeHead(404).end();
        if (turn === undefined || !protocol.path.test(path)) {
          unexpected.push(`${path} ${request.body.slice(0, 2_000)}`);
          response.writeHead(400, { 'content-type': 'application/json' });
          response.end('{"error":{"message":"The script has no such turn.","type":"invalid_request_error"}}');
          return;
        }
        played.push(playedTurn(protocol, request, turn, answered, compaction));
        answered.push(turn);
        const { model } = request.json;
        const modelName = typeof model === 'string' ? model : 'scripted';
        if (protocol.isStreamed(path, request.json)) {
          response.writeHead(200, { 'content-type': protocol.contentType ?? 'text/event-stream' });
          const events = protocol.stream(turn, number + 1, modelName);
          response.end(Buffer.concat(events.map((event) => Buffer.from(event))));
        } else {
          response.writeHead(200, { 'content-type': 'application/json' });
          response.end(JSON.stringify(protocol.document(turn, number + 1, modelName)));
        }
      });
      return { played, unexpected };
    },
  };
}

function playedTurn(
  protocol: ScriptedProtocol,
  { body, json }: ReceivedRequest,
  turn: ScriptedTurn,
  earlier: readonly ScriptedTurn[],
  compaction: Compaction | undefined,
): PlayedTurn {
  const { returned, summarized, told, summary } = earlierTurns(turn, earlier, compaction);
  const asking = compaction === undefined ? undefined : stringsOf(json).find((text) => compaction.asks.test(text));
  const { transcript } = compaction ?? {};
  return {
    actual: sortResults(protocol.traceOf(json)),
    expected: sortResults(protocol.expected(returned)),
    asksForSummary: { actual: asking !== undefined, expected: turn.isSummary === true },
    told: { actual: transcript?.traceOf(asking ?? '') ?? [], expected: transcript?.expected(told) ?? [] },
    hasSummary: summary === undefined || body.includes(summaryText(summary)),
    remains: summarized
      .flatMap(({ calls }) => calls.map(({ output }) => output))
      .filter((output) => body.includes(output)),
  };
}
