import type { Capability } from './capabilities.ts';
import { chatParameters, messagesOf, type Turn } from './conversation.ts';
import { parametersIn, type Draft } from './draft.ts';
import { emptyAnswer } from './answer.ts';

type Asking = Omit<Turn, 'id'>;

/** A conversation with the images attached to its next message. */
export interface Conversation {
  readonly turns: readonly Asking[];
  readonly pictures: readonly string[];
}

const unbegun: Conversation = { turns: [], pictures: [] };

/** The request body for `/v1`; for a transcription, the fields besides the file. */
export function requestOf(
  capability: Capability,
  model: string,
  draft: Draft,
  conversation: Conversation = unbegun,
): Record<string, unknown> {
  const given = parametersIn(capability, draft);
  switch (capability) {
    case 'chat':
      return {
        model,
        messages: messagesOf(draft.system, turnsToSend(draft.prompt, conversation)),
        ...lenient(draft),
      };
    case 'speech':
      return { model, input: draft.prompt, ...given, voice: given.voice ?? 'alloy' };
    case 'images':
    case 'video':
      return { model, prompt: draft.prompt, ...given };
    case 'embeddings':
      return { model, input: textsOf(draft), ...given };
    case 'moderation':
      return { model, input: draft.prompt };
    case 'transcription':
      return { model, ...given };
  }
}

/** The conversation with the current message; without one, as the last message was sent. */
function turnsToSend(prompt: string, { turns, pictures }: Conversation): readonly Asking[] {
  const last = turns.at(-1);
  if (prompt.trim() === '' && pictures.length === 0 && last !== undefined)
    return Object.keys(last.results).length > 0 ? turns : [...turns.slice(0, -1), { ...last, answer: emptyAnswer }];
  return [...turns, { text: prompt, pictures, answer: emptyAnswer, results: {} }];
}

/** The texts that are not empty. */
export function textsOf({ texts }: Draft): string[] {
  return texts.filter((each) => each.trim() !== '');
}

/** Drops invalid tools. Their field shows the error. */
function lenient(draft: Draft): Record<string, unknown> {
  try {
    return chatParameters(draft);
  } catch {
    return parametersIn('chat', draft);
  }
}
