import { Migration } from '@mikro-orm/migrations';

export class Migration20261127191531_add_alerts extends Migration {

  override name = 'Migration20261127191531_add_alerts';

  override up(): void | Promise<void> {
    this.addSql(`create table "alert_channels" ("id" uuid not null, "account_id" uuid not null, "name" text not null, "kind" text not null, "hint" text not null, "recipients" text[] not null default '{}', "sealed_target" bytea null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`);
    this.addSql(`create index "alert_channels_account_id_index" on "alert_channels" ("account_id");`);

    this.addSql(`create table "alert_rules" ("id" uuid not null, "account_id" uuid not null, "name" text not null, "kind" text not null, "threshold" double precision not null, "resolve_threshold" double precision not null, "minimum" double precision not null default 0, "window_minutes" int not null default 60, "percentile" smallint not null default 95, "measure" text not null default 'duration', "filter" jsonb not null default '{}', "channel_ids" uuid[] not null default '{}', "muted_until" timestamptz(3) null, "enabled" boolean not null default true, "created_at" timestamptz(3) not null default now(), "changed_at" timestamptz(3) not null default now(), primary key ("id"));`);
    this.addSql(`create index "alert_rules_account_id_index" on "alert_rules" ("account_id");`);

    this.addSql(`create table "alert_events" ("id" uuid not null, "account_id" uuid not null, "rule_id" uuid null, "rule_name" text not null, "kind" text not null, "transition" text not null, "subject" text not null, "label" text not null, "value" double precision null, "threshold" double precision null, "summary" text not null, "path" text not null, "incident_id" uuid not null, "created_at" timestamptz(3) not null, primary key ("id"));`);
    this.addSql(`create index "alert_events_rule_id_index" on "alert_events" ("rule_id");`);
    this.addSql(`create index "alert_events_incident_id_index" on "alert_events" ("incident_id");`);
    this.addSql(`create index "alert_events_account_id_created_at_id_index" on "alert_events" ("account_id", "created_at", "id");`);

    this.addSql(`create table "alert_deliveries" ("id" uuid not null, "event_id" uuid not null, "channel_id" uuid null, "channel_name" text not null, "channel_kind" text not null, "recipient" text not null, "attempts" int not null default 0, "last_status" smallint null, "last_failure" text null, "attempted_at" timestamptz(3) null, "retry_at" timestamptz(3) null, "delivered_at" timestamptz(3) null, primary key ("id"));`);
    this.addSql(`create index "alert_deliveries_channel_id_index" on "alert_deliveries" ("channel_id");`);
    this.addSql(`create index alert_deliveries_due on alert_deliveries (retry_at) where retry_at is not null;`);
    this.addSql(`alter table "alert_deliveries" add constraint "alert_deliveries_event_id_channel_id_recipient_unique" unique ("event_id", "channel_id", "recipient");`);

    this.addSql(`create table "alert_states" ("rule_id" uuid not null, "subject" text not null, "label" text not null, "is_firing" boolean not null, "value" double precision null, "evaluated_at" timestamptz(3) not null, "changed_at" timestamptz(3) not null, "incident_id" uuid null, "is_notified" boolean not null default false, primary key ("rule_id", "subject"));`);

    this.addSql(`alter table "alert_channels" add constraint "alert_channels_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);

    this.addSql(`alter table "alert_rules" add constraint "alert_rules_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);

    this.addSql(`alter table "alert_events" add constraint "alert_events_account_id_foreign" foreign key ("account_id") references "accounts" ("id") on delete cascade;`);
    this.addSql(`alter table "alert_events" add constraint "alert_events_rule_id_foreign" foreign key ("rule_id") references "alert_rules" ("id") on delete set null;`);

    this.addSql(`alter table "alert_deliveries" add constraint "alert_deliveries_event_id_foreign" foreign key ("event_id") references "alert_events" ("id") on delete cascade;`);
    this.addSql(`alter table "alert_deliveries" add constraint "alert_deliveries_channel_id_foreign" foreign key ("channel_id") references "alert_channels" ("id") on delete set null;`);

    this.addSql(`alter table "alert_states" add constraint "alert_states_rule_id_foreign" foreign key ("rule_id") references "alert_rules" ("id") on delete cascade;`);
    this.addSql(`alter table "alert_states" add constraint "alert_states_firing_has_incident" check (is_firing = (incident_id is not null));`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "alert_deliveries" drop constraint "alert_deliveries_channel_id_foreign";`);
    this.addSql(`alter table "alert_events" drop constraint "alert_events_rule_id_foreign";`);
    this.addSql(`alter table "alert_states" drop constraint "alert_states_rule_id_foreign";`);
    this.addSql(`alter table "alert_deliveries" drop constraint "alert_deliveries_event_id_foreign";`);

    this.addSql(`drop table if exists "alert_channels" cascade;`);
    this.addSql(`drop table if exists "alert_rules" cascade;`);
    this.addSql(`drop table if exists "alert_events" cascade;`);
    this.addSql(`drop table if exists "alert_deliveries" cascade;`);
    this.addSql(`drop table if exists "alert_states" cascade;`);
  }

}
