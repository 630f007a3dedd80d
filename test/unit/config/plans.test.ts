import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../../src/config/config-file.ts';
import { ConfigurationError } from '../../../src/config/environment.ts';
import { capabilityNames } from '../../../src/catalogue/capability-names.ts';
import { chat } from '../../../src/gateway/capabilities/chat/chat.ts';
import { embeddings } from '../../../src/gateway/capabilities/embeddings/embeddings.ts';
import { images } from '../../../src/gateway/capabilities/images/images.ts';
import { moderation } from '../../../src/gateway/capabilities/moderation/moderation.ts';
import { rerank } from '../../../src/gateway/capabilities/rerank/rerank.ts';
import { speech } from '../../../src/gateway/capabilities/speech/speech.ts';
import { transcription } from '../../../src/gateway/capabilities/transcription/transcription.ts';
import { videoCreation } from '../../../src/gateway/capabilities/video/video.ts';
import { readPlans } from '../../../src/composition/gateway/read-plans.ts';
import { FakeShelf, loopbackFetch } from '../../harness/fake-shelf.ts';
import { MediaService } from '../../../src/services/media/media.service.ts';

const read = (yaml: string) => readPlans(parseConfig('sluice.yaml', yaml, {}));

function faults(yaml: string): readonly string[] {
  try {
    parseConfig('sluice.yaml', yaml, {});
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.faults;
    throw error;
  }
}

describe('plans', () => {
  it('are three by default', () => {
    const { plans, defaultPlan } = read('');
    expect(plans.map(({ id, period }) => [id, period])).toEqual([
      ['free', '30_days'],
      ['pro', 'month'],
      ['enterprise', 'month'],
    ]);
    expect(defaultPlan.id).toBe('free');
    expect(read('').isUpgrade(plans[0] ?? defaultPlan, plans[1] ?? defaultPlan)).toBe(true);
    expect(plans.map(({ terms }) => terms.markupPpm)).toEqual([0, 0, 0]);
  });

  it('can be changed member by member, and additional ones are unlimited by default', () => {
    const { plans, defaultPlan } = read(`
default_plan: starter
plans:
  free: { requests_per_minute: 5, capabilities: [chat, video], allowance: 0.5 }
  starter: { name: Starter, monthly_fee: "9.99", markup: 12.5, models: [openai/gpt-4.1-mini], retention_days: 14 }
`);
    const [free, , , starter] = plans;
    expect(free).toMatchObject({
      limits: { requestsPerMinute: 5, tokensPerMinute: 500_000 },
      allowanceNano: 500_000_000n,
      terms: { capabilities: new Set(['chat', 'video']) },
    });
    expect(starter).toBe(defaultPlan);
    expect(starter).toMatchObject({
      id: 'starter',
      name: 'Starter',
      feeNano: 9_990_000_000n,
      limits: { requestsPerMinute: Infinity, concurrency: Infinity },
      retentionDays: 14,
      terms: { id: 'starter', markupPpm: 125_000, models: ['openai/gpt-4.1-mini'], capabilities: null },
    });
  });

  it('without a fee reject overage with open sign-up by default', () => {
    const overage = (yaml: string, signUp: 'open' | 'invite' | 'off') =>
      Object.fromEntries(
        readPlans(parseConfig('sluice.yaml', yaml, {}), signUp).plans.map(({ id, terms }) => [id, terms.overage]),
      );
    expect(overage('', 'open')).toEqual({ free: 'refuse', pro: 'bill', enterprise: 'bill' });
    for (const signUp of ['invite', 'off'] as const)
      expect(overage('', signUp)).toEqual({ free: 'bill', pro: 'bill', enterprise: 'bill' });
    const given = 'plans: { free: { overage: bill }, pro: { overage: refuse }, trial: {}, club: { monthly_fee: 1 } }';
    expect(overage(given, 'open')).toEqual({
      free: 'bill',
      pro: 'refuse',
      enterprise: 'bill',
      trial: 'refuse',
      club: 'bill',
    });
    expect(overage(given, 'off')).toMatchObject({ pro: 'refuse', trial: 'bill' });
  });

  it('with the same price are upgrades in the listed order', () => {
    const book = read('plans: { team: { monthly_fee: 20 }, crew: { monthly_fee: 20 } }');
    const [pro, team, crew] = ['pro', 'team', 'crew'].map((id) => book.of(id));
    if (!pro || !team || !crew) throw new Error('no plans');
    expect([book.isUpgrade(pro, team), book.isUpgrade(team, crew), book.isUpgrade(crew, team)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(book.isUpgrade(crew, book.of('enterprise'))).toBe(false);
  });

  it('with errors are reported together, with their paths', () => {
    expect(
      faults(`
default_plan: fre
plans:
  Free!: {}
  pro: { markup: "-5", monthly_fee: 1e12, request_per_minute: 3 }
  free: { capabilities: [chats], concurrency: 0, period: week, overage: never }
`),
    ).toEqual([
      expect.stringContaining('plans.Free!: a plan ID may contain only lower-case letters'),
      expect.stringMatching(/plans\.pro\.(markup|monthly_fee)/),
      expect.stringMatching(/plans\.pro\.(markup|monthly_fee)/),
      expect.stringContaining('plans.pro: unknown member request_per_minute (did you mean requests_per_minute?)'),
      expect.stringContaining('plans.free.period: must be one of month, 30_days'),
      expect.stringContaining('plans.free.concurrency: must be at least 1'),
      expect.stringContaining('plans.free.capabilities.0: must be one of chat'),
      expect.stringContaining('plans.free.overage: must be one of refuse, bill'),
      expect.stringContaining('default_plan: unknown plan fre; did you mean free?'),
    ]);
  });

  it('can allow each capability of the gateway by its name', () => {
    const media = new MediaService(new FakeShelf(), 'a master key of the tests, long enough', loopbackFetch());
    const keep = () => Promise.reject(new Error('kept nowhere'));
    const all = [
      chat,
      embeddings,
      images('generation', media),
      moderation,
      rerank,
      speech,
      transcription('transcribe'),
      videoCreation(keep),
    ].map(({ name }) => name);
    expect(all.toSorted()).toEqual([...capabilityNames]);
  });
});
