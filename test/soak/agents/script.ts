/** What the scripted model says in one turn, in no provider's protocol. */
export interface ScriptedTurn {
  readonly reasoning: string;
  /** What only the provider can read, and wants back as it was: encrypted reasoning, or a signature. */
  readonly secret: string;
  readonly text: string;
  readonly calls: readonly ScriptedCall[];
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

/** Of the turns in turn: 50 turns have 100 calls. */
const CALLS = [4, 1, 1, 2];

/** Turns that call, and a last one that does not. */
export function taskOf(turns: number, tool: ShellTool): ScriptedTurn[] {
  const script: ScriptedTurn[] = [];
  for (let turn = 1; turn < turns; turn++) {
    const calls = Array.from({ length: CALLS[(turn - 1) % CALLS.length] ?? 0 }, (_, index) =>
      callOf(tool, turn, index),
    );
    script.push({ ...thoughtOf(turn), text: turn % 4 === 1 ? `Running the commands of turn ${turn}.` : '', calls });
  }
  return [...script, { ...thoughtOf(turns), text: FINAL_TEXT, calls: [] }];
}

function callOf(tool: ShellTool, turn: number, index: number): ScriptedCall {
  // The shell makes the output of it: the command does not contain it.
  const command = `echo $((${turn}00000 + ${index}7))-"done"`;
  const output = `${turn * 100_000 + Number(`${index}7`)}-done`;
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
  secret: (secret: unknown) => `secret ${String(secret)}`,
  text: (text: unknown) => `text ${String(text)}`,
  call: (id: unknown, name: unknown, args: unknown) => `call ${String(id)} ${String(name)} ${JSON.stringify(args)}`,
  output: (id: unknown, output: unknown) => `output ${String(id)} ${String(output)}`,
};
