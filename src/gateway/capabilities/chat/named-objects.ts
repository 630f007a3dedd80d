import { isObject, objectsOf, type JsonObject } from '../../../protocols/canonical/json-members.ts';
import type { NamedObject } from '../../../protocols/canonical/protocol.ts';
import { isStoredFile } from '../../../protocols/gemini/decode-request/media-parts.ts';
import { namedObjects as chatObjects } from '../../../protocols/chat-completions/provider-objects.ts';
import { googleNames } from '../../../protocols/gemini/encode-request/google-members.ts';
import { namedObjects as googleObjects } from '../../../protocols/gemini/provider-objects.ts';
import type { ChatRequest } from '../../../protocols/chat-completions/decode-request/schema.ts';

const ADDRESS = /^\s*[a-z][a-z0-9+.-]*:/i;

/**
 * The objects at the provider that a chat names: uploaded files, earlier audio, objects of a provider's storage, and what Google's own
 * members name. Texts are not searched.
 */
export function namedObjects(request: ChatRequest): NamedObject[] {
  const found = chatObjects(request);
  for (const [index, { content }] of request.messages.entries()) {
    if (!Array.isArray(content)) continue;
    for (const [at, part] of objectsOf(content).entries())
      if (part.type !== 'text') addOfPart(part, `messages[${index}].content[${at}]`, found);
  }
  for (const name of googleNames) {
    const value = request[name];
    if (value !== undefined && value !== null) found.push(...googleObjects({ [name]: value }));
  }
  return found;
}

function addOfPart({ file, image_url: image }: JsonObject, path: string, found: NamedObject[]): void {
  if (isObject(file)) {
    const { file_data: data } = file;
    if (isStored(data)) found.push({ path: `${path}.file.file_data`, id: data });
  }
  if (isObject(image) && isStored(image.url)) found.push({ path: `${path}.image_url.url`, id: image.url });
}

/** Data without an address is the file itself. */
function isStored(value: unknown): value is string {
  return typeof value === 'string' && ADDRESS.test(value.slice(0, 64)) && isStoredFile(value.trim());
}
