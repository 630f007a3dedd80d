import { chatModeration } from '../chat/chat-moderation.ts';
import type { ModerationSupport } from '../moderation-support.ts';
import type { TextRequest } from './text-request.ts';

export const textModeration: ModerationSupport<TextRequest> = {
  input: (request) => chatModeration.input(request.chat),
  // A comment: the protocols have no event for it, and clients ignore comments.
  annotation: (_first, output) => Buffer.from(`: moderation ${JSON.stringify({ output })}\n\n`),
};
