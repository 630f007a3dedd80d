import type { JsonObject } from '../../canonical/json-members.ts';
import { SealedKind, type ContentSeal } from './content-seal.ts';

const kind = new SealedKind('compaction');
const HEAD = 'The conversation before this point was summarised:';

/** What a model is asked to do at a `compaction_trigger`. */
export const COMPACTION_PROMPT = `Summarise the conversation so far for the model that will continue it, which will see nothing else of it. State the task and every instruction and preference of the user; what was done, with the names of files, functions, commands and their results; decisions and their reasons; errors and how they were solved; what is unfinished; and the next step. Quote exactly what must not change. Write only the summary.`;

/** The item that stands for a summarised conversation. The client sends it back unchanged. */
export function compactionItem(id: string, summary: string, seal: ContentSeal): JsonObject {
  return { id, type: 'compaction', encrypted_content: kind.write(summary, seal) };
}

/**
 * The summary of an item as a message; null for one that OpenAI encrypted.
 * @param path of the item
 * @throws SluiceError invalid_encrypted_content
 */
export function openSummary(content: string, seal: ContentSeal, path: string): string | null {
  if (!kind.isOurs(content)) return null;
  return `${HEAD}\n\n${kind.read(content, seal, `${path}.encrypted_content`)}`;
}
