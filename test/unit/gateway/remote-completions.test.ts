import { beforeEach, describe, expect, it } from 'vitest';
import { RemoteCompletions } from '../../../src/gateway/completions/remote-completions.ts';
import { RemoteFeedError, type FeedPlace, type RemoteFeeds } from '../../../src/live/feeds/remote-feeds.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const name = { accountId: 'an account', keyId: 'a key', clientRequestId: 'an id' };
const resumed = { fingerprint: '', after: null };

describe('a completion of another process', () => {
  let claims: PromiseWithResolvers<FeedPlace>[];
  let released: string[];
  let remote: RemoteCompletions;
  let isUsed: boolean;
  let failure: string;

  beforeEach(() => {
    [claims, released, isUsed, failure] = [[], [], false, 'gone'];
    const feeds: RemoteFeeds = {
      serve: () => undefined,
      claim: () => {
        const claim = Promise.withResolvers<FeedPlace>();
        claims.push(claim);
        return claim.promise;
      },
      offer: () => undefined,
      release: (feed) => void released.push(feed),
      follow: () => Promise.reject(new RemoteFeedError(failure)),
      cancel: () => Promise.resolve(false),
    };
    remote = new RemoteCompletions(feeds, { read: () => null, cancel: () => false }, new FakeClock());
  });

  /** As `Completions.open`, with a request that begins where `begins`. */
  const open = (begins: boolean): Promise<unknown> =>
    remote.opening(
      name,
      () => isUsed,
      async () => {
        const elsewhere = await remote.open(name, resumed, new AbortController().signal);
        if (!begins) throw new Error('it does not begin');
        isUsed = true;
        return elsewhere;
      },
    );

  it.each([
    ['has ended', 'gone', 'request_id_spent'],
    ['does not respond', 'unresponsive', 'limits_unavailable'],
  ])('is refused where that process %s', async (_why, code, expected) => {
    failure = code;
    const opened = open(true);
    claims[0]?.resolve('elsewhere');
    await expect(opened).rejects.toMatchObject({ code: expected });
  });

  it('is released where the response to its claim was lost, since that may have been stored', async () => {
    const opened = open(true);
    claims[0]?.reject(new Error('no response'));
    await expect(opened).rejects.toMatchObject({ code: 'limits_unavailable' });
    expect(released).toHaveLength(1);
  });

  it('is released where its request does not begin, and stays claimed where it does', async () => {
    const refused = open(false);
    claims[0]?.resolve('here');
    await expect(refused).rejects.toThrow('it does not begin');
    expect(released).toHaveLength(1);
    const opened = open(true);
    claims[1]?.resolve('here');
    expect(await opened).toBeNull();
    expect(released).toHaveLength(1);
  });

  it('stays claimed for another request of the same name that runs it', async () => {
    const [first, second] = [open(true), open(true)];
    claims[0]?.reject(new Error('no response'));
    await expect(first).rejects.toMatchObject({ code: 'limits_unavailable' });
    claims[1]?.resolve('here');
    expect(await second).toBeNull();
    expect(released).toEqual([]);
  });
});
