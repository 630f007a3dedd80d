import type { NamedObject } from '../canonical/protocol.ts';
import { isObject, objectsOf, type JsonObject } from '../canonical/json-members.ts';
import { objectsNamedIn } from '../canonical/request/named-objects.ts';
import { isBareItem, untypedReferences } from './decode-request/bare-items.ts';
import { objectRules } from './decode-request/object-rules.ts';

const approval = /(?:^|\.)approval_request_id$/;

/** The objects at the provider that a request names. */
export function namedObjects(body: unknown): NamedObject[] {
  const named = objectsNamedIn(body, objectRules);
  return [...untypedReferences(body), ...named.map((object) => (approval.test(object.path) ? asItem(object) : object))];
}

/** A provider that stores no items finds the request for an approval in the input. */
function asItem(object: NamedObject): NamedObject {
  return { ...object, isItem: true };
}

/**
 * The ids of a response that its client may name later: its own, its conversation's and its items' where it is stored, and those
 * of files and containers, those that a search found included, and requests for approvals. Clients replay items that say nothing but their id also where they are not stored.
 * @param isReplayed whether a client may do so: what is kept in a conversation is sent again by Sluice, which leaves them out
 */
export function obtainedObjects(response: JsonObject, isStored = true, isReplayed = true): string[] {
  const ids = new Set<string>();
  const add = (value: unknown): void => void (typeof value === 'string' && value !== '' && ids.add(value));
  if (isStored) {
    add(response.id);
    add(isObject(response.conversation) ? response.conversation.id : response.conversation);
  }
  for (const item of objectsOf(response.output)) {
    if (isStored || (isReplayed && isBareItem(item)) || item.type === 'mcp_approval_request') add(item.id);
    add(item.container_id);
    if (isObject(item.environment)) add(item.environment.container_id);
    if (item.type === 'file_search_call') for (const result of objectsOf(item.results)) add(result.file_id);
    for (const part of objectsOf(item.content))
      for (const annotation of objectsOf(part.annotations)) {
        add(annotation.file_id);
        add(annotation.container_id);
      }
  }
  return [...ids];
}
