/** Of a page of lines; one line may be longer. */
export const PAGE_BYTES = 8 * 1024 * 1024;

/**
 * A query of the first lines of a batch, in order: at most `$3`, and no more once they have `$4` bytes. It never begins with no
 * line where there is one. Lengths of texts are known without reading them.
 * @param text the column whose length counts
 */
export function boundedPage(columns: string, text: string, condition: string): string {
  return `
select ${columns} from (
  select first_lines.*, sum(octet_length(${text})) over (order by line) - octet_length(${text}) as bytes_before
  from (select * from batch_lines where ${condition} order by line limit $3) first_lines
) page
where bytes_before < $4 order by line`;
}
