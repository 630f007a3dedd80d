import { Migration } from '@mikro-orm/migrations';

export class Migration20261128144626_add_speeds_and_savings extends Migration {

  override name = 'Migration20261128144626_add_speeds_and_savings';

  override up(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" add "cache_savings_nano" bigint null;`);

    this.addSql(`alter table "usage_rollups" add "streamed_tokens" bigint not null default 0, add "streamed_ms" bigint not null default 0, add "output_speeds" numeric not null default 0, add "prompt_cache_requests" int not null default 0, add "prompt_cache_savings_nano" bigint not null default 0, add "response_cache_requests" int not null default 0, add "response_cache_savings_nano" bigint not null default 0;`);

    this.addSql(`alter table "usage_tag_rollups" add "streamed_tokens" bigint not null default 0, add "streamed_ms" bigint not null default 0, add "output_speeds" numeric not null default 0, add "prompt_cache_requests" int not null default 0, add "prompt_cache_savings_nano" bigint not null default 0, add "response_cache_requests" int not null default 0, add "response_cache_savings_nano" bigint not null default 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "usage_logs" drop column "cache_savings_nano";`);

    this.addSql(`alter table "usage_rollups" drop column "streamed_tokens", drop column "streamed_ms", drop column "output_speeds", drop column "prompt_cache_requests", drop column "prompt_cache_savings_nano", drop column "response_cache_requests", drop column "response_cache_savings_nano";`);

    this.addSql(`alter table "usage_tag_rollups" drop column "streamed_tokens", drop column "streamed_ms", drop column "output_speeds", drop column "prompt_cache_requests", drop column "prompt_cache_savings_nano", drop column "response_cache_requests", drop column "response_cache_savings_nano";`);
  }

}
