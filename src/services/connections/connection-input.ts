import { z } from 'zod';
import { SluiceError } from '../../errors/index.ts';

const MAX_OPTIONS = 20;
const MAX_RETENTION_DAYS = 36_500;
const MAX_OPTION_LENGTH = 1_000;
/** A service account's key file is a secret option: JSON, with line breaks. */
const MAX_SECRET_LENGTH = 20_000;
const HINT_FROM = 16;
const HINT_LENGTH = 4;

/** Options with such names are secret, regardless of their declaration. */
const SECRET_NAME = /secret|token|password|passphrase|credential|private|api_?key|access_?key|service_?account/i;

const label = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters');
const apiKey = z
  .string()
  .trim()
  .min(1)
  .max(4_096)
  .regex(/^[\x21-\x7e]+$/, 'must contain only printable ASCII characters');
const optionName = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,63}$/, 'must consist of lower-case letters, digits and underscores');

function optionList(maxLength: number) {
  const value = z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !text.includes('\0'), 'must not contain NUL characters');
  return z.array(z.object({ name: optionName, value })).max(MAX_OPTIONS);
}

/** What an account states of its connection. Absent members are unchanged; null removes a statement. */
export const connectionTermsSchema = z.object({
  region: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must consist of lower-case letters, digits and dashes')
    .nullish(),
  trainsOnData: z.boolean().nullish(),
  retentionDays: z.int().min(0).max(MAX_RETENTION_DAYS).nullish(),
});

const shape = {
  name: label.nullish(),
  apiKey: apiKey.nullish(),
  baseUrl: z.string().trim().nullish(),
  options: optionList(MAX_OPTION_LENGTH).nullish(),
  secretOptions: optionList(MAX_SECRET_LENGTH).nullish(),
  ...connectionTermsSchema.shape,
};

export const newConnectionSchema = z.object({
  ...shape,
  provider: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must consist of lower-case letters, digits and dashes'),
  /** Whether the connection is tested first. */
  test: z.boolean().nullish(),
  /** Whether it is saved as inactive if the test fails. */
  saveAnyway: z.boolean().nullish(),
});
/** Absent members are unchanged; null removes a setting. */
export const connectionChangeSchema = z.object({
  ...shape,
  test: z.boolean().nullish(),
  active: z.boolean().optional(),
});

export type NewConnection = z.input<typeof newConnectionSchema>;
export type ConnectionChange = z.input<typeof connectionChangeSchema>;
export type ConnectionTermsInput = z.input<typeof connectionTermsSchema>;
export type OptionList = readonly { readonly name: string; readonly value: string }[];

/** The encrypted part of a connection. */
export interface Credentials {
  readonly apiKey: string | null;
  readonly options: Readonly<Record<string, string>>;
}

export const noCredentials: Credentials = { apiKey: null, options: {} };

const credentialsSchema = z.object({ apiKey: z.string().nullable(), options: z.record(z.string(), z.string()) });

/** @throws if the text is not serialized credentials */
export function readCredentials(text: string): Credentials {
  return credentialsSchema.parse(JSON.parse(text));
}

/**
 * Options that may be shown.
 * @throws SluiceError bad_user_input if the name of one indicates a secret
 */
export function plainOptions(options: OptionList): Record<string, string> {
  const secret = options.find(({ name }) => SECRET_NAME.test(name));
  if (secret)
    throw badInput('options', `${secret.name} is a secret: set it in secretOptions, whose values are never shown`);
  return toRecord(options);
}

export function toRecord(options: OptionList): Record<string, string> {
  return Object.fromEntries(options.map(({ name, value }) => [name, value]));
}

/** The visible end of an API key; nothing of a short one. */
export function hintOf(key: string | null): string | null {
  if (key === null) return null;
  return key.length < HINT_FROM ? '…' : `…${key.slice(-HINT_LENGTH)}`;
}

/**
 * A base URL in its stored form, without parts that provider paths cannot be appended to. @throws SluiceError bad_user_input
 */
export function baseUrlText(url: URL): string {
  if (url.search !== '' || url.hash !== '') throw badInput('baseUrl', 'must not contain a query (?) or a fragment (#)');
  return url.origin + url.pathname.replace(/\/+$/, '');
}

export function badInput(param: string, reason: string): SluiceError {
  return new SluiceError('bad_user_input', { param, values: { reason: `${param}: ${reason}` } });
}
