import type { ScriptedTurn, Trace } from '../script.ts';

export type Json = Record<string, unknown>;

/** A provider's protocol, as far as an agent's task needs it. */
export interface ScriptedProtocol {
  /** Of the path, without its query. */
  readonly path: RegExp;
  /** Of a streamed response; that of server-sent events if absent. */
  readonly contentType?: string;
  isStreamed(path: string, body: Json): boolean;
  /** Whether a request wants the summary of the conversation as an encrypted item; absent where the protocol has none. */
  wantsEncryptedSummary?(body: Json): boolean;
  /** The events of a streamed response, each with its line ends. */
  stream(turn: ScriptedTurn, number: number, model: string): readonly (string | Buffer)[];
  /** A response that is not streamed. */
  document(turn: ScriptedTurn, number: number, model: string): Json;
  /** What a request contains of earlier turns. */
  traceOf(body: Json): Trace;
  /** What it contains if these turns returned as they were sent. */
  expected(turns: readonly ScriptedTurn[]): Trace;
}

export const streamsOnDemand = (_path: string, { stream }: Json): boolean => stream === true;

/** Every string in a body, at any depth. */
export function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

export function recordsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a content that is a string or a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordsOf(content)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}

/**
 * With the results of parallel calls in one order: agents return each when it is there, and their protocols, which
 * match them by id, allow that.
 */
export function sortResults(trace: Trace): Trace {
  const sorted: Trace = [];
  let results: Trace = [];
  for (const entry of [...trace, '']) {
    if (entry.startsWith('output ')) results.push(entry);
    else {
      sorted.push(...results.toSorted(), entry);
      results = [];
    }
  }
  return sorted.slice(0, -1);
}

/** The number that a command printed, out of what the agent says about it. */
export function printed(output: string): string {
  return /\d+-done/.exec(output)?.[0] ?? output;
}
