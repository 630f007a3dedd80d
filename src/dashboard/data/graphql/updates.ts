import type { OptimisticMutationConfig, UpdateResolver, UpdatesConfig } from '@urql/exchange-graphcache';
import type {
  ChangeRoleMutationVariables,
  RenameComparisonMutationVariables,
  VoteComparisonMutationVariables,
  WithdrawVoteMutationVariables,
} from '../../generated/graphql.ts';

/** Invalidates the viewer and their accounts. */
const viewerChanged: UpdateResolver = (_result, _input, cache, { optimistic }) =>
  optimistic ? undefined : cache.invalidate('Query', 'viewer');

/** Cache updates that do not follow from a mutation's result. */
export const updates: UpdatesConfig = {
  Mutation: {
    updateAccount: viewerChanged,
    createAccount: viewerChanged,
    deleteAccount: viewerChanged,
    cancelAccountDeletion: viewerChanged,
    transferOwnership: viewerChanged,
    changeRole: viewerChanged,
    deleteDatasetRun: (_result, { id }, cache) =>
      typeof id === 'string' ? cache.invalidate({ __typename: 'DatasetRun', id }) : undefined,
  },
};

/** Expected results, shown until the response arrives and rolled back on failure. */
export const optimistic: OptimisticMutationConfig = {
  changeRole: ({ input: { memberId, role } }: ChangeRoleMutationVariables) => ({
    __typename: 'Member',
    id: memberId,
    role,
  }),
  renameComparison: ({ id, name }: RenameComparisonMutationVariables) => ({
    __typename: 'Comparison',
    id,
    name: name ?? null,
  }),
  voteComparison: ({ id, winner }: VoteComparisonMutationVariables) => ({
    __typename: 'Comparison',
    id,
    hasVoted: true,
    votedFor: winner ?? null,
  }),
  withdrawComparisonVote: ({ id }: WithdrawVoteMutationVariables) => ({
    __typename: 'Comparison',
    id,
    hasVoted: false,
    votedFor: null,
  }),
};
