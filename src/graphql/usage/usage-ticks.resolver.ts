import { Arg, Int, Resolver, Root, Subscription } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import { RequiresAtStart } from '../access.ts';
import { usd } from '../scalars/money.type.ts';
import { subscription, type SubscribeInput } from '../subscription.ts';
import { toUsageTotals } from './usage-report.mapping.ts';
import type { Tick } from './usage-ticks.ts';
import { UsageTick } from './usage-ticks.types.ts';

const LONGEST_SECONDS = 3_600;

interface TickArgs {
  readonly interval: number;
}

@Resolver()
export class UsageTicksResolver {
  @RequiresAtStart('usage.read')
  @Subscription(() => UsageTick, {
    description:
      'Spend, requests and tokens of the account as they move: one tick at once, then one whenever they have.',
    subscribe: subscription(subscribe),
  })
  usageTicks(
    @Root() { at, since, moved, today }: Tick,
    @Arg('interval', () => Int, {
      defaultValue: 1,
      description: `How many seconds lie between ticks at least: 1 to ${LONGEST_SECONDS}.`,
    })
    _interval: number,
  ): UsageTick {
    const { costNano, ...counts } = moved;
    return { at, since, ...counts, cost: usd(costNano), today: today && toUsageTotals(today) };
  }
}

async function subscribe({ args, context, signal }: SubscribeInput<TickArgs>): Promise<AsyncIterableIterator<Tick>> {
  const { interval } = args;
  if (interval < 1 || interval > LONGEST_SECONDS)
    throw new SluiceError('bad_user_input', {
      param: 'interval',
      values: { reason: `interval: must be 1 to ${LONGEST_SECONDS}` },
    });
  const { accountId } = await context.require('usage.read');
  return context.services.usageTickers.follow(accountId, interval * 1_000, signal);
}
