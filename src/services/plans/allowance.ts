/** What of a period's spend is billed: all beyond the allowance. In nano-USD. */
export function amountDue(spendNano: bigint, allowanceNano: bigint): bigint {
  return spendNano > allowanceNano ? spendNano - allowanceNano : 0n;
}

/** What of the allowance a period's spend has used. In nano-USD. */
export function allowanceUsed(spendNano: bigint, allowanceNano: bigint): bigint {
  return spendNano < allowanceNano ? spendNano : allowanceNano;
}
