import { Authorized, type AuthChecker } from 'type-graphql';
import type { Action } from '../services/accounts/authorization.ts';
import type { GraphqlContext } from './context.ts';

/** Declares what a caller must be allowed to do for a field. Subscriptions check it themselves, when they begin. */
export function Requires(action: Action): MethodDecorator & PropertyDecorator {
  return Authorized<Action>(action);
}

export const checkAccess: AuthChecker<GraphqlContext, Action> = async ({ context }, actions) => {
  for (const action of actions) await context.require(action);
  if (actions.length === 0) await context.caller();
  return true;
};
