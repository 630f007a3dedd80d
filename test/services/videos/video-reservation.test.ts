import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { Account, Video } from '../../../src/database/entities/index.ts';
import { budgetId } from '../../../src/gateway/limits/budget.ts';
import type { Budget } from '../../../src/gateway/keys/spend-bound.ts';
import { MemoryLimitStore } from '../../../src/gateway/limits/memory-limit-store.ts';
import { releaseSettledCharges, reserveDeferredCharges } from '../../../src/services/budgets/deferred-reservations.ts';
import { videoReservation, videoReservations } from '../../../src/services/videos/video-reservation.ts';
import { describeWithDatabase } from '../../harness/databases.ts';
import { FakeClock } from '../../harness/fake-clock.ts';

const RATES = { input: '0', output: '0', units: [{ unit: 'video_second' as const, price: '0.1', size: '720x1280' }] };

describeWithDatabase('reservations of videos', (databases) => {
  async function begun() {
    const database = await databases.open();
    const em = database.em();
    const account = em.create(Account, { name: 'A', createdAt: new Date() });
    const [apiKeyId, now] = [randomUUID(), new Date()];
    const video = em.create(Video, {
      id: randomUUID(),
      account,
      apiKeyId,
      connectionId: 'openai',
      provider: 'openai',
      model: 'openai/sora-2',
      requestedModel: 'sora-2',
      upstreamModel: 'sora-2',
      upstreamId: 'job',
      seconds: 4,
      size: '720x1280',
      prompt: 'A kite',
      rates: RATES,
      priceVersion: 'test',
      createdAt: now,
      deadlineAt: now,
      pollAt: now,
    });
    await em.flush();
    const { id: accountId } = account;
    const id = budgetId('account', { accountId, keyId: apiKeyId, memberId: null });
    const budget: Budget = {
      id,
      subject: 'account',
      accountId,
      amountNano: 10n ** 9n,
      period: 'TOTAL',
      timeZone: 'UTC',
    };
    const clock = new FakeClock();
    const store = new MemoryLimitStore(clock);
    store.open(budget);
    const settle = () => database.em().nativeUpdate(Video, { id: video.id }, { settledAt: new Date() });
    const find = (account: string | null) => videoReservations(database, account);
    return { find, video, budget, store, clock, settle, reserved: () => store.state(budget)?.reservedNano };
  }

  test('equal the price of the requested seconds until the video is settled', async () => {
    const { find, budget, store, clock, settle, reserved } = await begun();
    await reserveDeferredCharges(find, store, [budget]);
    expect(reserved()).toBe(400_000_000n);
    await reserveDeferredCharges(find, store, [budget]);
    clock.advance(61_000);
    await releaseSettledCharges(find, store, [budget]);
    expect(reserved()).toBe(400_000_000n);
    // By another process, without notifying this one.
    await settle();
    await releaseSettledCharges(find, store, [budget]);
    expect(reserved()).toBe(0n);
  });

  test('exclude videos that ended before the budgets were opened', async () => {
    const { find, video, budget, store, clock, settle, reserved } = await begun();
    store.reserveForDeferredCharge(videoReservation(video));
    await settle();
    clock.advance(61_000);
    await reserveDeferredCharges(find, store, [budget]);
    expect(reserved()).toBe(0n);
  });

  test('use the maximum if neither the length nor a priced size is specified', async () => {
    const { video } = await begun();
    expect(videoReservation({ ...video, seconds: null, size: '64x64' }).costNano).toBe(1_000_000_000n);
    expect(videoReservation({ ...video, markupPpm: 500_000 }).costNano).toBe(600_000_000n);
    expect(videoReservation({ ...video, rates: null }).costNano).toBe(0n);
  });
});
