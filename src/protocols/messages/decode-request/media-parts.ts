import { listOf, membersOf, objectsOf, textIn, type JsonObject } from '../../canonical/json-members.ts';

/** A part of a chat message, or a file that the provider holds. */
export type MediaPart =
  | { readonly type: 'part'; readonly part: JsonObject }
  | { readonly type: 'uploaded'; readonly id: string };

/** Null for a source of another kind. Source: platform.claude.com/docs/en/build-with-claude/vision. */
export function imagePart(block: JsonObject): MediaPart | null {
  const source = membersOf(block.source);
  if (source.type === 'file') return { type: 'uploaded', id: textIn(source, 'file_id') };
  const url = urlOf(source);
  return url === null ? null : { type: 'part', part: { type: 'image_url', image_url: { url } } };
}

/** Null for a source of another kind. Source: platform.claude.com/docs/en/build-with-claude/pdf-support. */
export function documentPart(block: JsonObject): MediaPart | null {
  const source = membersOf(block.source);
  const title = textIn(block, 'title');
  if (source.type === 'file') return { type: 'uploaded', id: textIn(source, 'file_id') };
  if (source.type === 'text' || source.type === 'content') {
    const text = [title, textIn(block, 'context'), textOfSource(source)].filter((each) => each !== '').join('\n\n');
    return { type: 'part', part: { type: 'text', text } };
  }
  const url = urlOf(source);
  if (url === null) return null;
  return {
    type: 'part',
    part: { type: 'file', file: { file_data: url, filename: title === '' ? 'document.pdf' : title } },
  };
}

function textOfSource(source: JsonObject): string {
  if (source.type === 'text') return textIn(source, 'data');
  if (typeof source.content === 'string') return source.content;
  return objectsOf(listOf(source.content))
    .map((part) => textIn(part, 'text'))
    .join('\n');
}

function urlOf(source: JsonObject): string | null {
  if (source.type === 'url') return textIn(source, 'url');
  const type = textIn(source, 'media_type');
  return source.type === 'base64' && type !== '' ? `data:${type};base64,${textIn(source, 'data')}` : null;
}
