import type { JsonObject } from '../canonical/json-members.ts';

const OURS = 'sluice-compaction-1.';
const HEAD = 'The conversation before this point was summarised:';

/** What a model is asked to do at a `compaction_trigger`. */
export const COMPACTION_PROMPT = `Summarise the conversation so far for the model that will continue it, which will see nothing else of it. State the task and every instruction and preference of the user; what was done, with the names of files, functions, commands and their results; decisions and their reasons; errors and how they were solved; what is unfinished; and the next step. Quote exactly what must not change. Write only the summary.`;

/** The item that stands for a summarised conversation. The client sends it back unchanged. */
export function compactionItem(id: string, summary: string): JsonObject {
  return { id, type: 'compaction', encrypted_content: OURS + Buffer.from(summary).toString('base64') };
}

/** The summary of an item as a message; null for one that OpenAI encrypted. */
export function openSummary(content: string): string | null {
  if (!content.startsWith(OURS)) return null;
  return `${HEAD}\n\n${Buffer.from(content.slice(OURS.length), 'base64').toString()}`;
}
