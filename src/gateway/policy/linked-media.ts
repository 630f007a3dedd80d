import { isObject, textIn, textOf } from '../../protocols/canonical/json-members.ts';
import { isStoredFile } from '../../protocols/gemini/decode-request/media-parts.ts';
import type { MediaKind } from '../../providers/contract.ts';

type Members = Record<string, unknown>;

/** A part of a message whose content is at a URL. */
export interface LinkedMedia {
  readonly kind: MediaKind;
  readonly url: string;
  /** As `messages[0].content[1].image_url.url`. */
  readonly path: string;
  /** Replaces the URL in the form that the protocol has for content. @param content a base64 data: URL */
  replace(content: string): void;
}

/** URLs fetched per request. */
export const MAX_FETCHED = 32;
const WEB_URL = /^\s*https?:/i;
/** Deeper than any part of a message. */
const MAX_DEPTH = 12;
const FILE_NAME = /^[\w.()-]{1,100}\.[a-z0-9]{1,5}$/i;
/** Members with free content: the arguments of calls, schemas, labels. */
const freeNames: ReadonlySet<string> = new Set([
  'args',
  'arguments',
  'input_schema',
  'metadata',
  'parameters',
  'response',
  'schema',
]);
/** Names for files whose URL has none: providers tell types by the extension. */
const extensions: Readonly<Record<string, string>> = {
  'text/plain': 'txt',
  'text/markdown': 'md',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
};

/**
 * The media by URL in the messages of a request, in every protocol: of each kind as many as can be fetched, and one more, since a
 * request with more of a kind that has to be fetched is refused. Sources: OpenAI's API document
 * (ChatCompletionRequestMessageContentPartImage, InputImageContent, InputFileContent); platform.claude.com/docs/en/api/messages
 * (URLImageSource, URLPDFSource); ai.google.dev/api/caching (FileData); openrouter.ai/docs/features/multimodal/pdfs (`file_data`).
 */
export function linkedMedia(value: unknown): LinkedMedia[] {
  const search = new MediaSearch();
  search.visit(value, '', 0);
  return search.found;
}

/** The paths of media by their URL, in order; of those which `linkedMedia` finds. */
export function linkedPaths(value: unknown): Map<string, readonly string[]> {
  const paths = new Map<string, string[]>();
  for (const { url, path } of linkedMedia(value)) {
    const known = paths.get(url);
    if (known === undefined) paths.set(url, [path]);
    else known.push(path);
  }
  return paths;
}

class MediaSearch {
  readonly found: LinkedMedia[] = [];
  /** How many more of each kind are looked for. */
  readonly #left: Record<MediaKind, number> = { image: MAX_FETCHED + 1, document: MAX_FETCHED + 1 };

  visit(value: unknown, path: string, depth: number): void {
    if (depth > MAX_DEPTH) return;
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries())
        if (typeof item === 'object') this.visit(item, `${path}[${index}]`, depth + 1);
      return;
    }
    if (!isObject(value)) return;
    const media = mediaOf(value, path);
    if (media !== null) this.#add(media);
    for (const [name, member] of Object.entries(value))
      if (typeof member === 'object' && !freeNames.has(name))
        this.visit(member, path === '' ? name : `${path}.${name}`, depth + 1);
  }

  #add(media: LinkedMedia): void {
    if (this.#left[media.kind] === 0) return;
    this.#left[media.kind]--;
    this.found.push(media);
  }
}

/** Null for an object that is no such part. */
function mediaOf(part: Members, path: string): LinkedMedia | null {
  switch (part.type) {
    case 'image_url':
    case 'input_image': {
      const image = part.image_url;
      if (!isObject(image)) return link('image', part, 'image_url', `${path}.image_url`);
      return link('image', image, 'url', `${path}.image_url.url`);
    }
    case 'file':
      return isObject(part.file) ? fileLink(part.file, 'file_data', `${path}.file`) : null;
    case 'input_file':
      return fileLink(part, 'file_url', path);
    case 'image':
    case 'document':
      return sourceLink(part.type, part, path);
    default:
      return fileDataLink(part, path);
  }
}

function link(kind: MediaKind, holder: Members, name: string, path: string): LinkedMedia | null {
  const url = webUrl(holder[name]);
  return url === null ? null : { kind, url, path, replace: (content) => void (holder[name] = content) };
}

function fileLink(file: Members, name: string, path: string): LinkedMedia | null {
  const url = webUrl(file[name]);
  if (url === null) return null;
  return {
    kind: 'document',
    url,
    path: `${path}.${name}`,
    replace(content) {
      delete file[name];
      file.file_data = content;
      file.filename ??= nameOf(url, contentOf(content).type);
    },
  };
}

/** A block of the Messages API. */
function sourceLink(kind: MediaKind, block: Members, path: string): LinkedMedia | null {
  const { source } = block;
  const url = isObject(source) && source.type === 'url' ? webUrl(source.url) : null;
  if (url === null) return null;
  return {
    kind,
    url,
    path: `${path}.source.url`,
    replace(content) {
      const { type, data } = contentOf(content);
      block.source =
        kind === 'document' && type.startsWith('text/')
          ? { type: 'text', media_type: 'text/plain', data: Buffer.from(data, 'base64').toString() }
          : { type: 'base64', media_type: type, data };
    },
  };
}

/** A part of Google's. */
function fileDataLink(part: Members, path: string): LinkedMedia | null {
  const name = isObject(part.fileData) ? 'fileData' : 'file_data';
  const file = part[name];
  if (!isObject(file)) return null;
  const uriName = typeof file.fileUri === 'string' ? 'fileUri' : 'file_uri';
  const url = webUrl(file[uriName]);
  if (url === null) return null;
  const declared = textOf(file.mimeType) ?? textIn(file, 'mime_type');
  return {
    kind: declared.startsWith('image/') ? 'image' : 'document',
    url,
    path: `${path}.${name}.${uriName}`,
    replace(content) {
      const { type: mimeType, data } = contentOf(content);
      delete part[name];
      part.inlineData = { mimeType, data };
    },
  };
}

/** Null for what is stored at Google too: only Google can read it, for the account that stored it. */
function webUrl(value: unknown): string | null {
  return typeof value === 'string' && WEB_URL.test(value) && !isStoredFile(value.trim()) ? value : null;
}

function contentOf(content: string): { readonly type: string; readonly data: string } {
  const comma = content.indexOf(',');
  return { type: content.slice('data:'.length, content.indexOf(';')), data: content.slice(comma + 1) };
}

function nameOf(url: string, type: string): string {
  const last = URL.parse(url.trim())?.pathname.split('/').at(-1) ?? '';
  if (FILE_NAME.test(last)) return last;
  return `document.${extensions[type] ?? type.split('/')[1] ?? 'pdf'}`;
}
