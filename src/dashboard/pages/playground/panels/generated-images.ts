import { isObject } from '../../../data/json.ts';

/** The bytes, or the URL of an image on another server. */
export type GeneratedImage = Blob | string;

/** Other formats can contain scripts, which would run in this server's origin. */
const FORMATS = new Set(['png', 'jpeg', 'webp', 'gif', 'avif']);

/** @throws TypeError when the response contains none */
export async function readGeneratedImages(body: unknown): Promise<readonly GeneratedImage[]> {
  if (!isObject(body) || !Array.isArray(body.data)) throw new TypeError('no images');
  const format = typeof body.output_format === 'string' ? body.output_format : 'png';
  const images = body.data.map(async (each: unknown) => {
    if (!isObject(each)) return [];
    if (typeof each.b64_json === 'string') return [imageBlob(each.b64_json, format)];
    return typeof each.url === 'string' ? [await fetchImage(each.url)] : [];
  });
  return (await Promise.all(images)).flat();
}

/** Null when the stored value is not a list of images. */
export function readStoredImages(stored: unknown): readonly GeneratedImage[] | null {
  if (!Array.isArray(stored)) return null;
  return stored.every((each): each is GeneratedImage => each instanceof Blob || typeof each === 'string')
    ? stored
    : null;
}

function imageBlob(base64: string, format: string): Blob {
  const bytes = Uint8Array.from(atob(base64), (each) => each.codePointAt(0) ?? 0);
  return new Blob([bytes], { type: FORMATS.has(format) ? `image/${format}` : 'application/octet-stream' });
}

/** URLs of this server expire, so the image is fetched now. The page's policy allows no other origin. */
async function fetchImage(url: string): Promise<GeneratedImage> {
  const path = mediaPath(url);
  if (path === null) return url;
  const response = await fetch(path).catch(() => null);
  return response?.ok ? response.blob() : path;
}

/** The path of a URL of this server. The page may have another host name than the URL. */
function mediaPath(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { pathname, search } = new URL(url);
  return pathname.startsWith('/media/') ? pathname + search : null;
}
