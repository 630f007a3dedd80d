import type { ChatRequest } from './schema.ts';
import type { Finding, ModerationSupport, ModerationInput } from '../../moderation-guard/moderation-support.ts';

/** What of a chat is judged: what its user says and shows, in all of its messages. Sound and files are not. */
export const chatModeration: ModerationSupport<ChatRequest> = {
  input({ messages }): ModerationInput {
    const texts: string[] = [];
    const images: string[] = [];
    for (const message of messages) {
      if (message.role !== 'user') continue;
      if (typeof message.content === 'string') texts.push(message.content);
      else
        for (const part of message.content) {
          if (part.type === 'text') texts.push(part.text);
          if (part.type === 'image_url') images.push(part.image_url.url);
        }
    }
    return { texts, images };
  },
  annotation(first, output) {
    return Buffer.from(`data: ${JSON.stringify({ ...envelopeOf(first), moderation: { output: told(output) } })}\n\n`);
  },
};

/**
 * A chunk with a choice that says nothing: clients read the first choice of each chunk unasked, and one without any breaks
 * them. What its stream's chunks have in common is as they have it.
 */
function envelopeOf(first: Buffer): object {
  const text = first.toString();
  const id = /"id"\s*:\s*"([^"\\]*)"/.exec(text)?.[1] ?? '';
  const model = /"model"\s*:\s*"([^"\\]*)"/.exec(text)?.[1] ?? '';
  const created = Number(/"created"\s*:\s*(\d{1,12})/.exec(text)?.[1] ?? 0);
  const choices = [{ index: 0, delta: {}, logprobs: null, finish_reason: null }];
  return { id, object: 'chat.completion.chunk', created, model, choices };
}

/** `flagged` is null where the moderation model could not be asked. */
function told(output: Finding): object {
  return output === null ? { flagged: null, categories: [] } : { flagged: output.length > 0, categories: output };
}
