import { listOf, membersOf, objectsOf, textIn, type JsonObject } from '../../canonical/json-members.ts';

/** Null for a source that no chat has, such as a file that the provider holds. Source: platform.claude.com/docs/en/build-with-claude/vision. */
export function imagePart(block: JsonObject): JsonObject | null {
  const source = membersOf(block.source);
  const url = urlOf(source);
  return url === null ? null : { type: 'image_url', image_url: { url } };
}

/** As `imagePart`. Source: platform.claude.com/docs/en/build-with-claude/pdf-support. */
export function documentPart(block: JsonObject): JsonObject | null {
  const source = membersOf(block.source);
  const title = textIn(block, 'title');
  if (source.type === 'text' || source.type === 'content') {
    const text = [title, textIn(block, 'context'), textOfSource(source)].filter((each) => each !== '').join('\n\n');
    return { type: 'text', text };
  }
  const url = urlOf(source);
  if (url === null) return null;
  return { type: 'file', file: { file_data: url, filename: title === '' ? 'document.pdf' : title } };
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
