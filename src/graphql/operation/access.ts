import type { GraphQLField } from 'graphql';
import { Authorized, Extensions, type AuthChecker } from 'type-graphql';
import type { Action } from '../../services/authorization/authorization.ts';
import type { GraphqlContext } from './context.ts';

type FieldDecorator = MethodDecorator & PropertyDecorator;

/** Declares the permission that a field requires. */
export function Requires(action: Action): FieldDecorator {
  return both(Authorized<Action>(action), Extensions({ requires: action }));
}

/** The same for a subscription, which checks it once when it starts: otherwise it would be checked for every event. */
export function RequiresAtStart(action: Action): FieldDecorator {
  return Extensions({ requires: action });
}

/** Whether a field requires no permission. */
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
