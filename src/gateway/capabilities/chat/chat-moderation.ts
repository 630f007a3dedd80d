import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';
import type { Finding, ModerationSupport, ModerationInput } from '../moderation-support.ts';

/** Moderates the text and images of all user messages. Audio and files are not moderated. */
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
    return Buffer.from(
      `data: ${JSON.stringify({ ...envelopeOf(first), moderation: { output: outputJson(output) } })}\n\n`,
    );
  },
};

/**
 * A chunk with one empty choice: clients read the first choice of every chunk, and one without choices breaks them. The
 * other members are those of the stream's chunks.
 */
function envelopeOf(first: Buffer): object {
  const text = first.toString();
  const id = /"id"\s*:\s*"([^"\\]*)"/.exec(text)?.[1] ?? '';
  const model = /"model"\s*:\s*"([^"\\]*)"/.exec(text)?.[1] ?? '';
  const created = Number(/"created"\s*:\s*(\d{1,12})/.exec(text)?.[1] ?? 0);
  const choices = [{ index: 0, delta: {}, logprobs: null, finish_reason: null }];
  return { id, object: 'chat.completion.chunk', created, model, choices };
}

/** `flagged` is null where the moderation model was unavailable. */
function outputJson(output: Finding): object {
  return output === null ? { flagged: null, categories: [] } : { flagged: output.length > 0, categories: output };
}
