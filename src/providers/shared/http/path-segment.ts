import { SluiceError } from '../../../errors/index.ts';

/** Characters that a URL parser, or a server that decodes repeatedly, does not treat as text. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f]/;
/** Unencoded characters that end or change a path. */
const UNENCODED = /[?#%\\\s]/;
const DECODINGS = 3;

/**
 * Encodes text of a request as one path segment; rejects text that would change the path.
 * @throws SluiceError invalid_value
 */
export function pathSegment(text: string, param: 'model' | 'voice' = 'model'): string {
  if (changesPath(text))
    throw new SluiceError('invalid_value', {
      param,
      values: {
        reason: 'it must not be `.` or `..`, or contain control characters, because it becomes part of a URL path.',
      },
    });
  return encodeURIComponent(text);
}

/** Several segments, such as `owner/name`. @throws SluiceError invalid_value */
export function pathSegments(text: string): string {
  return text
    .split('/')
    .map((segment) => pathSegment(segment))
    .join('/');
}

/** Rejects a model name that is not safe unencoded in a path, where third-party packages insert it. @throws SluiceError model_not_found */
export function requirePathName(model: string): void {
  if (changesPath(model) || UNENCODED.test(model))
    throw new SluiceError('model_not_found', { values: { model: model.slice(0, 256) } });
}

/** Whether text has an empty or a dot segment, however often it is decoded. */
function changesPath(text: string): boolean {
  let decoded = text;
  for (let round = 0; ; round++) {
    if (CONTROL.test(decoded)) return true;
    if (decoded.split(/[/\\]/).some((segment) => segment === '' || segment === '.' || segment === '..')) return true;
    const next = decode(decoded);
    if (next === decoded || round === DECODINGS) return false;
    decoded = next;
  }
}

function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
