import { isObject } from '../../data/json.ts';

/** Its bytes; a link where they are not this server's. */
export type MadePicture = Blob | string;

/** Others could hold scripts, and a page made of these bytes would be one of this server's. */
const FORMATS = new Set(['png', 'jpeg', 'webp', 'gif', 'avif']);

/** @throws TypeError where there are none */
export async function madePicturesIn(answer: unknown): Promise<readonly MadePicture[]> {
  if (!isObject(answer) || !Array.isArray(answer.data)) throw new TypeError('no pictures');
  const format = typeof answer.output_format === 'string' ? answer.output_format : 'png';
  const pictures = answer.data.map(async (each: unknown) => {
    if (!isObject(each)) return [];
    if (typeof each.b64_json === 'string') return [pictureOf(each.b64_json, format)];
    return typeof each.url === 'string' ? [await bytesBehind(each.url)] : [];
  });
  return (await Promise.all(pictures)).flat();
}

/** Null where a browser's storage holds something else. */
export function storedPicturesIn(stored: unknown): readonly MadePicture[] | null {
  if (!Array.isArray(stored)) return null;
  return stored.every((each): each is MadePicture => each instanceof Blob || typeof each === 'string') ? stored : null;
}

function pictureOf(base64: string, format: string): Blob {
  const bytes = Uint8Array.from(atob(base64), (each) => each.codePointAt(0) ?? 0);
  return new Blob([bytes], { type: FORMATS.has(format) ? `image/${format}` : 'application/octet-stream' });
}

/** A link of this server ends one day: its picture is fetched at once. The page's policy lets it fetch nothing else. */
async function bytesBehind(url: string): Promise<MadePicture> {
  const path = ownPath(url);
  if (path === null) return url;
  const response = await fetch(path).catch(() => null);
  return response?.ok ? response.blob() : path;
}

/** A link of this server as a path: the page may be reached by another name than the link's. */
function ownPath(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return pathname.startsWith('/media/') ? pathname + search : null;
}
