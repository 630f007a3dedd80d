import { memberNameOf, type MemberNames } from '../../data/members/member-name.ts';
import { words } from '../../design/format.ts';
import type { AnalyticsDimensionsFragment } from '../../generated/graphql.ts';
import type { AnalyticsFilters, Dimension } from './search.ts';

/** Last characters of a user ID, which distinguish members whose names are not known. All IDs have the same first ones. */
const ID_LENGTH = 8;

/** Identifies a group, also of another period. */
export function groupId({
  model,
  provider,
  capability,
  tag,
  endUser,
  member,
  apiKey,
}: AnalyticsDimensionsFragment): string {
  return JSON.stringify([model, provider, capability, tag?.name, tag?.value, endUser, member, apiKey?.id]);
}

/** Unique names of groups: keys with the same name are distinguished by their hints, members by their e-mail addresses. */
export function groupNames(
  groups: readonly AnalyticsDimensionsFragment[],
  by: Dimension,
  members: MemberNames,
): (group: AnalyticsDimensionsFragment) => string {
  if (by === 'member') return memberNames(groups, members);
  if (by !== 'key') return (group) => nameOf(group, by);
  const ids = Map.groupBy(groups, ({ apiKey }) => apiKey?.name ?? '');
  const isShared = (name: string): boolean => new Set(ids.get(name)?.map(({ apiKey }) => apiKey?.id)).size > 1;
  return ({ apiKey }) => {
    if (!apiKey) return 'Dashboard';
    return isShared(apiKey.name) ? `${apiKey.name} (${apiKey.hint})` : apiKey.name;
  };
}

function memberNames(
  groups: readonly AnalyticsDimensionsFragment[],
  members: MemberNames,
): (group: AnalyticsDimensionsFragment) => string {
  const ids = [...new Set(groups.flatMap(({ member }) => member ?? []))];
  const named = (id: string): string => memberNameOf(members, id);
  const sharing = Map.groupBy(ids, named);
  return ({ member }) => {
    if (member == null) return 'No owner';
    const name = named(member);
    if ((sharing.get(name)?.length ?? 0) < 2) return name;
    return `${name} (${members.names.get(member)?.email ?? member.slice(-ID_LENGTH)})`;
  };
}

function nameOf(group: AnalyticsDimensionsFragment, by: Dimension): string {
  switch (by) {
    case 'provider':
      return group.provider || 'No provider';
    case 'capability':
      return words(group.capability ?? '');
    case 'tag':
      return group.tag ? `${group.tag.name}=${group.tag.value}` : 'No tag';
    case 'user':
      return group.endUser ?? 'No end user';
    default:
      return group.model || 'Unknown model';
  }
}

/** The filter of the requests of a group; null if there is none. */
export function groupFilter(group: AnalyticsDimensionsFragment, by: Dimension): AnalyticsFilters | null {
  const value = {
    model: group.model,
    provider: group.provider,
    capability: group.capability,
    tag: group.tag && `${group.tag.name}=${group.tag.value}`,
    user: group.endUser,
    member: group.member,
    key: group.apiKey?.id,
  }[by];
  return value ? { [by === 'user' ? 'endUser' : by]: value } : null;
}
