import type { BudgetsService } from '../../budgets/budgets.service.ts';

/** How much of a budget is spent in its current period. */
export interface BudgetShare {
  readonly id: string;
  readonly apiKeyId: string | null;
  /** Whose budget it is, for people. */
  readonly label: string;
  readonly percent: number;
}

const PRECISION = 1_000n;

/** The shares of an account's budgets. @throws SluiceError database_unavailable | limits_unavailable */
export async function budgetShares(
  budgets: Pick<BudgetsService, 'list'>,
  keyNames: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>,
  accountId: string,
): Promise<readonly BudgetShare[]> {
  const views = await budgets.list(accountId);
  const names = await keyNames(views.flatMap(({ known }) => known.apiKeyId ?? []));
  return views.map(({ known, spentNano }) => {
    const { rowId, apiKeyId, member, budget } = known;
    const key = apiKeyId === null ? null : (names.get(apiKeyId) ?? 'a key');
    return {
      id: rowId,
      apiKeyId,
      label: key ?? member?.email ?? 'the account',
      percent: Number((spentNano * 100n * PRECISION) / budget.amountNano) / Number(PRECISION),
    };
  });
}
