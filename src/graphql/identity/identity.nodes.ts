import type { SessionsService } from '../../services/sessions/sessions.service.ts';
import type { ExternalSignIn } from '../../services/identity/external/external-sign-in.ts';
import type { ProfileService } from '../../services/identity/profile.service.ts';
import { rowsWithIds, withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toLinkedIdentity, toUserSession } from './identity.mapping.ts';

/** The viewer’s sessions and linked identities by their IDs. */
export function identityNodes(
  sessions: Pick<SessionsService, 'list'>,
  external: Pick<ExternalSignIn, 'providers'>,
  profiles: Pick<ProfileService, 'profile'>,
): NodeLoaders {
  return {
    UserSession: async (context, ids) => {
      const { userId, sessionId } = await context.requireSession();
      const rows = await sessions.list(userId);
      return rowsWithIds(ids, rows).map((row) => withTypename('UserSession', toUserSession(row, sessionId)));
    },
    LinkedIdentity: async (context, ids) => {
      const { userId } = await context.requireSession();
      const { identities } = await profiles.profile(userId);
      return rowsWithIds(ids, identities).map((row) =>
        withTypename('LinkedIdentity', toLinkedIdentity(row, external.providers)),
      );
    },
  };
}
