import type { Capability } from './capabilities.ts';
import { chatParameters, messagesOf, type Turn } from './chat/conversation.ts';
import { parametersIn, type Draft } from './draft.ts';
import { emptyCompletion } from './chat/completion.ts';

type TurnToSend = Omit<Turn, 'id'>;

/** A conversation with the images attached to its next message. */
export interface Conversation {
  readonly turns: readonly TurnToSend[];
  readonly images: readonly string[];
}

const emptyConversation: Conversation = { turns: [], images: [] };

/** The request body for `/v1`; for a transcription, the fields besides the file. */
export function requestOf(
  capability: Capability,
  model: string,
  draft: Draft,
  conversation: Conversation = emptyConversation,
): Record<string, unknown> {
  const given = parametersIn(capability, draft);
  switch (capability) {
    case 'chat':
      return {
        model,
        messages: messagesOf(draft.system, turnsToSend(draft.prompt, conversation)),
        ...withoutInvalidTools(draft),
      };
    case 'speech':
      return { model, input: draft.prompt, ...given, voice: given.voice ?? 'alloy' };
    case 'images':
    case 'video':
      return { model, prompt: draft.prompt, ...given };
    case 'embeddings':
      return { model, input: filledTexts(draft), ...given };
    case 'moderation':
      return { model, input: draft.prompt };
    case 'transcription':
      return { model, ...given };
  }
}

/** The conversation with the current message; without one, as the last message was sent. */
function turnsToSend(prompt: string, { turns, images }: Conversation): readonly TurnToSend[] {
  const last = turns.at(-1);
  if (prompt.trim() === '' && images.length === 0 && last !== undefined)
    return Object.keys(last.results).length > 0
      ? turns
      : [...turns.slice(0, -1), { ...last, completion: emptyCompletion }];
  return [...turns, { text: prompt, images, completion: emptyCompletion, results: {} }];
}

/** The texts that are not empty. */
export function filledTexts({ texts }: Draft): string[] {
  return texts.filter((each) => each.trim() !== '');
}

/** Drops invalid tools. Their field shows the error. */
function withoutInvalidTools(draft: Draft): Record<string, unknown> {
  try {
    return chatParameters(draft);
  } catch {
    return parametersIn('chat', draft);
  }
}
