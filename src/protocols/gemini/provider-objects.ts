import { listOf } from '../canonical/json-members.ts';
import type { NamedObject } from '../canonical/protocol.ts';
import { pathOf, visitObjects } from '../canonical/request/visit-objects.ts';
import { camelCase, freeMembers } from './decode-request/camel-case.ts';
import { isStoredFile } from './decode-request/media-parts.ts';

/** Members of Vertex AI that name corpora, data stores, secrets and templates of the connection's own project. */
const ofProject: ReadonlySet<string> = new Set(['retrieval', 'authConfig', 'apiAuth', 'modelArmorConfig']);

/**
 * The objects at the provider that a request names: files, a cached content and file search stores. A request that is no chat
 * can name them, too. Each spelling of a member is read. Sources: ai.google.dev/api/files,
 * /caching and /file-search; docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1beta1/Tool.
 */
export function namedObjects(body: unknown): NamedObject[] {
  const found: NamedObject[] = [];
  visitObjects(body, freeMembers, (object, path) => {
    for (const [name, value] of Object.entries(object)) addNamed({ name, value, path: pathOf(path, name) }, found);
  });
  return found;
}

interface Member {
  readonly name: string;
  readonly value: unknown;
  readonly path: string;
}

function addNamed({ name, value, path }: Member, found: NamedObject[]): void {
  const camel = camelCase(name);
  if (camel === 'fileSearchStoreNames') {
    for (const [index, id] of listOf(value).entries())
      if (typeof id === 'string') found.push({ path: `${path}[${index}]`, id });
    return;
  }
  if (ofProject.has(camel)) found.push({ path, id: '' });
  if (typeof value !== 'string' || value === '') return;
  if ((camel === 'fileUri' && isStoredFile(value)) || camel === 'cachedContent') found.push({ path, id: value });
}
