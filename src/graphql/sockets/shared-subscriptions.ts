import { createSourceEventStream, execute, print, subscribe, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { WebSocket } from 'ws';
import { GraphqlContext, type Caller } from '../operation/context.ts';
import { streamToSocket } from './stream-to-socket.ts';
import { SharedExecution, type SubscriberGroup } from './shared-execution.ts';

/** The socket and operation of a subscription. */
export interface Subscriber {
  readonly socket: WebSocket;
  readonly id: string;
}

type Events = AsyncIterable<unknown>;

/** Subscriptions over WebSocket. Equal subscriptions share one execution per event. */
export class SharedSubscriptions {
  readonly #subscribers = new WeakMap<GraphqlContext, Subscriber>();
  readonly #shared: SharedExecution;

  constructor(finish: (result: ExecutionResult) => ExecutionResult) {
    this.#shared = new SharedExecution(finish);
  }

  /** Registers the socket of a context, before its subscription starts. */
  register(context: GraphqlContext, subscriber: Subscriber): GraphqlContext {
    this.#subscribers.set(context, subscriber);
    return context;
  }

  /** Replaces GraphQL's `subscribe`. */
  async subscribe(args: ExecutionArgs): Promise<AsyncGenerator<ExecutionResult | never> | ExecutionResult> {
    const { contextValue: context } = args;
    const subscriber = context instanceof GraphqlContext ? this.#subscribers.get(context) : undefined;
    if (!(context instanceof GraphqlContext) || subscriber === undefined)
      throw new Error('subscription without a registered socket');
    // The first result contains the cost report of this subscriber, and cannot be shared.
    if (context.costReport !== null) return subscribe(args);
    const events = await createSourceEventStream(args);
    if (!isEvents(events)) return events;
    const { socket, id } = subscriber;
    const group = this.#shared.join(groupKey(args, await context.caller()));
    const close = async (): Promise<void> => {
      group.leave();
      await events[Symbol.asyncIterator]().return?.();
    };
    return streamToSocket({ socket, id, payloads: payloadsOf(events, group, args), close });
  }
}

async function* payloadsOf(events: Events, group: SubscriberGroup, args: ExecutionArgs): AsyncGenerator<string> {
  try {
    for await (const event of events) yield group.payload(event, () => execute({ ...args, rootValue: event }));
  } finally {
    group.leave();
  }
}

/** Results of an event depend only on permissions, not on the caller's identity. */
function groupKey({ document, operationName, variableValues }: ExecutionArgs, caller: Caller): string {
  const query = document.loc?.source.body ?? print(document);
  return JSON.stringify([query, operationName, variableValues, caller.accountId, permissionsOf(caller)]);
}

function permissionsOf(caller: Caller): readonly unknown[] {
  if (caller.kind === 'session') return ['session', caller.membership.role];
  const { scopes, role, memberId, keyMemberId, allowedModels } = caller.key;
  return ['key', [...scopes].sort(), role, memberId, keyMemberId, allowedModels];
}

function isEvents(result: Events | ExecutionResult): result is Events {
  return Symbol.asyncIterator in result;
}
