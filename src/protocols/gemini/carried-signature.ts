import { carriedDetails, carryDetails } from '../canonical/carried-reasoning.ts';
import type { JsonObject } from '../canonical/json-members.ts';

/** Reasoning details of other providers as a `thoughtSignature`, which is bytes in base64. */
export function carriedSignature(details: readonly object[]): string {
  return Buffer.from(carryDetails(details)).toString('base64');
}

/** The details in a signature; null for Google's own. */
export function detailsOfSignature(signature: string): readonly JsonObject[] | null {
  return carriedDetails(Buffer.from(signature, 'base64').toString('latin1'));
}
