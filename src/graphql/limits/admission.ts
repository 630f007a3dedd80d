import {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValidationRule,
} from 'graphql';
import { systemClock } from '../../calendar/clock.ts';
import { SluiceError } from '../../errors/index.ts';
import { networkOf } from '../../services/client-request/network-of.ts';
import type { GraphqlContext } from '../operation/context.ts';
import type { CostReport } from '../operation/cost-report.ts';
import { limiterKey } from './limiter-key.ts';
import { costOf } from './cost.ts';
import { CostMeter, type CostBalance, type SharedPoints } from './cost-meter.ts';
import type { OperationLimits } from './settings.ts';
import { shapeRule } from './shape-rule.ts';
import { tooLarge } from './too-large.ts';

/** Enforces the size and cost limits of operations, for both transports. */
export class Admission {
  readonly rules: readonly ValidationRule[];
  readonly parseOptions: { readonly maxTokens: number };
  readonly #schema: GraphQLSchema;
  readonly #limits: OperationLimits;
  readonly #meter: CostMeter;

  constructor(
    schema: GraphQLSchema,
    limits: OperationLimits,
    introspection: boolean,
    sharedPoints: SharedPoints | null = null,
  ) {
    this.#schema = schema;
    this.#limits = limits;
    this.#meter = new CostMeter(limits.costPerMinute, systemClock, sharedPoints);
    this.parseOptions = { maxTokens: limits.tokens };
    this.rules = [shapeRule(limits), ...(introspection ? [] : [NoSchemaIntrospectionCustomRule])];
  }

  /** Parses and validates, for WebSocket. @throws GraphQLError for the first syntax error */
  read(text: string): { readonly document: DocumentNode; readonly faults: readonly GraphQLError[] } {
    const document = parse(text, this.parseOptions);
    return { document, faults: validate(this.#schema, document, [...specifiedRules, ...this.rules]) };
  }

  /**
   * Counts a valid operation against its caller's budget.
   * @throws GraphQLError of a SluiceError operation_too_large | rate_limited
   */
  async charge(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Readonly<Record<string, unknown>> | null | undefined,
    context: GraphqlContext,
  ): Promise<CostReport> {
    const { cost: limit, costPerMinute: perMinute } = this.#limits;
    const requested = costOf(this.#schema, document, operation, variables ?? {});
    if (requested > limit) throw tooLarge(`a cost of ${requested} points`, limit, operation);
    const balance = await this.#meter.spend(await callerOf(context), requested);
    if (!balance.granted) throw outOfPoints(perMinute, balance);
    return { requested, limit, perMinute, remaining: balance.remaining, resetAt: balance.resetAt.toISOString() };
  }
}

/** The budget's owner. Unauthenticated clients share the budget of their network: guessed credentials must not get their own. */
async function callerOf(context: GraphqlContext): Promise<string> {
  const { apiKey, sessionToken, address } = context.credentials;
  if (apiKey !== null || sessionToken !== null)
    try {
      return limiterKey(await context.caller());
    } catch (error) {
      // Reported by the fields that require a caller; some do not.
      if (!(error instanceof SluiceError)) throw error;
    }
  return `address ${networkOf(address)}`;
}

function outOfPoints(limit: number, { retryAfterMs }: CostBalance): GraphQLError {
  const seconds = Math.ceil(retryAfterMs / 1_000);
  const error = new SluiceError('rate_limited', { values: { limit, seconds }, retryAfterMs });
  return new GraphQLError(error.message, { originalError: error, extensions: { code: error.code } });
}
