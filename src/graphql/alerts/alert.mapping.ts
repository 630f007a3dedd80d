import type {
  AlertChannel as AlertChannelEntity,
  AlertDelivery as AlertDeliveryEntity,
  AlertEvent,
  AlertRule as AlertRuleEntity,
  AlertState as AlertStateEntity,
} from '../../database/entities/index.ts';
import type { AlertRuleInput as ServiceRule, ConditionInput } from '../../services/alerts/rule-input.ts';
import { fromGlobalId, toGlobalId } from '../relay/global-id.ts';
import { enumValue } from '../routing/enum-value.ts';
import type { AlertChannel } from './alert-channel.types.ts';
import { AlertChannelKind, AlertKind, AlertMeasure, AlertTransition } from './alert-enums.ts';
import type { AlertConditionInput, AlertRuleInput } from './alert-rule.input.ts';
import type { AlertRule } from './alert-rule.types.ts';
import { AlertDeliveryStatus, type Alert, type AlertDelivery } from './alert.types.ts';

export function toAlertRule(row: AlertRuleEntity, states: readonly AlertStateEntity[]): AlertRule {
  const { name, threshold, resolveThreshold, minimum, windowMinutes, percentile, mutedUntil, enabled, createdAt } = row;
  const { model = null, provider = null, apiKeyId, capability = null, tag = null } = row.filter;
  return {
    id: toGlobalId('AlertRule', row.id),
    name,
    kind: enumValue(AlertKind, row.kind),
    threshold,
    resolveThreshold,
    minimum,
    windowMinutes,
    percentile,
    measure: enumValue(AlertMeasure, row.measure),
    filter: {
      model,
      provider,
      apiKeyId: apiKeyId === undefined ? null : toGlobalId('ApiKey', apiKeyId),
      capability,
      tag: tag && { ...tag },
    },
    channelIds: row.channelIds.map((id) => toGlobalId('AlertChannel', id)),
    mutedUntil,
    enabled,
    createdAt,
    states: states
      .filter(({ rule }) => rule.id === row.id)
      .map(({ label, isFiring, value, evaluatedAt, changedAt }) => ({
        subject: label,
        firing: isFiring,
        value,
        evaluatedAt,
        changedAt,
      })),
  };
}

/** @throws SluiceError not_found for an invalid ID */
export function fromConditionInput({ filter, percentile, ...condition }: AlertConditionInput): ConditionInput {
  const { apiKeyId = null, ...rest } = filter ?? {};
  return {
    ...condition,
    // Validated by the service, like every other value.
    ...(percentile != null && { percentile: percentile as NonNullable<ConditionInput['percentile']> }),
    filter: {
      ...(rest as ConditionInput['filter']),
      apiKeyId: apiKeyId === null ? null : fromGlobalId('ApiKey', apiKeyId),
    },
  };
}

/** @throws SluiceError not_found for an invalid ID */
export function fromRuleInput({ name, condition, channelIds, enabled }: AlertRuleInput): ServiceRule {
  return {
    ...fromConditionInput(condition),
    name,
    channelIds: (channelIds ?? []).map((id) => fromGlobalId('AlertChannel', id)),
    enabled,
  };
}

export function toAlertChannel({ id, name, kind, hint, recipients, createdAt }: AlertChannelEntity): AlertChannel {
  return {
    id: toGlobalId('AlertChannel', id),
    name,
    kind: enumValue(AlertChannelKind, kind),
    hint,
    emails: [...recipients],
    createdAt,
  };
}

/** @param deliveries of any alerts */
export function toAlert(row: AlertEvent, deliveries: readonly AlertDeliveryEntity[]): Alert {
  const { ruleName, transition, label, value, threshold, summary, path, createdAt } = row;
  return {
    id: toGlobalId('Alert', row.id),
    ruleId: row.rule === null ? null : toGlobalId('AlertRule', row.rule.id),
    ruleName,
    kind: transition === 'test' ? null : enumValue(AlertKind, row.kind),
    transition: enumValue(AlertTransition, transition),
    subject: label,
    value,
    threshold,
    summary,
    path,
    incidentId: toGlobalId('Alert', row.incidentId),
    createdAt,
    deliveries: deliveries.filter(({ event }) => event.id === row.id).map(toDelivery),
  };
}

function toDelivery(row: AlertDeliveryEntity): AlertDelivery {
  const { channelName, channelKind, recipient, attempts, lastStatus, lastFailure, deliveredAt, retryAt } = row;
  const unfinished = retryAt === null ? AlertDeliveryStatus.FAILED : AlertDeliveryStatus.PENDING;
  return {
    channelName,
    channelKind: enumValue(AlertChannelKind, channelKind),
    email: recipient === '' ? null : recipient,
    status: deliveredAt === null ? unfinished : AlertDeliveryStatus.DELIVERED,
    attempts,
    lastStatus,
    lastFailure,
    deliveredAt,
  };
}
