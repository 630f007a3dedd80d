export interface MemberName {
  /** The e-mail address of a member without a name. */
  readonly name: string;
  readonly email: string;
}

/** Names by user ID. */
export interface MemberNames {
  readonly names: ReadonlyMap<string, MemberName>;
  /** Whether users without a name are no longer members. If not, their names may not be read, or reading them failed. */
  readonly isComplete: boolean;
}

export const unknownNames: MemberNames = { names: new Map(), isComplete: false };

/** Claims that someone left only if that is known. */
export function memberNameOf({ names, isComplete }: MemberNames, id: string): string {
  return names.get(id)?.name ?? (isComplete ? 'Former member' : 'Member');
}
