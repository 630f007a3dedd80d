import { parseArgs } from 'node:util';
import { membershipRoles, type MembershipRole } from '../../database/entities/index.ts';
import type { Scope } from '../../gateway/keys/key-directory.ts';
import type { KeyChange } from '../../services/keys/key-input.ts';
import { isScope } from '../../services/authorization/scopes.ts';
import { isUuid } from '../../services/uuid.ts';
import { BadArguments } from '../errors/bad-arguments.ts';
import { rateOptions, readLimits } from './key-limit-arguments.ts';

export interface KeysArguments {
  readonly help: boolean;
  readonly json: boolean;
  readonly all: boolean;
  readonly account: string | undefined;
  readonly action: string | undefined;
  readonly subject: string | undefined;
  readonly more: readonly string[];
  readonly scopes: readonly Scope[] | undefined;
  /** For a key with the scope `manage`. */
  readonly role: MembershipRole | undefined;
  readonly overlapSeconds: number | undefined;
  /** Whether model names that no provider lists are saved. */
  readonly saveAnyway: boolean;
  /** The given settings. Others are unchanged. */
  readonly change: KeyChange;
}

const secondsPer = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** @throws BadArguments, and what Node's `parseArgs` throws */
export function readKeysArguments(args: readonly string[]): KeysArguments {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      help: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      all: { type: 'boolean', default: false },
      account: { type: 'string' },
      scope: { type: 'string', multiple: true },
      role: { type: 'string' },
      name: { type: 'string' },
      model: { type: 'string', multiple: true },
      alias: { type: 'string', multiple: true },
      expires: { type: 'string' },
      overlap: { type: 'string' },
      'save-anyway': { type: 'boolean', default: false },
      'model-limit': { type: 'string', multiple: true },
      'capability-limit': { type: 'string', multiple: true },
      ...rateOptions,
    },
  });
  const { help, json, all, account, overlap } = values;
  if (account !== undefined && !isUuid(account)) throw new BadArguments('--account must be a UUID.');
  const limits = readLimits(values);
  const [action, subject, ...more] = positionals;
  return {
    help,
    json,
    all,
    account,
    action,
    subject,
    more,
    scopes: values.scope && scopesOf(values.scope),
    role: values.role === undefined ? undefined : roleOf(values.role),
    saveAnyway: values['save-anyway'],
    overlapSeconds: overlap === undefined ? undefined : secondsOf(overlap),
    change: {
      ...(values.name !== undefined && { name: values.name }),
      ...(values.model && { allowedModels: values.model.includes('all') ? null : values.model }),
      ...(values.alias && { modelAliases: aliasesOf(values.alias) }),
      ...(values.expires !== undefined && { expiresAt: expiryOf(values.expires) }),
      ...(limits && { limits }),
    },
  };
}

function scopesOf(given: readonly string[]): Scope[] {
  const scopes = given.filter(isScope);
  if (scopes.length !== given.length) throw new BadArguments('--scope must be one of inference, read, manage.');
  return scopes;
}

/** `claude-*=openai/gpt-5.5`; `none` for no aliases. */
function aliasesOf(given: readonly string[]): NonNullable<KeyChange['modelAliases']> {
  if (given.includes('none')) return [];
  return given.map((text) => {
    const at = text.indexOf('=');
    if (at <= 0 || at === text.length - 1)
      throw new BadArguments('--alias must be a name or pattern and a model: claude-*=openai/gpt-5.5, or none.');
    return { name: text.slice(0, at), model: text.slice(at + 1) };
  });
}

function roleOf(given: string): MembershipRole {
  const role = membershipRoles.find((each) => each === given);
  if (role === undefined) throw new BadArguments(`--role must be one of ${membershipRoles.join(', ')}.`);
  return role;
}

/** `90s`, `30m`, `24h`, `7d`, or seconds. */
function secondsOf(text: string): number {
  const [, amount = '', unit = 's'] = /^(\d{1,8})([smhd])?$/.exec(text) ?? [];
  if (amount === '' || !isUnit(unit))
    throw new BadArguments('A duration is a number with the unit s, m, h or d: 0, 30m, 24h, 7d.');
  return Number(amount) * secondsPer[unit];
}

function isUnit(unit: string): unit is keyof typeof secondsPer {
  return Object.hasOwn(secondsPer, unit);
}

/** Null for `never`. */
function expiryOf(text: string): Date | null {
  if (text === 'never') return null;
  if (/^\d{1,8}[smhd]$/.test(text)) return new Date(Date.now() + secondsOf(text) * 1_000);
  const at = /^\d{4}-\d{2}-\d{2}(?:T.*(?:Z|[+-]\d{2}:\d{2}))?$/i.test(text) ? new Date(text) : new Date(Number.NaN);
  if (Number.isNaN(at.getTime()))
    throw new BadArguments(
      '--expires must be a date, a timestamp, a duration or never: 2027-01-01, 2027-01-01T12:00:00Z, 90d.',
    );
  return at;
}
