import type { AlertChannelsService } from '../../services/alerts/channels.service.ts';
import type { AlertHistory } from '../../services/alerts/history.ts';
import type { AlertRulesService } from '../../services/alerts/rules.service.ts';
import { rowsWithIds, withTypename, type NodeLoaders } from '../relay/node-loader.ts';
import { toAlert, toAlertChannel, toAlertRule } from './alert.mapping.ts';

export interface AlertSources {
  readonly rules: Pick<AlertRulesService, 'list' | 'states'>;
  readonly channels: Pick<AlertChannelsService, 'list'>;
  readonly history: Pick<AlertHistory, 'byIds' | 'deliveries'>;
}

/** Alerts, their rules and channels by their IDs. */
export function alertNodes({ rules, channels, history }: AlertSources): NodeLoaders {
  return {
    AlertRule: async (context, ids) => {
      const { accountId } = await context.require('alerts.read');
      const rows = rowsWithIds(ids, await rules.list(accountId));
      const states = await rules.states(accountId);
      return rows.map((row) => withTypename('AlertRule', toAlertRule(row, states)));
    },
    AlertChannel: async (context, ids) => {
      const { accountId } = await context.require('alerts.read');
      const rows = rowsWithIds(ids, await channels.list(accountId));
      return rows.map((row) => withTypename('AlertChannel', toAlertChannel(row)));
    },
    Alert: async (context, ids) => {
      const { accountId } = await context.require('alerts.read');
      const rows = await history.byIds(accountId, ids);
      const deliveries = await history.deliveries(
        accountId,
        rows.map(({ id }) => id),
      );
      return rows.map((row) => withTypename('Alert', toAlert(row, deliveries)));
    },
  };
}
