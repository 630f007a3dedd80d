import type { ImagesDialect } from './images.ts';

/** Formats that a provider does not support. */
export function unsupportedFormats(...supported: readonly string[]): NonNullable<ImagesDialect['unsupportedParams']> {
  return ({ output_format: format }) => (format == null || supported.includes(format) ? [] : ['output_format']);
}

/** A member, if it has a value. */
export function memberIfSet(name: string, value: unknown): Record<string, string | number | boolean> {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? { [name]: value } : {};
}
