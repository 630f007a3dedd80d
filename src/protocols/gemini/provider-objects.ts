import type { NamedObject } from '../canonical/protocol.ts';
import { objectsNamedIn, type ObjectRules } from '../canonical/request/named-objects.ts';
import { camelCase, freeMembers } from './decode-request/camel-case.ts';
import { isStoredFile } from './decode-request/media-parts.ts';

/** Members of Vertex AI that name corpora, data stores, secrets and templates of the connection's own project. */
const ofProject: ReadonlySet<string> = new Set(['retrieval', 'authConfig', 'apiAuth', 'modelArmorConfig']);

/**
 * Names of Google's objects, which are checked in members that are not known, too; a model that everyone may use is none. Sources:
 * ai.google.dev/api/all-methods; docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest.
 */
const form =
  /^(?:(?:files|cachedContents|fileSearchStores|corpora|ragStores|tunedModels|batches|operations)\/[^\s/]|projects\/[^\s/]+\/(?!locations\/[^\s/]+\/publishers\/)\S|gs:\/\/|https?:\/\/[\w.-]*googleapis\.com\/v1\w*\/(?!models\/))/;
/** Members whose text is the client's or the model's own. */
const freeTexts: ReadonlySet<string> = new Set([
  'text',
  'data',
  'thoughtSignature',
  'description',
  'title',
  'displayName',
  'code',
  'output',
  'stopSequences',
  'enum',
  'required',
  'fileUri',
]);

/** Members that name one whatever its name looks like, in both spellings that Google accepts, and those with names of the client's own. */
export const objectRules: ObjectRules = {
  naming: new Set([
    'cachedContent',
    'cached_content',
    'fileUri',
    'file_uri',
    'fileSearchStoreNames',
    'file_search_store_names',
  ]),
  namingObjects: new Set<string>(),
  form,
  freeTexts,
  free: freeMembers,
  ofProject,
  nameOf: camelCase,
  isExempt: (_object, name, value) => name === 'fileUri' && !isStoredFile(value),
  identified: new Set([
    'functionCall',
    'functionResponse',
    'toolCall',
    'toolResponse',
    'executableCode',
    'codeExecutionResult',
  ]),
  texts: new Set([
    'role',
    'name',
    'model',
    'mode',
    'mimeType',
    'taskType',
    'language',
    'languageCode',
    'voiceName',
    'speaker',
    'serviceTier',
    'thinkingLevel',
    'responseMimeType',
    'allowedFunctionNames',
    'excludeDomains',
    'url',
    'apiKey',
    'metadataFilter',
  ]),
  ownNames: new Set(['labels', 'headers']),
};

/**
 * The objects at the provider that a request names: files, a cached content, file search stores, and whatever has a name of
 * Google's form. A request that is no chat can name them, too. Each spelling of a member is read. Sources:
 * ai.google.dev/api/files, /caching and /file-search; docs.cloud.google.com/vertex-ai/generative-ai/docs/reference/rest/v1beta1/Tool.
 */
export function namedObjects(body: unknown): NamedObject[] {
  return objectsNamedIn(body, objectRules);
}
