import { Migration } from '@mikro-orm/migrations';

const rollUps = ['usage_rollups', 'usage_tag_rollups'] as const;
const histograms = ['durations', 'first_tokens'] as const;

/** A histogram in one number: the count of a class, from 1 on, times 10^12 for each class before it. */
const weigh = `
create function pg_temp.weigh(counts int[]) returns numeric language sql immutable as $body$
  select coalesce(sum(counts[class] * ('1e' || 12 * (class - 1))::numeric), 0) from generate_subscripts(counts, 1) as class
$body$`;

const unweigh = `
create function pg_temp.unweigh(histogram numeric) returns int[] language sql immutable as $body$
  select array_agg((trunc(histogram / ('1e' || 12 * (class - 1))::numeric) % 1e12)::int order by class)
  from generate_series(1, 30) as class
$body$`;

/** Histograms become numbers, which are added faster than lists. */
export class Migration20261121204211_weigh_durations extends Migration {
  override name = 'Migration20261121204211_weigh_durations';

  override up(): void {
    this.addSql(weigh);
    for (const table of rollUps) {
      for (const column of histograms)
        this.addSql(`alter table ${table} alter column ${column} type numeric using pg_temp.weigh(${column});`);
    }
    this.addSql('drop function pg_temp.weigh(int[]);');
    this.addSql('drop function add_counts;');
    this.addSql('drop function count_classes;');
  }

  override down(): void {
    this.addSql(unweigh);
    for (const table of rollUps) {
      for (const column of histograms)
        this.addSql(`alter table ${table} alter column ${column} type int[] using pg_temp.unweigh(${column});`);
    }
    this.addSql('drop function pg_temp.unweigh(numeric);');
    this.addSql(countClasses);
    this.addSql(addCounts);
  }
}

const countClasses = `
create function count_classes(classes int[]) returns int[] language plpgsql immutable parallel safe as $body$
declare
  counts int[] := '{}';
  class int;
begin
  foreach class in array classes loop
    if class is not null then
      counts[class] := coalesce(counts[class], 0) + 1;
    end if;
  end loop;
  return counts;
end
$body$`;

const addCounts = `
create function add_counts(counts int[], more int[]) returns int[] language plpgsql immutable parallel safe as $body$
begin
  for class in coalesce(array_lower(more, 1), 1) .. coalesce(array_upper(more, 1), 0) loop
    if more[class] is not null then
      counts[class] := coalesce(counts[class], 0) + more[class];
    end if;
  end loop;
  return counts;
end
$body$`;
