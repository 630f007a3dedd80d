/** A file's public id: `file-` and the 32 hex digits of the UUID. */
export function publicFileId(id: string): string {
  return publicId('file-', id);
}

export function publicUploadId(id: string): string {
  return publicId('upload_', id);
}

export function publicPartId(id: string): string {
  return publicId('part_', id);
}

/** Null if the text is not the id of a file here. */
export function readFileId(given: string): string | null {
  return readId('file-', given);
}

export function readUploadId(given: string): string | null {
  return readId('upload_', given);
}

export function readPartId(given: string): string | null {
  return readId('part_', given);
}

function publicId(prefix: string, id: string): string {
  return `${prefix}${id.replaceAll('-', '')}`;
}

function readId(prefix: string, given: string): string | null {
  if (!given.startsWith(prefix)) return null;
  const digits = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;
  return digits.exec(given.slice(prefix.length))?.slice(1).join('-') ?? null;
}
