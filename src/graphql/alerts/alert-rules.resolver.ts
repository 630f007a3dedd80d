import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import type { AlertRule as AlertRuleEntity } from '../../database/entities/index.ts';
import type { AlertRulesService } from '../../services/alerts/rules.service.ts';
import { Requires } from '../operation/access.ts';
import type { GraphqlContext } from '../operation/context.ts';
import { fromGlobalId } from '../relay/global-id.ts';
import { DateTime } from '../scalars/date-time.ts';
import { AlertConditionInput, AlertRuleInput } from './alert-rule.input.ts';
import { AlertReading, AlertRule } from './alert-rule.types.ts';
import { fromConditionInput, fromRuleInput, toAlertRule } from './alert.mapping.ts';

@Resolver()
export class AlertRulesResolver {
  readonly #rules: AlertRulesService;

  constructor(rules: AlertRulesService) {
    this.#rules = rules;
  }

  @Requires('alerts.read')
  @Query(() => [AlertRule], { description: 'The account’s alert rules. Maximum 50.' })
  async alertRules(@Ctx() context: GraphqlContext): Promise<AlertRule[]> {
    const { accountId } = await context.caller();
    const rules = await this.#rules.list(accountId);
    const states = await this.#rules.states(accountId);
    return rules.map((rule) => toAlertRule(rule, states));
  }

  @Requires('alerts.read')
  @Query(() => [AlertReading], {
    description: 'The current values of a condition. At most one entry per provider, key or budget of the account.',
  })
  async alertPreview(
    @Arg('condition', () => AlertConditionInput, { description: 'The condition.' }) condition: AlertConditionInput,
    @Ctx() context: GraphqlContext,
  ): Promise<AlertReading[]> {
    const { accountId } = await context.caller();
    const read = await this.#rules.preview(accountId, fromConditionInput(condition));
    return read.map(({ label: subject, value, fires }) => ({ subject, value, fires }));
  }

  @Requires('alerts.write')
  @Mutation(() => AlertRule, { description: 'Creates an alert rule.' })
  async createAlertRule(
    @Arg('input', () => AlertRuleInput, { description: 'The rule.' }) input: AlertRuleInput,
    @Ctx() context: GraphqlContext,
  ): Promise<AlertRule> {
    const { accountId } = await context.caller();
    return toAlertRule(await this.#rules.create(accountId, fromRuleInput(input)), []);
  }

  @Requires('alerts.write')
  @Mutation(() => AlertRule, {
    description:
      'Replaces an alert rule. A firing alert resolves at the next evaluation if the rule no longer applies.',
  })
  async updateAlertRule(
    @Arg('id', () => ID, { description: 'ID of an `AlertRule`.' }) id: string,
    @Arg('input', () => AlertRuleInput, { description: 'The rule.' }) input: AlertRuleInput,
    @Ctx() context: GraphqlContext,
  ): Promise<AlertRule> {
    const { accountId } = await context.caller();
    const ruleId = fromGlobalId('AlertRule', id);
    return this.#withStates(accountId, await this.#rules.update(accountId, ruleId, fromRuleInput(input)));
  }

  @Requires('alerts.write')
  @Mutation(() => AlertRule, {
    description:
      'Mutes an alert rule: nothing is sent until then. An alert that fires meanwhile is sent afterwards if it still fires.',
  })
  async muteAlertRule(
    @Arg('id', () => ID, { description: 'ID of an `AlertRule`.' }) id: string,
    @Arg('until', () => DateTime, {
      nullable: true,
      description: 'When notifications resume, at most in 90 days. Null unmutes the rule.',
    })
    until: Date | null,
    @Ctx() context: GraphqlContext,
  ): Promise<AlertRule> {
    const { accountId } = await context.caller();
    return this.#withStates(accountId, await this.#rules.mute(accountId, fromGlobalId('AlertRule', id), until ?? null));
  }

  @Requires('alerts.write')
  @Mutation(() => Boolean, { description: 'Deletes an alert rule. A firing alert is resolved.' })
  async deleteAlertRule(
    @Arg('id', () => ID, { description: 'ID of an `AlertRule`.' }) id: string,
    @Ctx() context: GraphqlContext,
  ): Promise<boolean> {
    const { accountId } = await context.caller();
    await this.#rules.remove(accountId, fromGlobalId('AlertRule', id));
    return true;
  }

  async #withStates(accountId: string, rule: AlertRuleEntity): Promise<AlertRule> {
    return toAlertRule(rule, await this.#rules.states(accountId));
  }
}
