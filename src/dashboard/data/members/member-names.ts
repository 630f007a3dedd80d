import { useEffect, useState } from 'react';
import { MemberNamesDocument } from '../../generated/graphql.ts';
import { usePermissions } from '../../shell/permissions.ts';
import { useFetchQuery } from '../graphql/hooks.ts';
import { memberNameOf, unknownNames, type MemberNames } from './member-name.ts';

/** The number of users that the server finds at once. */
const MAX_USERS = 100;

interface Loaded {
  readonly ids: ReadonlySet<string>;
  readonly names: MemberNames;
}

/** The names of members; null while loading. */
export function useMemberNames(ids: readonly string[]): MemberNames | null {
  const isAllowed = usePermissions().can('members.read');
  const fetchNames = useFetchQuery(MemberNamesDocument);
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const key = isAllowed ? ids.toSorted().join(' ') : '';
  useEffect(() => {
    if (key === '') return;
    const users = key.split(' ');
    let isCurrent = true;
    const show = (names: MemberNames): void => {
      if (isCurrent) setLoaded({ ids: new Set(users), names });
    };
    Promise.all(chunksOf(users, MAX_USERS).map((chunk) => fetchNames({ users: chunk }))).then(
      (results) => show(namesOf(results.flatMap(({ account }) => account.members.nodes.map(({ user }) => user)))),
      () => show(unknownNames),
    );
    return () => {
      isCurrent = false;
    };
  }, [key, fetchNames]);
  if (key === '') return unknownNames;
  return loaded !== null && ids.every((id) => loaded.ids.has(id)) ? loaded.names : null;
}

/** The name of the member that a filter is for. */
export function filteredMemberText(names: MemberNames | null, id: string): string {
  return names === null || (!names.isComplete && !names.names.has(id))
    ? 'Member'
    : `Member: ${memberNameOf(names, id)}`;
}

function namesOf(
  users: readonly { readonly id: string; readonly name: string; readonly email: string }[],
): MemberNames {
  return { names: new Map(users.map(({ id, name, email }) => [id, { name: name || email, email }])), isComplete: true };
}

function chunksOf<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
    all.slice(index * size, (index + 1) * size),
  );
}
