import { registerEnumType } from 'type-graphql';

export enum AlertKind {
  SPEND = 'spend',
  ERROR_RATE = 'error_rate',
  LATENCY = 'latency',
  PROVIDER_DOWN = 'provider_down',
  SPEND_ANOMALY = 'spend_anomaly',
  KEY_EXPIRING = 'key_expiring',
  BUDGET = 'budget',
}
registerEnumType(AlertKind, {
  name: 'AlertKind',
  description: 'What an alert rule observes. It determines the unit of the threshold.',
  valuesConfig: {
    SPEND: { description: 'Spend within the window, in USD.' },
    ERROR_RATE: { description: 'Failed requests within the window, in percent.' },
    LATENCY: { description: 'A percentile of the requests within the window, in ms.' },
    PROVIDER_DOWN: {
      description: 'How long every attempt at a provider has failed, in minutes. One alert per provider.',
    },
    SPEND_ANOMALY: {
      description:
        'Spend of the last hour as a multiple of the median of the same hour of the four weeks before, by the clock of the account’s time zone.',
    },
    KEY_EXPIRING: { description: 'Days until an API key expires. One alert per key.' },
    BUDGET: { description: 'The spent share of a budget in its period, in percent. One alert per budget.' },
  },
});

export enum AlertMeasure {
  DURATION = 'duration',
  FIRST_TOKEN = 'first_token',
}
registerEnumType(AlertMeasure, {
  name: 'AlertMeasure',
  description: 'What a latency rule measures.',
  valuesConfig: {
    DURATION: { description: 'The complete request.' },
    FIRST_TOKEN: { description: 'The time to the first token.' },
  },
});

export enum AlertChannelKind {
  EMAIL = 'email',
  WEBHOOK = 'webhook',
  SLACK = 'slack',
  TEAMS = 'teams',
  PAGERDUTY = 'pagerduty',
}
registerEnumType(AlertChannelKind, {
  name: 'AlertChannelKind',
  description: 'The type of an alert channel.',
  valuesConfig: {
    EMAIL: { description: 'E-mail to members of the account.' },
    WEBHOOK: { description: 'A URL that receives signed events, according to Standard Webhooks.' },
    SLACK: { description: 'A Slack incoming webhook.' },
    TEAMS: { description: 'A Microsoft Teams workflow that starts when a webhook request is received.' },
    PAGERDUTY: { description: 'A PagerDuty service with the Events API v2.' },
  },
});

export enum PagerDutyRegion {
  US = 'us',
  EU = 'eu',
}
registerEnumType(PagerDutyRegion, {
  name: 'PagerDutyRegion',
  description: 'The service region of a PagerDuty account.',
  valuesConfig: {
    US: { description: '`events.pagerduty.com`' },
    EU: { description: '`events.eu.pagerduty.com`' },
  },
});

export enum AlertTransition {
  FIRED = 'fired',
  RESOLVED = 'resolved',
  TEST = 'test',
}
registerEnumType(AlertTransition, {
  name: 'AlertTransition',
  description: 'What happened.',
  valuesConfig: {
    FIRED: { description: 'The value reached the threshold.' },
    RESOLVED: { description: 'The value reached the resolve threshold.' },
    TEST: { description: 'A channel was tested.' },
  },
});
