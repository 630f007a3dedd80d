/** A part of a form as a provider received it. */
export interface ReceivedPart {
  readonly name: string;
  readonly filename: string | null;
  readonly contentType: string | null;
  readonly bytes: Buffer;
}

/** Takes a form apart, to the byte. */
export function readParts(contentType: string | undefined, body: Buffer): ReceivedPart[] {
  const boundary = /boundary=([^;]+)/.exec(contentType ?? '')?.[1];
  if (boundary === undefined) throw new Error(`no form: ${contentType}`);
  const latin1 = body.toString('latin1');
  if (!latin1.endsWith(`--${boundary}--\r\n`)) throw new Error('the form has no end');
  return latin1
    .split(`--${boundary}\r\n`)
    .slice(1)
    .map((part) => {
      const end = part.indexOf('\r\n\r\n');
      const head = part.slice(0, end);
      const content = part.slice(end + 4).replace(new RegExp(`\\r\\n(--${boundary}--\\r\\n)?$`), '');
      return {
        name: / name="([^"]*)"/.exec(head)?.[1] ?? '',
        filename: /filename="([^"]*)"/.exec(head)?.[1] ?? null,
        contentType: /content-type: (.*)/i.exec(head)?.[1] ?? null,
        bytes: Buffer.from(content, 'latin1'),
      };
    });
}

/** Its texts, by their names, in the order in which they came. */
export function readTexts(contentType: string | undefined, body: Buffer): [string, string][] {
  return readParts(contentType, body)
    .filter(({ filename }) => filename === null)
    .map(({ name, bytes }) => [name, bytes.toString()]);
}
