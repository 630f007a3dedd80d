import { createSourceEventStream, execute, print, subscribe, type ExecutionArgs, type ExecutionResult } from 'graphql';
import type { WebSocket } from 'ws';
import { GraphqlContext, type Caller } from './context.ts';
import { deliver } from './deliver.ts';
import { SharedExecution, type Audience } from './shared-execution.ts';

/** Whose operation it is. */
export interface Subscriber {
  readonly socket: WebSocket;
  readonly id: string;
}

type Events = AsyncIterable<unknown>;

/** Subscriptions over sockets: whoever asks alike is answered by one execution of each event. */
export class SharedSubscriptions {
  readonly #subscribers = new WeakMap<GraphqlContext, Subscriber>();
  readonly #shared: SharedExecution;

  constructor(finish: (result: ExecutionResult) => ExecutionResult) {
    this.#shared = new SharedExecution(finish);
  }

  /** Keeps whose operation a context is for; before it is subscribed. */
  expect(context: GraphqlContext, subscriber: Subscriber): GraphqlContext {
    this.#subscribers.set(context, subscriber);
    return context;
  }

  /** In place of GraphQL's own `subscribe`. */
  async subscribe(args: ExecutionArgs): Promise<AsyncGenerator<ExecutionResult | never> | ExecutionResult> {
    const { contextValue: context } = args;
    const subscriber = context instanceof GraphqlContext ? this.#subscribers.get(context) : undefined;
    if (!(context instanceof GraphqlContext) || subscriber === undefined)
      throw new Error('a subscription came without its socket');
    // What its operation cost is told to who asked, with the first event: that is no one else's answer.
    if (context.costReport !== null) return subscribe(args);
    const events = await createSourceEventStream(args);
    if (!isEvents(events)) return events;
    const { socket, id } = subscriber;
    const audience = this.#shared.join(alike(args, await context.caller()));
    const leave = async (): Promise<void> => {
      audience.leave();
      await events[Symbol.asyncIterator]().return?.();
    };
    return deliver({ socket, id, payloads: payloadsOf(events, audience, args), leave });
  }
}

async function* payloadsOf(events: Events, audience: Audience, args: ExecutionArgs): AsyncGenerator<string> {
  try {
    for await (const event of events) yield audience.payload(event, () => execute({ ...args, rootValue: event }));
  } finally {
    audience.leave();
  }
}

/** Nothing that an event can be asked for depends on who asks, but on what they may. */
function alike({ document, operationName, variableValues }: ExecutionArgs, caller: Caller): string {
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
