import type { UpdateResolver, UpdatesConfig } from '@urql/exchange-graphcache';

/** Who one is, and in which accounts, is read anew. */
const viewerChanged: UpdateResolver = (_result, _input, cache) => cache.invalidate('Query', 'viewer');

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
