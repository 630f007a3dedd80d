import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { SluiceError } from '../../errors/index.ts';
import type { PreviewStep, RoutePreview as Preview, RoutePreviewer } from '../../gateway/routing/preview.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { usd } from '../scalars/money.type.ts';
import { enumValue } from './enum-value.ts';
import {
  BreakerState,
  ParameterPolicy,
  RoutePreview,
  RoutePreviewInput,
  type RoutePreviewStep,
  TargetOrder,
} from './route-preview.types.ts';

const DEFAULT_TOKENS = { inputTokens: 1_000, outputTokens: 500 };
const MAX_TOKENS = 100_000_000;

@Resolver()
export class RoutingResolver {
  readonly #routes: RoutePreviewer;

  constructor(routes: RoutePreviewer) {
    this.#routes = routes;
  }

  @Requires('account.read')
  @Query(() => RoutePreview, {
    nullable: true,
    description:
      'The targets that a request for a model or route would be sent to now, with the reasons. Null if nothing serves the name.',
  })
  async previewRoute(
    @Arg('model', () => String, { description: 'The name used in requests: a route, an alias or a model.' })
    model: string,
    @Arg('request', () => RoutePreviewInput, { nullable: true, description: 'Properties of the request.' })
    request: RoutePreviewInput | null,
    @Ctx() context: GraphqlContext,
  ): Promise<RoutePreview | null> {
    const { accountId } = await context.caller();
    const facts = {
      stickyTo: request?.endUser ?? '',
      inputTokens: tokens(request?.inputTokens, DEFAULT_TOKENS.inputTokens),
      outputTokens: tokens(request?.outputTokens, DEFAULT_TOKENS.outputTokens),
    };
    const preview = this.#routes.preview(model, accountId, facts);
    return preview ? toRoutePreview(preview) : null;
  }
}

function tokens(given: number | null | undefined, otherwise: number): number {
  const count = given ?? otherwise;
  if (count >= 0 && count <= MAX_TOKENS) return count;
  throw new SluiceError('bad_user_input', { values: { reason: `tokens: must be from 0 to ${MAX_TOKENS}` } });
}

function toRoutePreview(preview: Preview): RoutePreview {
  return {
    ...preview,
    order: enumValue(TargetOrder, preview.order),
    parameters: enumValue(ParameterPolicy, preview.parameters),
    steps: preview.steps.map(toStep),
  };
}

function toStep({ costNano, ...step }: PreviewStep): RoutePreviewStep {
  return {
    ...step,
    breaker: enumValue(BreakerState, step.breaker),
    estimatedCost: costNano === null ? null : usd(costNano),
  };
}
