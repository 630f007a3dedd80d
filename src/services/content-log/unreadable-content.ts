import type { ReadContent } from './logged-contents.service.ts';

type UnreadableState = Exclude<ReadContent['state'], 'stored'>;

/** Why the content of a request cannot be read, and what to do. */
export const whyUnreadable: Readonly<Record<UnreadableState, string>> = {
  none: 'The content of this request was not logged. Turn on content logging for later requests.',
  pending: 'The content of this request is being stored. Try again in a few seconds.',
  lost: 'The content of this request was lost: the server was killed before it was stored, or its disk could not be written.',
  dropped: 'The content of this request was not stored, because the store was too slow or failed.',
  deleted: 'The content of this request was deleted.',
  expired: 'The content of this request expired.',
  unreadable: 'The content of this request cannot be decrypted, or its file is missing.',
};
