/** What two answers must have in common to be told apart by nobody: all but what differs from call to call. */
export function shapeOf(value: unknown, sent: string): unknown {
  if (Array.isArray(value)) return value.map((each) => shapeOf(each, sent));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .filter(([name]) => !/Ms$|[aA]t$|^created|^expires|[cC]ursor$/.test(name))
        .map(([name, each]) => [name, shapeOf(each, sent)]),
    );
  if (typeof value !== 'string') return value;
  // An id may begin like the one that was sent, since both begin with the time.
  if (/^[\w-]{16,}$/.test(value) && !value.includes(sent) && !sent.startsWith(value)) return '<another each time>';
  const text = withoutEcho(value, sent);
  // Ids, secrets, cursors and times are others each time.
  return /^[\w-]{16,}$|^\d{4}-\d\d-\d\dT/.test(text) ? '<another each time>' : text;
}

/** An answer may repeat what it was sent, or its beginning. */
function withoutEcho(text: string, sent: string): string {
  for (let length = sent.length; length >= 12; length--)
    if (text.includes(sent.slice(0, length))) return text.replaceAll(sent.slice(0, length), '<sent>');
  return text;
}

/** Each value at a name that is an id's. */
export function idsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(idsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) =>
    typeof each === 'string' && /(^id|Id|_id|[cC]ursor|^member)$/.test(name) ? [each] : idsIn(each),
  );
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** The kind of thing that an id names: what of it is the same for all of a kind. */
export function kindOf(id: string): string {
  const text = Buffer.from(id, 'base64url').toString();
  // Of the hundreds of models one is like the other.
  if (text.startsWith('["') && text.includes('/')) return '["a model';
  if (/^\w+:|^\["/.test(text)) return text.replace(UUID, '').replace(/\d[\d:.TZ-]*/g, '');
  return id.includes('/') ? 'a model' : id.replace(/[0-9a-f]{6,}/g, '');
}

/** An id of the same form that names nothing. */
export function strangerTo(id: string, uuid: string): string {
  const text = Buffer.from(id, 'base64url').toString();
  if (/^\w+:/.test(text)) {
    const other = text.replace(UUID, uuid);
    return Buffer.from(other === text ? `${text}-none` : other).toString('base64url');
  }
  // A cursor's time stays, so that it is the same place in a list.
  if (text.startsWith('["')) return Buffer.from(text.replace(UUID, uuid)).toString('base64url');
  const hex = uuid.replaceAll('-', '');
  const other = id.replace(UUID, uuid).replace(/[0-9a-f]{32}/, hex);
  return other === id ? `${id}-none` : other;
}
