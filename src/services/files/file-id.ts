const PUBLIC_ID = /^file-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** A file's public id: `file-` and the 32 hex digits of the UUID. */
export function publicFileId(id: string): string {
  return `file-${id.replaceAll('-', '')}`;
}

/** Null if the text is not the id of a file here. */
export function readFileId(publicId: string): string | null {
  return PUBLIC_ID.exec(publicId)?.slice(1).join('-') ?? null;
}
