import { isObject, type JsonObject } from './json-members.ts';

const MARK = 'sluice1.';

/**
 * Reasoning details of another provider as one signature: a client sends signatures back unchanged, and its provider's own
 * are part of it.
 */
export function carryDetails(details: readonly object[]): string {
  return MARK + Buffer.from(JSON.stringify(details)).toString('base64url');
}

/** The details in a signature; null for a provider's own. */
export function carriedDetails(signature: string): readonly JsonObject[] | null {
  if (!signature.startsWith(MARK)) return null;
  try {
    const details: unknown = JSON.parse(Buffer.from(signature.slice(MARK.length), 'base64url').toString());
    return Array.isArray(details) ? details.filter(isObject) : [];
  } catch {
    return [];
  }
}
