import { expect, it } from 'vitest';
import { buildUser } from '../../../src/services/accounts/build-account.ts';
import { SessionsService } from '../../../src/services/sessions/sessions.service.ts';
import { watchEndedSessions } from '../../../src/services/sessions/watch-ended-sessions.ts';
import { describeOnEachDatabase } from '../../harness/databases.ts';

describeOnEachDatabase('sessions that another process revoked', (databases) => {
  it('are closed in this process too', async () => {
    const database = await databases.open();
    const [here, there] = [new SessionsService(database), new SessionsService(database)];
    const em = database.em();
    const { user } = buildUser(em, { email: 'p@example.com', name: 'P', passwordHash: null, plan: 'free' });
    const sessions = [1, 2, 3].map(() => there.build(em, user, { address: null, userAgent: null }));
    await em.flush();
    const [kept, ...others] = sessions;
    const told: string[] = [];
    here.onEnded((id) => told.push(id));
    const stop = watchEndedSessions(database.changes, here);
    expect(await there.revokeAll(user.id, kept?.sessionId ?? null)).toBe(2);
    await database.changes.poll();
    expect(told.toSorted()).toEqual(others.map(({ sessionId }) => sessionId).toSorted());
    expect(await here.authenticate(kept?.token ?? '')).not.toBeNull();
    expect(await here.authenticate(others[0]?.token ?? '')).toBeNull();
    stop();
  });
});
