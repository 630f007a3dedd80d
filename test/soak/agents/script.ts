/** What the scripted model says in one turn, in no provider's protocol. */
export interface ScriptedTurn {
  readonly reasoning: string;
  /** What only the provider can read, and wants back as it was: encrypted reasoning, or a signature. Empty if it has none. */
  readonly secret: string;
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
  /** What its request is said to have cost. */
  readonly inputTokens: number;
  /** Whether it is the summary that replaces the conversation before it. */
  readonly isSummary?: true;
  /** Whether the request wants the summary as an item that the provider encrypts. */
  readonly isEncrypted?: boolean;
}

export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Printed by the command, and part of nothing else. */
  readonly output: string;
}

/** How an agent's own tool runs a shell command. */
export interface ShellTool {
  readonly name: string;
  argumentsFor(command: string): Readonly<Record<string, unknown>>;
}

export const FINAL_TEXT = 'Every command has run. The task is complete.';

/** An agent compacts its conversation when a response counts so many tokens. */
export const COMPACTED_AT_TOKENS = 150_000;

const FULL_CONTEXT_TOKENS = 190_000;

/** Of the turns in turn: 50 turns have 100 calls. */
const CALLS = [4, 1, 1, 2];

/** When an agent asks for a summary, as far as the script has to know. */
export interface SummaryPoint {
  /** The turn behind which the context is full. */
  readonly fullAfter: number;
  /** The turn behind which the model stops with a text alone, and is told to go on; absent where it never does. */
  readonly stopsAfter?: number;
  /** The number of requests for one summary. */
  readonly drafts: number;
  /** Whether the model has to write the summary in `<summary>` tags; it is asked again where they are missing. */
  readonly isTagged?: true;
}

/** Turns that call, and a last one that does not. */
export function taskOf(
  turns: number,
  tool: ShellTool,
  { fullAfter, stopsAfter, drafts, isTagged }: SummaryPoint,
): ScriptedTurn[] {
  const script: ScriptedTurn[] = [];
  for (let turn = 1; turn < turns; turn++) {
    const count = CALLS[(turn - 1) % CALLS.length] ?? 0;
    const calls = Array.from({ length: count }, (_, index) => callOf(tool, turn, index));
    const text = turn % 4 === 1 ? `Running the commands of turn ${turn}.` : '';
    const inputTokens = turn === fullAfter ? FULL_CONTEXT_TOKENS : 100 * turn;
    script.push({ ...thoughtOf(turn), text, calls, inputTokens });
    if (turn === stopsAfter) {
      const stop = `${turn} turns are over.`;
      script.push({ ...thoughtOf(turn + 2_000), text: stop, calls: [], inputTokens });
    }
    if (turn !== fullAfter) continue;
    for (let draft = 1; draft <= drafts; draft++) {
      const summary = `The commands up to turn ${turn} have run (${draft} of ${drafts}).`;
      const text = isTagged === true ? `<summary>${summary}</summary>` : summary;
      script.push({ ...thoughtOf(turn + 1_000 * draft), text, calls: [], isSummary: true, inputTokens: 100 });
    }
  }
  return [...script, finalTurn(turns)];
}

/** What a summary says, without the tags that its agent reads it from. */
export function summaryText({ text }: ScriptedTurn): string {
  return text.replaceAll(/^<summary>|<\/summary>$/g, '');
}

export function finalTurn(turn: number): ScriptedTurn {
  return { ...thoughtOf(turn), text: FINAL_TEXT, calls: [], inputTokens: 100 * turn };
}

function callOf(tool: ShellTool, turn: number, index: number): ScriptedCall {
  // Of one length: no output is part of another.
  const number = (100 + turn) * 100_000 + Number(`${index}7`);
  // The shell removes the quotes: the command does not contain its output. Gemini CLI refuses substitutions.
  const command = `echo ${number}-"done"`;
  const output = `${number}-done`;
  return { id: `call_${turn}_${index}_Zk3`, name: tool.name, arguments: tool.argumentsFor(command), output };
}

function thoughtOf(turn: number): { reasoning: string; secret: string } {
  // Base64 with each of its marks, as Gemini checks that it is.
  const secret = Buffer.from(`secret of turn ${turn} \u00FB\u00FF\u00BE?>~ ${'x'.repeat(turn % 7)}`).toString('base64');
  return { reasoning: `Considering turn ${turn}.`, secret };
}

/** What a conversation must contain after these turns, in order; the same for each protocol. */
export type Trace = string[];

export const traced = {
  /** The id of an item, beside what it holds. */
  item: (id: unknown) => `item ${String(id)}`,
  reasoning: (text: unknown) => `reasoning ${String(text)}`,
  secret: (secret: unknown) => `secret ${String(secret)}`,
  text: (text: unknown) => `text ${String(text)}`,
  call: (id: unknown, name: unknown, args: unknown) => `call ${String(id)} ${String(name)} ${JSON.stringify(args)}`,
  output: (id: unknown, output: unknown) => `output ${String(id)} ${String(output)}`,
};
