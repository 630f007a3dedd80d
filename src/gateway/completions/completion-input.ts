import { createHash } from 'node:crypto';
import type { RemoteFeeds } from '../../live/feeds/remote-feeds.ts';
import type { ChatDependencies } from '../capabilities/chat/open-chat.ts';
import type { ClientResponse } from '../client-response.ts';
import type { KeyRecord } from '../keys/key-directory.ts';
import type { RequestName } from './completion-registry.ts';

/** Discards the bytes: the updates contain the response. */
export const discardingResponse: ClientResponse = {
  head: () => undefined,
  write: () => true,
  end: () => undefined,
  fail: () => undefined,
  abort: () => undefined,
};

export interface CompletionsDependencies extends ChatDependencies {
  /** Null or absent where no other worker runs completions. */
  readonly feeds?: RemoteFeeds | null;
}

export interface CompletionInput {
  readonly key: KeyRecord;
  /** The client's id: repeating it resumes the completion and never runs it twice. */
  readonly clientRequestId: string;
  /** OpenAI's chat request. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly after: string | null;
}

export function nameOf({ key, clientRequestId }: Pick<CompletionInput, 'key' | 'clientRequestId'>): RequestName {
  return { accountId: key.accountId, keyId: key.id, clientRequestId };
}

export function fingerprintOf(input: CompletionInput): string {
  return createHash('sha256').update(JSON.stringify(input.body)).digest('base64');
}
