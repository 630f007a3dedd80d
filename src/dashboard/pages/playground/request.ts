import type { Capability } from './capabilities.ts';
import { chatParameters, messagesOf, type Turn } from './conversation.ts';
import { parametersIn, type Draft } from './draft.ts';
import { emptyAnswer } from './answer.ts';

type Asking = Omit<Turn, 'id'>;

/** A chat that has begun: what was asked and answered, and what is attached to the next message. */
export interface Conversation {
  readonly turns: readonly Asking[];
  readonly pictures: readonly string[];
}

const unbegun: Conversation = { turns: [], pictures: [] };

/** The body that `/v1` is sent; of a transcription, what goes beside the recording. */
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

/** With the message that is being written; where none is, as the last was sent: a request ends with what the user says. */
function turnsToSend(prompt: string, { turns, pictures }: Conversation): readonly Asking[] {
  const last = turns.at(-1);
  if (prompt.trim() === '' && pictures.length === 0 && last !== undefined)
    return Object.keys(last.results).length > 0 ? turns : [...turns.slice(0, -1), { ...last, answer: emptyAnswer }];
  return [...turns, { text: prompt, pictures, answer: emptyAnswer, results: {} }];
}

/** Texts to be compared: those that say something. */
export function textsOf({ texts }: Draft): string[] {
  return texts.filter((each) => each.trim() !== '');
}

/** Tools that cannot be read are shown by the page where they stand, and left out of code. */
function lenient(draft: Draft): Record<string, unknown> {
  try {
    return chatParameters(draft);
  } catch {
    return parametersIn('chat', draft);
  }
}
