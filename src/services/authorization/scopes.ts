import type { Scope } from '../../gateway/keys/key-directory.ts';

export const scopes = ['inference', 'read', 'manage'] as const satisfies readonly Scope[];

export function isScope(text: string): text is Scope {
  return scopes.some((scope) => scope === text);
}
