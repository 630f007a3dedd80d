import type { ChatReceiver, Connection, Upstream } from '../../../providers/contract.ts';
import type { CollectRequest } from '../../collectable-request.ts';
import { noUsage } from '../../limits/limit-store.ts';
import { send } from './send.ts';
import type { RequestContext } from '../request-context.ts';
import type { ResolvedRequest } from '../resolution/resolve.ts';

/** Gives an admitted request to its caller, which has it run elsewhere. It is charged to rate limits, and has no response. */
export async function collectRequest<Request, Summary>(
  context: RequestContext<Request, Summary>,
  resolved: ResolvedRequest<Summary>,
  collect: CollectRequest,
): Promise<void> {
  const { call, dependencies } = context;
  const { target, reservation, gate } = resolved;
  const { costNano, tokens } = reservation;
  let isCollected = false;
  try {
    const sendBy = async (connection: Connection): Promise<void> => {
      const receiver = new IgnoringReceiver();
      send(context, resolved, { ...target, connection }, receiver);
      // Some are sent a few promises later.
      await new Promise((resolve) => setImmediate(resolve));
      receiver.upstream?.abort();
    };
    isCollected = await collect({ target, costNano, sendBy });
  } finally {
    gate?.end();
    dependencies.limits.settle(call.key, reservation, isCollected ? { tokens, costNano: 0n } : noUsage);
    context.end(null, null);
  }
}

class IgnoringReceiver implements ChatReceiver {
  upstream: Upstream | null = null;

  onConnecting(upstream: Upstream): void {
    this.upstream = upstream;
  }

  onHead(): void {}

  onData(): void {}

  onParts(): void {}

  onResult(): void {}

  onEnd(): void {}

  onFailure(): void {}
}
