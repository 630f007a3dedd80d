import type { OptimisticMutationConfig, UpdateResolver, UpdatesConfig } from '@urql/exchange-graphcache';
import type {
  ChangeRoleMutationVariables,
  RenameComparisonMutationVariables,
  VoteComparisonMutationVariables,
  WithdrawVoteMutationVariables,
} from '../generated/graphql.ts';

/** Who one is, and in which accounts, is read anew. */
const viewerChanged: UpdateResolver = (_result, _input, cache, { optimistic }) =>
  optimistic ? undefined : cache.invalidate('Query', 'viewer');

/** What the cache cannot know from a change's own answer. */
export const updates: UpdatesConfig = {
  Mutation: {
    updateAccount: viewerChanged,
    createAccount: viewerChanged,
    deleteAccount: viewerChanged,
    cancelAccountDeletion: viewerChanged,
    transferOwnership: viewerChanged,
    changeRole: viewerChanged,
  },
};

/** What a change most likely comes to, shown until its answer is there; a refusal takes it back. */
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
