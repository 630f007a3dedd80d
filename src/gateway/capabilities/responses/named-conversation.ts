import { hasString } from '../../../providers/shared/json/strings/long-strings.ts';
import { SluiceError } from '../../../errors/index.ts';
import { isObject } from '../../../protocols/canonical/json-members.ts';
import { withMembers } from '../../../providers/shared/http/request-body.ts';
import type { RequestInput } from '../../request-input.ts';
import { tryParse } from '../../json-text.ts';

/** A request that continues a conversation which is kept here. */
export interface NamedConversation {
  readonly id: string;
  /** The request without it. */
  readonly body: RequestInput;
}

/**
 * @param isOwn whether an id is one of a conversation here: others are the provider's
 * @returns null for a request that names none here
 * @throws SluiceError invalid_value
 */
export function namedConversation(body: RequestInput, isOwn: (id: string) => boolean): NamedConversation | null {
  // Most bodies name none: they are parsed once, later.
  if (!Buffer.isBuffer(body) || !hasString(body, '"conversation"')) return null;
  const value = tryParse(body.toString());
  if (!isObject(value)) return null;
  const { conversation, previous_response_id: previous, background } = value;
  const id = isObject(conversation) ? conversation.id : conversation;
  if (typeof id !== 'string' || !isOwn(id)) return null;
  if (typeof previous === 'string') throw invalid('previous_response_id');
  if (background === true) throw invalid('background');
  return { id, body: withMembers(body, { conversation: null }) };
}

function invalid(param: string): SluiceError {
  return new SluiceError('invalid_value', {
    param,
    values: { reason: 'it cannot be combined with `conversation`.' },
  });
}
