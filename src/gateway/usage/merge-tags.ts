import type { Tags } from '../call.ts';

/** Tags of the header and of the body's `metadata`; those of the header take precedence. Null for none. */
export function mergeTags(header: Tags | null, body: Tags | null): Tags | null {
  if (header === null && body === null) return null;
  const all = { ...body, ...header };
  return Object.keys(all).length === 0 ? null : all;
}
