import { traced, type ScriptedCall, type ScriptedTurn, type Trace } from './script.ts';

/** How an agent asks for the summary that replaces a conversation when its context is full, and what it sends then. */
export interface Compaction {
  /** Is part of the text that asks for it, and of no other request. */
  readonly asks: RegExp;
  /** The number of turns before it that are not summarized, and stay. */
  readonly keptTurns: number;
  /** The number of requests for it; the later ones contain what was written before. */
  readonly drafts: number;
  /** The turn behind which the model has to stop, and is told to go on; absent where it need not. */
  readonly stopsAfter?: number;
  /** Whether it reads the summary out of `<summary>` tags. */
  readonly isTagged?: true;
  /** Whether the summary returns as what the model said, and not as a text of the user. */
  readonly isSaidByModel?: true;
  /** What the model is said to have responded to the summary. */
  readonly acknowledgement?: string;
  /** The id of a call in the conversation to summarize, where it is not that of the call. */
  callId?(call: ScriptedCall): string;
  /** How one text contains the conversation; absent where it is sent as its turns were. */
  readonly transcript?: Transcript;
}

/** A conversation as text. */
interface Transcript {
  traceOf(text: string): Trace;
  expected(turns: readonly ScriptedTurn[]): Trace;
}

/** Out of all turns that were answered. */
export interface EarlierTurns {
  /** What a request has to contain as it was. */
  readonly returned: readonly ScriptedTurn[];
  /** What only the summary still says. */
  readonly summarized: readonly ScriptedTurn[];
  /** What a request for a summary has to tell. */
  readonly told: readonly ScriptedTurn[];
  readonly summary: ScriptedTurn | undefined;
}

/** @param earlier the turns that were answered before the request for `turn` */
export function earlierTurns(
  turn: ScriptedTurn,
  earlier: readonly ScriptedTurn[],
  compaction: Compaction | undefined,
): EarlierTurns {
  const first = earlier.findIndex(isSummary);
  const isRequestedNow = isSummary(turn);
  if (compaction === undefined || (first < 0 && !isRequestedNow))
    return { returned: earlier, summarized: [], told: [], summary: undefined };
  const end = first < 0 ? earlier.length : first;
  const drafts = earlier.filter(isSummary);
  const old = earlier.slice(0, end - compaction.keptTurns);
  if (isRequestedNow) {
    const sent = old.map((each) => ({ ...each, calls: each.calls.map((call) => renamed(call, compaction)) }));
    const asTurns = compaction.transcript === undefined ? [...sent, ...drafts.map(({ text }) => saying(text))] : [];
    return { returned: asTurns, summarized: [], told: old, summary: undefined };
  }
  const summary = drafts.at(-1);
  const head: ScriptedTurn[] = [];
  if (summary?.isEncrypted === true) head.push(summary);
  else if (compaction.isSaidByModel && summary !== undefined) head.push({ ...summary, secret: '' });
  if (compaction.acknowledgement !== undefined) head.push(saying(compaction.acknowledgement));
  const kept = earlier.slice(end - compaction.keptTurns, end);
  return { returned: [...head, ...kept, ...earlier.slice(end + drafts.length)], summarized: old, told: [], summary };
}

function renamed(call: ScriptedCall, { callId }: Compaction): ScriptedCall {
  return callId === undefined ? call : { ...call, id: callId(call) };
}

function isSummary(turn: ScriptedTurn): boolean {
  return turn.isSummary === true;
}

/** A text that no model has signed. */
function saying(text: string): ScriptedTurn {
  return { reasoning: '', secret: '', text, calls: [], inputTokens: 0 };
}

const TOLD = /^\[Assistant(?: (reasoning|tool call))?\]: (.*)$|^(\d+-done)$|^\[Tool result\]: (\d+-done)$/gm;

/** The conversation of which opencode asks for a summary. */
export const openCodeTranscript: Transcript = {
  traceOf: (text) =>
    [...text.matchAll(TOLD)].map(([, kind, said = '', line, result]) => {
      if (kind === undefined && said !== '') return traced.text(said);
      if (kind === 'reasoning') return traced.reasoning(said);
      const call = /^(\w+)\((.*)\)$/.exec(said);
      if (call !== null) return traced.call('', call[1], JSON.parse(call[2] ?? ''));
      return traced.output('', result ?? line);
    }),
  expected: (turns) =>
    turns.flatMap(({ reasoning, text, calls }) => [
      traced.reasoning(reasoning),
      ...(text === '' ? [] : [traced.text(text)]),
      ...calls.flatMap(({ name, arguments: args, output }) => [traced.call('', name, args), traced.output('', output)]),
    ]),
};
