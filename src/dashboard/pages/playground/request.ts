import type { Capability } from './capabilities.ts';
import { chatParameters, messagesOf } from './conversation.ts';
import { parametersIn, type Draft } from './draft.ts';
import { emptyAnswer } from './answer.ts';

/** The body that `/v1` is sent; of a transcription, what goes beside the recording. */
export function requestOf(capability: Capability, model: string, draft: Draft): Record<string, unknown> {
  const given = parametersIn(capability, draft);
  switch (capability) {
    case 'chat':
      return {
        model,
        messages: messagesOf(draft.system, [{ text: draft.prompt, pictures: [], answer: emptyAnswer, results: {} }]),
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
