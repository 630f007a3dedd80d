import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import { SluiceError } from '../../errors/index.ts';
import type { UserPart } from '../../protocols/canonical/generation-request.ts';
import type { ChatDialect } from './chat-dialect.ts';

const dataUrl = /^data:([^;,]*)(;[^,]*)?,/i;
const soundTypes = { wav: 'audio/wav', mp3: 'audio/mpeg' } as const;

/** Media types by the extension of an image URL: some providers require one. */
const imageTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
};

/**
 * One part of a user message. `at` is its path in the request.
 * @throws SluiceError unsupported_value | invalid_value for content that the provider does not accept
 */
export function userPart(
  provider: string,
  dialect: ChatDialect,
  part: UserPart,
  at: string,
): LanguageModelV4TextPart | LanguageModelV4FilePart {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image_url') return imagePart(provider, dialect, part.image_url.url, `${at}.image_url.url`);
  if (part.type === 'input_audio') {
    const { data, format } = part.input_audio;
    return sent(provider, dialect, soundTypes[format], data, `${at}.input_audio`);
  }
  const { file_data: data, filename } = part.file;
  if (typeof data !== 'string')
    throw new SluiceError('unsupported_value', {
      param: `${at}.file`,
      values: { reason: `must contain the data of the file, because provider ${provider} cannot read files by ID.` },
    });
  const file = inline(provider, dialect, data, `${at}.file.file_data`);
  return typeof filename === 'string' ? { ...file, filename } : file;
}

function imagePart(provider: string, dialect: ChatDialect, url: string, at: string): LanguageModelV4FilePart {
  if (/^data:/i.test(url)) return inline(provider, dialect, url, at);
  if (!dialect.fetchesImages)
    throw new SluiceError('unsupported_value', {
      param: at,
      values: { reason: `must be a data: URL. Provider ${provider} fetches no images.` },
    });
  if (!URL.canParse(url)) throw new SluiceError('invalid_value', { param: at, values: { reason: 'it is not a URL.' } });
  const parsed = new URL(url);
  const ending = /\.(\w+)$/.exec(parsed.pathname)?.[1]?.toLowerCase() ?? '';
  const mediaType = Object.hasOwn(imageTypes, ending) ? imageTypes[ending] : undefined;
  return { type: 'file', mediaType: mediaType ?? 'image/jpeg', data: { type: 'url', url: parsed } };
}

function inline(provider: string, dialect: ChatDialect, url: string, at: string): LanguageModelV4FilePart {
  const [head, type = '', parameters = ''] = dataUrl.exec(url) ?? [];
  if (head === undefined)
    throw new SluiceError('invalid_value', { param: at, values: { reason: 'it is not a data: URL.' } });
  const mediaType = type === '' ? 'text/plain' : type.toLowerCase();
  const rest = url.slice(head.length);
  if (/;\s*base64$/i.test(parameters)) return sent(provider, dialect, mediaType, rest, at);
  try {
    return sent(provider, dialect, mediaType, Buffer.from(decodeURIComponent(rest)).toString('base64'), at);
  } catch (error) {
    if (error instanceof SluiceError) throw error;
    throw new SluiceError('invalid_value', { param: at, values: { reason: 'it is not a data: URL.' } });
  }
}

function sent(
  provider: string,
  dialect: ChatDialect,
  mediaType: string,
  base64: string,
  at: string,
): LanguageModelV4FilePart {
  if (!dialect.supportsFile(mediaType))
    throw new SluiceError('unsupported_value', {
      param: at,
      values: {
        reason: `must not have the media type ${mediaType.slice(0, 100)}, which provider ${provider} does not support.`,
      },
    });
  // Text stays text: some packages would send it as base64.
  if (mediaType.startsWith('text/'))
    return { type: 'file', mediaType, data: { type: 'text', text: Buffer.from(base64, 'base64').toString() } };
  return { type: 'file', mediaType, data: { type: 'data', data: base64 } };
}
