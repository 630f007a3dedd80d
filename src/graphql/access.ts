import type { GraphQLField } from 'graphql';
import { Authorized, Extensions, type AuthChecker } from 'type-graphql';
import type { Action } from '../services/accounts/authorization.ts';
import type { GraphqlContext } from './context.ts';

type FieldDecorator = MethodDecorator & PropertyDecorator;

/** Declares what a caller must be allowed to do for a field. */
export function Requires(action: Action): FieldDecorator {
  return both(Authorized<Action>(action), Extensions({ requires: action }));
}

/** The same for a subscription, which checks it itself when it begins: it would be checked for each event otherwise. */
export function RequiresAtStart(action: Action): FieldDecorator {
  return Extensions({ requires: action });
}

/** Whether a field asks nothing of its caller. */
export function isPublic({ extensions }: GraphQLField<unknown, unknown>): boolean {
  return extensions.requires === undefined;
}

export const checkAccess: AuthChecker<GraphqlContext, Action> = async ({ context }, actions) => {
  for (const action of actions) await context.require(action);
  if (actions.length === 0) await context.caller();
  return true;
};

function both(one: FieldDecorator, other: FieldDecorator): FieldDecorator {
  return (target: object, key: string | symbol, descriptor?: PropertyDescriptor) => {
    one(target, key, descriptor ?? {});
    other(target, key, descriptor ?? {});
  };
}
